//! Metadata and covers of FictionBooks, plain and in archives.

#![no_main]

use std::io::Cursor;

use ledge_kind_books::formats::fb2;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|book: &[u8]| {
    let _ = fb2::inspect(book);
    let _ = fb2::cover(book);
    let _ = fb2::inspect_zipped(Cursor::new(book));
});
