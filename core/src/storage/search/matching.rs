//! Matching items: those with words that begin with every term, and those that contain the longer
//! terms inside words.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rusqlite::{Connection, named_params};

use super::candidate::{Candidate, CandidateReader};
use super::fold::of_folded;
use super::terms::{Term, infix_query, path_query, trigrams, word_query};
use crate::db::id_set::{self, IdSet};
use crate::db::item_index::Groups;
use crate::error::StoreResult;
use crate::id::ItemId;

/// Maximum number of items that are read to verify a term that was found by its trigrams. Beyond
/// that, all of them count as matches, which is nearly always correct. Displayed items are always
/// verified.
const MAX_VERIFIED: usize = 1_000;
/// Up to this number, items are verified at once. The word index may be slower, because it collects
/// every word that begins with a term.
const FEW: usize = 200;
/// The same limit for a single term. Its words are in no more items than its trigrams, so a query
/// of the word index is cheap.
const FEW_OF_ONE_TERM: usize = 16;
/// Beyond this number of items with the trigrams, no further query is made.
pub(super) const BROAD: usize = 50_000;

/// Collects the matches of a query.
const WORDS: &str = "
    SELECT id_set(rowid)
      FROM search_word
     WHERE search_word MATCH :query";

const INFIXES: &str = "
    SELECT id_set(rowid)
      FROM search_infix
     WHERE search_infix MATCH :query";

/// Search indexes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indexes<'a> {
    pub(super) conn: &'a Connection,
}

impl Indexes<'_> {
    fn matches(self, sql: &str, query: &str) -> StoreResult<IdSet> {
        id_set::query(self.conn, sql, named_params! { ":query": query })
    }

    /// Returns items whose words begin with all terms, optionally in `columns` only.
    pub(super) fn by_words(
        self,
        terms: &[&Term],
        columns: Option<&str>,
        goes_on: bool,
    ) -> StoreResult<IdSet> {
        match word_query(terms, columns, goes_on) {
            Some(query) => self.matches(WORDS, &query),
            None => Ok(IdSet::default()),
        }
    }

    /// Returns items that match a query of the word index.
    pub(super) fn by_query(self, query: &str) -> StoreResult<IdSet> {
        self.matches(WORDS, query)
    }

    /// Returns items whose words begin with all terms and whose paths or names contain this term.
    pub(super) fn by_path(self, term: &Term, terms: &[&Term], goes_on: bool) -> StoreResult<IdSet> {
        match path_query(term, terms, goes_on) {
            Some(query) => self.matches(WORDS, &query),
            None => Ok(IdSet::default()),
        }
    }
}

/// Items that match a query.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// Ids of the matches.
    pub(super) ids: IdSet,
    /// Matches that had to be read for verification.
    pub(super) verified: HashMap<ItemId, Candidate>,
}

impl From<IdSet> for Matches {
    fn from(ids: IdSet) -> Self {
        Self {
            ids,
            verified: HashMap::new(),
        }
    }
}

/// Returns candidates for a text of [`text::fold`](crate::text::fold): every item whose title contains
/// it, and possibly other items. Returns `None` for a text of fewer than three characters.
pub(crate) fn may_contain(conn: &Connection, folded: &str) -> StoreResult<Option<IdSet>> {
    // Folding for the index replaces single characters, so a part of a title stays a part.
    let folded = of_folded(folded);
    if folded.chars().count() < 3 {
        return Ok(None);
    }
    Indexes { conn }
        .matches(INFIXES, &trigrams(&folded))
        .map(Some)
}

/// Returns the items that match all terms, including invisible ones. Items outside `groups` may be
/// missing from the result.
pub(super) fn matches(
    indexes: Indexes<'_>,
    terms: &[Term],
    groups: &Groups<'_>,
) -> StoreResult<Matches> {
    let all: Vec<&Term> = terms.iter().collect();
    let (long, short): (Vec<&Term>, Vec<&Term>) = terms.iter().partition(|term| term.is_anywhere());
    let Some(query) = infix_query(&long) else {
        return Ok(indexes.by_words(&all, None, true)?.into());
    };
    let mut infix = indexes.matches(INFIXES, &query)?;
    let mut visible = count(&infix, groups, BROAD);
    if !short.is_empty() && visible > MAX_VERIFIED {
        infix.intersect(&indexes.by_words(&short, None, true)?);
        visible = count(&infix, groups, BROAD);
    }
    let is_exact = short.is_empty() && long.iter().all(|term| term.is_one_trigram());
    if is_exact || visible > BROAD {
        return Ok(infix.into());
    }
    let few = if terms.len() == 1 {
        FEW_OF_ONE_TERM
    } else {
        FEW
    };
    if visible <= few && long.iter().all(|term| term.is_single_word()) {
        return verified(indexes.conn, terms, groups, &infix);
    }
    let mut matches = Matches::from(indexes.by_words(&all, None, true)?);
    let mut open = infix;
    open.subtract(&matches.ids);
    if count(&open, groups, MAX_VERIFIED) <= MAX_VERIFIED {
        let verified = verified(indexes.conn, terms, groups, &open)?;
        matches.verified = verified.verified;
        open = verified.ids;
    }
    matches.ids.unite(&open);
    Ok(matches)
}

/// Returns the visible items that contain the terms.
fn verified(
    conn: &Connection,
    terms: &[Term],
    groups: &Groups<'_>,
    open: &IdSet,
) -> StoreResult<Matches> {
    let mut ids = Vec::new();
    groups.each(open, |_, id| {
        ids.push(id);
        ControlFlow::Continue(())
    });
    let mut reader = CandidateReader::new(conn, terms)?;
    let mut matches = IdSet::default();
    let mut verified = HashMap::new();
    for id in ids {
        if let Some(candidate) = reader.read_unscoped(id)?
            && reader.has_all_terms(&candidate)?
        {
            matches.insert(id);
            verified.insert(id, candidate);
        }
    }
    Ok(Matches {
        ids: matches,
        verified,
    })
}

/// Counts the visible items. Stops at `most` + 1.
fn count(ids: &IdSet, groups: &Groups<'_>, most: usize) -> usize {
    let mut count = 0;
    groups.each(ids, |_, _| {
        count += 1;
        if count > most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::plan;

    #[test]
    fn statements_use_the_indexes() {
        for index in [WORDS, INFIXES] {
            let matches = plan(index);
            assert!(matches.contains("VIRTUAL TABLE INDEX 0:M"), "{matches}");
        }
    }
}
