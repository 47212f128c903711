//! Which items match: those whose words begin with every term, and those that have the longer
//! terms inside words.

use std::ops::ControlFlow;
use std::sync::Arc;

use rusqlite::{Connection, named_params};

use super::terms::{Field, Fit, Term, infix_query, word_query};
use super::{fold_with_variants, paths_unscoped};
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
}

/// Items that match all terms, visible or not. Those that `groups` leaves out may be among them or
/// not.
pub(super) fn matches(
    indexes: Indexes<'_>,
    terms: &[Term],
    groups: &Groups<'_>,
) -> StoreResult<Arc<IdSet>> {
    let all: Vec<&Term> = terms.iter().collect();
    let (long, short): (Vec<&Term>, Vec<&Term>) = terms.iter().partition(|term| term.is_anywhere());
    let Some(query) = infix_query(&long) else {
        return indexes.by_words(&all, None, true);
    };
    let mut infix = indexes.matches(INFIXES, query)?;
    let mut visible = count(&infix, groups, BROAD);
    if !short.is_empty() && visible > MAX_VERIFIED {
        Arc::make_mut(&mut infix).intersect(&*indexes.by_words(&short, None, true)?);
        visible = count(&infix, groups, BROAD);
    }
    let is_exact = short.is_empty() && long.iter().all(|term| term.is_one_trigram());
    if is_exact || visible > BROAD {
        return Ok(infix);
    }
    if visible <= FEW && long.iter().all(|term| term.is_single_word()) {
        return Ok(Arc::new(verified(indexes.conn, terms, groups, &infix)?));
    }
    let mut matches = indexes.by_words(&all, None, true)?;
    let mut open = Arc::unwrap_or_clone(infix);
    open.subtract(&matches);
    if count(&open, groups, MAX_VERIFIED) <= MAX_VERIFIED {
        open = verified(indexes.conn, terms, groups, &open)?;
    }
    Arc::make_mut(&mut matches).unite(&open);
    Ok(matches)
}

/// The visible ones that turn out to have the terms.
fn verified(
    conn: &Connection,
    terms: &[Term],
    groups: &Groups<'_>,
    open: &IdSet,
) -> StoreResult<IdSet> {
    let mut ids = Vec::new();
    groups.each(open, |_, id| {
        ids.push(id);
        ControlFlow::Continue(())
    });
    let mut matches = IdSet::default();
    for id in ids {
        if Candidate::read_unscoped(conn, id)?.is_match(conn, terms)? {
            matches.insert(id);
        }
    }
    Ok(matches)
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

/// An item that may match, with what it is judged by.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) id: ItemId,
    pub(super) sort_title: String,
    title: Field,
    /// As they are stored: most terms stand in the title.
    authors: String,
}

impl Candidate {
    /// Reads an item; one that is gone matches nothing.
    pub(super) fn read_unscoped(conn: &Connection, id: ItemId) -> StoreResult<Self> {
        let mut statement = conn.prepare_cached(CANDIDATE)?;
        let mut rows = statement.query(named_params! { ":id": id })?;
        let (title, authors, sort_title): (String, String, String) = match rows.next()? {
            Some(row) => (row.get(0)?, row.get(1)?, row.get(2)?),
            None => Default::default(),
        };
        Ok(Self {
            id,
            sort_title,
            title: Field::of(fold_with_variants(&title)),
            authors,
        })
    }

    fn is_match(&self, conn: &Connection, terms: &[Term]) -> StoreResult<bool> {
        Ok(self.price(conn, terms)?.is_some())
    }

    /// What all terms cost together, by where each was found: title before authors before paths,
    /// and in each a word before its start before its inside. `None` where one is not found.
    /// Authors and paths are looked at only for what the title lacks.
    pub(super) fn price(&self, conn: &Connection, terms: &[Term]) -> StoreResult<Option<u32>> {
        let mut price = 0;
        let mut authors = None;
        let mut paths = None;
        for term in terms {
            if let Some(fit) = term.fit(&self.title) {
                price += by_fit(fit);
                continue;
            }
            let authors =
                authors.get_or_insert_with(|| Field::of(fold_with_variants(&self.authors)));
            if let Some(fit) = term.fit(authors) {
                price += AUTHORS + by_fit(fit);
                continue;
            }
            let field = match paths.take() {
                Some(field) => field,
                None => Field::of(paths_unscoped(conn, self.id)?),
            };
            let Some(fit) = term.fit(&field) else {
                return Ok(None);
            };
            price += PATH + by_fit(fit);
            paths = Some(field);
        }
        Ok(Some(price))
    }
}

/// What a term in the authors costs more than in the title.
const AUTHORS: u32 = 3;
/// What a term in the paths costs more than in the title.
const PATH: u32 = 6;

fn by_fit(fit: Fit) -> u32 {
    match fit {
        Fit::Word => 0,
        Fit::Start => 1,
        Fit::Inside => 2,
    }
}

const CANDIDATE: &str = "
    SELECT title, authors, sort_title
      FROM item
     WHERE id = :id";

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
        assert!(plan(CANDIDATE).contains("USING INTEGER PRIMARY KEY"));
    }
}
