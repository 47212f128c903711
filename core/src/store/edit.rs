//! Edits: what a person writes about an item stands above what names, files and providers say,
//! until it is given back.

use std::collections::BTreeSet;

use rusqlite::{Transaction, named_params};

use super::catalogue::{self, Beneath, Sourced, StoredItem, source};
use super::{cover, folder, matches, person, series};
use crate::access::VisibleItem;
use crate::id::ItemId;
use crate::registry::naming::{Credit, Series};
use crate::search;
use crate::store::{StoreError, StoreResult};

/// A field that people may write.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// The title.
    Title,
    /// The year.
    Year,
    /// The authors.
    Authors,
    /// The description.
    Description,
    /// The series and the number in it.
    Series,
    /// The cover.
    Cover,
}

/// What a person says of an item; `None` leaves a field as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Edit {
    /// Its title.
    pub title: Option<String>,
    /// Its year, or that none is known.
    pub year: Option<Option<i64>>,
    /// Its authors in order; other roles keep theirs.
    pub authors: Option<Vec<String>>,
    /// Its description, or none.
    pub description: Option<Option<String>>,
    /// The name of its series, or none.
    pub series: Option<Option<String>>,
    /// The number in its series, or none.
    pub series_index: Option<Option<f64>>,
    /// Fields given back to names, files and providers.
    pub unlock: Vec<Field>,
}

/// Writes an edit, and whatever follows from it; `false` if there is no such item.
pub fn apply(tx: &Transaction<'_>, item: VisibleItem, edit: &Edit) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    let Some(stored) = catalogue::get_unscoped(tx, item.id())? else {
        return Ok(false);
    };
    let mut editing = Editing {
        tx,
        beneath: stored.beneath.clone(),
        said: catalogue::beneath::said(tx, item.id())?,
        stored,
        is_reworded: false,
        reworded: Vec::new(),
        is_to_be_scanned: false,
    };
    editing.write(edit)?;
    for field in &edit.unlock {
        editing.unlock(*field)?;
    }
    if !edit.unlock.is_empty() {
        // Earlier answers did not get past a person's value, or to a question that contained it.
        matches::expire(tx, item.id())?;
    }
    editing.close()?;
    Ok(true)
}

struct Editing<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    stored: StoredItem,
    beneath: Beneath,
    /// What scans say of every field.
    said: Beneath,
    /// Whether the search index is affected.
    is_reworded: bool,
    /// Other items whose author line has changed.
    reworded: Vec<ItemId>,
    /// Whether the next scan has to look at the item's folders for what it says.
    is_to_be_scanned: bool,
}

fn by_person<T>(value: T) -> Sourced<T> {
    Sourced {
        value,
        source: source::PERSON,
    }
}

impl Editing<'_, '_> {
    fn write(&mut self, edit: &Edit) -> StoreResult<()> {
        let (tx, id) = (self.tx, self.stored.id);
        if let Some(title) = &edit.title {
            self.lay_beneath(Field::Title);
            catalogue::set_title(tx, id, &by_person(title.clone()))?;
            self.is_reworded = true;
        }
        if let Some(year) = edit.year {
            self.lay_beneath(Field::Year);
            catalogue::set_year(tx, id, &by_person(year))?;
        }
        if let Some(description) = &edit.description {
            self.lay_beneath(Field::Description);
            catalogue::set_description(tx, id, &by_person(description.clone()))?;
        }
        if let Some(authors) = &edit.authors {
            self.write_authors(authors)?;
        }
        if edit.series.is_some() || edit.series_index.is_some() {
            self.write_series(edit)?;
        }
        Ok(())
    }

    /// What a person writes over goes beneath.
    fn lay_beneath(&mut self, field: Field) {
        self.beneath.take_over(field, &self.said);
    }

    fn write_authors(&mut self, authors: &[String]) -> StoreResult<()> {
        let old = person::of_item(self.tx, self.stored.id)?;
        let others = old.iter().filter(|credit| credit.role != person::AUTHOR);
        let authors = authors.iter().map(Credit::author);
        let credits: Vec<Credit> = authors.chain(others.cloned()).collect();
        self.lay_beneath(Field::Authors);
        let credits = person::tidy(&credits);
        self.set_credits(&by_person(credits.clone()))?;
        // A person's spelling is the author's for all their items.
        for credit in credits
            .iter()
            .filter(|credit| credit.role == person::AUTHOR)
        {
            self.reworded
                .extend(person::respell(self.tx, &credit.name)?);
        }
        // The line may have another spelling than the people have.
        self.is_reworded |= person::set_line(self.tx, self.stored.id)?;
        Ok(())
    }

    fn set_credits(&mut self, credits: &Sourced<Vec<Credit>>) -> StoreResult<()> {
        self.is_reworded |= person::set_credits(self.tx, self.stored.id, &credits.value)?;
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
        self.lay_beneath(Field::Series);
        let series = name.map(|name| Series { name, index });
        catalogue::set_series(self.tx, &self.stored, &by_person(series.clone()))?;
        if let (Some(series), true) = (series, edit.series.is_some()) {
            // A person's spelling is the series' for all its items.
            series::respell(self.tx, &self.stored.kind, &series.name)?;
        }
        self.tidy_series()
    }

    fn tidy_series(&self) -> StoreResult<()> {
        match self.stored.series.value.0 {
            Some(before) => series::forget_unused(self.tx, before),
            None => Ok(()),
        }
    }

    /// The field falls to what names and files say; where that is not known, its value stays until
    /// the next scan has looked. A provider's value returns when the provider is asked again.
    fn unlock(&mut self, field: Field) -> StoreResult<()> {
        let (tx, id) = (self.tx, self.stored.id);
        if field == Field::Cover {
            return cover::unlock(tx, id);
        }
        let is_locked = |source| source == source::PERSON;
        let restored = match field {
            Field::Title if is_locked(self.stored.title.source) => {
                self.is_reworded = true;
                let under = self.beneath.title.take();
                under.map(|title| catalogue::set_title(tx, id, &title))
            }
            Field::Year if is_locked(self.stored.year.source) => {
                let under = self.beneath.year.take();
                under.map(|year| catalogue::set_year(tx, id, &year))
            }
            Field::Description if is_locked(self.stored.description.source) => {
                let under = self.beneath.description.take();
                under.map(|text| catalogue::set_description(tx, id, &text))
            }
            Field::Authors if is_locked(self.stored.authors_source) => {
                let under = self.beneath.credits.take();
                under.map(|credits| self.set_credits(&credits))
            }
            Field::Series if is_locked(self.stored.series.source) => {
                let under = self.beneath.series.take();
                under.map(|series| {
                    catalogue::set_series(tx, &self.stored, &series)?;
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

    fn close(&self) -> StoreResult<()> {
        if self.beneath != self.stored.beneath {
            catalogue::beneath::set(self.tx, self.stored.id, &self.beneath)?;
        }
        let mut reworded: BTreeSet<ItemId> = self.reworded.iter().copied().collect();
        reworded.extend(self.is_reworded.then_some(self.stored.id));
        search::reindex(self.tx, &reworded.into_iter().collect::<Vec<_>>())?;
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
