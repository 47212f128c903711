//! Metadata and covers of comics in archives of every format.

#![no_main]

use std::io::Cursor;
use std::time::Duration;

use ledge_kind_books::formats::comic;
use libfuzzer_sys::fuzz_target;

const TIME: Duration = Duration::from_secs(4);

fuzz_target!(|book: &[u8]| {
    let _ = comic::inspect(Cursor::new(book.to_vec()), TIME);
    let _ = comic::cover(Cursor::new(book.to_vec()), TIME);
});
