//! Facets: the values by which a list can be filtered further, with their numbers of items.
//!
//! A facet counts the items of the list without the facet's own filter. That list is a set of ids in
//! memory. The item index has the kind, the subkind and the library of each id, and the viewer's
//! states, ratings and tags are sets of ids themselves. Genres, languages and years need one
//! look-up per item, so they are counted in a sample of a larger list. Languages and years of one
//! list share their look-ups.

mod sample;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::filter::{Filter, State};
use super::list::criteria::{Criterion, KnownIds};
use crate::access::Visible;
use crate::db::id_set::{self, IdSet};
use crate::db::item_index::{IndexSnapshot, ItemBucket};
use crate::error::StoreResult;
use crate::id::{GenreId, LibraryId, TagId};
use crate::registry::Registry;
use crate::store::user_data::tag;
use crate::text::language;
use sample::Sample;

/// Limit of values per facet.
const MAX_VALUES: usize = 50;
/// Number of items up to which each is looked up.
const MAX_LOOKUPS: u64 = 20_000;
/// Maximum number of items of a sample. The share of a value is then exact to about one percent of
/// the list.
const MAX_SAMPLE: u64 = 10_000;

const RATINGS: &str = "
    SELECT id_set(item_id), rating
      FROM rating INDEXED BY rating_by_value
     WHERE user_id = :viewer
     GROUP BY rating";

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
    /// Ratings of the viewer. `rating_min` filters by them.
    pub rating: Vec<FacetValue<u8>>,
}

/// A value of a facet.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FacetValue<T> {
    /// Value for the filter.
    pub value: T,
    /// Name of the value in English.
    pub name: String,
    /// Number of items.
    pub items: u64,
}

/// Counts the visible items that match the filter by each facet. Missing items are counted only if
/// the filter asks for them. A facet has at most `MAX_VALUES` values: the most frequent ones, and
/// those that the filter names.
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
    let known = KnownIds::default();
    let counting = Counting {
        conn,
        registry,
        view,
        visible,
        all: super::list::all_ids_with(conn, view, visible, &filter, &known)?,
        all_buckets: OnceCell::new(),
        known,
        filter,
    };
    let genre = counting.genres()?;
    let (language, decade) = counting.languages_and_decades()?;
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

/// Values of a facet that needs a look-up per item.
struct Estimated<T> {
    values: Vec<FacetValue<T>>,
    is_estimate: bool,
}

/// Numbers of items by bucket.
type BucketCounts<'a> = Vec<(&'a ItemBucket, u64)>;

struct Counting<'a> {
    conn: &'a Connection,
    registry: &'a Registry,
    view: &'a IndexSnapshot,
    visible: Visible,
    filter: Filter,
    /// Items that match the whole filter.
    all: IdSet,
    /// Buckets of `all`.
    all_buckets: OnceCell<BucketCounts<'a>>,
    /// Ids of the criteria that the lists share.
    known: KnownIds,
}

impl<'a> Counting<'a> {
    /// Returns the items of the list without one filter. `is_active` states that this filter has a
    /// value, and `clear` removes it.
    fn list_without(
        &self,
        is_active: bool,
        clear: impl FnOnce(&mut Filter),
    ) -> StoreResult<Cow<'_, IdSet>> {
        if !is_active {
            return Ok(Cow::Borrowed(&self.all));
        }
        let mut filter = self.filter.clone();
        clear(&mut filter);
        let list =
            super::list::all_ids_with(self.conn, self.view, self.visible, &filter, &self.known)?;
        Ok(Cow::Owned(list))
    }

    /// Counts the items of a list by a value of their buckets.
    fn by_bucket<K: Ord>(
        &self,
        list: &IdSet,
        key: impl Fn(&ItemBucket) -> Option<K>,
    ) -> BTreeMap<K, u64> {
        let count = || self.view.count_by_bucket(list);
        // Most facets count the whole list.
        let buckets: Cow<'_, BucketCounts<'a>> = if std::ptr::eq(list, &raw const self.all) {
            Cow::Borrowed(self.all_buckets.get_or_init(count))
        } else {
            Cow::Owned(count())
        };
        let mut counts = BTreeMap::new();
        for (bucket, items) in buckets.iter() {
            if let Some(key) = key(bucket) {
                *counts.entry(key).or_default() += items;
            }
        }
        counts
    }

    fn kinds(&self) -> StoreResult<Vec<FacetValue<String>>> {
        let chosen = self.filter.kind.as_slice();
        let list = self.list_without(!chosen.is_empty(), |filter| filter.kind = None)?;
        let counts = self.by_bucket(&list, |bucket| Some(bucket.kind.to_string()));
        values(counts, chosen, |id| {
            let kind = self.registry.kind(id);
            Ok(Some(
                kind.map_or(id.as_str(), |kind| kind.label_plural)
                    .to_owned(),
            ))
        })
    }

    fn subkinds(&self) -> StoreResult<Vec<FacetValue<String>>> {
        let chosen = &self.filter.subkinds;
        let list = self.list_without(!chosen.is_empty(), |filter| filter.subkinds.clear())?;
        let counts = self.by_bucket(&list, |bucket| bucket.subkind.as_deref().map(str::to_owned));
        values(counts, chosen, |id| {
            let mut kinds = self.registry.kinds().iter();
            let subkind = kinds.find_map(|kind| kind.subkind(id));
            Ok(Some(
                subkind
                    .map_or(id.as_str(), |subkind| subkind.label_plural)
                    .to_owned(),
            ))
        })
    }

    fn libraries(&self) -> StoreResult<Vec<FacetValue<LibraryId>>> {
        let chosen = self.filter.library.as_slice();
        let list = self.list_without(!chosen.is_empty(), |filter| filter.library = None)?;
        let counts = self.by_bucket(&list, |bucket| Some(bucket.library));
        values(counts, chosen, |id| library_name(self.conn, *id))
    }

    fn tags(&self) -> StoreResult<Vec<FacetValue<TagId>>> {
        let chosen = &self.filter.tags;
        let list = self.list_without(!chosen.is_empty(), |filter| filter.tags.clear())?;
        let (mut counts, mut names) = (BTreeMap::new(), BTreeMap::new());
        tag::each(self.conn, self.visible, "", |tag, tagged| {
            counts.insert(tag.id, tagged.common(&list));
            names.insert(tag.id, tag.name);
        })?;
        values(counts, chosen, |id| Ok(names.get(id).cloned()))
    }

    fn states(&self) -> StoreResult<Vec<FacetValue<State>>> {
        let chosen = self.filter.state.as_slice();
        let list = self.list_without(!chosen.is_empty(), |filter| filter.state = None)?;
        let count = |state| -> StoreResult<u64> {
            let ids = Criterion::state(self.visible, state).ids(self.conn)?;
            Ok(ids.common(&list))
        };
        let (started, finished) = (count(State::Started)?, count(State::Finished)?);
        let counts = BTreeMap::from([
            (State::Started, started),
            (State::Finished, finished),
            (
                State::Unstarted,
                list.len().saturating_sub(started + finished),
            ),
        ]);
        values(counts, chosen, |state| {
            let name = match state {
                State::Started => "Started",
                State::Finished => "Finished",
                State::Unstarted => "Not started",
            };
            Ok(Some(name.to_owned()))
        })
    }

    fn ratings(&self) -> StoreResult<Vec<FacetValue<u8>>> {
        let is_active = self.filter.rating_min.is_some();
        let list = self.list_without(is_active, |filter| filter.rating_min = None)?;
        let mut statement = self.conn.prepare_cached(RATINGS)?;
        let mut rows = statement.query(named_params! { ":viewer": self.visible.user() })?;
        let mut counts = BTreeMap::new();
        while let Some(row) = rows.next()? {
            counts.insert(row.get(1)?, id_set::of_row(row)?.common(&list));
        }
        values(counts, &[], |rating: &u8| Ok(Some(rating.to_string())))
    }

    fn genres(&self) -> StoreResult<Estimated<GenreId>> {
        let chosen = &self.filter.genres;
        let list = self.list_without(!chosen.is_empty(), |filter| filter.genres.clear())?;
        let sample = sample_of(&list);
        let mut counts = sample.genres(self.conn)?;
        self.count_chosen(&mut counts, chosen, &list, |id| Criterion::genre(*id))?;
        Ok(Estimated {
            values: values(counts, chosen, |id| sample::genre_name(self.conn, *id))?,
            is_estimate: sample.is_estimate(),
        })
    }

    /// Counts languages and decades. Without a filter by either, both count one list.
    fn languages_and_decades(&self) -> StoreResult<(Estimated<String>, Estimated<i64>)> {
        let (languages, decade) = (&self.filter.languages, self.filter.decade);
        let spoken = self.list_without(!languages.is_empty(), |filter| filter.languages.clear())?;
        let dated = self.list_without(decade.is_some(), |filter| filter.decade = None)?;
        let sample = sample_of(&spoken);
        let counts = sample.languages_and_decades(self.conn)?;
        if languages.is_empty() && decade.is_none() {
            let decades = self.decades(counts.decades, &dated, sample.is_estimate())?;
            let languages = self.languages(counts.languages, &spoken, sample.is_estimate())?;
            return Ok((languages, decades));
        }
        let other = sample_of(&dated);
        let counted = other.languages_and_decades(self.conn)?;
        Ok((
            self.languages(counts.languages, &spoken, sample.is_estimate())?,
            self.decades(counted.decades, &dated, other.is_estimate())?,
        ))
    }

    fn languages(
        &self,
        mut counts: BTreeMap<String, u64>,
        list: &IdSet,
        is_estimate: bool,
    ) -> StoreResult<Estimated<String>> {
        let chosen = &self.filter.languages;
        self.count_chosen(&mut counts, chosen, list, |tag| Criterion::language(tag))?;
        let name = |tag: &String| {
            let name = language::english_name(tag);
            Ok(Some(name.unwrap_or_else(|| tag.clone())))
        };
        Ok(Estimated {
            values: values(counts, chosen, name)?,
            is_estimate,
        })
    }

    fn decades(
        &self,
        mut counts: BTreeMap<i64, u64>,
        list: &IdSet,
        is_estimate: bool,
    ) -> StoreResult<Estimated<i64>> {
        let chosen = self.filter.decade.as_slice();
        self.count_chosen(&mut counts, chosen, list, |first| {
            Criterion::decade(self.visible, *first)
        })?;
        Ok(Estimated {
            values: values(counts, chosen, |first| Ok(Some(format!("{first}s"))))?,
            is_estimate,
        })
    }

    /// Counts the chosen values exactly, because a sample can miss them.
    fn count_chosen<K: Ord + Clone>(
        &self,
        counts: &mut BTreeMap<K, u64>,
        chosen: &[K],
        list: &IdSet,
        criterion: impl Fn(&K) -> Criterion,
    ) -> StoreResult<()> {
        for key in chosen {
            let ids = self.known.of(self.conn, &criterion(key))?;
            counts.insert(key.clone(), ids.common(list));
        }
        Ok(())
    }
}

/// Returns all items of a short list, or a sample of a long one.
fn sample_of(list: &IdSet) -> Sample {
    let most = if list.len() <= MAX_LOOKUPS {
        MAX_LOOKUPS
    } else {
        MAX_SAMPLE
    };
    Sample::new(list, most)
}

fn library_name(conn: &Connection, id: LibraryId) -> StoreResult<Option<String>> {
    let mut statement = conn.prepare_cached("SELECT name FROM library WHERE id = :id")?;
    let name = statement.query_row(named_params! { ":id": id }, |row| row.get(0));
    Ok(name.optional()?)
}

/// Returns the values of a facet: the chosen ones that have items, and the most frequent others. A
/// value without a name is gone.
fn values<K: Ord>(
    counts: BTreeMap<K, u64>,
    chosen: &[K],
    name: impl Fn(&K) -> StoreResult<Option<String>>,
) -> StoreResult<Vec<FacetValue<K>>> {
    let mut counts: Vec<(K, u64)> = counts.into_iter().filter(|(_, items)| *items > 0).collect();
    counts.sort_by_key(|(key, items)| (!chosen.contains(key), Reverse(*items)));
    counts.truncate(MAX_VALUES);
    let mut values = Vec::with_capacity(counts.len());
    for (value, items) in counts {
        if let Some(name) = name(&value)? {
            values.push(FacetValue { value, name, items });
        }
    }
    values.sort_by(|a, b| b.items.cmp(&a.items).then_with(|| a.name.cmp(&b.name)));
    Ok(values)
}

#[cfg(test)]
mod tests;
