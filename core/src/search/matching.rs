//! Which items match: those whose words begin with every term, and those that have the longer
//! terms inside words.

use rusqlite::{Connection, named_params};

use super::terms::{Field, Fit, Term, infix_query, word_query};
use super::{fold_with_variants, paths_unscoped};
use crate::db::id_set::{self, IdSet};
use crate::db::presence::Groups;
use crate::id::ItemId;
use crate::store::StoreResult;

/// Items read to see whether they have a term or only its trigrams. Beyond, they count as if they
/// had it, which nearly all do; what is shown is always verified.
const MAX_VERIFIED: usize = 1_000;
/// Beyond so many items that have the trigrams, no more is asked.
pub(super) const BROAD: usize = 50_000;

const WORDS: &str = "
    SELECT id_set(rowid)
      FROM search_word
     WHERE search_word MATCH :query";

const INFIXES: &str = "
    SELECT id_set(rowid)
      FROM search_infix
     WHERE search_infix MATCH :query";

/// Items whose words begin with all terms, in `column` alone if it is named.
pub(super) fn by_words(
    conn: &Connection,
    terms: &[&Term],
    column: Option<&str>,
    goes_on: bool,
) -> StoreResult<IdSet> {
    match word_query(terms, column, goes_on) {
        Some(query) => id_set::query(conn, WORDS, named_params! { ":query": query }),
        None => Ok(IdSet::default()),
    }
}

/// Items that match all terms, visible or not. Those that `groups` leaves out may be among them or
/// not.
pub(super) fn matches(
    conn: &Connection,
    terms: &[Term],
    groups: &Groups<'_>,
) -> StoreResult<IdSet> {
    let all: Vec<&Term> = terms.iter().collect();
    let (long, short): (Vec<&Term>, Vec<&Term>) = terms.iter().partition(|term| term.is_anywhere());
    let Some(query) = infix_query(&long) else {
        return by_words(conn, &all, None, true);
    };
    let mut infix = id_set::query(conn, INFIXES, named_params! { ":query": query })?;
    if !short.is_empty() && !at_most(MAX_VERIFIED, &infix, groups) {
        infix.intersect(&by_words(conn, &short, None, true)?);
    }
    let is_exact = short.is_empty() && long.iter().all(|term| term.is_one_trigram());
    if is_exact || !at_most(BROAD, &infix, groups) {
        return Ok(infix);
    }
    let words = by_words(conn, &all, None, true)?;
    verified(conn, terms, groups, infix, words)
}

/// The matches among what has the trigrams and what has the words.
fn verified(
    conn: &Connection,
    terms: &[Term],
    groups: &Groups<'_>,
    infix: IdSet,
    words: IdSet,
) -> StoreResult<IdSet> {
    let mut open = infix;
    open.subtract(&words);
    let mut ids = words;
    if !at_most(MAX_VERIFIED, &open, groups) {
        ids.unite(&open);
        return Ok(ids);
    }
    for id in open.descending().filter(|id| groups.of(*id).is_some()) {
        if Candidate::read_unscoped(conn, id)?.is_match(conn, terms)? {
            ids.insert(id);
        }
    }
    Ok(ids)
}

fn at_most(most: usize, ids: &IdSet, groups: &Groups<'_>) -> bool {
    let visible = ids.descending().filter(|id| groups.of(*id).is_some());
    visible.take(most + 1).count() <= most
}

/// An item that may match, with what it is judged by.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) id: ItemId,
    pub(super) sort_title: String,
    title: Field,
    authors: Field,
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
            authors: Field::of(fold_with_variants(&authors)),
        })
    }

    /// What a term costs by where it was found: title before authors, and in each a word before
    /// its start before its inside. `None` where it was not found in either.
    fn cost(&self, term: &Term) -> Option<u32> {
        let title = term.fit(&self.title).map(by_fit);
        title.or_else(|| term.fit(&self.authors).map(|fit| AUTHORS + by_fit(fit)))
    }

    fn is_match(&self, conn: &Connection, terms: &[Term]) -> StoreResult<bool> {
        Ok(self.price(conn, terms)?.is_some())
    }

    /// What all terms cost together; `None` where one is not found. The paths are read only where
    /// title and authors lack a term.
    pub(super) fn price(&self, conn: &Connection, terms: &[Term]) -> StoreResult<Option<u32>> {
        let mut price = 0;
        let mut paths = None;
        for term in terms {
            if let Some(cost) = self.cost(term) {
                price += cost;
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
        for sql in [WORDS, INFIXES] {
            let plan = plan(sql);
            assert!(plan.contains("VIRTUAL TABLE INDEX 0:M"), "{plan}");
        }
        assert!(plan(CANDIDATE).contains("USING INTEGER PRIMARY KEY"));
    }
}
