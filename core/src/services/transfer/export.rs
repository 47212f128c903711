//! Export of a user's own data as a ZIP archive.

mod zip_writer;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom};
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use self::zip_writer::ZipWriter;
use crate::access::Visible;
use crate::error::{StoreError, StoreResult};
use crate::store::user_data::export::{self, ExportedItem, Section};
use crate::store::user_data::statistics::range::{Bounds, RangeParams};
use crate::store::user_data::statistics::{csv, session_list};

/// Limit of a file name in characters.
const MAX_NAME: usize = 100;

/// Error of an export.
#[derive(Debug, thiserror::Error)]
enum ExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Files with one row per item, and their sections.
const ROWS: [(&str, Section); 7] = [
    ("progress.json", Section::Progress),
    ("history.json", Section::History),
    ("favourites.json", Section::Favourites),
    ("ratings.json", Section::Ratings),
    ("tags.json", Section::Tags),
    ("annotations.json", Section::Annotations),
    ("files.json", Section::Files),
];

/// Writes the archive of a user into an unnamed temporary file in `folder`. Returns the file at its
/// beginning, and its size. The data is of one point in time.
pub fn archive(conn: &Connection, visible: Visible, folder: &Path) -> StoreResult<(File, u64)> {
    let tx = conn.unchecked_transaction()?;
    let file = tempfile::tempfile_in(folder)?;
    let written = write(&tx, visible, file).map_err(|error| match error {
        ExportError::Store(error) => error,
        ExportError::Io(error) => error.into(),
    })?;
    Ok(written)
}

fn write(conn: &Connection, visible: Visible, file: File) -> Result<(File, u64), ExportError> {
    let mut zip = ZipWriter::new(BufWriter::new(file));
    for (name, section) in ROWS {
        array(&mut zip, name, |row| {
            export::each(conn, visible, section, |item, mut value| {
                if let Some(value) = value.as_object_mut() {
                    value.insert("item".to_owned(), json!(item));
                }
                row(value)
            })
        })?;
    }
    array(&mut zip, "people.json", |row| {
        export::each_person(conn, visible, row)
    })?;
    array(&mut zip, "playlists.json", |row| {
        export::each_playlist(conn, visible, row)
    })?;
    array(&mut zip, "collections.json", |row| {
        export::each_collection(conn, visible, row)
    })?;
    array(&mut zip, "settings.json", |row| {
        row(export::settings(conn, visible)?)
    })?;
    statistics(conn, visible, &mut zip)?;
    notes(conn, visible, &mut zip)?;
    export::each_save(conn, visible, |(title, id), name, body| {
        let path = format!("saves/{}/{name}.sav", file_name(title, id));
        zip.entry::<ExportError>(&path, |out| Ok(out.write_all(body)?))
    })?;
    let (out, size) = zip.finish()?;
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    Ok((file, size))
}

type Zip = ZipWriter<BufWriter<File>>;

/// Writes a JSON array, one element per line.
fn array(
    zip: &mut Zip,
    name: &str,
    rows: impl FnOnce(&mut dyn FnMut(Value) -> Result<(), ExportError>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    zip.entry(name, |out| {
        let mut separator = "[";
        rows(&mut |value| {
            write!(out, "{separator}\n{value}")?;
            separator = ",";
            Ok(())
        })?;
        let end = if separator == "[" { "[]\n" } else { "\n]\n" };
        Ok(out.write_all(end.as_bytes())?)
    })
}

/// Writes all sessions as JSON and as CSV. Those of invisible items have neither item nor title.
fn statistics(conn: &Connection, visible: Visible, zip: &mut Zip) -> Result<(), ExportError> {
    let bounds = Bounds::parse(&RangeParams::default())?;
    let sessions = session_list::all(conn, visible, bounds)?;
    array(zip, "statistics.json", |row| {
        for session in &sessions {
            let item = match session.item_id {
                Some(item) => export::item_of(conn, visible, item)?,
                None => None,
            };
            let mut value = json!(session);
            if let Some(value) = value.as_object_mut() {
                value.insert("item".to_owned(), json!(item));
            }
            row(value)?;
        }
        Ok(())
    })?;
    zip.entry("statistics.csv", |out| {
        Ok(out.write_all(csv::of_sessions(&sessions).as_bytes())?)
    })
}

/// Writes the annotations of each item as a Markdown file.
fn notes(conn: &Connection, visible: Visible, zip: &mut Zip) -> Result<(), ExportError> {
    let mut open: Option<(ExportedItem, String)> = None;
    export::each(conn, visible, Section::Annotations, |item, value| {
        if let Some(done) = open.take_if(|(last, _)| last.id != item.id) {
            note_file(zip, &done)?;
        }
        let (_, text) = open.get_or_insert_with(|| {
            let text = heading(&item);
            (item, text)
        });
        note(text, &value);
        Ok::<_, ExportError>(())
    })?;
    open.map_or(Ok(()), |last| note_file(zip, &last))
}

fn note_file(zip: &mut Zip, (item, text): &(ExportedItem, String)) -> Result<(), ExportError> {
    let path = format!("annotations/{}.md", file_name(&item.title, item.id));
    zip.entry(&path, |out| Ok(out.write_all(text.as_bytes())?))
}

fn heading(item: &ExportedItem) -> String {
    format!("# {}\n\n{}: {}\n", item.title, item.library, item.path)
}

/// Appends an annotation: position and time, the marked text as a quotation, and the note.
fn note(text: &mut String, value: &Value) {
    let get = |key: &str| value.get(key).and_then(Value::as_str);
    let position = value.get("position").and_then(Value::as_i64).unwrap_or(0);
    let kind = get("type").unwrap_or_default();
    let at = get("created_at").unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = write!(text, "\n## {kind} at {position} ({at})\n");
    for line in get("text").into_iter().flat_map(str::lines) {
        let _ = write!(text, "\n> {line}");
    }
    if let Some(note) = get("note") {
        let _ = write!(text, "\n\n{note}");
    }
    text.push('\n');
}

/// Returns a file name of a title. The id distinguishes items of the same title.
fn file_name(title: &str, id: i64) -> String {
    let is_odd = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let name: String = title.chars().take(MAX_NAME).collect();
    let name = name.replace(is_odd, "_");
    let name = name.trim().trim_start_matches('.');
    format!("{name} [{id}]")
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn file_names_stay_in_their_folder() {
        for (title, expected) in [
            ("Emma", "Emma [7]"),
            ("../../etc/passwd", "_.._etc_passwd [7]"),
            ("..", " [7]"),
            ("a\\b\0c", "a_b_c [7]"),
        ] {
            assert_eq!(file_name(title, 7), expected);
        }
    }
}
