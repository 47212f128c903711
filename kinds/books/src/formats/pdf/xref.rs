//! Positions of the objects of a PDF, according to its cross-reference tables and streams
//! (ISO 32000-2, 7.5).

use std::collections::HashSet;
use std::io::{Read, Seek};

use super::file::{ObjectPositions, Pdf};
use super::object::{Dictionary, Lexer, Object};
use crate::archive::ReadResult;

/// Bytes at the end of the file that are searched for `startxref`.
const TAIL: u64 = 2048;
/// Most linked tables, and most objects.
const MOST_TABLES: usize = 256;
const MOST_OBJECTS: usize = 1_000_000;
/// Numbers of bytes that are read to parse one table, in this order.
const TABLE_SIZES: [u64; 4] = [64 << 10, 1 << 20, 8 << 20, 32 << 20];
/// Largest cross-reference stream, unpacked, in bytes.
const LARGEST_STREAM: u64 = 32 << 20;

/// Position of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectPosition {
    /// Offset in the document.
    At(u64),
    /// Index in an object stream.
    Within { stream: u32, index: usize },
}

/// Merged content of all tables.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) positions: ObjectPositions,
    pub(super) trailer: Dictionary,
}

impl Table {
    /// Adds a position. The entries of newer tables take precedence.
    fn put(&mut self, number: u32, position: ObjectPosition) {
        if self.positions.len() < MOST_OBJECTS {
            self.positions.entry(number).or_insert(position);
        }
    }

    fn put_trailer(&mut self, trailer: Dictionary) {
        for (name, value) in trailer {
            self.trailer.entry(name).or_insert(value);
        }
    }
}

/// Reads the tables from the newest to the oldest. Returns `None` if the first one cannot be found.
pub(super) fn read<R: Read + Seek>(pdf: &mut Pdf<R>) -> ReadResult<Option<Table>> {
    let start = pdf.length.saturating_sub(TAIL);
    let tail = pdf.bytes(start, TAIL)?;
    let mark = b"startxref";
    let Some(at) = tail.windows(mark.len()).rposition(|window| window == mark) else {
        return Ok(None);
    };
    let mut lexer = Lexer::new(tail.get(at + mark.len()..).unwrap_or_default());
    let Some(first) = lexer.object().and_then(|position| position.unsigned()) else {
        return Ok(None);
    };
    let mut table = Table::default();
    let mut waiting = vec![first];
    let mut visited = HashSet::new();
    while let Some(at) = waiting.pop() {
        if !visited.insert(at) || visited.len() > MOST_TABLES {
            continue;
        }
        let trailer = match plain(pdf, &mut table, at)? {
            Some(trailer) => trailer,
            None => match stream(pdf, &mut table, at) {
                Some(trailer) => trailer,
                None => continue,
            },
        };
        // The stream of a hybrid file takes precedence over older tables.
        let next = ["Prev", "XRefStm"].map(|name| trailer.get(name).and_then(Object::unsigned));
        waiting.extend(next.into_iter().flatten());
        table.put_trailer(trailer);
    }
    Ok((!table.trailer.is_empty()).then_some(table))
}

/// Reads a table in text form: `xref`, sections of entries, `trailer` and a dictionary.
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
        if let Some((entries, trailer)) = sections(&mut lexer) {
            for (number, position) in entries {
                table.put(number, ObjectPosition::At(position));
            }
            return Ok(Some(trailer));
        }
        if (bytes.len() as u64) < size {
            break;
        }
    }
    Ok(None)
}

type Sections = (Vec<(u32, u64)>, Dictionary);

fn sections(lexer: &mut Lexer<'_>) -> Option<Sections> {
    let mut entries = Vec::new();
    loop {
        let start = match lexer.object()? {
            Object::Word(word) if word == "trailer" => break,
            number => number.unsigned()?,
        };
        let count = lexer.object()?.unsigned()?;
        for number in start..start.checked_add(count)? {
            let before = lexer.position();
            let position = lexer.object()?;
            if position == Object::Word("trailer".to_owned()) {
                // The section has fewer entries than declared.
                lexer.seek(before);
                break;
            }
            lexer.object()?;
            let is_used = lexer.object()? == Object::Word("n".to_owned());
            if is_used && entries.len() < MOST_OBJECTS {
                entries.push((u32::try_from(number).ok()?, position.unsigned()?));
            }
        }
    }
    match lexer.object()? {
        Object::Dictionary(trailer) => Some((entries, trailer)),
        _ => None,
    }
}

/// Reads a cross-reference stream: rows of three numbers, whose widths are in its dictionary.
fn stream<R: Read + Seek>(pdf: &mut Pdf<R>, table: &mut Table, at: u64) -> Option<Dictionary> {
    let found = pdf.indirect_object(at)?;
    let rows = pdf.content(&found, LARGEST_STREAM)?;
    let Object::Dictionary(about) = found.object else {
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
        // Without a first column, every object is stored directly in the file.
        match if first.is_empty() { 1 } else { value(first) } {
            1 => table.put(number, ObjectPosition::At(value(second))),
            2 => {
                let stream = u32::try_from(value(second)).ok()?;
                let index = usize::try_from(value(third)).ok()?;
                table.put(number, ObjectPosition::Within { stream, index });
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
