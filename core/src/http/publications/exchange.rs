//! Exchange of progress with other reading programs.

use std::time::Duration;

use tokio::sync::Semaphore;

use super::Publications;
use super::places::{Foreign, Place, PlaceFile, Places, Scheme};
use crate::App;
use crate::access::{Visible, VisibleFile};
use crate::error::ReadError;
use crate::fs;
use crate::http::ApiResult;
use crate::id::UserId;
use crate::store::file::content;
use crate::store::file::digest;
use crate::store::file::location::{self, FileLocation};
use crate::store::user_data::foreign::{self, ForeignProgress};
use crate::store::user_data::progress::{self, FilePlace, NewProgress};
use crate::store::user_data::statistics::record;
use crate::time::Timestamp;

/// Files that are read for a conversion at the same time. Each takes up to 60 MB.
static READS: Semaphore = Semaphore::const_new(2);

/// Time limit of a conversion. Some programs wait two seconds for a response. An abandoned read ends
/// by its own limits, and keeps its permit until then.
const MAX_TIME: Duration = Duration::from_millis(800);

/// Position that another program has sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// The row to store. Its time is the time of the progress.
    pub row: ForeignProgress,
    /// Position that can be converted.
    pub position: Foreign,
    /// `true` if the file is finished.
    pub finished: bool,
}

/// Progress of a user in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Current {
    /// The progress.
    pub place: FilePlace,
    /// The position of another program that caused the progress, if it is still current.
    pub foreign: Option<ForeignProgress>,
}

/// Position in the form of another program.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The position, and its scheme. `None` if no scheme fits.
    pub value: Option<(Scheme, String)>,
    /// Fraction of the file, from 0 to 1.
    pub fraction: f64,
}

/// Stored progress after a position was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// Time of the stored progress.
    pub at: Timestamp,
    /// `false` if the position was not applied, because the stored progress is newer.
    pub applied: bool,
}

/// Returns the user's progress in a file.
pub async fn current(app: &App, file: VisibleFile) -> ApiResult<Option<Current>> {
    let read = app.db.read_inline(move |conn| {
        let Some(place) = progress::of_file(conn, file)? else {
            return Ok(None);
        };
        let foreign = foreign::of_file(conn, file)?;
        let foreign = foreign.filter(|foreign| foreign.at == place.updated_at);
        Ok(Some(Current { place, foreign }))
    });
    Ok(read.await?)
}

/// Saves a position in a file, and removes the user's stored position in `document`. Returns
/// `None` if the file is gone.
///
/// Progress with an earlier time than the stored progress is not applied. `arrives_now` replaces
/// the time of the position by the current time.
pub async fn save(
    app: &App,
    file: VisibleFile,
    received: Received,
    document: Option<String>,
    arrives_now: bool,
) -> ApiResult<Option<Saved>> {
    let place = read_place(app, file, received.position.clone()).await?;
    let (registry, now) = (app.registry.clone(), app.clock.now());
    let saved = app.db.write(move |tx| {
        // A scan can assign the file to another item during the conversion.
        let Some(file) = file.again(tx)? else {
            return Ok(None);
        };
        let Some(item) = Visible::of(file.viewer()).item(tx, file.item())? else {
            return Ok(None);
        };
        let new = NewProgress {
            file: Some(file.id()),
            position: place.position,
            finished: received.finished,
            locator: place.locator,
            within: place.within,
            recorded_at: (!arrives_now).then_some(received.row.at),
        };
        let Some(saved) = record::save_progress(tx, &registry, item, &new, now)? else {
            return Ok(None);
        };
        let at = saved.place.updated_at;
        if saved.applied {
            foreign::set_of_file(tx, file, &ForeignProgress { at, ..received.row })?;
        }
        if let Some(document) = document {
            foreign::delete_of_document(tx, file.viewer(), &document)?;
        }
        let applied = saved.applied;
        Ok(Some(Saved { at, applied }))
    });
    Ok(saved.await?)
}

/// Assigns the user's stored position in `document` to the visible file that matches it now. Newer
/// progress in the file stays, and the position moves to its history.
pub async fn adopt(app: &App, user: UserId, document: String) -> ApiResult<()> {
    let name = document.clone();
    let found = app.db.read(move |conn| {
        let Some(row) = foreign::of_document(conn, user, &name)? else {
            return Ok(None);
        };
        let file = digest::matching(conn, Visible::of(user), &name)?;
        Ok(file.map(|file| (file, row)))
    });
    let Some((file, row)) = found.await? else {
        return Ok(());
    };
    let scheme = [
        Scheme::XPointer,
        Scheme::Page1,
        Scheme::Cfi,
        Scheme::MediaTime,
    ]
    .into_iter()
    .find(|scheme| scheme.as_str() == row.scheme);
    let received = Received {
        position: Foreign {
            scheme: scheme.unwrap_or(Scheme::Fraction),
            value: row.value.clone(),
            fraction: row.fraction,
        },
        finished: is_end(row.fraction),
        row,
    };
    save(app, file, received, Some(document), false).await?;
    Ok(())
}

/// Returns `true` for a fraction at the end: programs round their last page.
pub fn is_end(fraction: f64) -> bool {
    fraction >= 0.9995
}

/// Converts progress to the most exact scheme of `wanted` that fits the file. An unreadable file
/// provides the start of the section.
pub async fn describe(
    app: &App,
    file: VisibleFile,
    place: &FilePlace,
    wanted: &'static [Scheme],
) -> ApiResult<Described> {
    let last = place.extent.map_or(i64::MAX, |extent| (extent - 1).max(0));
    let own = Place {
        position: place.position.min(last),
        within: place.within,
        locator: place.locator.clone(),
    };
    let plain_fraction = if place.finished {
        1.0
    } else {
        place.fraction.unwrap_or(0.0)
    };
    let Some(source) = source(app, file, place.extent).await? else {
        return Ok(Described {
            value: None,
            fraction: plain_fraction,
        });
    };
    let mut schemes = (source.places.schemes)(&source.name).iter();
    let scheme = schemes.find(|scheme| wanted.contains(scheme)).copied();
    let (position, within, finished) = (own.position, own.within, place.finished);
    let converted = source.read(move |places, file| {
        let converted = match scheme {
            Some(scheme) => (places.to)(file, &own, scheme).ok(),
            None => None,
        };
        let converted = converted.unwrap_or_default();
        let weights = (places.weights)(file).unwrap_or_default();
        let within = converted.within.or(within);
        Ok((converted.value, Place::fraction(&weights, position, within)))
    });
    let (value, fraction) = converted.await.unwrap_or_default();
    let value = scheme.and_then(|scheme| {
        let value = value.or_else(|| scheme.start(position))?;
        Some((scheme, value))
    });
    Ok(Described {
        value,
        fraction: if finished {
            1.0
        } else {
            fraction.unwrap_or(plain_fraction)
        },
    })
}

/// Returns the schemes of a file with this name, the most exact first.
pub fn schemes(kind: &str, name: &str) -> &'static [Scheme] {
    let places = Publications::of_kind(kind).and_then(|publications| publications.places);
    places.map_or(&[], |places| (places.schemes)(name))
}

/// Converts a position of another program. Without a readable file, the position names the section
/// itself, otherwise the fraction determines it.
async fn read_place(app: &App, file: VisibleFile, position: Foreign) -> ApiResult<Place> {
    let read = app.db.read_inline(move |conn| content::length(conn, file));
    let extent = read.await?;
    let fraction = position.fraction;
    let mut named = None;
    let converted = match source(app, file, extent).await? {
        Some(source) => {
            // A page of a book with sections names nothing.
            if (source.places.schemes)(&source.name).contains(&position.scheme) {
                named = position.scheme.position(&position.value);
            }
            source
                .read(move |places, file| (places.from)(file, &position))
                .await
        }
        None => None,
    };
    let named = named.filter(|named| extent.is_some_and(|extent| *named < extent));
    let mut place = match (converted, named) {
        (Some(place), _) => place,
        (None, Some(position)) => Place {
            position,
            ..Place::default()
        },
        (None, None) => Place::at_fraction(&Place::equal_weights(extent), fraction),
    };
    // An untrusted position can be beyond the end.
    let last = extent.map_or(i64::MAX, |extent| (extent - 1).max(0));
    place.position = place.position.clamp(0, last);
    Ok(place)
}

/// File whose positions can be converted.
struct Source {
    places: Places,
    location: FileLocation,
    name: String,
    extent: Option<i64>,
}

/// Returns `None` for a file whose kind converts no positions.
async fn source(app: &App, file: VisibleFile, extent: Option<i64>) -> ApiResult<Option<Source>> {
    let read = app
        .db
        .read_inline(move |conn| location::of_file(conn, file));
    let location = read.await?;
    Ok(location.and_then(|location| {
        Some(Source {
            places: Publications::of_kind(&location.kind)?.places?,
            name: location.name_text(),
            location,
            extent,
        })
    }))
}

impl Source {
    /// Runs a conversion. Returns `None` if it fails or takes too long.
    async fn read<T: Send + 'static>(
        self,
        convert: impl FnOnce(&Places, &PlaceFile) -> Result<T, ReadError> + Send + 'static,
    ) -> Option<T> {
        let work = async move {
            let permit = READS.acquire().await.ok()?;
            let joined = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                let opened = fs::open_blocking(&self.location.root, &self.location.relative());
                let file = PlaceFile {
                    file: opened.ok()??.file,
                    name: self.name,
                    extent: self.extent,
                };
                convert(&self.places, &file).ok()
            });
            joined.await.ok()?
        };
        tokio::time::timeout(MAX_TIME, work).await.ok()?
    }
}
