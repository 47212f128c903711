//! Writing a match into its item, and taking it back: a provider's word stands above what names
//! and files say, and beneath a person's.

use rusqlite::{Transaction, named_params};

use super::link::{self, Link};
use crate::access::VisibleItem;
use crate::clock::Timestamp;
use crate::cover::Picture;
use crate::id::{CoverId, ItemId};
use crate::registry::naming::Credit;
use crate::registry::provider::Candidate;
use crate::search;
use crate::store::catalogue::{self, Beneath, Sourced, StoredItem, source};
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
    /// On whose word.
    pub by: By<'a>,
}

/// On whose word a match is written.
#[derive(Debug, Clone, Copy)]
pub enum By<'a> {
    /// A person chose it.
    Person,
    /// Nobody's: work in the background found it. When it asked, this was the match that a person
    /// had chosen; if there was one, it is that match, read again.
    Background {
        /// The choice then.
        chosen: Option<&'a Link>,
    },
}

/// Writes a match, to be recorded after; `false` if the item is gone, or a person decided otherwise while the background
/// asked: they chose another one, or undid this one or the choice it was read again for.
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
        |(provider, known): (String, String)| provider != wanted.provider || known != *id;
    if source.is_some_and(is_other) {
        take_back(tx, item)?;
    }
    let Some(mut writing) = Writing::begin(tx, item)? else {
        return Ok(false);
    };
    writing.write(wanted)?;
    writing.close()?;
    link::set(tx, item, wanted.provider, id, is_chosen)?;
    Ok(true)
}

/// Undoes the match of a provider: its words go, and it is not made again by itself. What the
/// provider answered stands no longer, so that somebody is asked again. `false` if there is none.
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
    tx.prepare_cached(
        "UPDATE metadata_fetch
            SET expires_at = :now
          WHERE item_id = :item AND provider = :provider AND outcome = 'ok'
            AND expires_at > :now",
    )?
    .execute(named_params! { ":item": item, ":provider": provider, ":now": now })?;
    if is_source {
        take_back(tx, item)?;
    }
    Ok(true)
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
        cover::due::note(tx, item)?;
    }
    Ok(())
}
