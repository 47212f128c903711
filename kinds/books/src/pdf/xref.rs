//! Where the objects of a PDF stand: its tables of references, in both of their forms, or what is
//! found by looking through the file where they are damaged (ISO 32000-2, 7.5).

use std::collections::HashSet;
use std::io::{Read, Seek};

use super::file::{Pdf, Places};
use super::object::{Dictionary, Lexer, Object, is_blank};
use crate::archive::ReadResult;

/// How far from the end of the file the place of the table is looked for.
const TAIL: u64 = 2048;
/// Most tables that follow one another, and most objects.
const MOST_TABLES: usize = 256;
const MOST_OBJECTS: usize = 1_000_000;
/// Sizes in which a table is looked for, in bytes.
const TABLE_SIZES: [u64; 4] = [64 << 10, 1 << 20, 8 << 20, 32 << 20];
/// Largest table that is a stream, unpacked, in bytes.
const LARGEST_STREAM: u64 = 32 << 20;
/// How much of a file is looked through, and how much at once.
const MOST_SEARCHED: u64 = 64 << 20;
const PIECE: u64 = 1 << 20;
/// How much of a piece is seen again in the next.
const OVERLAP: u64 = 4096;
/// Most trailers that are read of such a piece: the last ones.
const MOST_TRAILERS: usize = 64;
/// Most objects that are asked whether they are the catalogue.
const MOST_ASKED: usize = 5_000;

/// Where an object stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the file.
    At(u64),
    /// In a stream of objects.
    Within { stream: u32, index: usize },
}

/// All that tables say.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) places: Places,
    pub(super) trailer: Dictionary,
}

impl Table {
    /// What newer tables said stands.
    fn put(&mut self, number: u32, place: Place) {
        if self.places.len() < MOST_OBJECTS {
            self.places.entry(number).or_insert(place);
        }
    }

    fn put_trailer(&mut self, trailer: Dictionary) {
        for (name, value) in trailer {
            self.trailer.entry(name).or_insert(value);
        }
    }
}

/// Reads the tables from the newest to the oldest; `None` where the first cannot be found.
pub(super) fn read<R: Read + Seek>(pdf: &mut Pdf<R>) -> ReadResult<Option<Table>> {
    let start = pdf.length.saturating_sub(TAIL);
    let tail = pdf.bytes(start, TAIL)?;
    let mark = b"startxref";
    let Some(at) = tail.windows(mark.len()).rposition(|window| window == mark) else {
        return Ok(None);
    };
    let mut lexer = Lexer::new(tail.get(at + mark.len()..).unwrap_or_default());
    let Some(first) = lexer.object().and_then(|place| place.unsigned()) else {
        return Ok(None);
    };
    let mut table = Table::default();
    let mut waiting = vec![first];
    let mut seen = HashSet::new();
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) || seen.len() > MOST_TABLES {
            continue;
        }
        let trailer = match plain(pdf, &mut table, at)? {
            Some(trailer) => trailer,
            None => match stream(pdf, &mut table, at) {
                Some(trailer) => trailer,
                None => continue,
            },
        };
        // The stream beside a table comes before older tables.
        let next = ["Prev", "XRefStm"].map(|name| trailer.get(name).and_then(Object::unsigned));
        waiting.extend(next.into_iter().flatten());
        table.put_trailer(trailer);
    }
    Ok((!table.trailer.is_empty()).then_some(table))
}

/// A table in words: `xref`, runs of entries, `trailer` and a dictionary.
fn plain<R: Read + Seek>(
    pdf: &mut Pdf<R>,
    table: &mut Table,
    at: u64,
) -> ReadResult<Option<Dictionary>> {
    for size in TABLE_SIZES {
        let bytes = pdf.bytes(at, size)?;
        let mut lexer = Lexer::new(&bytes);
        if lexer.object() != Some(Object::Word("xref".to_owned())) {
            return Ok(None);
        }
        if let Some((entries, trailer)) = runs(&mut lexer) {
            for (number, place) in entries {
                table.put(number, Place::At(place));
            }
            return Ok(Some(trailer));
        }
        if (bytes.len() as u64) < size {
            break;
        }
    }
    Ok(None)
}

type Runs = (Vec<(u32, u64)>, Dictionary);

fn runs(lexer: &mut Lexer<'_>) -> Option<Runs> {
    let mut entries = Vec::new();
    loop {
        let start = match lexer.object()? {
            Object::Word(word) if word == "trailer" => break,
            number => number.unsigned()?,
        };
        let count = lexer.object()?.unsigned()?;
        for number in start..start.checked_add(count)? {
            let before = lexer.position();
            let place = lexer.object()?;
            if place == Object::Word("trailer".to_owned()) {
                // Fewer than were promised.
                lexer.seek(before);
                break;
            }
            lexer.object()?;
            let is_used = lexer.object()? == Object::Word("n".to_owned());
            if is_used && entries.len() < MOST_OBJECTS {
                entries.push((u32::try_from(number).ok()?, place.unsigned()?));
            }
        }
    }
    match lexer.object()? {
        Object::Dictionary(trailer) => Some((entries, trailer)),
        _ => None,
    }
}

/// A table that is a stream: rows of three numbers, whose widths its dictionary tells.
fn stream<R: Read + Seek>(pdf: &mut Pdf<R>, table: &mut Table, at: u64) -> Option<Dictionary> {
    let standing = pdf.standing(at)?;
    let rows = pdf.content(&standing, LARGEST_STREAM)?;
    let Object::Dictionary(about) = standing.object else {
        return None;
    };
    let numbers = |name: &str| -> Option<Vec<usize>> {
        let Object::Array(items) = about.get(name)? else {
            return None;
        };
        let numbers = items
            .iter()
            .map(|item| usize::try_from(item.unsigned()?).ok());
        numbers.collect()
    };
    let widths = numbers("W").filter(|widths| widths.iter().all(|width| *width <= 8))?;
    let [kind, second, third] = widths.as_slice() else {
        return None;
    };
    let size = usize::try_from(about.get("Size")?.unsigned()?).ok()?;
    let index = numbers("Index").unwrap_or_else(|| vec![0, size]);
    let wanted = index.chunks_exact(2).flat_map(|run| match run {
        [start, count] => *start..start.saturating_add(*count),
        _ => 0..0,
    });
    let width = (kind + second + third).max(1);
    for (number, row) in wanted.zip(rows.chunks_exact(width)) {
        let (first, rest) = row.split_at_checked(*kind)?;
        let (second, third) = rest.split_at_checked(*second)?;
        let number = u32::try_from(number).ok()?;
        // Without a first column every object stands in the file.
        match if first.is_empty() { 1 } else { value(first) } {
            1 => table.put(number, Place::At(value(second))),
            2 => {
                let stream = u32::try_from(value(second)).ok()?;
                let index = usize::try_from(value(third)).ok()?;
                table.put(number, Place::Within { stream, index });
            }
            _ => {}
        }
    }
    Some(about)
}

fn value(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Looks through the file for objects and trailers; the last of each number counts.
pub(super) fn rebuilt<R: Read + Seek>(pdf: &mut Pdf<R>) -> ReadResult<Table> {
    let mut table = Table::default();
    let mut at = 0;
    while at < pdf.length.min(MOST_SEARCHED) {
        let piece = pdf.bytes(at, PIECE + OVERLAP)?;
        if piece.is_empty() {
            break;
        }
        for (number, place) in objects(&piece) {
            if table.places.len() < MOST_OBJECTS {
                table.places.insert(number, Place::At(at + place as u64));
            }
        }
        for trailer in trailers(&piece) {
            table.trailer.extend(trailer);
        }
        at += PIECE;
    }
    if !table.trailer.contains_key("Root")
        && let Some(root) = catalogue(pdf, &table)
    {
        table
            .trailer
            .insert("Root".to_owned(), Object::Reference(root));
    }
    Ok(table)
}

/// Numbers and places of what looks like the beginning of an object.
fn objects(bytes: &[u8]) -> impl Iterator<Item = (u32, usize)> {
    let words = bytes.windows(5).enumerate();
    words
        .filter(|(_, window)| window.ends_with(b" obj") || window.ends_with(b"\nobj"))
        .filter_map(|(at, _)| {
            // Backwards over the generation and the number.
            let (generation, _) = digits_before(bytes, at + 1)?;
            digits_before(bytes, blanks_before(bytes, generation)?)
        })
        .map(|(start, number)| (number, start))
}

fn digits_before(bytes: &[u8], end: usize) -> Option<(usize, u32)> {
    let before = bytes.get(..end)?;
    let count = before
        .iter()
        .rev()
        .take(10)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let start = end - count;
    let number = std::str::from_utf8(before.get(start..)?)
        .ok()?
        .parse()
        .ok()?;
    Some((start, number))
}

fn blanks_before(bytes: &[u8], end: usize) -> Option<usize> {
    let before = bytes.get(..end)?;
    let count = before
        .iter()
        .rev()
        .take(4)
        .take_while(|byte| is_blank(**byte))
        .count();
    (count > 0).then_some(end - count)
}

fn trailers(bytes: &[u8]) -> impl Iterator<Item = Dictionary> {
    let mark = b"trailer";
    let windows = bytes.windows(mark.len()).enumerate();
    let found = windows.filter(|(_, window)| window == mark);
    let mut starts: Vec<usize> = found.map(|(at, _)| at + mark.len()).collect();
    // One that never ends is read to the end of the piece.
    starts.drain(..starts.len().saturating_sub(MOST_TRAILERS));
    starts.into_iter().filter_map(|start| {
        let mut lexer = Lexer::new(bytes.get(start..)?);
        match lexer.object()? {
            Object::Dictionary(trailer) => Some(trailer),
            _ => None,
        }
    })
}

fn catalogue<R: Read + Seek>(pdf: &mut Pdf<R>, table: &Table) -> Option<u32> {
    let mut places: Vec<(u32, u64)> = table
        .places
        .iter()
        .filter_map(|(number, place)| match place {
            Place::At(at) => Some((*number, *at)),
            Place::Within { .. } => None,
        })
        .collect();
    places.sort_unstable();
    let catalogue = Object::Name("Catalog".to_owned());
    let found = places.into_iter().take(MOST_ASKED).find(|(_, at)| {
        let standing = pdf.standing(*at);
        matches!(
            standing.map(|standing| standing.object),
            Some(Object::Dictionary(about)) if about.get("Type") == Some(&catalogue)
        )
    });
    found.map(|(number, _)| number)
}
