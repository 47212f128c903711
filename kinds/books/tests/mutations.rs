//! Damaged books: whatever becomes of a file's bytes, its reader answers, and soon.
//!
//! `LEDGE_MUTATIONS` says how many states of every file are tried.

#![expect(
    clippy::indexing_slicing,
    reason = "every index is drawn below the length"
)]

use std::io::Cursor;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

use ledge_kind_books::epub;

/// A generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % below.max(1)
    }

    fn byte(&mut self) -> u8 {
        const TELLING: &[u8] = &[
            0, 1, 0x7f, 0x80, 0xff, b'<', b'>', b'&', b'"', b'/', b'0', b'9',
        ];
        match self.next(3) {
            0 => TELLING[self.next(TELLING.len())],
            _ => u8::try_from(self.next(256)).unwrap_or(0),
        }
    }

    /// One to eight changes: bytes replaced, inserted, left out, repeated, swapped, cut off.
    fn mutate(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.next(8) {
            let at = self.next(bytes.len());
            let len = self.next(24).min(bytes.len().saturating_sub(at));
            match self.next(8) {
                0..=3 if !bytes.is_empty() => bytes[at] = self.byte(),
                4 => {
                    let new: Vec<u8> = (0..len).map(|_| self.byte()).collect();
                    bytes.splice(at..at, new);
                }
                5 => drop(bytes.drain(at..at + len)),
                6 => {
                    let part = bytes[at..at + len].to_vec();
                    let to = self.next(bytes.len());
                    bytes.splice(to..to, part);
                }
                7 if self.next(4) == 0 => bytes.truncate(at),
                _ => {}
            }
        }
        bytes
    }
}

fn mutations() -> usize {
    std::env::var("LEDGE_MUTATIONS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(1_000)
}

fn survives(seed: &[u8], mut read: impl FnMut(&[u8])) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..mutations() {
        let bytes = numbers.mutate(seed);
        let start = Instant::now();
        read(&bytes);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(5), "round {round} took {took:?}");
    }
}

/// A ZIP archive of these files.
fn zip(files: &[(&str, &[u8])], is_packed: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    let count = u16::try_from(files.len()).expect("few");
    for (name, bytes) in files {
        let offset = u32::try_from(out.len()).expect("small");
        let packed = if is_packed {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(bytes).expect("memory");
            encoder.finish().expect("memory")
        } else {
            bytes.to_vec()
        };
        let mut common = vec![20, 0, 0, 8, if is_packed { 8 } else { 0 }, 0];
        common.extend([0; 8]);
        for size in [packed.len(), bytes.len()] {
            common.extend(u32::try_from(size).expect("small").to_le_bytes());
        }
        common.extend(u16::try_from(name.len()).expect("short").to_le_bytes());
        common.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(packed);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let place = u32::try_from(out.len()).expect("small");
    let size = u32::try_from(directory.len()).expect("small");
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    out.extend([size.to_le_bytes(), place.to_le_bytes()].concat());
    out.extend([0, 0]);
    out
}

const PACKAGE: &str = "<?xml version='1.0' encoding='UTF-8'?>
<package version='3.0'><metadata xmlns:dc='http://purl.org/dc/elements/1.1/'>
<dc:title id='t'>A Title</dc:title><meta refines='#t' property='title-type'>main</meta>
<dc:creator id='a' opf:role='aut'>Example, Ann</dc:creator>
<meta refines='#a' property='display-seq'>1</meta><dc:date>1999-05-04</dc:date>
<dc:identifier>urn:isbn:9780306406157</dc:identifier>
<dc:description>&lt;p&gt;One&amp;eacute;&lt;/p&gt;</dc:description>
<meta name='calibre:series' content='S'/><meta name='calibre:series_index' content='1.5'/>
<meta name='cover' content='c'/></metadata>
<manifest><item id='c' href='p%20.xhtml' media-type='image/jpeg'/></manifest>
<spine page-progression-direction='rtl'><itemref idref='c'/></spine>
<guide><reference type='cover' href='p .xhtml'/></guide></package>";

fn epub_file(is_packed: bool) -> Vec<u8> {
    zip(
        &[
            ("mimetype", b"application/epub+zip"),
            (
                "META-INF/container.xml",
                b"<container><rootfiles><rootfile full-path='book.opf'/></rootfiles></container>",
            ),
            ("book.opf", PACKAGE.as_bytes()),
            ("p .xhtml", b"<html><img src='c.jpg'/></html>"),
            ("c.jpg", b"\xff\xd8\xff picture"),
        ],
        is_packed,
    )
}

#[test]
fn damaged_epubs_are_read_or_refused() {
    for is_packed in [false, true] {
        let seed = epub_file(is_packed);
        let whole = epub::inspect(Cursor::new(&seed)).expect("a book");
        assert_eq!(whole.title.as_deref(), Some("A Title"));
        assert!(epub::cover(Cursor::new(&seed)).expect("a book").is_some());
        survives(&seed, |bytes| {
            let _ = epub::inspect(Cursor::new(bytes));
            let _ = epub::cover(Cursor::new(bytes));
        });
    }
}
