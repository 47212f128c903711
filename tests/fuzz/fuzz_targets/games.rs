//! Metadata of cartridges, discs, packages and archives. The first byte selects the file's name.

#![no_main]

use std::io::Cursor;

use ledge_kind_games::inspect::{picture, read};
use ledge_kind_games::platforms;
use libfuzzer_sys::fuzz_target;

const EXTENSIONS: &[&str] = &[
    "nes", "fds", "sfc", "gb", "gba", "n64", "nds", "vb", "md", "sms", "ngp", "ws", "a78", "lnx",
    "bin", "iso", "chd", "pbp", "zip", "7z",
];

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else {
        return;
    };
    let choice = usize::from(*choice);
    let extension = EXTENSIONS[choice % EXTENSIONS.len()];
    let hint = platforms::PLATFORMS.get(choice);
    let _ = read(extension, hint, Cursor::new(bytes));
    let _ = picture(extension, Cursor::new(bytes));
});
