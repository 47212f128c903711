//! Lengths and offsets of the pieces, and the fields of ZIP64.

use std::io::Cursor;

use ledge_formats::archive::zip::Zip;

use super::*;

fn entry(name: &str, size: u64) -> Entry {
    Entry {
        file: FileId(size.cast_signed()),
        name: name.to_owned(),
        size,
        mtime_ns: 1_000_000_000_000_000_000,
    }
}

fn layout(entries: &[(&str, u64)]) -> Layout {
    let entry = |(name, size): &(&str, u64)| entry(name, *size);
    Layout::new(entries.iter().map(entry).collect())
}

fn pieces(layout: &Layout) -> Vec<Piece> {
    let first = Some(Piece::Header(0));
    std::iter::successors(first, |piece| layout.after(*piece)).collect()
}

/// Returns the archive with `x` as content.
fn written(layout: &Layout) -> Vec<u8> {
    let bytes = |piece: &Piece| match piece {
        Piece::Content(at) => {
            let size = layout.entry(*at).expect("an entry").size;
            vec![b'x'; usize::try_from(size).expect("a short file")]
        }
        piece => layout.bytes(*piece, 7),
    };
    pieces(layout).iter().flat_map(bytes).collect()
}

#[test]
fn pieces_have_the_announced_lengths() {
    let layout = layout(&[("a/é.x", 5), ("b", 0), ("c", 300)]);
    let all = written(&layout);
    assert_eq!(layout.size(), all.len() as u64);
    let reader = Zip::open(Cursor::new(&all)).expect("an archive");
    let names: Vec<_> = reader.entries().to_vec();
    let names = names.iter().map(|entry| reader.name(entry).into_owned());
    assert_eq!(names.collect::<Vec<_>>(), ["a/é.x", "b", "c"]);
    assert!(reader.find("c").is_some());
}

#[test]
fn every_offset_is_found_in_its_piece() {
    let layout = layout(&[("a", 5), ("b", 0), ("c", 3)]);
    let mut first = 0;
    for piece in pieces(&layout) {
        for offset in 0..layout.length(piece) {
            let range = ByteRange { first, last: first };
            assert_eq!(layout.find(range), (piece, offset), "{first}");
            first += 1;
        }
    }
    assert_eq!(first, layout.size());
}

#[test]
fn entity_tag_depends_on_every_value() {
    let base = || entry("a", 5);
    let tag = |entry: Entry| Layout::new(vec![entry]).etag();
    let other = [
        Entry {
            name: "b".to_owned(),
            ..base()
        },
        Entry { size: 6, ..base() },
        Entry {
            mtime_ns: 1,
            ..base()
        },
        Entry {
            file: FileId(9),
            ..base()
        },
    ];
    assert_eq!(tag(base()), tag(base()));
    for entry in other {
        assert_ne!(tag(entry), tag(base()));
    }
}

#[test]
fn sizes_and_offsets_beyond_32_bits_are_zip64() {
    let limit = u64::from(u32::MAX);
    for (first, is_large) in [(limit - 1, false), (limit, true), (limit + 1, true)] {
        let layout = layout(&[("a", first), ("b", 1)]);
        let extra = u64::from(is_large);
        assert_eq!(layout.length(Piece::Header(0)), 31 + 20 * extra, "{first}");
        assert_eq!(layout.length(Piece::Descriptor(0)), 16 + 8 * extra);
        assert_eq!(layout.length(Piece::Directory(0)), 47 + 20 * extra);
        // The second entry begins beyond 32 bits in each case.
        assert_eq!(layout.length(Piece::Header(1)), 31);
        assert_eq!(layout.length(Piece::Directory(1)), 47 + 12);
        assert_eq!(layout.length(Piece::End), 56 + 20 + 22);
    }
    assert_eq!(layout(&[("a", limit - 100)]).length(Piece::End), 22);
}

#[test]
fn more_than_65534_entries_are_zip64() {
    let many = |count: u64| {
        let entries = (0..count).map(|n| entry(&n.to_string(), 0)).collect();
        Layout::new(entries).length(Piece::End)
    };
    assert_eq!(many(65_534), 22);
    assert_eq!(many(65_535), 98);
}

#[test]
fn times_are_limited_to_1980_until_2107() {
    let at = |text: &str| {
        let time: jiff::Timestamp = text.parse().expect("a time");
        dos_time(time.as_nanosecond())
    };
    assert_eq!(at("2026-11-20T17:26:07Z"), (0x8b43, 0x5d74));
    assert_eq!(at("1979-12-31T23:59:59Z"), (0, 0x21));
    assert_eq!(at("2108-01-01T00:00:00Z"), (0xbf7d, 0xff9f));
    assert_eq!(dos_time(i128::MAX), (0xbf7d, 0xff9f));
    assert_eq!(dos_time(i128::MIN), (0, 0x21));
}
