//! Damaged recordings: whatever becomes of a file's bytes, its reader answers, and soon.
//!
//! `LEDGE_MUTATIONS` says how many states of every file are tried.

use std::io::Cursor;

use ledge_proving::{Aim, READ_TOOLS, survives, survives_aimed};

use crate::inspect::{cover_in, examine_in};
use crate::{cue, fixtures, lyrics};

#[test]
fn damaged_recordings_are_read_or_refused_in_no_time() {
    for (extension, seed) in fixtures::all() {
        // Most of what is read stands at the beginning.
        survives_aimed(&seed, Aim::Beginning(1_500), |bytes| {
            let _ = examine_in(Cursor::new(bytes), extension, &READ_TOOLS);
            let _ = cover_in(Cursor::new(bytes), extension, &READ_TOOLS);
        });
    }
}

#[test]
fn damaged_cue_sheets_are_read_or_refused() {
    let sheet = b"FILE \"a.flac\" WAVE\n TRACK 01 AUDIO\n  TITLE \"One\"\n  INDEX 01 00:00:00\n";
    survives(sheet, |bytes| {
        let _ = cue::read(bytes, None);
    });
}

#[test]
fn damaged_words_are_lines_in_order() {
    let words = "[ar:A]\n[offset:+500]\r\n[00:12.50][01:00:25]<00:12.50>One <00:13>\nTwo\n\n";
    survives(words.as_bytes(), |bytes| {
        let lines = lyrics::lines(&lyrics::decode(bytes));
        let starts: Vec<f64> = lines.iter().filter_map(|line| line.start).collect();
        assert!(starts.is_sorted() && starts.iter().all(|start| start.is_finite()));
        assert!(starts.is_empty() || starts.len() == lines.len());
    });
}
