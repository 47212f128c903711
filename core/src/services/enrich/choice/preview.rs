//! Preview of the changes that a refresh or a chosen match would make. The match is written and
//! undone, so that the rules of locks and sources are those of a real write.

mod values;

use rusqlite::Connection;

pub use values::FieldChange;

use super::super::ask::{self, FoundMatch};
use super::super::provider_session::ProviderSession;
use super::ChoiceOutcome;
use crate::App;
use crate::access::VisibleItem;
use crate::db::rehearse;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::registry::MetadataProvider;
use crate::registry::provider::{AskError, Candidate};
use crate::store::matches::due;
use crate::store::matches::link::Link;
use crate::store::matches::write::{self, By};

/// Number of items that are read at once.
const PAGE: usize = 512;

/// Changes that an entry of a provider would make to an item.
#[derive(Debug)]
pub struct EntryPreview {
    /// The provider.
    pub provider: &'static MetadataProvider,
    /// Entry of the provider.
    pub candidate: Candidate,
    /// Similarity to the item from 0 to 1; `None` for an entry that was requested by its id.
    pub score: Option<f64>,
    /// Changed fields.
    pub changes: Vec<FieldChange>,
    /// Roles of the pictures that the entry has and that would be fetched.
    pub pictures: Vec<&'static str>,
}

/// Result of a refresh that writes nothing.
#[derive(Debug)]
pub struct RefreshPreview {
    /// Entry that would be applied; `None` if no provider has a match.
    pub entry: Option<EntryPreview>,
    /// Providers that were queried, in order, with the reason if one did not respond.
    pub asked: Vec<(&'static MetadataProvider, Option<AskError>)>,
}

/// Queries the providers of an item like a refresh, and writes nothing. Blocks until they have
/// responded. Returns `None` if the item is gone.
pub fn preview_refresh(app: &App, item: VisibleItem) -> StoreResult<Option<RefreshPreview>> {
    let id = item.id();
    let read = move |conn: &Connection| due::answers_unscoped(conn, id);
    let Some(answers) = app.db.read_blocking(read)? else {
        return Ok(None);
    };
    let Some(subject) = ask::subject(app, id)? else {
        return Ok(None);
    };
    let is_stopped = || app.jobs.is_stopping();
    let by_id = answers.chosen.as_ref().map(|(_, id)| id.as_str());
    let (mut entry, mut asked) = (None, Vec::new());
    for provider in app.providers.of_kind(&answers.kind) {
        let descriptor = provider.descriptor;
        if answers.is_skipped(descriptor) {
            continue;
        }
        let session = ProviderSession::interactive(app, provider, &is_stopped);
        match ask::find(&session, &subject, by_id) {
            Ok(None) => asked.push((descriptor, None)),
            Ok(Some(found)) => {
                asked.push((descriptor, None));
                entry = rehearse_match(
                    app,
                    item,
                    descriptor,
                    found,
                    Reason::Refresh(answers.chosen.clone()),
                )?;
                break;
            }
            Err(error) => {
                asked.push((descriptor, Some(error)));
                if answers.is_source(descriptor.id) {
                    // A refresh keeps the match of an unavailable provider.
                    break;
                }
            }
        }
    }
    Ok(Some(RefreshPreview { entry, asked }))
}

/// Requests an entry of a provider, and returns the changes that its choice would make. Writes
/// nothing. Blocks until the provider has responded.
pub fn preview_entry(
    app: &App,
    item: VisibleItem,
    provider: &str,
    id: &str,
) -> StoreResult<Result<EntryPreview, ChoiceOutcome>> {
    let is_stopped = || app.jobs.is_stopping();
    let (subject, session) = match super::ready(app, item.id(), provider, &is_stopped)? {
        Ok(ready) => ready,
        Err(why) => return Ok(Err(why)),
    };
    let found = match ask::find(&session, &subject, Some(id)) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Err(ChoiceOutcome::NoSuchId)),
        Err(error) => return Ok(Err(ChoiceOutcome::NoAnswer(error))),
    };
    let entry = rehearse_match(
        app,
        item,
        session.provider.descriptor,
        found,
        Reason::Choice,
    )?;
    Ok(entry.ok_or(ChoiceOutcome::NoItem))
}

/// Reason for which a match would be written.
enum Reason {
    /// A refresh, with the match that a user had chosen.
    Refresh(Option<Link>),
    /// A choice by the user.
    Choice,
}

/// Returns the changes of a match, or `None` if it cannot be written.
fn rehearse_match(
    app: &App,
    item: VisibleItem,
    provider: &'static MetadataProvider,
    found: FoundMatch,
    reason: Reason,
) -> StoreResult<Option<EntryPreview>> {
    let registry = app.registry.clone();
    // Like the write of a refresh, it waits behind the writes of users.
    app.db.bulk_blocking(move |tx| {
        let Some(item) = item.again(tx)? else {
            return Ok(None);
        };
        let read = |conn: &Connection| values::of_item(conn, &registry, item);
        let Some(before) = read(tx)? else {
            return Ok(None);
        };
        let after = rehearse(tx, |tx| {
            let by = match &reason {
                Reason::Choice => By::Person,
                Reason::Refresh(chosen) => By::Background {
                    chosen: chosen.as_ref(),
                },
            };
            let wanted = found.to_match(provider.id, by);
            if write::apply(tx, item.id(), &wanted)? {
                read(tx)
            } else {
                Ok(None)
            }
        })?;
        Ok(after.map(|after| EntryPreview {
            provider,
            changes: values::changes(&before, &after),
            pictures: values::pictures(&before, &found.candidate),
            score: found.score,
            candidate: found.candidate,
        }))
    })
}

/// Returns up to `limit` items of a library that a refresh would query first, and the number of its
/// present items. With `force`, valid answers do not count. The caller must check the access.
pub fn next_of_library(
    app: &App,
    library: LibraryId,
    force: bool,
    limit: usize,
) -> StoreResult<(Vec<ItemId>, u64)> {
    let (providers, now) = (app.providers.clone(), app.clock.now());
    app.db.read_blocking(move |conn| {
        let (mut items, mut total) = (Vec::new(), 0);
        for kind in providers.kinds() {
            total += due::count_unscoped(conn, library, kind)?;
            let ids = providers.ids_of_kind(kind);
            let mut after = 0;
            while items.len() < limit {
                let page =
                    due::items_after_unscoped(conn, (library, kind), &ids, after, now, PAGE)?;
                let Some(last) = page.last() else {
                    break;
                };
                after = last.item.0;
                let due = page.iter().filter(|one| force || one.is_due);
                items.extend(due.take(limit - items.len()).map(|one| one.item));
            }
        }
        Ok((items, total))
    })
}
