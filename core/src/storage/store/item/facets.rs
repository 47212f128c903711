//! Facets: the values by which a list can be filtered further, with their numbers of items.
//!
//! A facet counts the items of the list without the facet's own filter. That list is a set of ids in
//! memory. The item index has the kind, the subkind and the library of each id, and the viewer's
//! states, ratings and tags are sets of ids themselves. Genres, languages and years need one
//! look-up per item, so they are counted in a sample of a larger list.

mod sample;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::filter::{Filter, State};
use super::list::criteria::Criterion;
use super::list::id_filter::{IdFilter, Membership};
use super::playable::PlayableFilter;
use crate::access::Visible;
use crate::db::id_set::IdSet;
use crate::db::item_index::{IndexSnapshot, ItemBucket};
use crate::error::StoreResult;
use crate::id::{GenreId, LibraryId, TagId};
use crate::registry::Registry;
use crate::store::user_data::tag;
use crate::text::language;
use sample::Sample;

/// Limit of values per facet.
const MAX_VALUES: usize = 50;

/// Facets of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Facets {
    /// Number of items of the list.
    pub total: u64,
    /// `true` if the numbers of genres, languages and decades are estimates from a sample, because
    /// the list is long.
    pub approximate: bool,
    /// Values by facet, each with the most frequent value first.
    pub facets: FacetLists,
}

/// Values of each facet. A facet applies all filters except its own.
#[derive(Debug, Serialize, ToSchema)]
pub struct FacetLists {
    /// Kinds.
    pub kind: Vec<FacetValue<String>>,
    /// Subkinds.
    pub subkind: Vec<FacetValue<String>>,
    /// Libraries.
    pub library: Vec<FacetValue<LibraryId>>,
    /// Genres.
    pub genre: Vec<FacetValue<GenreId>>,
    /// Shared tags and own tags.
    pub tag: Vec<FacetValue<TagId>>,
    /// Languages, as primary subtags.
    pub language: Vec<FacetValue<String>>,
    /// First years of decades.
    pub decade: Vec<FacetValue<i64>>,
    /// Progress states of the viewer.
    pub state: Vec<FacetValue<State>>,
    /// Ratings of the viewer.
    pub rating: Vec<FacetValue<u8>>,
}

/// A value of a facet.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FacetValue<T> {
    /// Value for the filter of the same name.
    pub value: T,
    /// Name of the value in English.
    pub name: String,
    /// Number of items.
    pub items: u64,
}

/// Counts the visible items that match the filter by each facet. Missing items are counted only if
/// the filter asks for them.
pub fn facets(
    conn: &Connection,
    registry: &Registry,
    view: &IndexSnapshot,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<Facets> {
    let filter = Filter {
        missing: Some(filter.missing.unwrap_or(false)),
        ..filter.clone()
    };
    let counting = Counting {
        conn,
        registry,
        view,
        visible,
        all: counted(conn, view, visible, &filter)?,
        sample: OnceCell::new(),
        filter,
    };
    let (genre, language, decade) = (
        counting.genres()?,
        counting.languages()?,
        counting.decades()?,
    );
    Ok(Facets {
        total: counting.all.len(),
        approximate: genre.is_estimate || language.is_estimate || decade.is_estimate,
        facets: FacetLists {
            kind: counting.kinds()?,
            subkind: counting.subkinds()?,
            library: counting.libraries()?,
            genre: genre.values,
            tag: counting.tags()?,
            language: language.values,
            decade: decade.values,
            state: counting.states()?,
            rating: counting.ratings()?,
        },
    })
}

/// Returns the items of a list.
fn counted(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<IdSet> {
    let playable = PlayableFilter::read(conn, visible, filter)?;
    let membership = Membership::new(conn, view, visible, filter, playable.as_ref())?;
    let id_filter = IdFilter::read(conn, visible, filter, &membership)?;
    if let Some(ids) = id_filter.as_ref().and_then(IdFilter::ids) {
        return Ok(ids.clone());
    }
    let mut all = IdSet::of(view.ids().filter(|id| membership.has(*id)));
    if let Some(id_filter) = &id_filter {
        all.subtract(id_filter.exclusions());
    }
    Ok(all)
}

/// Values of a facet that needs a look-up per item.
struct Estimated<T> {
    values: Vec<FacetValue<T>>,
    is_estimate: bool,
}

struct Counting<'a> {
    conn: &'a Connection,
    registry: &'a Registry,
    view: &'a IndexSnapshot,
    visible: Visible,
    filter: Filter,
    /// Items that match the whole filter.
    all: IdSet,
    /// Sample of `all`.
    sample: OnceCell<Sample>,
}

impl Counting<'_> {
    /// Calls `count` with the items of the list without the facet's own filter. `is_active` states
    /// that the filter has a value, and `clear` removes it.
    fn without<T>(
        &self,
        is_active: bool,
        clear: impl FnOnce(&mut Filter),
        count: impl FnOnce(&IdSet) -> StoreResult<T>,
    ) -> StoreResult<T> {
        if !is_active {
            return count(&self.all);
        }
        count(&self.cleared(clear)?)
    }

    fn cleared(&self, clear: impl FnOnce(&mut Filter)) -> StoreResult<IdSet> {
        let mut filter = self.filter.clone();
        clear(&mut filter);
        counted(self.conn, self.view, self.visible, &filter)
    }

    /// Counts the items by a value of their buckets.
    fn buckets<K: Ord>(
        &self,
        ids: &IdSet,
        key: impl Fn(&ItemBucket) -> Option<K>,
    ) -> BTreeMap<K, u64> {
        let mut counts = BTreeMap::new();
        for (bucket, count) in self.view.count_by_bucket(ids) {
            if let Some(key) = key(bucket) {
                *counts.entry(key).or_default() += count;
            }
        }
        counts
    }

    fn kinds(&self) -> StoreResult<Vec<FacetValue<String>>> {
        let is_active = self.filter.kind.is_some();
        self.without(
            is_active,
            |filter| filter.kind = None,
            |ids| {
                let counts = self.buckets(ids, |bucket| Some(bucket.kind.to_string()));
                Ok(ranked(counts.into_iter().map(|(id, items)| {
                    let label = self
                        .registry
                        .kind(&id)
                        .map(|kind| kind.label_plural.to_owned());
                    (label.unwrap_or_else(|| id.clone()), id, items)
                })))
            },
        )
    }

    fn subkinds(&self) -> StoreResult<Vec<FacetValue<String>>> {
        let is_active = !self.filter.subkinds.is_empty();
        self.without(
            is_active,
            |filter| filter.subkinds.clear(),
            |ids| {
                let mut counts: BTreeMap<String, (String, u64)> = BTreeMap::new();
                for (bucket, items) in self.view.count_by_bucket(ids) {
                    let Some(id) = bucket.subkind.as_deref() else {
                        continue;
                    };
                    let kind = self.registry.kind(&bucket.kind);
                    let subkind = kind.and_then(|kind| kind.subkind(id));
                    let name = subkind.map_or(id, |subkind| subkind.label_plural);
                    counts
                        .entry(id.to_owned())
                        .or_insert_with(|| (name.to_owned(), 0))
                        .1 += items;
                }
                Ok(ranked(
                    counts
                        .into_iter()
                        .map(|(id, (name, items))| (name, id, items)),
                ))
            },
        )
    }

    fn libraries(&self) -> StoreResult<Vec<FacetValue<LibraryId>>> {
        let is_active = self.filter.library.is_some();
        self.without(
            is_active,
            |filter| filter.library = None,
            |ids| {
                let mut values = Vec::new();
                for (id, items) in self.buckets(ids, |bucket| Some(bucket.library)) {
                    let name = library_name(self.conn, id)?;
                    values.extend(name.map(|name| (name, id, items)));
                }
                Ok(ranked(values.into_iter()))
            },
        )
    }

    fn tags(&self) -> StoreResult<Vec<FacetValue<TagId>>> {
        let is_active = !self.filter.tags.is_empty();
        self.without(
            is_active,
            |filter| filter.tags.clear(),
            |ids| {
                let mut values = Vec::new();
                tag::each(self.conn, self.visible, |tag, tagged| {
                    values.push((tag.name, tag.id, tagged.common(ids)));
                })?;
                Ok(ranked(values.into_iter()))
            },
        )
    }

    fn states(&self) -> StoreResult<Vec<FacetValue<State>>> {
        let is_active = self.filter.state.is_some();
        self.without(
            is_active,
            |filter| filter.state = None,
            |ids| {
                let count = |state| -> StoreResult<u64> {
                    Ok(Criterion::state(self.visible, state)
                        .ids(self.conn)?
                        .common(ids))
                };
                let (started, finished) = (count(State::Started)?, count(State::Finished)?);
                let rest = ids.len().saturating_sub(started + finished);
                let values = [
                    ("Started", State::Started, started),
                    ("Finished", State::Finished, finished),
                    ("Not started", State::Unstarted, rest),
                ];
                Ok(ranked(
                    values
                        .into_iter()
                        .map(|(name, state, n)| (name.to_owned(), state, n)),
                ))
            },
        )
    }

    fn ratings(&self) -> StoreResult<Vec<FacetValue<u8>>> {
        let is_active = self.filter.rating_min.is_some();
        self.without(
            is_active,
            |filter| filter.rating_min = None,
            |ids| {
                let mut values = Vec::new();
                for rating in 1..=10 {
                    let rated = Criterion::rated(self.visible, rating, rating).ids(self.conn)?;
                    values.push((rating.to_string(), rating, rated.common(ids)));
                }
                Ok(ranked(values.into_iter()))
            },
        )
    }

    /// Calls `count` with a sample of the list without the facet's own filter.
    fn sampled<K, T>(
        &self,
        is_active: bool,
        clear: impl FnOnce(&mut Filter),
        count: impl FnOnce(&Sample) -> StoreResult<BTreeMap<K, u64>>,
        value: impl Fn(K) -> StoreResult<Option<(String, T)>>,
    ) -> StoreResult<Estimated<T>> {
        let own = if is_active {
            Some(Sample::of(&self.cleared(clear)?))
        } else {
            None
        };
        let sample = match &own {
            Some(own) => own,
            None => self.sample.get_or_init(|| Sample::of(&self.all)),
        };
        let mut counts: Vec<(K, u64)> = count(sample)?.into_iter().collect();
        counts.sort_by_key(|(_, items)| std::cmp::Reverse(*items));
        counts.truncate(MAX_VALUES);
        let mut values = Vec::with_capacity(counts.len());
        for (key, items) in counts {
            if let Some((name, key)) = value(key)? {
                values.push((name, key, items));
            }
        }
        Ok(Estimated {
            values: ranked(values.into_iter()),
            is_estimate: sample.is_estimate(),
        })
    }

    fn genres(&self) -> StoreResult<Estimated<GenreId>> {
        self.sampled(
            !self.filter.genres.is_empty(),
            |filter| filter.genres.clear(),
            |sample| sample.genres(self.conn),
            |id| Ok(sample::genre_name(self.conn, id)?.map(|name| (name, id))),
        )
    }

    fn languages(&self) -> StoreResult<Estimated<String>> {
        self.sampled(
            !self.filter.languages.is_empty(),
            |filter| filter.languages.clear(),
            |sample| sample.languages(self.conn),
            |tag| {
                let name = language::english_name(&tag).unwrap_or_else(|| tag.clone());
                Ok(Some((name, tag)))
            },
        )
    }

    fn decades(&self) -> StoreResult<Estimated<i64>> {
        self.sampled(
            self.filter.decade.is_some(),
            |filter| filter.decade = None,
            |sample| sample.decades(self.conn),
            |first| Ok(Some((format!("{first}s"), first))),
        )
    }
}

fn library_name(conn: &Connection, id: LibraryId) -> StoreResult<Option<String>> {
    let mut statement = conn.prepare_cached("SELECT name FROM library WHERE id = :id")?;
    let name = statement.query_row(named_params! { ":id": id }, |row| row.get(0));
    Ok(name.optional()?)
}

/// Returns the most frequent values, without those that have no items. Equal numbers are sorted by
/// name.
fn ranked<T>(values: impl Iterator<Item = (String, T, u64)>) -> Vec<FacetValue<T>> {
    let mut values: Vec<FacetValue<T>> = values
        .filter(|(_, _, items)| *items > 0)
        .map(|(name, value, items)| FacetValue { value, name, items })
        .collect();
    values.sort_by(|a, b| b.items.cmp(&a.items).then_with(|| a.name.cmp(&b.name)));
    values.truncate(MAX_VALUES);
    values
}
