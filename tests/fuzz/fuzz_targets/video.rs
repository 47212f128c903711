//! Streams, tags, covers, subtitles and fonts of videos in every container.

#![no_main]

use std::io::Cursor;
use std::time::{Duration, Instant};

use ledge_kind_video::reading::inspect::{cover_in, media};
use ledge_kind_video::subtitles::{embedded, fonts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    if let Ok(Some(media)) = media(Cursor::new(file)) {
        media.probe();
        media.facts();
    }
    let _ = cover_in(Cursor::new(file));
    let _ = fonts::list(Cursor::new(file));
    let deadline = Instant::now() + Duration::from_secs(5);
    for place in 0..4 {
        let _ = embedded::cues(Cursor::new(file), place, deadline);
    }
});
