//! Writing a match into its item, and taking it back: a provider's word stands above what names
//! and files say, and beneath a person's.

use rusqlite::{OptionalExtension, Transaction, named_params};

use crate::access::VisibleItem;
use crate::cover::Rendered;
use crate::id::{CoverId, ItemId};
use crate::registry::naming::Credit;
use crate::registry::provider::Candidate;
use crate::search;
use crate::store::catalogue::{self, Beneath, Sourced, StoredItem, source};
use crate::store::cover::due;
use crate::store::edit::Field;
use crate::store::{StoreResult, cover, person};

/// A match to be written.
#[derive(Debug)]
pub struct Match<'a> {
    /// Whose it is.
    pub provider: &'a str,
    /// What it says, bounded and tidied.
    pub candidate: &'a Candidate,
    /// Whether the item's title stays as it is.
    pub keeps_title: bool,
    /// Its cover, made into images already.
    pub cover: Option<&'a Picture>,
    /// Whether a person chose it.
    pub is_chosen: bool,
}

/// A cover to be stored.
#[derive(Debug)]
pub struct Picture {
    /// Hash of the picture as it came.
    pub hash: String,
    /// `None` where one of this hash is stored already.
    pub rendered: Option<Rendered>,
}

/// Writes a match; `false` if the item is gone, or a person undid this very match meanwhile.
pub fn apply(tx: &Transaction<'_>, item: ItemId, wanted: &Match<'_>) -> StoreResult<bool> {
    let id = &wanted.candidate.provider_id;
    if wanted.is_chosen {
        allow(tx, item, wanted.provider, id)?;
    } else if is_refused(tx, item, wanted.provider, id)? {
        return Ok(false);
    }
    if source_of(tx, item)?.is_some_and(|source| source != (wanted.provider.to_owned(), id.clone()))
    {
        take_back(tx, item)?;
    }
    let Some(mut writing) = Writing::begin(tx, item)? else {
        return Ok(false);
    };
    writing.write(wanted)?;
    writing.close()?;
    link(tx, item, wanted)?;
    Ok(true)
}

/// Undoes the match of a provider: its words go, and it is not made again by itself. `false` if
/// there is none.
pub fn unlink(tx: &Transaction<'_>, item: VisibleItem, provider: &str) -> StoreResult<bool> {
    let Some(item) = item.again(tx)?.map(VisibleItem::id) else {
        return Ok(false);
    };
    let row: Option<(String, bool)> = tx
        .prepare_cached(
            "DELETE FROM item_provider
              WHERE item_id = :item AND provider = :provider
          RETURNING external_id, is_source",
        )?
        .query_row(
            named_params! { ":item": item, ":provider": provider },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let Some((id, is_source)) = row else {
        return Ok(false);
    };
    tx.prepare_cached(
        "INSERT OR IGNORE INTO match_refused (item_id, provider, external_id)
         VALUES (:item, :provider, :id)",
    )?
    .execute(named_params! { ":item": item, ":provider": provider, ":id": id })?;
    if is_source {
        take_back(tx, item)?;
    }
    Ok(true)
}

/// Whose words stand in the item's fields: provider and id.
fn source_of(tx: &Transaction<'_>, item: ItemId) -> StoreResult<Option<(String, String)>> {
    let mut statement = tx.prepare_cached(
        "SELECT provider, external_id
           FROM item_provider
          WHERE item_id = :item AND is_source = 1",
    )?;
    let row = statement.query_row(named_params! { ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    });
    Ok(row.optional()?)
}

fn is_refused(tx: &Transaction<'_>, item: ItemId, provider: &str, id: &str) -> StoreResult<bool> {
    let mut statement = tx.prepare_cached(
        "SELECT 1
           FROM match_refused
          WHERE item_id = :item AND provider = :provider AND external_id = :id",
    )?;
    Ok(statement.exists(named_params! { ":item": item, ":provider": provider, ":id": id })?)
}

fn allow(tx: &Transaction<'_>, item: ItemId, provider: &str, id: &str) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM match_refused
          WHERE item_id = :item AND provider = :provider AND external_id = :id",
    )?
    .execute(named_params! { ":item": item, ":provider": provider, ":id": id })?;
    Ok(())
}

fn link(tx: &Transaction<'_>, item: ItemId, wanted: &Match<'_>) -> StoreResult<()> {
    let mut others = "UPDATE item_provider SET is_source = 0 WHERE item_id = :item".to_owned();
    if wanted.is_chosen {
        others = others.replace("is_source = 0", "is_source = 0, is_chosen = 0");
    }
    tx.prepare_cached(&others)?
        .execute(named_params! { ":item": item })?;
    // A match that a person chose stays theirs when it is read again.
    tx.prepare_cached(
        "INSERT INTO item_provider (item_id, provider, external_id, is_chosen, is_source)
         VALUES (:item, :provider, :id, :chosen, 1)
             ON CONFLICT (item_id, provider) DO UPDATE
            SET external_id = excluded.external_id,
                is_chosen = excluded.is_chosen
                    OR (item_provider.is_chosen
                        AND item_provider.external_id = excluded.external_id),
                is_source = 1",
    )?
    .execute(named_params! {
        ":item": item,
        ":provider": wanted.provider,
        ":id": wanted.candidate.provider_id,
        ":chosen": wanted.is_chosen,
    })?;
    Ok(())
}

fn by_provider<T>(value: T) -> Sourced<T> {
    Sourced {
        value,
        source: source::PROVIDER,
    }
}

struct Writing<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    stored: StoredItem,
    beneath: Beneath,
    /// What scans say of every field.
    said: Beneath,
    /// Whether the search index is affected.
    is_reworded: bool,
}

impl<'a, 'tx> Writing<'a, 'tx> {
    fn begin(tx: &'a Transaction<'tx>, item: ItemId) -> StoreResult<Option<Self>> {
        let Some(stored) = catalogue::get_unscoped(tx, item)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            tx,
            beneath: stored.beneath.clone(),
            said: catalogue::beneath::said(tx, item)?,
            stored,
            is_reworded: false,
        }))
    }

    fn write(&mut self, wanted: &Match<'_>) -> StoreResult<()> {
        let (tx, id, found) = (self.tx, self.stored.id, wanted.candidate);
        if !wanted.keeps_title && self.may_write(Field::Title, self.stored.title.source) {
            catalogue::set_title(tx, id, &by_provider(found.title.clone()))?;
            self.is_reworded = true;
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
        self.write_authors(&found.authors)?;
        self.write_cover(wanted.cover)
    }

    /// What a person wrote stays; what a scan said goes beneath.
    fn may_write(&mut self, field: Field, stands_by: i64) -> bool {
        if stands_by <= source::FILE {
            self.beneath.take_over(field, &self.said);
        }
        stands_by < source::PERSON
    }

    /// The authors are the provider's; whoever has another role keeps it.
    fn write_authors(&mut self, found: &[Credit]) -> StoreResult<()> {
        let has_author = found.iter().any(|credit| credit.role == person::AUTHOR);
        if !has_author || !self.may_write(Field::Authors, self.stored.authors_source) {
            return Ok(());
        }
        let before = person::of_item(self.tx, self.stored.id)?;
        let others = before
            .into_iter()
            .filter(|credit| credit.role != person::AUTHOR);
        let credits: Vec<Credit> = found.iter().cloned().chain(others).collect();
        self.set_credits(&by_provider(person::tidy(&credits)))
    }

    fn set_credits(&mut self, credits: &Sourced<Vec<Credit>>) -> StoreResult<()> {
        self.is_reworded |= person::set_credits(self.tx, self.stored.id, &credits.value)?;
        catalogue::set_authors_source(self.tx, &self.stored, credits.source)
    }

    fn write_cover(&self, picture: Option<&Picture>) -> StoreResult<()> {
        let Some(picture) = picture else {
            return Ok(());
        };
        let known: Option<CoverId> = match &picture.rendered {
            Some(rendered) => Some(cover::ensure(self.tx, &picture.hash, rendered)?),
            None => cover::hashed(self.tx, &picture.hash)?,
        };
        let Some(known) = known else {
            return Ok(());
        };
        let id = self.stored.id;
        cover::set(self.tx, id, Some(known), source::PROVIDER)?;
        // A person's own cover stays, and then nobody may have this one.
        cover::forget_unused(self.tx, known)
    }

    fn close(&self) -> StoreResult<()> {
        if self.beneath != self.stored.beneath {
            catalogue::beneath::set(self.tx, self.stored.id, &self.beneath)?;
        }
        if self.is_reworded {
            search::reindex(self.tx, &[self.stored.id])?;
        }
        Ok(())
    }

    /// Gives every field that bears a provider's word back to what scans said of it.
    fn give_back(&mut self) -> StoreResult<()> {
        let (tx, id) = (self.tx, self.stored.id);
        let theirs = |stands_by| stands_by == source::PROVIDER;
        if theirs(self.stored.title.source)
            && let Some(title) = self.beneath.title.take()
        {
            catalogue::set_title(tx, id, &title)?;
            self.is_reworded = true;
        }
        if theirs(self.stored.year.source) {
            let nothing = Sourced {
                value: None,
                source: source::NAME,
            };
            let year = self.beneath.year.take().unwrap_or(nothing);
            catalogue::set_year(tx, id, &year)?;
        }
        if theirs(self.stored.description.source) {
            let nothing = Sourced {
                value: None,
                source: source::NAME,
            };
            let text = self.beneath.description.take().unwrap_or(nothing);
            catalogue::set_description(tx, id, &text)?;
        }
        if theirs(self.stored.authors_source)
            && let Some(credits) = self.beneath.credits.take()
        {
            self.set_credits(&credits)?;
        }
        Ok(())
    }
}

/// Takes back what providers wrote about an item. Its cover is looked for anew; ask for that after.
fn take_back(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    let Some(mut writing) = Writing::begin(tx, item)? else {
        return Ok(());
    };
    writing.give_back()?;
    writing.close()?;
    let had_cover = tx
        .prepare_cached(
            "UPDATE item
                SET cover_id = NULL, cover_source = 0
              WHERE id = :item AND cover_source = :provider",
        )?
        .execute(named_params! { ":item": item, ":provider": source::PROVIDER })?;
    if had_cover > 0 {
        due::note(tx, item)?;
    }
    Ok(())
}
