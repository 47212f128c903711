//! Application and removal of a match. A provider's value overrides names and files, but not a
//! user's edit.

use rusqlite::{Transaction, named_params};

use super::link::{self, Link};
use super::{credits, details};
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::{CoverId, ItemId};
use crate::image::StoredPicture;
use crate::registry::naming::{Credit, Series};
use crate::registry::provider::Candidate;
use crate::search;
use crate::store::catalogue::field::{Field, Sourced, source};
use crate::store::catalogue::{self, ScannedValues, StoredItem, genre, person, series, work};
use crate::store::cover;
use crate::store::cover::picture::PictureKey;
use crate::time::Timestamp;

/// A match to apply.
#[derive(Debug)]
pub struct Match<'a> {
    /// Id of the provider.
    pub provider: &'a str,
    /// Entry of the provider, bounded and sanitized.
    pub candidate: &'a Candidate,
    /// `true` if the item's title must not change.
    pub keeps_title: bool,
    /// Cover of the entry, already rendered.
    pub cover: Option<&'a StoredPicture>,
    /// Further pictures that the provider delivered as bytes, already rendered.
    pub pictures: &'a DeliveredPictures,
    /// Origin of the decision.
    pub by: By<'a>,
}

/// Pictures other than the cover that a provider delivered as bytes, already rendered.
#[derive(Debug, Default)]
pub struct DeliveredPictures {
    /// Background, logo, and pictures of seasons and episodes by the provider's numbers.
    pub of_item: Vec<(PictureKey, StoredPicture)>,
    /// Portraits by the name of the person.
    pub portraits: Vec<(String, StoredPicture)>,
}

/// Origin of the decision to apply a match.
#[derive(Debug, Clone, Copy)]
pub enum By<'a> {
    /// A user chose the match.
    Person,
    /// Background work found the match.
    Background {
        /// Match that a user had chosen at the time of the query. If it is set, the applied match
        /// is a refresh of that choice.
        chosen: Option<&'a Link>,
    },
}

/// Applies a match; the caller records it afterwards. Returns `false` if the item is gone. It also
/// returns `false` if a user has meanwhile chosen another match, or rejected this match or the
/// refreshed choice.
pub fn apply(tx: &Transaction<'_>, item: ItemId, wanted: &Match<'_>) -> StoreResult<bool> {
    let id = &wanted.candidate.provider_id;
    let is_chosen = match wanted.by {
        By::Person => {
            link::allow(tx, item, wanted.provider, id)?;
            true
        }
        By::Background { chosen } => {
            if link::chosen_unscoped(tx, item)?.as_ref() != chosen
                || link::is_refused(tx, item, wanted.provider, id)?
            {
                return Ok(false);
            }
            chosen.is_some()
        }
    };
    let source = link::source_unscoped(tx, item)?;
    let is_other =
        |(provider, existing): (String, String)| provider != wanted.provider || existing != *id;
    if source.is_some_and(is_other) {
        remove_provider_values(tx, item)?;
    }
    let Some(mut writing) = Writing::begin(tx, item)? else {
        return Ok(false);
    };
    writing.write(wanted)?;
    writing.close()?;
    link::set(tx, item, wanted.provider, id, is_chosen)?;
    Ok(true)
}

/// Removes the match of a provider together with its values, and prevents an automatic match with
/// the same entry. The provider's answer expires, so that a new query follows. Returns `false` if
/// there is no such match.
pub fn unlink(
    tx: &Transaction<'_>,
    item: VisibleItem,
    provider: &str,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(item) = item.again(tx)?.map(VisibleItem::id) else {
        return Ok(false);
    };
    let Some((id, is_source)) = link::remove(tx, item, provider)? else {
        return Ok(false);
    };
    link::refuse(tx, item, provider, &id)?;
    work::link::queue(tx, item)?;
    tx.prepare_cached(
        "UPDATE metadata_fetch
            SET expires_at = :now
          WHERE item_id = :item AND provider = :provider AND outcome = 'ok'
            AND expires_at > :now",
    )?
    .execute(named_params! { ":item": item, ":provider": provider, ":now": now })?;
    if is_source {
        remove_provider_values(tx, item)?;
    }
    Ok(true)
}

fn by_provider<T>(value: T) -> Sourced<T> {
    Sourced {
        value,
        source: source::PROVIDER,
    }
}

/// Returns the value of a field about which names and files state nothing.
fn nothing<T>() -> Sourced<Option<T>> {
    Sourced {
        value: None,
        source: source::NAME,
    }
}

struct Writing<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    stored: StoredItem,
    scanned_values: ScannedValues,
    /// Scanned values of every field.
    scanned: ScannedValues,
    /// `true` if the search index is affected.
    is_text_changed: bool,
}

impl<'a, 'tx> Writing<'a, 'tx> {
    fn begin(tx: &'a Transaction<'tx>, item: ItemId) -> StoreResult<Option<Self>> {
        let Some(stored) = catalogue::get_unscoped(tx, item)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            tx,
            scanned_values: stored.scanned_values.clone(),
            scanned: catalogue::scanned_values::all_unscoped(tx, item)?,
            stored,
            is_text_changed: false,
        }))
    }

    fn write(&mut self, wanted: &Match<'_>) -> StoreResult<()> {
        let (tx, id, found) = (self.tx, self.stored.id, wanted.candidate);
        if !wanted.keeps_title && self.may_write(Field::Title, self.stored.title.source) {
            catalogue::set_title(tx, id, &by_provider(found.title.clone()))?;
            self.is_text_changed = true;
        }
        if let Some(year) = found.year
            && self.may_write(Field::Year, self.stored.year.source)
        {
            catalogue::set_year(tx, id, &by_provider(Some(i64::from(year))))?;
        }
        let description = &self.stored.description;
        let has_own = description.source != source::PROVIDER
            && description
                .value
                .as_deref()
                .is_some_and(|text| !text.trim().is_empty());
        if let Some(text) = &found.description
            && !has_own
            && self.may_write(Field::Description, self.stored.description.source)
        {
            catalogue::set_description(tx, id, &by_provider(Some(text.clone())))?;
        }
        self.write_series(found.series.as_ref())?;
        self.write_genres(&found.details.genres)?;
        self.write_credits(wanted)?;
        details::write(tx, id, wanted)?;
        self.write_cover(wanted.provider, wanted.cover)
    }

    /// Writes the series of an item whose names and files state none.
    fn write_series(&mut self, found: Option<&Series>) -> StoreResult<()> {
        let source = self.stored.series.source;
        let scanned = self.scanned.series.as_ref();
        let has_own = scanned.is_some_and(|series| series.value.is_some());
        let Some(found) = found.filter(|_| !has_own) else {
            return Ok(());
        };
        if self.may_write(Field::Series, source) {
            self.set_series(&by_provider(Some(found.clone())))?;
        }
        Ok(())
    }

    fn set_series(&mut self, series: &Sourced<Option<Series>>) -> StoreResult<()> {
        self.is_text_changed |= catalogue::set_series(self.tx, &self.stored, series)?;
        match self.stored.series.value.0 {
            Some(before) => series::forget_unused(self.tx, before),
            None => Ok(()),
        }
    }

    /// Writes the genres of an item whose files state none.
    fn write_genres(&self, found: &[String]) -> StoreResult<()> {
        let (tx, id, stored) = (self.tx, self.stored.id, &self.stored);
        let has_own =
            stored.genres_source != source::PROVIDER && !genre::of_item(tx, id)?.is_empty();
        if found.is_empty() || has_own || stored.genres_source == source::PERSON {
            return Ok(());
        }
        let names = genre::distinct(found.iter().map(String::as_str));
        genre::set(tx, id, &names)?;
        catalogue::set_genres_source(tx, stored, source::PROVIDER)
    }

    /// Returns `true` unless a user has edited the field, and saves a scanned value that will be
    /// overwritten.
    fn may_write(&mut self, field: Field, stored_source: i64) -> bool {
        if stored_source <= source::FILE {
            self.scanned_values.take_over(field, &self.scanned);
        }
        stored_source < source::PERSON
    }

    /// Replaces the credits by the provider's, except authors that a user has edited, and people in
    /// roles that the provider does not name.
    fn write_credits(&mut self, wanted: &Match<'_>) -> StoreResult<()> {
        let found = wanted.candidate;
        if found.authors.is_empty() && found.details.people.is_empty() {
            return Ok(());
        }
        let before = person::of_item(self.tx, self.stored.id)?;
        let keeps_authors = !self.may_write(Field::Authors, self.stored.authors_source);
        let merged = credits::merged(&before, found, keeps_authors);
        self.is_text_changed |= credits::set(self.tx, self.stored.id, wanted, &merged)?;
        if !keeps_authors {
            catalogue::set_authors_source(self.tx, &self.stored, source::PROVIDER)?;
        }
        Ok(())
    }

    fn set_credits(&mut self, credits: &Sourced<Vec<Credit>>) -> StoreResult<()> {
        self.is_text_changed |= person::set_credits(self.tx, self.stored.id, &credits.value)?;
        catalogue::set_authors_source(self.tx, &self.stored, credits.source)
    }

    fn write_cover(&self, provider: &str, picture: Option<&StoredPicture>) -> StoreResult<()> {
        let Some(picture) = picture else {
            return Ok(());
        };
        let existing: Option<CoverId> = match &picture.rendered {
            Some(rendered) => Some(cover::ensure(self.tx, &picture.hash, rendered)?),
            None => cover::hashed(self.tx, &picture.hash)?,
        };
        let Some(existing) = existing else {
            return Ok(());
        };
        let id = self.stored.id;
        // A cover that a user chose stays. The new one can be chosen instead.
        cover::candidate::add_of_provider(self.tx, id, provider, existing)?;
        cover::set(self.tx, id, Some(existing), source::PROVIDER)?;
        Ok(())
    }

    fn close(&self) -> StoreResult<()> {
        if self.scanned_values != self.stored.scanned_values {
            catalogue::scanned_values::set(self.tx, self.stored.id, &self.scanned_values)?;
        }
        if self.is_text_changed {
            search::reindex(self.tx, &[self.stored.id])?;
        }
        Ok(())
    }

    /// Restores the scanned value of every field that contains a provider's value.
    fn restore_scanned_values(&mut self) -> StoreResult<()> {
        let (tx, id) = (self.tx, self.stored.id);
        let theirs = |stored_source| stored_source == source::PROVIDER;
        if theirs(self.stored.title.source)
            && let Some(title) = self.scanned_values.title.take()
        {
            catalogue::set_title(tx, id, &title)?;
            self.is_text_changed = true;
        }
        if theirs(self.stored.year.source) {
            let year = self.scanned_values.year.take().unwrap_or_else(nothing);
            catalogue::set_year(tx, id, &year)?;
        }
        if theirs(self.stored.description.source) {
            let text = self
                .scanned_values
                .description
                .take()
                .unwrap_or_else(nothing);
            catalogue::set_description(tx, id, &text)?;
        }
        if theirs(self.stored.authors_source)
            && let Some(credits) = self.scanned_values.credits.take()
        {
            self.set_credits(&credits)?;
        }
        if self.stored.authors_source == source::PERSON
            && let Some(scanned) = self.scanned_values.credits.clone()
        {
            // The authors of the user stay, and the provider's other people go.
            let current = person::of_item(tx, id)?.into_iter();
            let authors = current.filter(|credit| credit.role == person::AUTHOR);
            let others = scanned.value.into_iter();
            let others = others.filter(|credit| credit.role != person::AUTHOR);
            let credits: Vec<Credit> = authors.chain(others).collect();
            self.is_text_changed |= person::set_credits(tx, id, &credits)?;
        }
        if theirs(self.stored.series.source) {
            let series = self.scanned_values.series.take().unwrap_or_else(nothing);
            self.set_series(&series)?;
        }
        if theirs(self.stored.genres_source) {
            let genres = genre::of_facts(&self.stored);
            genre::set(tx, id, &genres.value)?;
            catalogue::set_genres_source(tx, &self.stored, genres.source)?;
        }
        details::remove(tx, id)
    }
}

/// Removes the values of providers from an item. The caller must request a cover search afterwards.
fn remove_provider_values(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    let Some(mut writing) = Writing::begin(tx, item)? else {
        return Ok(());
    };
    writing.restore_scanned_values()?;
    writing.close()?;
    cover::candidate::remove_of_providers(tx, item)?;
    let had_cover = tx
        .prepare_cached(
            "UPDATE item
                SET cover_id = NULL, cover_source = 0
              WHERE id = :item AND cover_source = :provider",
        )?
        .execute(named_params! { ":item": item, ":provider": source::PROVIDER })?;
    if had_cover > 0 {
        cover::queue::enqueue(tx, item)?;
    }
    Ok(())
}
