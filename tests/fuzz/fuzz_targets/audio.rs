//! Metadata and covers of recordings. The first byte selects the format of the file's name.

#![no_main]

use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use ledge_core::registry::reading::ReadTools;
use ledge_kind_audio::inspect::{cover_in, read_metadata_in};
use libfuzzer_sys::fuzz_target;

const EXTENSIONS: &[&str] = &["mp3", "aac", "wav", "m4b", "mka"];

fuzz_target!(|input: &[u8]| {
    let Some((first, bytes)) = input.split_first() else {
        return;
    };
    let extension = EXTENSIONS[usize::from(*first) % EXTENSIONS.len()];
    let tools = ReadTools {
        root: Path::new("/"),
        ffprobe: None,
        time_limit: Duration::from_secs(5),
    };
    let _ = read_metadata_in(Cursor::new(bytes), extension, &tools);
    let _ = cover_in(Cursor::new(bytes), extension, &tools);
});
