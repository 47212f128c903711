//! Timeline of one form: its files one after another, with their chapters.

use rusqlite::{Connection, named_params};

use crate::error::StoreResult;
use crate::id::{FileId, ItemId};
use crate::search;
use crate::store::file::first;

/// Tolerance in units of the position. A seek ends slightly before its target.
const SEEK_TOLERANCE: f64 = 0.05;
/// Maximum distance between the start of a chapter and the start of its part. Such a chapter begins
/// with the part.
const SAME_START: f64 = 0.5;

const FILES: &str = "
    SELECT id, extent, title, sequence IS NOT NULL AS is_part
      FROM file
     WHERE item_id = :item AND missing = 0
     ORDER BY sequence, id";

const CHAPTERS: &str = "
    SELECT title, start
      FROM file_chapter
     WHERE file_id = :file
     ORDER BY position";

/// Files of a form one after another. Positions are sums of extents.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Timeline {
    pub(super) parts: Vec<Part>,
    pub(super) chapters: Vec<Chapter>,
}

/// File on a timeline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) file: FileId,
    pub(super) start: f64,
    pub(super) length: f64,
}

/// Chapter on a timeline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chapter {
    /// Title as stored, possibly empty.
    pub(super) title: String,
    /// Number in the title.
    pub(super) number: Option<u32>,
    /// Folded words of the title without the number.
    pub(super) name: String,
    pub(super) start: f64,
    pub(super) end: f64,
}

/// File with the columns of a part.
struct Row {
    file: FileId,
    extent: Option<i64>,
    title: Option<String>,
    is_part: bool,
}

impl Timeline {
    /// Reads the present files of an item: all parts in order, or one of the alternatives. That is
    /// `preferred`, or else the first.
    pub(super) fn read_unscoped(
        conn: &Connection,
        item: ItemId,
        preferred: Option<FileId>,
    ) -> StoreResult<Self> {
        let mut statement = conn.prepare_cached(FILES)?;
        let rows = statement.query_map(named_params! { ":item": item }, |row| {
            Ok(Row {
                file: row.get(0)?,
                extent: row.get(1)?,
                title: row.get(2)?,
                is_part: row.get(3)?,
            })
        })?;
        let mut files: Vec<Row> = rows.collect::<Result<_, _>>()?;
        if files.iter().any(|file| file.is_part) {
            files.retain(|file| file.is_part);
        } else {
            let is_there = |id: &FileId| files.iter().any(|file| file.file == *id);
            let one = match preferred.filter(is_there) {
                Some(id) => Some(id),
                None => first::present_unscoped(conn, item)?,
            };
            files.retain(|file| Some(file.file) == one);
        }
        let mut timeline = Self::default();
        for file in files {
            timeline.add(conn, file)?;
        }
        timeline.end_chapters();
        Ok(timeline)
    }

    fn add(&mut self, conn: &Connection, file: Row) -> StoreResult<()> {
        let start = self.length();
        let mut statement = conn.prepare_cached(CHAPTERS)?;
        let rows = statement.query_map(named_params! { ":file": file.file }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let chapters: Vec<(String, f64)> = rows.collect::<Result<_, _>>()?;
        // A part without chapters, and the beginning before the first one, count as a chapter.
        let begins = chapters
            .first()
            .is_none_or(|(_, start)| *start > SAME_START);
        if file.is_part && begins {
            self.push(file.title.unwrap_or_default(), start);
        }
        for (title, offset) in chapters {
            self.push(title, start + offset);
        }
        self.parts.push(Part {
            file: file.file,
            start,
            length: length(file.extent),
        });
        Ok(())
    }

    fn push(&mut self, title: String, start: f64) {
        let (number, name) = parse(&title);
        self.chapters.push(Chapter {
            title,
            number,
            name,
            start,
            end: start,
        });
    }

    /// Sets the ends of chapters. A single one is useless.
    fn end_chapters(&mut self) {
        if self.chapters.len() < 2 {
            self.chapters.clear();
        }
        let mut end = self.length();
        for chapter in self.chapters.iter_mut().rev() {
            chapter.end = end.max(chapter.start);
            end = chapter.start;
        }
    }

    /// Returns the sum of the lengths.
    pub(super) fn length(&self) -> f64 {
        self.parts
            .last()
            .map_or(0.0, |part| part.start + part.length)
    }

    /// Returns the position of a place in a file.
    pub(super) fn position(&self, file: FileId, offset: f64) -> Option<f64> {
        let part = self.parts.iter().find(|part| part.file == file)?;
        Some(part.start + offset.clamp(0.0, part.length))
    }

    /// Returns the file at a position, and the offset in it.
    pub(super) fn place(&self, position: f64) -> Option<(FileId, f64)> {
        let later = self.parts.iter().rev().find(|part| part.start <= position);
        let part = later.or(self.parts.first())?;
        Some((part.file, (position - part.start).clamp(0.0, part.length)))
    }

    /// Returns the index of the chapter at a position.
    pub(super) fn chapter_at(&self, position: f64) -> Option<usize> {
        let has_begun = |chapter: &Chapter| chapter.start <= position + SEEK_TOLERANCE;
        self.chapters.iter().rposition(has_begun)
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^52")]
fn length(extent: Option<i64>) -> f64 {
    extent.unwrap_or(0).max(0) as f64
}

/// Returns the number in a title, and its other words: `12 Name`, `Part 12: Name`, `XII. Name`.
fn parse(title: &str) -> (Option<u32>, String) {
    let folded = search::fold(title);
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let (first, second) = (words.first().copied(), words.get(1).copied());
    let is_label = |word: &str| word.chars().all(char::is_alphabetic);
    let (number, rest) = match (first.and_then(number), second.and_then(number)) {
        (Some(number), _) => (Some(number), words.get(1..)),
        (None, Some(number)) if first.is_some_and(is_label) => (Some(number), words.get(2..)),
        _ => (None, words.get(..)),
    };
    (number, rest.unwrap_or_default().join(" "))
}

/// Parses a number in digits, or in Roman numerals up to 89.
fn number(word: &str) -> Option<u32> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().ok();
    }
    roman(word)
}

fn roman(word: &str) -> Option<u32> {
    const TENS: [&str; 9] = ["", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx"];
    const ONES: [&str; 10] = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    let ones = word.trim_start_matches(['x', 'l']);
    // `ix` and `iv` begin with `i`, so only whole tens are trimmed.
    let tens = word.strip_suffix(ones)?;
    let tens = TENS.iter().position(|numeral| *numeral == tens)?;
    let ones = ONES.iter().position(|numeral| *numeral == ones)?;
    u32::try_from(10 * tens + ones)
        .ok()
        .filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_separated() {
        for (title, number, name) in [
            ("Chapter 12: The Whale", Some(12), "the whale"),
            ("12. The Whale", Some(12), "the whale"),
            ("XIV", Some(14), ""),
            ("Kapitel IX – Der Wal", Some(9), "der wal"),
            ("Part 0", Some(0), ""),
            ("The Whale", None, "the whale"),
            ("Loomings", None, "loomings"),
            ("", None, ""),
        ] {
            assert_eq!(parse(title), (number, name.to_owned()), "{title}");
        }
    }

    #[test]
    fn roman_numerals_have_one_spelling() {
        for (word, value) in [
            ("i", 1),
            ("iv", 4),
            ("xl", 40),
            ("xlix", 49),
            ("lxxxix", 89),
        ] {
            assert_eq!(roman(word), Some(value), "{word}");
        }
        for word in ["", "iiii", "ic", "xxl", "mild"] {
            assert_eq!(roman(word), None, "{word}");
        }
    }

    #[test]
    fn files_and_chapters_are_found_by_indexes() {
        for sql in [FILES, CHAPTERS] {
            let plan = crate::store::user_data::progress::tests::plan(sql);
            assert!(!plan.contains("SCAN"), "{plan}");
        }
    }
}
