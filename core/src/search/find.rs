//! The answer to a search: the best matches of each kind, and how many there are.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use rusqlite::{Connection, Statement, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::matching::{self, BROAD, Candidate, Indexes};
use super::terms::{Term, parse};
use crate::access::Visible;
use crate::db::id_set::IdSet;
use crate::db::presence::{Groups, View};
use crate::id::{ItemId, LibraryId};
use crate::playback::Offer;
use crate::store::StoreResult;
use crate::store::item::{self, ItemCard};
use crate::text;

/// Matches that are all read and ranked; where there are more, the best are gathered first.
const RANKED: usize = 1_000;
/// Matches of one kind that are all ranked, however many other kinds have.
const RANKED_OF_KIND: usize = 200;

/// Where candidates are looked for, the best first: in which columns of the index, and whether words
/// may go on where a term ends.
const TIERS: &[(&str, bool)] = &[
    ("title", false),
    ("title", true),
    ("title authors", false),
    ("title authors", true),
];

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct Found {
    /// What was asked.
    pub query: String,
    /// How many items match: the sum over the kinds.
    pub total: u64,
    /// They by kind, in the order of the kinds.
    pub groups: Vec<FoundOfKind>,
}

/// The matches of one kind.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundOfKind {
    /// The kind.
    pub kind: String,
    /// How many items of it match. Exact while at most 1,000 visible items have all runs of three
    /// letters of the terms without having the terms as words or beginnings of words. Beyond that
    /// such items are not looked at one by one, and those that have the runs in different places
    /// only are counted too; what is listed always has the terms.
    pub total: u64,
    /// The best of them, the best first: titles before authors before paths, in each whole words
    /// before beginnings before insides of words. Where more than 1,000 match in all and more than
    /// 200 of the kind, those with the terms as words or beginnings of words in title or authors
    /// are compared (beyond 50,000, as whole words), and the newest stand in for the rest.
    pub items: Vec<ItemCard>,
}

/// What to find.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// The words, as they were typed.
    pub query: &'a str,
    /// Only this kind.
    pub kind: Option<&'a str>,
    /// How many items of each kind.
    pub limit: usize,
    /// What the cards are to say they play in.
    pub engines: Option<&'a Offer>,
}

/// Searches what a user may see and what is present. The groups follow `kinds`; kinds that are
/// not among them come last.
pub fn find(
    conn: &Connection,
    view: &View,
    visible: Visible,
    kinds: &[&str],
    wanted: &Wanted<'_>,
) -> StoreResult<Found> {
    let mut found = Found {
        query: wanted.query.to_owned(),
        total: 0,
        groups: Vec::new(),
    };
    let terms = parse(wanted.query);
    if terms.is_empty() {
        return Ok(found);
    }
    let kinds = order(kinds, view, wanted.kind);
    let groups = view.groups(conn, visible, |place| {
        let kind = kinds.iter().position(|kind| **kind == *place.kind);
        kind.filter(|_| !place.missing)
    })?;
    let indexes = Indexes {
        conn,
        kept: view.kept(),
    };
    let matches = matching::matches(indexes, &terms, &groups)?;
    let search = Search {
        conn,
        indexes,
        visible,
        terms: &terms,
        key: text::sort_key(wanted.query).1,
        kinds: &kinds,
        groups: &groups,
        matches: &matches,
        limit: wanted.limit,
    };
    let tally = search.tally(&matches, RANKED);
    found.total = tally.iter().map(|kind| kind.count as u64).sum();
    let best = search.best(&tally)?;
    let cards = item::cards(conn, Some(view), visible, &best.concat(), wanted.engines)?;
    let mut cards = cards.into_iter();
    for ((kind, tally), ids) in kinds.iter().zip(&tally).zip(&best) {
        if tally.count > 0 {
            found.groups.push(FoundOfKind {
                kind: (*kind).clone(),
                total: tally.count as u64,
                items: cards.by_ref().take(ids.len()).collect(),
            });
        }
    }
    Ok(found)
}

/// The kinds to look among, in the order of the answer.
fn order(kinds: &[&str], view: &View, wanted: Option<&str>) -> Vec<String> {
    let unknown: BTreeSet<&str> = view
        .places()
        .map(|place| &*place.kind)
        .filter(|kind| !kinds.contains(kind))
        .collect();
    let all = kinds.iter().copied().chain(unknown);
    all.filter(|kind| wanted.is_none_or(|wanted| wanted == *kind))
        .map(str::to_owned)
        .collect()
}

struct Search<'a> {
    conn: &'a Connection,
    indexes: Indexes<'a>,
    visible: Visible,
    terms: &'a [Term],
    /// The query as a title is ordered.
    key: String,
    kinds: &'a [String],
    groups: &'a Groups<'a>,
    matches: &'a IdSet,
    limit: usize,
}

/// Visible matches of one kind.
#[derive(Debug, Clone, Default)]
struct Tally {
    count: usize,
    /// The newest of them.
    newest: Vec<ItemId>,
}

impl Search<'_> {
    /// The visible ones by kind, and the newest `keep` of each.
    fn tally(&self, ids: &IdSet, keep: usize) -> Vec<Tally> {
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

    /// The best matches of each kind, in order.
    fn best(&self, tally: &[Tally]) -> StoreResult<Vec<Vec<ItemId>>> {
        let total: usize = tally.iter().map(|kind| kind.count).sum();
        let is_whole =
            |kind: &Tally| total <= RANKED || kind.count <= RANKED_OF_KIND.max(self.limit);
        let mut candidates: Vec<BTreeSet<ItemId>> = tally
            .iter()
            .map(|kind| {
                let all = kind.newest.iter().filter(|_| is_whole(kind));
                all.copied().collect()
            })
            .collect();
        let open: Vec<bool> = tally.iter().map(|kind| !is_whole(kind)).collect();
        if open.contains(&true) {
            self.gather(total, &open, &mut candidates)?;
        }
        let ranked = candidates
            .iter()
            .zip(tally)
            .map(|(ids, kind)| self.rank(ids, &kind.newest));
        ranked.collect()
    }

    /// Candidates of kinds with too many matches to look at each: titles that begin with the
    /// query, then what has its words in the title, then in the title or the authors.
    fn gather(
        &self,
        total: usize,
        open: &[bool],
        candidates: &mut [BTreeSet<ItemId>],
    ) -> StoreResult<()> {
        let enough = self.limit + RANKED_OF_KIND;
        for ((kind, ids), open) in self.kinds.iter().zip(&mut *candidates).zip(open) {
            if *open {
                ids.extend(self.titled(kind)?);
            }
        }
        let terms: Vec<&Term> = self.terms.iter().collect();
        let mut open = open.to_vec();
        for (columns, goes_on) in TIERS {
            // There are too many words that such a term begins.
            if *goes_on && total > BROAD {
                continue;
            }
            let found = self.indexes.by_words(&terms, Some(columns), *goes_on)?;
            // Those that are candidates already are found again.
            let found = self.tally(&found, 2 * enough);
            for ((ids, of), open) in candidates.iter_mut().zip(found).zip(&mut open) {
                if *open {
                    ids.extend(of.newest);
                    *open = ids.len() < enough;
                }
            }
            if !open.contains(&true) {
                break;
            }
        }
        Ok(())
    }

    /// Matches of a kind whose titles begin with the query, as they are ordered.
    fn titled(&self, kind: &str) -> StoreResult<Vec<ItemId>> {
        let mut statement = self.conn.prepare_cached(TITLED)?;
        let mut found = Vec::new();
        for library in self.visible.libraries(self.conn)? {
            found.extend(self.titled_in(&mut statement, library, kind)?);
        }
        found.retain(|id| self.matches.contains(*id) && self.groups.of(*id).is_some());
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

    /// The best `limit` of the candidates, best first; the newest matches fill up what is left.
    fn rank(&self, candidates: &BTreeSet<ItemId>, newest: &[ItemId]) -> StoreResult<Vec<ItemId>> {
        let mut ranked = Vec::with_capacity(candidates.len());
        for id in candidates {
            ranked.extend(self.place(*id)?);
        }
        let rest = newest.iter().filter(|id| !candidates.contains(id));
        for id in rest {
            if ranked.len() >= self.limit {
                break;
            }
            ranked.extend(self.place(*id)?);
        }
        ranked.sort_unstable();
        ranked.truncate(self.limit);
        Ok(ranked.into_iter().map(|place| place.id).collect())
    }

    /// Where an item stands among the matches; `None` if it turns out to be none.
    fn place(&self, id: ItemId) -> StoreResult<Option<Place>> {
        let candidate = Candidate::read_unscoped(self.conn, id)?;
        let price = candidate.price(self.conn, self.terms)?;
        Ok(price.map(|price| Place {
            price,
            likeness: if candidate.sort_title == self.key {
                0
            } else {
                2 - u8::from(candidate.sort_title.starts_with(&self.key))
            },
            sort_title: candidate.sort_title,
            id,
        }))
    }
}

/// What matches are ordered by.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// Where the terms were found.
    price: u32,
    /// Whether the title is the query, or begins with it.
    likeness: u8,
    sort_title: String,
    id: ItemId,
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
    fn titles_are_sought_in_their_index() {
        let plan = plan(TITLED);
        assert!(
            plan.contains("USING COVERING INDEX item_by_title"),
            "{plan}"
        );
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}
