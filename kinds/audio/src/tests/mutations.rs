//! Mutation tests: the readers must return for any damaged input, within the time limit.
//!
//! `LEDGE_MUTATIONS` sets the number of mutations per file.

use std::io::Cursor;

use ledge_proving::{Aim, READ_TOOLS, survives, survives_aimed};

use crate::chapters::cue;
use crate::inspect::{cover_in, read_metadata_in};
use crate::lyrics::lines;
use crate::tests::fixtures;
use crate::text;

#[test]
fn damaged_recordings_are_read_or_rejected_in_time() {
    for (extension, seed) in fixtures::all() {
        // The parsers read mostly the beginning of a file.
        survives_aimed(&seed, Aim::Beginning(1_500), |bytes| {
            let _ = read_metadata_in(Cursor::new(bytes), extension, &READ_TOOLS);
            let _ = cover_in(Cursor::new(bytes), extension, &READ_TOOLS);
        });
    }
}

#[test]
fn damaged_cue_sheets_do_not_panic() {
    let sheet = b"FILE \"a.flac\" WAVE\n TRACK 01 AUDIO\n  TITLE \"One\"\n  INDEX 01 00:00:00\n";
    survives(sheet, |bytes| {
        let _ = cue::read(bytes, None);
    });
}

#[test]
fn damaged_lyrics_yield_lines_in_order() {
    let words = "[ar:A]\n[offset:+500]\r\n[00:12.50][01:00:25]<00:12.50>One <00:13>\nTwo\n\n";
    survives(words.as_bytes(), |bytes| {
        let lines = lines::parse(&text::decode(bytes));
        let starts: Vec<f64> = lines.iter().filter_map(|line| line.start).collect();
        assert!(starts.is_sorted() && starts.iter().all(|start| start.is_finite()));
        assert!(starts.is_empty() || starts.len() == lines.len());
    });
}
