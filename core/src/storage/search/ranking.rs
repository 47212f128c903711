//! Best matches of each kind.
//!
//! An item is read only as far as its rank requires. Reading paths is the expensive part: most
//! matches in paths only are ordered by a lower bound of their price, and never read.
//!
//! | matches                              | candidates                                      |
//! |--------------------------------------|-------------------------------------------------|
//! | up to [`READ_AT_ONCE`] of the kind   | all of them                                     |
//! | up to [`RANKED`] in all              | tier by tier, all others if those do not suffice |
//! | more                                 | tier by tier, then the newest                   |

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::ops::ControlFlow;

use rusqlite::{Connection, Statement, named_params};

use super::candidate::{AUTHORS, Candidate, CandidateReader, PATH};
use super::matching::{BROAD, Indexes, Matches};
use super::terms::Term;
use crate::access::Visible;
use crate::db::id_set::IdSet;
use crate::db::item_index::Groups;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};

/// Maximum number of matches that are all ranked. Beyond that, the best candidates are collected
/// first.
const RANKED: usize = 1_000;
/// Maximum number of matches of one kind that are all ranked, independent of other kinds.
const RANKED_OF_KIND: usize = 200;
/// Maximum number of matches of one kind that are read without querying the index for better ones.
/// The tier queries cost as much as reading this number of items.
const READ_AT_ONCE: usize = if cfg!(test) { 20 } else { 60 };
/// Maximum number of items whose paths are read without querying the word index first.
const PATHS_READ: usize = if cfg!(test) { 4 } else { 40 };
/// Maximum number of matches, visible or not, for which the word index is queried for terms in
/// paths.
const PATHS_ASKED: u64 = 4_000;

/// Tiers of candidates, best first: the columns of the index, and `true` if words may be longer
/// than the term.
const TIERS: &[(&str, bool)] = &[
    ("title", false),
    ("title", true),
    ("title authors", false),
    ("title authors", true),
];

/// Query with its matches.
pub(super) struct Ranking<'a> {
    pub(super) conn: &'a Connection,
    pub(super) indexes: Indexes<'a>,
    pub(super) visible: Visible,
    pub(super) terms: &'a [Term],
    /// Sort key of the query, comparable with sort titles.
    pub(super) key: String,
    pub(super) kinds: &'a [String],
    pub(super) groups: &'a Groups<'a>,
    pub(super) matches: &'a Matches,
    pub(super) limit: usize,
}

/// Visible matches of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) count: usize,
    /// Newest matches.
    newest: Vec<ItemId>,
}

/// Sort order of matches, best first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Price by the locations of the terms. A lower bound until the paths are read.
    price: u32,
    /// 0 if the title equals the query, 1 if it begins with it, 2 otherwise.
    likeness: u8,
    sort_title: String,
    id: ItemId,
    /// Known part of the price.
    known_price: u32,
    /// Bit set of the terms that only the paths can contain, by their index.
    in_paths: u16,
}

/// Candidates of one kind.
#[derive(Debug, Default)]
struct Shortlist {
    ids: HashSet<ItemId>,
    ranks: Vec<Rank>,
}

impl Ranking<'_> {
    /// Counts the visible matches of each kind.
    pub(super) fn tally(&self) -> Vec<Tally> {
        self.tally_of(&self.matches.ids, RANKED)
    }

    /// Counts the visible ids by kind, and keeps the newest `keep` of each.
    fn tally_of(&self, ids: &IdSet, keep: usize) -> Vec<Tally> {
        let mut tally = vec![Tally::default(); self.kinds.len()];
        self.groups.each(ids, |kind, id| {
            if let Some(of) = tally.get_mut(kind) {
                of.count += 1;
                if of.newest.len() < keep {
                    of.newest.push(id);
                }
            }
            ControlFlow::Continue(())
        });
        tally
    }

    /// Returns the best matches of each kind, in order.
    pub(super) fn best(&self, tally: &[Tally]) -> StoreResult<Vec<Vec<ItemId>>> {
        let total: usize = tally.iter().map(|kind| kind.count).sum();
        let most = if total <= RANKED {
            READ_AT_ONCE.max(2 * self.limit)
        } else {
            RANKED_OF_KIND.max(self.limit)
        };
        let mut reader = CandidateReader::new(self.conn, self.terms)?;
        let mut lists: Vec<Shortlist> = Vec::new();
        lists.resize_with(tally.len(), Shortlist::default);
        let mut open = Vec::with_capacity(tally.len());
        for (kind, list) in tally.iter().zip(&mut lists) {
            let is_open = kind.count > most;
            if !is_open {
                self.add(&mut reader, list, kind.newest.iter().copied())?;
            }
            open.push(is_open);
        }
        if open.contains(&true) && total <= RANKED {
            self.gather_first_tiers(&mut reader, tally, open, &mut lists)?;
        } else if open.contains(&true) {
            self.gather(&mut reader, total, open, &mut lists)?;
        }
        self.raise_prices(&mut lists)?;
        let ranked = lists.into_iter().zip(tally);
        ranked
            .map(|(list, kind)| self.first(&mut reader, list, &kind.newest))
            .collect()
    }

    /// Collects candidates of kinds whose matches all count: the first tiers, and all matches if
    /// other items may be better.
    fn gather_first_tiers(
        &self,
        reader: &mut CandidateReader<'_>,
        tally: &[Tally],
        mut open: Vec<bool>,
        lists: &mut [Shortlist],
    ) -> StoreResult<()> {
        for (number, ((columns, goes_on), floor)) in TIERS.iter().zip(self.floors()).enumerate() {
            let found = self.tier(columns, *goes_on)?;
            let found = self.tally_of(&found, RANKED);
            let price = self.price_of_tier(number);
            for ((list, of), open) in lists.iter_mut().zip(found).zip(&mut open) {
                if *open {
                    let matches = |id: &ItemId| self.matches.ids.contains(*id);
                    let ids = of.newest.into_iter().filter(matches);
                    match price {
                        Some(price) => self.add_priced(reader, list, ids, price)?,
                        None => self.add(reader, list, ids)?,
                    }
                    *open = !list.has_best(self.limit, |rank| rank.price < floor);
                }
            }
            if !open.contains(&true) {
                return Ok(());
            }
        }
        for ((list, kind), open) in lists.iter_mut().zip(tally).zip(open) {
            if open {
                self.add(reader, list, kind.newest.iter().copied())?;
            }
        }
        Ok(())
    }

    /// Collects candidates of kinds with too many matches to read: titles that begin with the
    /// query, then words in the title, then words in title or authors.
    fn gather(
        &self,
        reader: &mut CandidateReader<'_>,
        total: usize,
        mut open: Vec<bool>,
        lists: &mut [Shortlist],
    ) -> StoreResult<()> {
        let enough = self.limit + RANKED_OF_KIND;
        for ((kind, list), open) in self.kinds.iter().zip(&mut *lists).zip(&open) {
            if *open {
                self.add(reader, list, self.titled(kind)?.into_iter())?;
            }
        }
        let floors = self.floors().map(Some).chain(std::iter::repeat(None));
        for ((columns, goes_on), floor) in TIERS.iter().zip(floors) {
            // Too many words begin with such a term.
            if *goes_on && total > BROAD {
                continue;
            }
            let found = self.tier(columns, *goes_on)?;
            // The result also contains items that are candidates already.
            let found = self.tally_of(&found, 2 * enough);
            for ((list, of), open) in lists.iter_mut().zip(found).zip(&mut open) {
                if *open {
                    self.add(reader, list, of.newest.into_iter())?;
                    // Every title that begins with the query is a candidate already, up to the
                    // limit in sort order.
                    let is_best = |floor| {
                        list.has_best(self.limit, |rank| (rank.price, rank.likeness) < (floor, 2))
                    };
                    let has_best = floor.is_some_and(is_best);
                    *open = !has_best && list.ids.len() < enough;
                }
            }
            if !open.contains(&true) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the minimum price of an item outside the first tier, and of one outside the first
    /// two tiers. Such an item has a term inside a word of the title at best, if the term is long
    /// enough, otherwise in the authors.
    fn floors(&self) -> impl Iterator<Item = u32> {
        let inside = self.terms.iter().any(Term::is_anywhere);
        [1, if inside { 2 } else { AUTHORS }].into_iter()
    }

    /// Returns the price of every item that a tier adds to the previous ones, or `None` if the
    /// prices differ.
    fn price_of_tier(&self, number: usize) -> Option<u32> {
        match number {
            0 => Some(0),
            1 if self.terms.len() == 1 => Some(1),
            _ => None,
        }
    }

    fn tier(&self, columns: &str, goes_on: bool) -> StoreResult<IdSet> {
        let terms: Vec<&Term> = self.terms.iter().collect();
        self.indexes.by_words(&terms, Some(columns), goes_on)
    }

    /// Returns matches of a kind whose titles begin with the query, in sort order.
    fn titled(&self, kind: &str) -> StoreResult<Vec<ItemId>> {
        let mut statement = self.conn.prepare_cached(TITLED)?;
        let mut found = Vec::new();
        for library in self.visible.libraries(self.conn)? {
            found.extend(self.titled_in(&mut statement, library, kind)?);
        }
        found.retain(|id| self.matches.ids.contains(*id) && self.groups.of(*id).is_some());
        Ok(found)
    }

    fn titled_in(
        &self,
        statement: &mut Statement<'_>,
        library: LibraryId,
        kind: &str,
    ) -> StoreResult<Vec<ItemId>> {
        let rows = statement.query_map(
            named_params! {
                ":library": library,
                ":kind": kind,
                ":first": self.key,
                ":end": format!("{}\u{10ffff}", self.key),
                ":limit": self.limit,
            },
            |row| row.get(0),
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Adds items that are not candidates yet.
    fn add(
        &self,
        reader: &mut CandidateReader<'_>,
        list: &mut Shortlist,
        ids: impl Iterator<Item = ItemId>,
    ) -> StoreResult<()> {
        for id in ids {
            if list.ids.insert(id) {
                list.ranks.extend(self.rank(reader, id)?);
            }
        }
        Ok(())
    }

    /// Like [`Self::add`], for items of a known price, whose titles need not be examined.
    fn add_priced(
        &self,
        reader: &mut CandidateReader<'_>,
        list: &mut Shortlist,
        ids: impl Iterator<Item = ItemId>,
        price: u32,
    ) -> StoreResult<()> {
        for id in ids {
            if list.ids.insert(id) {
                let candidate = reader.read_priced_unscoped(id, price)?;
                list.ranks
                    .extend(candidate.map(|candidate| self.rank_of(candidate)));
            }
        }
        Ok(())
    }

    /// Returns the rank of an item by its title and authors, or `None` if the item does not exist.
    fn rank(&self, reader: &mut CandidateReader<'_>, id: ItemId) -> StoreResult<Option<Rank>> {
        if let Some(candidate) = self.matches.verified.get(&id) {
            return Ok(Some(self.rank_of(candidate.clone())));
        }
        let candidate = reader.read_unscoped(id)?;
        Ok(candidate.map(|candidate| self.rank_of(candidate)))
    }

    fn rank_of(&self, candidate: Candidate) -> Rank {
        let likeness = if candidate.sort_title == self.key {
            0
        } else {
            2 - u8::from(candidate.sort_title.starts_with(&self.key))
        };
        Rank {
            price: candidate.price + PATH * candidate.in_paths.count_ones(),
            likeness,
            sort_title: candidate.sort_title,
            id: candidate.id,
            known_price: candidate.price,
            in_paths: candidate.in_paths,
        }
    }

    /// Returns the best `limit` candidates, best first. The newest matches fill the rest.
    fn first(
        &self,
        reader: &mut CandidateReader<'_>,
        list: Shortlist,
        newest: &[ItemId],
    ) -> StoreResult<Vec<ItemId>> {
        let mut queue: BinaryHeap<Reverse<Rank>> = list.ranks.into_iter().map(Reverse).collect();
        let mut best = Vec::with_capacity(self.limit.min(queue.len()));
        while best.len() < self.limit
            && let Some(Reverse(rank)) = queue.pop()
        {
            if rank.in_paths == 0 {
                best.push(rank);
            } else if let Some(rank) = read_paths(reader, rank)? {
                queue.push(Reverse(rank));
            }
        }
        let rest = newest.iter().filter(|id| !list.ids.contains(id));
        for id in rest {
            if best.len() >= self.limit {
                break;
            }
            if let Some(rank) = self.rank(reader, *id)? {
                best.extend(read_paths(reader, rank)?);
            }
        }
        best.sort_unstable();
        Ok(best.into_iter().map(|rank| rank.id).collect())
    }

    /// Raises lower bounds of prices with the word index, if reading all paths would cost more. A
    /// path that lacks a term as a word contains it as the start or inside of a word.
    fn raise_prices(&self, lists: &mut [Shortlist]) -> StoreResult<()> {
        let ranks = lists.iter_mut().flat_map(|list| &mut list.ranks);
        let mut unread: Vec<&mut Rank> = ranks.filter(|rank| rank.in_paths != 0).collect();
        if unread.len() <= PATHS_READ || self.matches.ids.len() > PATHS_ASKED {
            return Ok(());
        }
        let terms: Vec<&Term> = self.terms.iter().collect();
        if terms.len() > 1 {
            // The word index cannot answer this for other items.
            let words = self.indexes.by_words(&terms, None, true)?;
            unread.retain(|rank| words.contains(rank.id));
        }
        for (number, term) in terms.iter().enumerate() {
            let is_in_paths = |rank: &Rank| rank.in_paths & (1 << number) != 0;
            if !unread.iter().any(|rank| is_in_paths(rank)) {
                continue;
            }
            for goes_on in [false, true] {
                let found = self.indexes.by_path(term, &terms, goes_on)?;
                for rank in unread.iter_mut().filter(|rank| is_in_paths(rank)) {
                    rank.price += u32::from(!found.contains(rank.id));
                }
            }
        }
        Ok(())
    }
}

/// Reads the paths of an item for its exact rank. Returns `None` if it lacks a term.
fn read_paths(reader: &mut CandidateReader<'_>, mut rank: Rank) -> StoreResult<Option<Rank>> {
    let price = reader.price_with_paths(rank.id, rank.known_price, rank.in_paths)?;
    Ok(price.map(|price| {
        rank.price = price;
        rank.known_price = price;
        rank.in_paths = 0;
        rank
    }))
}

impl Shortlist {
    /// Returns `true` if at least `limit` candidates with an exact price are better than every
    /// other item, according to `is_better`.
    fn has_best(&self, limit: usize, is_better: impl Fn(&Rank) -> bool) -> bool {
        let is_best = |rank: &&Rank| rank.in_paths == 0 && is_better(rank);
        self.ranks.iter().filter(is_best).count() >= limit
    }
}

const TITLED: &str = "
    SELECT id
      FROM item
     WHERE library_id = :library
       AND kind = :kind
       AND sort_title >= :first
       AND sort_title < :end
       AND missing = 0
     ORDER BY sort_title, id
     LIMIT :limit";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::plan;

    #[test]
    fn title_prefix_query_uses_index() {
        let plan = plan(TITLED);
        assert!(
            plan.contains("USING COVERING INDEX item_by_title"),
            "{plan}"
        );
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}
