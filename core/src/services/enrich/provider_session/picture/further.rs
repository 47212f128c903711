//! Pictures of items other than covers, and portraits of people: fetched after a match.

use super::{Fault, take};
use crate::App;
use crate::access::VisiblePerson;
use crate::enrich::provider_session::ProviderSession;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::image::Purpose;
use crate::jobs::JobError;
use crate::registry::provider::Cover;
use crate::store::cover::picture::{self, Pending, Role};

/// Fetches the pictures of an item that its match names. A failed picture is fetched again by a
/// later run.
pub(in crate::services::enrich) fn fetch_of_item(
    app: &App,
    item: ItemId,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), JobError> {
    let mut after = 0;
    loop {
        let next =
            move |conn: &rusqlite::Connection| picture::next_of_item_unscoped(conn, item, after);
        let Some(pending) = app.db.read_blocking(next)? else {
            return Ok(());
        };
        after = pending.id;
        if is_stopped() {
            return Err(JobError::Stopping);
        }
        fetch(app, &pending, false, is_stopped)?;
    }
}

/// Fetches the pictures of a library's items that an earlier run did not fetch.
pub(in crate::services::enrich) fn fetch_of_library(
    app: &App,
    library: LibraryId,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), JobError> {
    let mut after = ItemId(0);
    loop {
        let next =
            move |conn: &rusqlite::Connection| picture::next_item_unscoped(conn, library, after);
        let Some(item) = app.db.read_blocking(next)? else {
            return Ok(());
        };
        after = item;
        fetch_of_item(app, item, is_stopped)?;
    }
}

/// Fetches the portrait of a person, because a page shows it. Does nothing if it is stored already,
/// or if no provider names one.
pub fn fetch_portrait(app: &App, person: VisiblePerson) -> StoreResult<()> {
    let next = move |conn: &rusqlite::Connection| picture::pending_portrait(conn, person);
    let Some(pending) = app.db.read_blocking(next)? else {
        return Ok(());
    };
    fetch(app, &pending, true, &|| app.jobs.is_stopping())
}

fn fetch(
    app: &App,
    pending: &Pending,
    is_interactive: bool,
    is_stopped: &dyn Fn() -> bool,
) -> StoreResult<()> {
    let Some(provider) = app.providers.get(&pending.provider) else {
        return Ok(());
    };
    if provider.client.pause().is_some() {
        return Ok(());
    }
    let session = if is_interactive {
        ProviderSession::interactive(app, provider, is_stopped)
    } else {
        ProviderSession::background(app, provider, is_stopped)
    };
    let found = take(
        &session,
        &Cover::Address(pending.url.clone()),
        purpose(pending.role),
    );
    let pending = pending.clone();
    app.db.write_blocking(move |tx| match found {
        Ok(found) => picture::fetched(tx, &pending, &found),
        Err(Fault::Stopped) => Ok(()),
        Err(Fault::Later(_)) => picture::failed(tx, &pending, false),
        Err(Fault::Useless(_)) => picture::failed(tx, &pending, true),
    })
}

/// Returns the sizes and the format in which pictures of this role are stored.
pub(in crate::services::enrich) fn purpose(role: Role) -> Purpose {
    match role {
        Role::Backdrop => Purpose::Backdrop,
        Role::Logo => Purpose::Logo,
        Role::Season | Role::Still | Role::Portrait => Purpose::Cover,
    }
}
