//! Candidates: items that may match, and the price by which they are ordered.

use rusqlite::{CachedStatement, Connection, Row, named_params};

use super::terms::{Field, Fit, Term};
use super::{PATHS, fold_with_variants, names_unscoped, paths_until};
use crate::error::StoreResult;
use crate::id::ItemId;

/// Additional price of a term in the authors instead of the title.
pub(super) const AUTHORS: u32 = 3;
/// Additional price of a term in the paths, the series or the names of other people, instead of the
/// title.
pub(super) const PATH: u32 = 6;

const CANDIDATE: &str = "
    SELECT title, authors, sort_title
      FROM item
     WHERE id = :id";

const SORT_TITLE: &str = "
    SELECT sort_title
      FROM item
     WHERE id = :id";

/// Reader of candidates for the terms of one query.
pub(super) struct CandidateReader<'a> {
    conn: &'a Connection,
    statement: CachedStatement<'a>,
    sort_title: CachedStatement<'a>,
    paths: CachedStatement<'a>,
    terms: &'a [Term],
}

/// Item whose title and authors were read.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) id: ItemId,
    pub(super) sort_title: String,
    /// Price of the terms that the title or the authors contain.
    pub(super) price: u32,
    /// Bit set of the terms that only the paths, the series or other people can contain, by their
    /// index.
    pub(super) in_paths: u16,
}

impl<'a> CandidateReader<'a> {
    pub(super) fn new(conn: &'a Connection, terms: &'a [Term]) -> StoreResult<Self> {
        Ok(Self {
            conn,
            statement: conn.prepare_cached(CANDIDATE)?,
            sort_title: conn.prepare_cached(SORT_TITLE)?,
            paths: conn.prepare_cached(PATHS)?,
            terms,
        })
    }

    /// Reads the title and the authors of an item. Returns `None` if the item does not exist.
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
            // Most terms are in the title, so the authors are folded only if one is not.
            let authors =
                folded_authors.get_or_insert_with(|| Field::of(fold_with_variants(authors)));
            match term.fit(authors) {
                Some(fit) => candidate.price += AUTHORS + by_fit(fit),
                None => candidate.in_paths |= 1 << number,
            }
        }
        Ok(Some(candidate))
    }

    /// Reads an item whose titles contain all terms at this price. Returns `None` if the item does
    /// not exist.
    pub(super) fn read_priced_unscoped(
        &mut self,
        id: ItemId,
        price: u32,
    ) -> StoreResult<Option<Candidate>> {
        let mut rows = self.sort_title.query(named_params! { ":id": id })?;
        let candidate = |row: &Row<'_>| {
            Ok(Candidate {
                id,
                sort_title: row.get(0)?,
                price,
                in_paths: 0,
            })
        };
        rows.next()?.map(candidate).transpose()
    }

    /// Returns `true` if the item contains all terms. Paths are read up to the first one after
    /// which no term is missing.
    pub(super) fn has_all_terms(&mut self, candidate: &Candidate) -> StoreResult<bool> {
        let mut missing = candidate.in_paths;
        if missing == 0 {
            return Ok(true);
        }
        let terms = self.terms;
        let paths = paths_until(&mut self.paths, candidate.id, |path| {
            missing = without_terms_of(&Field::of(path.to_owned()), terms, missing);
            missing == 0
        })?;
        if missing != 0 {
            // The words of a term may end in the next path.
            missing = without_terms_of(&Field::of(paths), terms, missing);
        }
        if missing != 0 {
            let names = Field::of(names_unscoped(self.conn, candidate.id, "")?);
            missing = without_terms_of(&names, terms, missing);
        }
        Ok(missing == 0)
    }

    /// Reads the paths and the names of the item, and adds the price of the terms in `in_paths`.
    /// Returns `None` if one of them is missing. Each term counts at its first location: title before
    /// authors before paths and names. A whole word costs less than the start of a word, and that less
    /// than its inside.
    pub(super) fn price_with_paths(
        &mut self,
        id: ItemId,
        mut price: u32,
        in_paths: u16,
    ) -> StoreResult<Option<u32>> {
        if in_paths == 0 {
            return Ok(Some(price));
        }
        let paths = Field::of(paths_until(&mut self.paths, id, |_| false)?);
        let names = Field::of(names_unscoped(self.conn, id, "")?);
        for (number, term) in self.terms.iter().enumerate() {
            if in_paths & (1 << number) == 0 {
                continue;
            }
            let fits = [term.fit(&paths), term.fit(&names)].into_iter().flatten();
            let Some(fit) = fits.min() else {
                return Ok(None);
            };
            price += PATH + by_fit(fit);
        }
        Ok(Some(price))
    }
}

/// Returns the bit set without the terms that the field contains.
fn without_terms_of(field: &Field, terms: &[Term], set: u16) -> u16 {
    let is_in_field =
        |(number, term): &(usize, &Term)| set & (1 << number) != 0 && term.fit(field).is_some();
    let found = terms.iter().enumerate().filter(is_in_field);
    found.fold(set, |set, (number, _)| set & !(1 << number))
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
        for sql in [CANDIDATE, SORT_TITLE] {
            assert!(plan(sql).contains("USING INTEGER PRIMARY KEY"));
        }
    }
}
