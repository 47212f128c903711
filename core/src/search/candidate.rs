//! Candidates: items that may match, and the price that orders them.

use rusqlite::{CachedStatement, Connection, named_params};

use super::terms::{Field, Fit, Term};
use super::{fold_with_variants, paths_unscoped};
use crate::id::ItemId;
use crate::store::StoreResult;

/// The price of a term in the authors beyond its price in the title.
pub(super) const AUTHORS: u32 = 3;
/// The price of a term in the paths beyond its price in the title.
pub(super) const PATH: u32 = 6;

const CANDIDATE: &str = "
    SELECT title, authors, sort_title
      FROM item
     WHERE id = :id";

/// Reads candidates for the terms of one query.
pub(super) struct CandidateReader<'a> {
    conn: &'a Connection,
    statement: CachedStatement<'a>,
    terms: &'a [Term],
}

/// An item of which the title and the authors were read.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) id: ItemId,
    pub(super) sort_title: String,
    /// The price of the terms that the title or the authors contain.
    pub(super) price: u32,
    /// The terms that only the paths can contain: bit `n` is the term of that number.
    pub(super) in_paths: u16,
}

impl<'a> CandidateReader<'a> {
    pub(super) fn new(conn: &'a Connection, terms: &'a [Term]) -> StoreResult<Self> {
        Ok(Self {
            conn,
            statement: conn.prepare_cached(CANDIDATE)?,
            terms,
        })
    }

    /// Reads the title and the authors of an item; `None` if there is no such item.
    pub(super) fn read_unscoped(&mut self, id: ItemId) -> StoreResult<Option<Candidate>> {
        let mut rows = self.statement.query(named_params! { ":id": id })?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let text = |column| -> rusqlite::Result<&str> { Ok(row.get_ref(column)?.as_str()?) };
        let title = Field::of(fold_with_variants(text(0)?));
        let authors = text(1)?;
        let mut folded_authors = None;
        let mut candidate = Candidate {
            id,
            sort_title: text(2)?.to_owned(),
            price: 0,
            in_paths: 0,
        };
        for (number, term) in self.terms.iter().enumerate() {
            if let Some(fit) = term.fit(&title) {
                candidate.price += by_fit(fit);
                continue;
            }
            // Most terms are in the title: the authors are folded only if one is not.
            let authors =
                folded_authors.get_or_insert_with(|| Field::of(fold_with_variants(authors)));
            match term.fit(authors) {
                Some(fit) => candidate.price += AUTHORS + by_fit(fit),
                None => candidate.in_paths |= 1 << number,
            }
        }
        Ok(Some(candidate))
    }

    /// Returns the price of all terms; `None` if the item lacks one of them. Each term counts
    /// where it is found first: title before authors before paths. A word costs less than its
    /// beginning, and the beginning less than its inside.
    pub(super) fn price(&self, candidate: &Candidate) -> StoreResult<Option<u32>> {
        self.price_with_paths(candidate.id, candidate.price, candidate.in_paths)
    }

    /// Adds the price of the terms `in_paths`, for which it reads the paths of the item.
    pub(super) fn price_with_paths(
        &self,
        id: ItemId,
        mut price: u32,
        in_paths: u16,
    ) -> StoreResult<Option<u32>> {
        if in_paths == 0 {
            return Ok(Some(price));
        }
        let paths = Field::of(paths_unscoped(self.conn, id)?);
        for (number, term) in self.terms.iter().enumerate() {
            if in_paths & (1 << number) == 0 {
                continue;
            }
            let Some(fit) = term.fit(&paths) else {
                return Ok(None);
            };
            price += PATH + by_fit(fit);
        }
        Ok(Some(price))
    }
}

fn by_fit(fit: Fit) -> u32 {
    match fit {
        Fit::Word => 0,
        Fit::Start => 1,
        Fit::Inside => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::plan;

    #[test]
    fn candidate_is_found_by_its_key() {
        assert!(plan(CANDIDATE).contains("USING INTEGER PRIMARY KEY"));
    }
}
