//! Matches of misspelled terms: each term matches itself or a similar word of the vocabulary.
//!
//! Only visible items are matches, and corrections are built from words of matches. Words that only
//! invisible items contain therefore have no effect.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use rusqlite::{CachedStatement, Connection, named_params};

use super::matching::Indexes;
use super::similar::{SimilarWord, has_same_first_letter, similar_words};
use super::terms::{Term, exact_phrase, similar_phrase};
use super::{fold_with_variants, names_unscoped};
use crate::access::Visible;
use crate::db::id_set::IdSet;
use crate::db::item_index::Groups;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};

/// Maximum number of matches that are read and ranked.
const RANKED: usize = 400;
/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 3;
/// Price of an edit.
const EDIT: u32 = 4;
/// Additional price of a word with another first letter.
const FIRST_LETTER: u32 = 2;
/// Additional price of a word in the names instead of the title.
const NAMES: u32 = 1;
/// Additional price of a word in the paths.
const PATHS: u32 = 2;

/// Parts of the matches to rank first, if there are many: maximum distance and columns.
const TIERS: &[(u8, &str)] = &[(1, "title"), (1, "title authors"), (2, "title")];

const CANDIDATE: &str = "
    SELECT title, authors, sort_title
      FROM item
     WHERE id = :id";

/// Word of a term, and the words that are similar to it.
#[derive(Debug)]
struct Part {
    text: String,
    /// `true` if it also matches longer words.
    goes_on: bool,
    similar: Vec<SimilarWord>,
}

/// Term with the similar words of each spelling. All parts of a spelling must match.
#[derive(Debug)]
struct FuzzyTerm<'a> {
    term: &'a Term,
    spellings: Vec<Vec<Part>>,
}

/// Matches that exact terms do not find.
#[derive(Debug, Default)]
pub(super) struct FuzzyMatches {
    /// Number of matches by kind.
    pub(super) counts: Vec<usize>,
    /// Best matches by kind, best first.
    pub(super) best: Vec<Vec<ItemId>>,
    /// Corrected query of the best match.
    pub(super) corrected: Option<String>,
    /// Corrected queries of other matches.
    pub(super) suggestions: Vec<String>,
}

/// Query whose exact terms have few matches.
pub(super) struct FuzzyQuery<'a> {
    pub(super) conn: &'a Connection,
    pub(super) visible: Visible,
    pub(super) terms: &'a [Term],
    pub(super) groups: &'a Groups<'a>,
    /// Number of kinds.
    pub(super) kinds: usize,
    /// Matches of the exact terms.
    pub(super) exact: &'a IdSet,
    /// Maximum number of items per kind.
    pub(super) limit: usize,
}

/// Match with its sort values, best first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    price: u32,
    words: usize,
    sort_title: String,
    id: ItemId,
    kind: usize,
    /// Query with the words of the match.
    query: String,
}

impl FuzzyQuery<'_> {
    /// Returns the visible items that match only with similar words.
    pub(super) fn matches(&self) -> StoreResult<FuzzyMatches> {
        let libraries = self.visible.libraries(self.conn)?;
        let terms: Vec<FuzzyTerm<'_>> = self
            .terms
            .iter()
            .map(|term| FuzzyTerm::read(self.conn, &libraries, term))
            .collect::<StoreResult<_>>()?;
        let mut found = FuzzyMatches {
            counts: vec![0; self.kinds],
            best: vec![Vec::new(); self.kinds],
            ..FuzzyMatches::default()
        };
        if !terms.iter().any(FuzzyTerm::has_similar) {
            return Ok(found);
        }
        let mut all = self.search(&terms, u8::MAX, "title authors")?;
        all.subtract(self.exact);
        let mut newest = Vec::new();
        self.groups.each(&all, |kind, id| {
            if let Some(count) = found.counts.get_mut(kind) {
                *count += 1;
                if newest.len() < RANKED {
                    newest.push((kind, id));
                }
            }
            ControlFlow::Continue(())
        });
        let is_complete = newest.len() == found.counts.iter().sum::<usize>();
        let candidates = if is_complete {
            newest
        } else {
            self.candidates(&terms, newest)?
        };
        self.rank(&terms, candidates, &mut found)?;
        Ok(found)
    }

    fn search(&self, terms: &[FuzzyTerm<'_>], most: u8, columns: &str) -> StoreResult<IdSet> {
        let query: Option<Vec<String>> = terms
            .iter()
            .map(|term| term.phrase(most, columns))
            .collect();
        match query {
            Some(query) => Indexes { conn: self.conn }.by_query(&query.join(" AND ")),
            None => Ok(IdSet::default()),
        }
    }

    /// Returns the most promising matches, if there are too many to rank all. The newest fill the
    /// rest.
    fn candidates(
        &self,
        terms: &[FuzzyTerm<'_>],
        newest: Vec<(usize, ItemId)>,
    ) -> StoreResult<Vec<(usize, ItemId)>> {
        let mut candidates = Vec::new();
        let mut added = IdSet::default();
        for (most, columns) in TIERS {
            let mut tier = self.search(terms, *most, columns)?;
            tier.subtract(self.exact);
            self.groups.each(&tier, |kind, id| {
                if candidates.len() >= RANKED {
                    return ControlFlow::Break(());
                }
                if !added.contains(id) {
                    added.insert(id);
                    candidates.push((kind, id));
                }
                ControlFlow::Continue(())
            });
        }
        let rest = newest.into_iter().filter(|(_, id)| !added.contains(*id));
        candidates.extend(rest.take(RANKED - candidates.len().min(RANKED)));
        Ok(candidates)
    }

    fn rank(
        &self,
        terms: &[FuzzyTerm<'_>],
        candidates: Vec<(usize, ItemId)>,
        found: &mut FuzzyMatches,
    ) -> StoreResult<()> {
        let mut reader = Reader {
            conn: self.conn,
            statement: self.conn.prepare_cached(CANDIDATE)?,
        };
        let mut ranks = Vec::with_capacity(candidates.len());
        for (kind, id) in candidates {
            if let Some(words) = reader.read_unscoped(id)? {
                ranks.push(words.rank(terms, kind, id));
            }
        }
        ranks.sort_unstable();
        let mut queries = corrections(&ranks).into_iter();
        found.corrected = queries.next();
        found.suggestions = queries.take(MAX_SUGGESTIONS).collect();
        for rank in ranks {
            if let Some(best) = found.best.get_mut(rank.kind)
                && best.len() < self.limit
            {
                best.push(rank.id);
            }
        }
        Ok(())
    }
}

/// Returns the corrected queries, the cheapest first, and of these the most frequent first.
fn corrections(ranks: &[Rank]) -> Vec<String> {
    let mut queries: BTreeMap<&str, (u32, isize)> = BTreeMap::new();
    for rank in ranks {
        let (price, count) = queries.entry(&rank.query).or_insert((rank.price, 0));
        *price = rank.price.min(*price);
        *count -= 1;
    }
    let mut queries: Vec<_> = queries.into_iter().collect();
    queries.sort_by_key(|(_, key)| *key);
    let queries = queries.into_iter().map(|(query, _)| query.to_owned());
    queries.collect()
}

impl<'a> FuzzyTerm<'a> {
    fn read(conn: &Connection, libraries: &[LibraryId], term: &'a Term) -> StoreResult<Self> {
        let mut spellings = Vec::new();
        for words in term.words_of_spellings() {
            let mut parts = Vec::new();
            let last = words.len().saturating_sub(1);
            for (number, word) in words.into_iter().enumerate() {
                parts.push(Part {
                    similar: similar_words(conn, libraries, word)?,
                    goes_on: number == last,
                    text: word.to_owned(),
                });
            }
            spellings.push(parts);
        }
        Ok(Self { term, spellings })
    }

    fn has_similar(&self) -> bool {
        let mut parts = self.spellings.iter().flatten();
        parts.any(|part| !part.similar.is_empty())
    }

    /// Returns the term as a query of the word index, or `None` for a term without words. Similar
    /// words have at most `most` edits, and are in these columns.
    fn phrase(&self, most: u8, columns: &str) -> Option<String> {
        let similar = self.spellings.iter().filter(|parts| !parts.is_empty());
        let similar = similar.map(|parts| {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| {
                    let words = part.similar.iter().filter(|word| word.distance <= most);
                    let words: Vec<&str> = words.map(|word| word.word.as_str()).collect();
                    similar_phrase(&part.text, part.goes_on, &words, columns)
                })
                .collect();
            format!("({})", parts.join(" AND "))
        });
        let all: Vec<String> = exact_phrase(self.term).into_iter().chain(similar).collect();
        (!all.is_empty()).then(|| format!("({})", all.join(" OR ")))
    }

    /// Returns the lowest price, and the term in the words of the match. A spelling in the title and
    /// the names precedes the others.
    fn price(&self, words: &ItemWords) -> (u32, String) {
        let spellings = self.spellings.iter().filter(|parts| !parts.is_empty());
        let best = spellings
            .map(|parts| SpellingPrice::of_parts(parts, words))
            .min_by_key(|spelling| (spelling.absent, spelling.price));
        match best {
            Some(best) if best.is_corrected => (best.price, best.query),
            Some(best) => (best.price, self.term.source.clone()),
            None => (PATHS, self.term.source.clone()),
        }
    }
}

/// Price of a spelling of a term in the words of an item.
#[derive(Debug, Default)]
struct SpellingPrice {
    /// Number of parts that neither the title nor the names contain.
    absent: usize,
    price: u32,
    /// The spelling in the words of the item.
    query: String,
    /// `true` if a word differs from its part.
    is_corrected: bool,
}

impl SpellingPrice {
    fn of_parts(parts: &[Part], words: &ItemWords) -> Self {
        let mut spelling = Self::default();
        let mut query = Vec::new();
        for part in parts {
            let found = part.price(words);
            spelling.absent += usize::from(found.is_none());
            let (price, word) = found.unwrap_or((PATHS, part.text.as_str()));
            spelling.price += price;
            spelling.is_corrected |= word != part.text;
            query.push(word);
        }
        spelling.query = query.join(" ");
        spelling
    }
}

impl Part {
    /// Returns the price and the matching word of the title or the names, if there is one.
    fn price<'w>(&'w self, words: &'w ItemWords) -> Option<(u32, &'w str)> {
        let fits = |word: &str| word == self.text || (self.goes_on && word.starts_with(&self.text));
        let exact = words.names_by_word.iter().filter(|(word, _)| fits(word));
        if let Some(names) = exact.map(|(_, names)| *names).min() {
            return Some((names, self.text.as_str()));
        }
        let similar = self.similar.iter().filter_map(|similar| {
            let (word, names) = words.names_by_word.get_key_value(similar.word.as_str())?;
            let first = !has_same_first_letter(&self.text, word);
            let price = EDIT * u32::from(similar.distance) + FIRST_LETTER * u32::from(first);
            Some((price + names, word.as_str()))
        });
        similar.min()
    }
}

/// Words of the title and the names of an item.
struct ItemWords {
    sort_title: String,
    /// Number of words of the title.
    words: usize,
    /// Additional price of each word: 0 in the title, [`NAMES`] in the names.
    names_by_word: HashMap<String, u32>,
}

impl ItemWords {
    fn rank(&self, terms: &[FuzzyTerm<'_>], kind: usize, id: ItemId) -> Rank {
        let prices: Vec<(u32, String)> = terms.iter().map(|term| term.price(self)).collect();
        let query: Vec<&str> = prices.iter().map(|(_, query)| query.as_str()).collect();
        Rank {
            price: prices.iter().map(|(price, _)| price).sum(),
            words: self.words,
            sort_title: self.sort_title.clone(),
            id,
            kind,
            query: query.join(" "),
        }
    }
}

struct Reader<'a> {
    conn: &'a Connection,
    statement: CachedStatement<'a>,
}

impl Reader<'_> {
    /// Returns the words of an item, or `None` if the item does not exist.
    fn read_unscoped(&mut self, id: ItemId) -> StoreResult<Option<ItemWords>> {
        let mut rows = self.statement.query(named_params! { ":id": id })?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let text = |column| -> rusqlite::Result<&str> { Ok(row.get_ref(column)?.as_str()?) };
        let title = fold_with_variants(text(0)?);
        let names = names_unscoped(self.conn, id, text(1)?)?;
        let mut names_by_word = HashMap::new();
        for (text, price) in [(&names, NAMES), (&title, 0)] {
            for word in super::fold::words(text).split_ascii_whitespace() {
                names_by_word.insert(word.to_owned(), price);
            }
        }
        let sort_title = text(2)?.to_owned();
        Ok(Some(ItemWords {
            words: title.split_whitespace().count(),
            sort_title,
            names_by_word,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::{database, found, insert, plan};

    #[test]
    fn candidate_is_found_by_its_key() {
        assert!(plan(CANDIDATE).contains("USING INTEGER PRIMARY KEY"));
    }

    #[test]
    fn correction_is_the_spelling_that_the_item_contains() {
        let (_folder, db) = database();
        db.write_blocking(|tx| {
            insert(tx, "paper", "Animal Farm", "", "x")?;
            insert(tx, "paper", "Mueller", "", "x")
        })
        .expect("items");
        for (query, corrected) in [("animla-farm", "animal farm"), ("m\u{fc}llr", "mueller")] {
            let answer = found(&db, query, 3);
            assert_eq!(answer.corrected.as_deref(), Some(corrected), "{query}");
        }
    }

    #[test]
    fn best_matches_are_ranked_among_many() {
        let (_folder, db) = database();
        db.write_blocking(|tx| {
            insert(tx, "paper", "Harry", "", "x")?;
            for n in 0..2 * RANKED {
                insert(tx, "paper", &format!("Hardy {n}"), "", "x")?;
                insert(tx, "paper", &format!("Novel {n}"), "Mary Hary-Larry", "x")?;
            }
            insert(tx, "paper", "Hary", "", "x")
        })
        .expect("items");
        let answer = found(&db, "harrr", 3);
        assert_eq!(answer.groups[0].items[0].title, "Harry");
        assert_eq!(answer.total, 1);
        let answer = found(&db, "hardyy", 3);
        assert_eq!(answer.total, 2 * RANKED as u64);
        assert_eq!(answer.corrected.as_deref(), Some("hardy"));
    }
}
