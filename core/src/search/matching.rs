//! Which items match: those whose words begin with every term, and those that have the longer
//! terms inside words.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use rusqlite::{Connection, named_params};

use super::candidate::CandidateReader;
use super::terms::{Term, infix_query, path_query, word_query};
use crate::db::id_set::kept::{Kept, Key};
use crate::db::id_set::{self, IdSet};
use crate::db::presence::Groups;
use crate::id::ItemId;
use crate::store::StoreResult;

/// Items read to see whether they have a term or only its trigrams. Beyond, they count as if they
/// had it, which nearly all do; what is shown is always verified.
const MAX_VERIFIED: usize = 1_000;
/// So few items are read at once: the index of words may take longer, as it gathers every word that
/// a term begins.
const FEW: usize = 200;
/// The same for a single term. The words that it begins are in no more items than its trigrams, so
/// that the index of words is cheap to ask.
const FEW_OF_ONE_TERM: usize = 16;
/// Beyond so many items that have the trigrams, no more is asked.
pub(super) const BROAD: usize = 50_000;

/// Collects what matches a query, of the items that are newer than one.
const WORDS: &str = "
    SELECT id_set(rowid)
      FROM search_word
     WHERE search_word MATCH :query
       AND rowid > :after";

const INFIXES: &str = "
    SELECT id_set(rowid)
      FROM search_infix
     WHERE search_infix MATCH :query
       AND rowid > :after";

/// In which epoch the indexes are, and the newest item in them.
const STATE: &str = "
    SELECT epoch, (SELECT ifnull(max(id), 0) FROM search_infix_docsize)
      FROM search_epoch
     WHERE id = 1";

/// Where matches are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indexes<'a> {
    pub(super) conn: &'a Connection,
    pub(super) kept: &'a Kept,
}

impl Indexes<'_> {
    fn matches(&self, sql: &'static str, query: String) -> StoreResult<Arc<IdSet>> {
        let mut state = self.conn.prepare_cached(STATE)?;
        let (epoch, newest): (i64, ItemId) =
            state.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let key = Key {
            state: epoch.to_le_bytes().to_vec(),
            sql,
            query,
        };
        self.kept.get_up_to(newest, key, |key, after| {
            let params = named_params! { ":query": key.query, ":after": after };
            id_set::query(self.conn, key.sql, params)
        })
    }

    /// Items whose words begin with all terms, in `columns` alone if some are named.
    pub(super) fn by_words(
        &self,
        terms: &[&Term],
        columns: Option<&str>,
        goes_on: bool,
    ) -> StoreResult<Arc<IdSet>> {
        match word_query(terms, columns, goes_on) {
            Some(query) => self.matches(WORDS, query),
            None => Ok(Arc::default()),
        }
    }

    /// Items whose words begin with all terms and whose paths contain this one.
    pub(super) fn by_path(
        &self,
        term: &Term,
        terms: &[&Term],
        goes_on: bool,
    ) -> StoreResult<Arc<IdSet>> {
        match path_query(term, terms, goes_on) {
            Some(query) => self.matches(WORDS, query),
            None => Ok(Arc::default()),
        }
    }
}

/// The items that match a query.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// Their ids.
    pub(super) ids: Arc<IdSet>,
    /// Those that had to be read to verify them.
    pub(super) verified: HashMap<ItemId, Verified>,
}

/// A match of which everything was read that orders it.
#[derive(Debug)]
pub(super) struct Verified {
    pub(super) price: u32,
    pub(super) sort_title: String,
}

impl From<Arc<IdSet>> for Matches {
    fn from(ids: Arc<IdSet>) -> Self {
        Self {
            ids,
            verified: HashMap::new(),
        }
    }
}

/// Items that match all terms, visible or not. Those that `groups` leaves out may be among them or
/// not.
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
    let mut infix = indexes.matches(INFIXES, query)?;
    let mut visible = count(&infix, groups, BROAD);
    if !short.is_empty() && visible > MAX_VERIFIED {
        Arc::make_mut(&mut infix).intersect(&*indexes.by_words(&short, None, true)?);
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
    let mut open = Arc::unwrap_or_clone(infix);
    open.subtract(&matches.ids);
    if count(&open, groups, MAX_VERIFIED) <= MAX_VERIFIED {
        let verified = verified(indexes.conn, terms, groups, &open)?;
        matches.verified = verified.verified;
        open = Arc::unwrap_or_clone(verified.ids);
    }
    Arc::make_mut(&mut matches.ids).unite(&open);
    Ok(matches)
}

/// The visible ones that turn out to have the terms.
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
            && let Some(price) = reader.price(&candidate)?
        {
            matches.insert(id);
            let sort_title = candidate.sort_title;
            verified.insert(id, Verified { price, sort_title });
        }
    }
    Ok(Matches {
        ids: Arc::new(matches),
        verified,
    })
}

/// How many are visible; what is more than `most` counts as one more.
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
            // `>`: also which items are newer is asked of the index.
            let is_asked = matches.contains("VIRTUAL TABLE INDEX 0:M") && matches.ends_with('>');
            assert!(is_asked, "{matches}");
        }
        let state = plan(STATE);
        assert!(!state.contains("SCAN search"), "{state}");
    }
}
