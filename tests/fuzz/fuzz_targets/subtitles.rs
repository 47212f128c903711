//! Conversion of subtitles of every format into WebVTT, and cleaned scripts.

#![no_main]

use ledge_kind_video::subtitles::{Format, cue, cues, script};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    for format in [Format::Srt, Format::Ass, Format::Vtt] {
        if let Ok(cues) = cues(format, file, Some("de")) {
            cue::write(cues);
        }
    }
    let _ = script(file, Some("de"));
});
