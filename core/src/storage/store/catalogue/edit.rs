//! Edits by users. An edited value takes precedence over names, files and providers until its field
//! is unlocked.

use std::collections::BTreeSet;

use rusqlite::{Transaction, named_params};

use crate::access::VisibleItem;
use crate::error::{StoreError, StoreResult};
use crate::id::ItemId;
use crate::registry::naming::{Credit, Series};
use crate::search;
use crate::store::catalogue::field::{Field, Sourced, source};
use crate::store::catalogue::{ScannedValues, StoredItem, genre, person, series};
use crate::store::file::folder;
use crate::store::{catalogue, cover, matches};

/// Changes to an item; `None` keeps a field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Edit {
    /// New title.
    pub title: Option<String>,
    /// New year; the inner `None` means that no year is known.
    pub year: Option<Option<i64>>,
    /// New authors in order; people in other roles stay.
    pub authors: Option<Vec<String>>,
    /// New description, or none.
    pub description: Option<Option<String>>,
    /// New name of the series, or none.
    pub series: Option<Option<String>>,
    /// New number in the series, or none.
    pub series_index: Option<Option<f64>>,
    /// New genres in order, each once.
    pub genres: Option<Vec<String>>,
    /// New language as a primary subtag, or none.
    pub language: Option<Option<String>>,
    /// Fields to unlock for names, files and providers.
    pub unlock: Vec<Field>,
    /// `true` if written fields keep their source, so that an unlocked field stays unlocked.
    pub keeps_sources: bool,
}

/// Applies an edit and all derived changes. Returns `false` if the item is absent.
pub fn apply(tx: &Transaction<'_>, item: VisibleItem, edit: &Edit) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    let Some(mut editing) = Editing::open(tx, item.id())? else {
        return Ok(false);
    };
    editing.keeps_sources = edit.keeps_sources;
    editing.write(edit)?;
    for field in &edit.unlock {
        editing.unlock(*field)?;
    }
    if !edit.unlock.is_empty() {
        // Earlier results were computed with the locked values, so the item is matched again.
        matches::expire(tx, item.id())?;
    }
    editing.close()?;
    Ok(true)
}

/// Writes of one item. [`Editing::close`] applies the derived changes.
pub(super) struct Editing<'a, 'tx> {
    pub(super) tx: &'a Transaction<'tx>,
    pub(super) stored: StoredItem,
    pub(super) scanned_values: ScannedValues,
    /// Scanned values of every field.
    scanned: ScannedValues,
    /// `true` if the search index is affected.
    pub(super) is_text_changed: bool,
    /// Other items whose author line, people or series have another spelling.
    pub(super) text_changed: Vec<ItemId>,
    /// `true` if the next scan has to read the item's folders to determine a value.
    pub(super) is_to_be_scanned: bool,
    /// `true` if written fields keep their source.
    keeps_sources: bool,
}

impl<'a, 'tx> Editing<'a, 'tx> {
    /// Reads an item. Returns `None` if it is absent.
    pub(super) fn open(tx: &'a Transaction<'tx>, item: ItemId) -> StoreResult<Option<Self>> {
        let Some(stored) = catalogue::get_unscoped(tx, item)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            tx,
            scanned_values: stored.scanned_values.clone(),
            scanned: catalogue::scanned_values::all_unscoped(tx, item)?,
            stored,
            is_text_changed: false,
            text_changed: Vec::new(),
            is_to_be_scanned: false,
            keeps_sources: false,
        }))
    }

    /// Returns an edited value. `stored` is the source of the value that it replaces.
    fn edited<T>(&self, value: T, stored: i64) -> Sourced<T> {
        let source = if self.keeps_sources {
            stored
        } else {
            source::PERSON
        };
        Sourced { value, source }
    }

    fn write(&mut self, edit: &Edit) -> StoreResult<()> {
        let (tx, id) = (self.tx, self.stored.id);
        if let Some(title) = &edit.title {
            self.save_scanned_value(Field::Title);
            let title = self.edited(title.clone(), self.stored.title.source);
            catalogue::set_title(tx, id, &title)?;
            self.is_text_changed = true;
        }
        if let Some(year) = edit.year {
            self.save_scanned_value(Field::Year);
            let year = self.edited(year, self.stored.year.source);
            catalogue::set_year(tx, id, &year)?;
        }
        if let Some(description) = &edit.description {
            self.save_scanned_value(Field::Description);
            let description = self.edited(description.clone(), self.stored.description.source);
            catalogue::set_description(tx, id, &description)?;
        }
        if let Some(authors) = &edit.authors {
            self.write_authors(authors)?;
        }
        if edit.series.is_some() || edit.series_index.is_some() {
            self.write_series(edit)?;
        }
        if let Some(genres) = &edit.genres {
            self.write_genres(genres)?;
        }
        if let Some(language) = &edit.language {
            let language = self.edited(language.clone(), self.stored.language.source);
            catalogue::set_language(tx, id, &language)?;
        }
        Ok(())
    }

    fn write_genres(&self, genres: &[String]) -> StoreResult<()> {
        genre::set(self.tx, self.stored.id, genres)?;
        // The edited spelling of a genre applies to all its items.
        for name in genres {
            genre::respell(self.tx, name)?;
        }
        let genres = self.edited((), self.stored.genres_source);
        catalogue::set_genres_source(self.tx, &self.stored, genres.source)
    }

    /// Restores the genres or the language of the facts, if a user has locked them.
    fn restore_from_facts(&self, field: Field) -> StoreResult<()> {
        let (tx, stored) = (self.tx, &self.stored);
        if field == Field::Genres && stored.genres_source == source::PERSON {
            let genres = genre::of_facts(stored);
            genre::set(tx, stored.id, &genres.value)?;
            catalogue::set_genres_source(tx, stored, genres.source)?;
        }
        if field == Field::Language && stored.language.source == source::PERSON {
            let facts = |text: &str| serde_json::from_str(text).unwrap_or_default();
            let (facts, file_facts) = (facts(&stored.facts), facts(&stored.file_facts));
            let language = genre::sourced(&facts, &file_facts, genre::language_in_facts);
            catalogue::set_language(tx, stored.id, &language)?;
        }
        Ok(())
    }

    /// Saves the scanned value of a field that the edit overwrites.
    pub(super) fn save_scanned_value(&mut self, field: Field) {
        if !self.keeps_sources {
            self.scanned_values.take_over(field, &self.scanned);
        }
    }

    fn write_authors(&mut self, authors: &[String]) -> StoreResult<()> {
        let old = person::of_item(self.tx, self.stored.id)?;
        let others = old.iter().filter(|credit| credit.role != person::AUTHOR);
        let authors = authors.iter().map(Credit::author);
        let credits: Vec<Credit> = authors.chain(others.cloned()).collect();
        self.save_scanned_value(Field::Authors);
        let credits = person::sanitize(&credits);
        let edited = self.edited(credits.clone(), self.stored.authors_source);
        self.set_credits(&edited)?;
        let authors = credits
            .iter()
            .filter(|credit| credit.role == person::AUTHOR);
        self.respell(authors.map(|credit| credit.name.as_str()))
    }

    /// Applies the spelling of these people to all their items.
    pub(super) fn respell<'n>(&mut self, names: impl Iterator<Item = &'n str>) -> StoreResult<()> {
        for name in names {
            self.text_changed.extend(person::respell(self.tx, name)?);
        }
        // The author line may differ from the stored spelling of the people.
        self.is_text_changed |= person::set_line(self.tx, self.stored.id)?;
        Ok(())
    }

    pub(super) fn set_credits(&mut self, credits: &Sourced<Vec<Credit>>) -> StoreResult<()> {
        self.is_text_changed |= person::set_credits(self.tx, self.stored.id, &credits.value)?;
        catalogue::set_authors_source(self.tx, &self.stored, credits.source)
    }

    fn write_series(&mut self, edit: &Edit) -> StoreResult<()> {
        let (id, index) = self.stored.series.value;
        let name = match id {
            Some(id) => series::name_unscoped(self.tx, id)?,
            None => None,
        };
        let name = edit.series.clone().unwrap_or(name);
        let index = edit.series_index.unwrap_or(index);
        if name.is_none() && edit.series_index.flatten().is_some() {
            return Err(StoreError::Invalid {
                field: "series_index",
                message: "The item belongs to no series.".to_owned(),
            });
        }
        self.save_scanned_value(Field::Series);
        let series = name.map(|name| Series { name, index });
        let edited = self.edited(series.clone(), self.stored.series.source);
        self.is_text_changed |= catalogue::set_series(self.tx, &self.stored, &edited)?;
        if let (Some(series), true) = (series, edit.series.is_some()) {
            // The edited spelling of a series applies to all its items.
            let respelled = series::respell(self.tx, &self.stored.kind, &series.name)?;
            self.text_changed.extend(respelled);
        }
        self.tidy_series()
    }

    /// Deletes the series that the item had before, if it has no items now.
    pub(super) fn tidy_series(&self) -> StoreResult<()> {
        match self.stored.series.value.0 {
            Some(before) => series::forget_unused(self.tx, before),
            None => Ok(()),
        }
    }

    /// Restores the scanned value of a field. If it is unknown, the value stays until the next
    /// scan. A provider's value returns after the next query of the provider.
    fn unlock(&mut self, field: Field) -> StoreResult<()> {
        let (tx, id) = (self.tx, self.stored.id);
        if field == Field::Cover {
            return cover::unlock(tx, id);
        }
        if matches!(field, Field::Genres | Field::Language) {
            return self.restore_from_facts(field);
        }
        let is_locked = |source| source == source::PERSON;
        let restored = match field {
            Field::Title if is_locked(self.stored.title.source) => {
                self.is_text_changed = true;
                let scanned = self.scanned_values.title.take();
                scanned.map(|title| catalogue::set_title(tx, id, &title))
            }
            Field::Year if is_locked(self.stored.year.source) => {
                let scanned = self.scanned_values.year.take();
                scanned.map(|year| catalogue::set_year(tx, id, &year))
            }
            Field::Description if is_locked(self.stored.description.source) => {
                let scanned = self.scanned_values.description.take();
                scanned.map(|text| catalogue::set_description(tx, id, &text))
            }
            Field::Authors if is_locked(self.stored.authors_source) => {
                let scanned = self.scanned_values.credits.take();
                scanned.map(|credits| self.set_credits(&credits))
            }
            Field::Series if is_locked(self.stored.series.source) => {
                let scanned = self.scanned_values.series.take();
                scanned.map(|series| {
                    self.is_text_changed |= catalogue::set_series(tx, &self.stored, &series)?;
                    self.tidy_series()
                })
            }
            _ => return Ok(()),
        };
        if let Some(done) = restored {
            return done;
        }
        self.is_to_be_scanned = true;
        catalogue::clear_source(tx, id, field)
    }

    /// Writes the scanned values, and updates the search index.
    pub(super) fn close(&self) -> StoreResult<()> {
        if self.scanned_values != self.stored.scanned_values {
            catalogue::scanned_values::set(self.tx, self.stored.id, &self.scanned_values)?;
        }
        let mut text_changed: BTreeSet<ItemId> = self.text_changed.iter().copied().collect();
        text_changed.extend(self.is_text_changed.then_some(self.stored.id));
        search::reindex(self.tx, &text_changed.into_iter().collect::<Vec<_>>())?;
        if self.is_to_be_scanned {
            let mut folders = self
                .tx
                .prepare_cached("SELECT DISTINCT folder_id FROM file WHERE item_id = :item")?;
            let rows =
                folders.query_map(named_params! { ":item": self.stored.id }, |row| row.get(0))?;
            for folder in rows {
                folder::set_listing(self.tx, folder?, None)?;
            }
        }
        Ok(())
    }
}
