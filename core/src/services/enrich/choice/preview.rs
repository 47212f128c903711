//! Preview of the changes that a refresh or a chosen match would make. The match is written and
//! undone, so that the rules of locks and sources are those of a real write. No item changes.

mod values;

use rusqlite::Connection;

pub use values::FieldChange;

use super::super::ask::{self, FoundMatch};
use super::super::provider_session::ProviderSession;
use super::ChoiceOutcome;
use crate::App;
use crate::access::{Visible, VisibleItem};
use crate::db::rehearse;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::registry::MetadataProvider;
use crate::registry::provider::{AskError, Candidate};
use crate::store::cover::picture;
use crate::store::matches::due::{self, Turn};
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
    /// Roles of the pictures that would come with the entry.
    pub pictures: Vec<&'static str>,
}

/// Result of a refresh that changes no item.
#[derive(Debug)]
pub struct RefreshPreview {
    /// Entry that would be applied; `None` if no queried provider has a match or responded.
    pub entry: Option<EntryPreview>,
    /// Providers that were queried, in order, with the reason if one did not respond.
    pub asked: Vec<(&'static MetadataProvider, Option<AskError>)>,
}

/// Queries the providers of an item like a refresh, and changes no item. With `force`, valid answers
/// do not count. Blocks until the providers have responded. Returns `None` if the item is gone.
pub fn preview_refresh(
    app: &App,
    item: VisibleItem,
    force: bool,
) -> StoreResult<Option<RefreshPreview>> {
    let id = item.id();
    let read = move |conn: &Connection| due::answers_unscoped(conn, id);
    let Some(answers) = app.db.read_blocking(read)? else {
        return Ok(None);
    };
    let Some(subject) = ask::subject(app, id)? else {
        return Ok(None);
    };
    let is_stopped = || app.jobs.is_stopping();
    let since = force.then(|| app.clock.now());
    let by_id = answers.chosen.as_ref().map(|(_, id)| id.as_str());
    let (mut entry, mut asked) = (None, Vec::new());
    for provider in app.providers.of_kind(&answers.kind) {
        let descriptor = provider.descriptor;
        match answers.turn(descriptor, since, app.clock.now()) {
            Turn::Query => {}
            Turn::Next => continue,
            Turn::Done => break,
        }
        let session = ProviderSession::interactive(app, provider, &is_stopped);
        match ask::find(&session, &subject, by_id) {
            Ok(None) => asked.push((descriptor, None)),
            Ok(Some(found)) => {
                asked.push((descriptor, None));
                let reason = Reason::Refresh(answers.chosen.clone());
                entry = rehearse_match(app, item, descriptor, found, reason)?;
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

/// Requests an entry of a provider, and returns the changes that its choice would make. Changes no
/// item. Blocks until the provider has responded.
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
        let written = rehearse(tx, |tx| {
            let by = match &reason {
                Reason::Choice => By::Person,
                Reason::Refresh(chosen) => By::Background {
                    chosen: chosen.as_ref(),
                },
            };
            let wanted = found.to_match(provider.id, by);
            if !write::apply(tx, item.id(), &wanted)? {
                return Ok(None);
            }
            Ok(read(tx)?.zip(Some(picture::pending_roles(tx, item.id())?)))
        })?;
        Ok(written.map(|(after, pending)| EntryPreview {
            provider,
            changes: values::changes(&before, &after),
            pictures: values::pictures(&pending, &found.candidate),
            score: found.score,
            candidate: found.candidate,
        }))
    })
}

/// Returns up to `limit` items of a visible library that a refresh would query first. With `force`,
/// valid answers do not count. Returns `None` if the library is not visible.
pub fn next_of_library(
    app: &App,
    visible: Visible,
    library: LibraryId,
    force: bool,
    limit: usize,
) -> StoreResult<Option<Vec<ItemId>>> {
    let is_visible = move |conn: &Connection| Ok(visible.library(conn, library)?.is_some());
    if !app.db.read_blocking(is_visible)? {
        return Ok(None);
    }
    let mut items = Vec::new();
    for kind in app.providers.kinds() {
        let mut after = 0;
        while items.len() < limit {
            // Each page is a read of its own, because a library can have a million items.
            let (found, last) = next_of_kind(app, (library, kind), force, after)?;
            items.extend(found.into_iter().take(limit - items.len()));
            match last {
                Some(last) => after = last,
                None => break,
            }
        }
    }
    Ok(Some(items))
}

/// Returns the items of the page after an id that need a query, and the last id of the page.
fn next_of_kind(
    app: &App,
    (library, kind): (LibraryId, &'static str),
    force: bool,
    after: i64,
) -> StoreResult<(Vec<ItemId>, Option<i64>)> {
    let (providers, now) = (app.providers.clone(), app.clock.now());
    app.db.read_blocking(move |conn| {
        let ids = providers.ids_of_kind(kind);
        let page = due::items_after_unscoped(conn, (library, kind), &ids, after, now, PAGE)?;
        let descriptors = providers.descriptors_of_kind(kind);
        let mut items = Vec::new();
        for candidate in &page {
            let needs_query = || -> StoreResult<bool> {
                let answers = due::answers_unscoped(conn, candidate.item)?;
                Ok(answers.is_some_and(|one| one.checked_until(&descriptors, now).is_none()))
            };
            if force || (candidate.is_due && needs_query()?) {
                items.push(candidate.item);
            }
        }
        Ok((items, page.last().map(|last| last.item.0)))
    })
}
