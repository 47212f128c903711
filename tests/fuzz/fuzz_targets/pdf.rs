//! Metadata of PDFs. A subprocess with limits renders their first pages.

#![no_main]

use std::io::Cursor;
use std::time::Duration;

use ledge_kind_books::formats::pdf;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|book: &[u8]| {
    let _ = pdf::inspect(Cursor::new(book), Duration::from_secs(4));
});
