//! Receives the rows of a source, matches them with users and files, and stages them.

mod bookmark;
mod list;
mod position;
mod save;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use self::list::OpenList;
use super::columns::whole;
use super::files::{Finder, Found, Lookup};
use super::paths::PathMap;
use super::report::Report;
use super::rows::{Part, Progress, RowType, Rows, Scope, SourceList, SourceSave, Target};
use super::staging::{SourceRow, StagedValue, Staging};
use super::summary::Summary;
use super::users::{Destination, Users};
use super::{ImportError, ImportResult};
use crate::fs::media_file::MediaFile;
use crate::id::{FileId, ItemId, UserId};
use crate::registry::Registry;
use crate::store::catalogue::batch::import::{Value, undated};
use crate::store::user_data::progress::mark::SavedPlace;
use crate::time::Timestamp;

/// Rows between two questions whether the import is stopped.
const INTERVAL: u64 = 256;

/// Type of finished progress in the staging database.
pub(super) const FINISHED: &str = "finished";

/// Receiver of rows.
pub(super) struct Collector<'a> {
    finder: Finder<'a>,
    users: Users,
    collected: Collected,
    list: Option<OpenList>,
    /// Folder of the copied states.
    bodies: PathBuf,
    received: u64,
    is_stopped: &'a dyn Fn() -> bool,
}

/// Staged rows, with the numbers so far.
pub(super) struct Collected {
    pub(super) staging: Staging,
    pub(super) report: Report,
    pub(super) summary: Summary,
}

/// User of a row.
struct Reader {
    id: UserId,
    theirs: String,
}

impl<'a> Collector<'a> {
    pub(super) fn new(
        ledge: (&'a Connection, &'a Registry),
        workspace: &Path,
        (users, map): (Users, PathMap),
        (report, summary): (Report, Summary),
        is_stopped: &'a dyn Fn() -> bool,
    ) -> ImportResult<Self> {
        Ok(Self {
            finder: Finder::new(ledge, map)?,
            users,
            collected: Collected {
                staging: Staging::create(&workspace.join("staging.db"))?,
                report,
                summary,
            },
            list: None,
            bodies: workspace.to_owned(),
            received: 0,
            is_stopped,
        })
    }

    /// Returns the staged rows after the last one.
    pub(super) fn finish(self) -> Collected {
        self.collected
    }

    /// Returns the user of a row, or `None` if the row is not imported.
    fn reader(
        &mut self,
        user: &str,
        row: RowType,
        (path, title): (&str, &str),
    ) -> ImportResult<Option<Reader>> {
        self.received += 1;
        if self.received.is_multiple_of(INTERVAL) && (self.is_stopped)() {
            return Err(ImportError::Stopped);
        }
        let (theirs, destination) = self.users.get(user);
        match destination {
            Destination::User(id) => Ok(Some(Reader { id, theirs })),
            Destination::Skipped => Ok(None),
            Destination::Unmapped => {
                self.unmatched(row, &theirs, (path, title), "no_user")?;
                Ok(None)
            }
        }
    }

    fn unmatched(
        &mut self,
        row: RowType,
        user: &str,
        (path, title): (&str, &str),
        reason: &str,
    ) -> ImportResult<()> {
        self.collected.summary.unmatched += 1;
        let report = &mut self.collected.report;
        report.add([row.as_str(), user, path, title, reason])
    }

    fn refuse(
        &mut self,
        row: RowType,
        user: &str,
        (path, title): (&str, &str),
    ) -> ImportResult<()> {
        self.collected.summary.skipped.unsupported += 1;
        let report = &mut self.collected.report;
        report.add([row.as_str(), user, path, title, "unsupported"])
    }

    /// Returns the item of a target, or reports the reason why there is none.
    fn item(
        &mut self,
        row: RowType,
        reader: &Reader,
        target: &Target,
    ) -> ImportResult<Option<Box<Found>>> {
        let mut found: Option<Box<Found>> = None;
        let mut is_ambiguous = false;
        for file in &target.files {
            match self.finder.find(file, &self.collected.staging)? {
                Lookup::Found(other) if found.is_none() => found = Some(other),
                Lookup::Found(other) => {
                    let is_same = found.as_ref().is_some_and(|one| one.item == other.item);
                    if target.scope == Scope::Whole && !is_same {
                        self.refuse(row, &reader.theirs, label(target))?;
                        return Ok(None);
                    }
                }
                Lookup::Ambiguous => is_ambiguous = true,
                Lookup::Absent => {}
            }
            if found.is_some() && target.scope != Scope::Whole {
                break;
            }
        }
        let Some(found) = found else {
            let reason = if is_ambiguous { "ambiguous" } else { "no_file" };
            self.unmatched(row, &reader.theirs, label(target), reason)?;
            return Ok(None);
        };
        if target.scope == Scope::File && !found.is_single {
            self.refuse(row, &reader.theirs, label(target))?;
            return Ok(None);
        }
        Ok(Some(found))
    }

    /// Adds a matched row, and returns its number.
    fn matched(
        &mut self,
        kind: &str,
        reader: &Reader,
        (path, title): (&str, &str),
    ) -> ImportResult<i64> {
        self.collected.summary.matched += 1;
        let row = SourceRow {
            kind,
            user: &reader.theirs,
            path,
            title,
        };
        Ok(self.collected.staging.add_row(&row)?)
    }

    /// Stages a value that belongs to an item and a user.
    fn single(
        &mut self,
        row: RowType,
        (user, target): (&str, &Target),
        rank: i64,
        value: Value,
    ) -> ImportResult<()> {
        let Some(reader) = self.reader(user, row, label(target))? else {
            return Ok(());
        };
        let Some(found) = self.item(row, &reader, target)? else {
            return Ok(());
        };
        let n = self.matched(row.as_str(), &reader, label(target))?;
        self.stage((found.item, reader.id, None), rank, n, value)
    }

    fn stage(
        &mut self,
        (item, user, file): (ItemId, UserId, Option<FileId>),
        rank: i64,
        n: i64,
        value: Value,
    ) -> ImportResult<()> {
        let key = match &value {
            Value::Bookmark { position, note, .. } => {
                format!("{position} {}", note.as_deref().unwrap_or_default())
            }
            Value::Session(start, _) => start.to_string(),
            Value::Save(state) => format!("{} {}", state.slot, state.new.sha256),
            _ => String::new(),
        };
        let staged = StagedValue {
            item,
            user,
            file,
            key,
            rank,
            n,
            value,
        };
        Ok(self.collected.staging.add_value(&staged)?)
    }

    /// Returns the found parts, or reports the reason why there are none.
    fn parts<'p>(
        &mut self,
        row: RowType,
        reader: &Reader,
        (title, parts): (&str, &'p [Part]),
    ) -> ImportResult<Option<Vec<(&'p Part, Box<Found>)>>> {
        let mut found = Vec::new();
        let mut is_ambiguous = false;
        for part in parts {
            match self.finder.find(&part.file, &self.collected.staging)? {
                Lookup::Found(file) => found.push((part, file)),
                Lookup::Ambiguous => is_ambiguous = true,
                Lookup::Absent => {}
            }
        }
        if found.is_empty() {
            let path = parts.first().map_or("", |part| &part.file.path);
            let reason = if is_ambiguous { "ambiguous" } else { "no_file" };
            self.unmatched(row, &reader.theirs, (path, title), reason)?;
            return Ok(None);
        }
        Ok(Some(found))
    }
}

/// Returns path and title of a target, for the report.
fn label(target: &Target) -> (&str, &str) {
    let path = target.files.first().map_or("", |file| &file.path);
    (path, &target.title)
}

fn micros(at: Option<Timestamp>) -> i64 {
    at.unwrap_or_else(undated).as_micros()
}

impl Rows for Collector<'_> {
    fn is_mapped(&self, user: &str) -> bool {
        matches!(self.users.get(user).1, Destination::User(_))
    }

    fn progress(&mut self, user: &str, row: Progress) -> ImportResult<()> {
        let path = row.parts.first().map_or("", |part| &part.file.path);
        let label = (path, row.title.as_str());
        let Some(reader) = self.reader(user, RowType::Progress, label)? else {
            return Ok(());
        };
        let parts = (row.title.as_str(), row.parts.as_slice());
        let Some(found) = self.parts(RowType::Progress, &reader, parts)? else {
            return Ok(());
        };
        let places = found.into_iter().filter_map(|(part, found)| {
            let resolved = position::resolve(part, &found)?;
            let place = SavedPlace {
                position: resolved.position,
                finished: part.finished,
                locator: resolved.locator,
                within: resolved.within,
                updated_at: row.at.unwrap_or_else(undated),
            };
            Some((found, place))
        });
        let places: Vec<_> = places.collect();
        if places.is_empty() {
            return self.refuse(RowType::Progress, &reader.theirs, label);
        }
        let is_finished = row.parts.iter().all(|part| part.finished);
        let kind = if is_finished {
            FINISHED
        } else {
            RowType::Progress.as_str()
        };
        let n = self.matched(kind, &reader, label)?;
        for (found, place) in places {
            let rank = place.updated_at.as_micros();
            let value = Value::Progress {
                file: found.file,
                place,
            };
            self.stage((found.item, reader.id, Some(found.file)), rank, n, value)?;
        }
        Ok(())
    }

    fn favourite(
        &mut self,
        user: &str,
        target: &Target,
        at: Option<Timestamp>,
    ) -> ImportResult<()> {
        let rank = -micros(at);
        self.single(
            RowType::Favourite,
            (user, target),
            rank,
            Value::Favourite(at),
        )
    }

    fn rating(
        &mut self,
        user: &str,
        target: &Target,
        rating: f64,
        at: Option<Timestamp>,
    ) -> ImportResult<()> {
        let rounded = whole(rating.round()).and_then(|rating| u8::try_from(rating).ok());
        let Some(rating) = rounded.filter(|rating| (1..=10).contains(rating)) else {
            return Ok(());
        };
        let value = Value::Rating(rating, at);
        self.single(RowType::Rating, (user, target), micros(at), value)
    }

    fn plays(
        &mut self,
        user: &str,
        target: &Target,
        n: i64,
        at: Option<Timestamp>,
    ) -> ImportResult<()> {
        if n < 1 {
            return Ok(());
        }
        self.single(RowType::Plays, (user, target), n, Value::Views(n, at))
    }

    fn bookmark(
        &mut self,
        user: &str,
        part: &Part,
        note: Option<String>,
        at: Option<Timestamp>,
    ) -> ImportResult<()> {
        self.add_bookmark(user, part, note, at)
    }

    fn session(
        &mut self,
        user: &str,
        target: &Target,
        at: Option<Timestamp>,
        seconds: f64,
    ) -> ImportResult<()> {
        let row = RowType::Session;
        let Some(at) = at else {
            return self.unsupported(user, row, &target.title);
        };
        let seconds = whole(seconds).unwrap_or(0);
        let length = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
        self.single(row, (user, target), seconds, Value::Session(at, length))
    }

    fn save(&mut self, user: &str, save: &SourceSave, body: &MediaFile) -> ImportResult<()> {
        self.add_save(user, save, body)
    }

    fn list(&mut self, user: &str, list: SourceList) -> ImportResult<()> {
        self.open_list(user, list)
    }

    fn entry(&mut self, target: &Target) -> ImportResult<()> {
        self.add_entry(target)
    }

    fn unsupported(&mut self, user: &str, row: RowType, title: &str) -> ImportResult<()> {
        match self.reader(user, row, ("", title))? {
            Some(reader) => self.refuse(row, &reader.theirs, ("", title)),
            None => Ok(()),
        }
    }
}
