use std::io::Cursor;

use ledge_proving::seven;

use super::*;
use crate::fixtures::{ZipBuilder, rar, solid_rar, solid_sevenz, tar};

type Files<'a> = &'a [(&'a str, &'a [u8])];

const TIME: Duration = Duration::from_secs(5);

fn zip(files: Files<'_>) -> Vec<u8> {
    let put = |zip: ZipBuilder, (name, bytes): &(&str, &[u8])| zip.stored(name, bytes);
    files.iter().fold(ZipBuilder::new(), put).bytes()
}

/// Returns the results for `wanted`, searched in this order.
fn searched(bytes: Vec<u8>, wanted: &[usize], allowance: &Allowance) -> Vec<Option<u8>> {
    // Returns the first byte that is not zero.
    let find = |bytes: &[u8]| bytes.iter().find(|byte| **byte != 0).copied();
    let mut archive = Archive::open(Cursor::new(bytes)).expect("an archive");
    archive.search_heads(wanted, find, allowance)
}

/// Returns the files in four archives. The two solid ones have to unpack the other files as well.
fn packed(files: Files<'_>) -> [Vec<u8>; 4] {
    [
        rar(files),
        seven(files),
        solid_rar(files),
        solid_sevenz(files),
    ]
}

#[test]
fn search_heads_finds_data_in_any_format_and_order() {
    let files: Files<'_> = &[("1", b"a"), ("2", b"\0\0b"), ("3", b"\0"), ("4", b"d")];
    let allowance = Allowance::new(100, TIME);
    for bytes in packed(files).into_iter().chain([zip(files), tar(files)]) {
        let found = searched(bytes.clone(), &[3, 7, 1, 2], &allowance);
        assert_eq!(found, [Some(b'd'), None, Some(b'b'), None]);
        assert_eq!(searched(bytes, &[], &allowance), []);
    }
}

#[test]
fn search_heads_finds_data_beyond_the_first_size() {
    let mut far = vec![0; 60_000];
    far.push(b'a');
    let files: Files<'_> = &[("1", &far), ("2", b"b")];
    let allowance = Allowance::new(1 << 20, TIME);
    for bytes in packed(files).into_iter().chain([zip(files), tar(files)]) {
        let found = searched(bytes, &[0, 1], &allowance);
        assert_eq!(found, [Some(b'a'), Some(b'b')]);
    }
}

#[test]
fn search_heads_stops_at_total_limit() {
    let first = vec![b'a'; 20_000];
    let files: Files<'_> = &[("1", &first), ("2", &first), ("3", b"c")];
    let allowance = Allowance {
        total: 30_000,
        ..Allowance::new(1 << 20, TIME)
    };
    for bytes in packed(files) {
        let found = searched(bytes, &[0, 1, 2], &allowance);
        assert_eq!((found[0], found[2]), (Some(b'a'), None));
    }
}

#[test]
fn search_heads_stops_at_time_limit() {
    let files: Files<'_> = &[("1", b"a"), ("2", b"b")];
    let allowance = Allowance::new(100, Duration::ZERO);
    for bytes in packed(files).into_iter().chain([zip(files), tar(files)]) {
        assert_eq!(searched(bytes, &[0, 1], &allowance), [None, None]);
    }
}

#[test]
fn search_heads_unpacks_only_searched_bytes_of_non_solid_archives() {
    let large = vec![b'a'; 1 << 20];
    let files: Files<'_> = &[("1", &large), ("2", &large), ("3", &large)];
    let allowance = Allowance {
        total: 1 << 20,
        ..Allowance::new(1 << 20, TIME)
    };
    let found = searched(rar(files), &[0, 1, 2], &allowance);
    assert_eq!(found, [Some(b'a'); 3]);
    let found = searched(solid_rar(files), &[0, 1, 2], &allowance);
    assert_eq!(found[2], None);
}

#[test]
fn search_heads_skips_files_above_the_size_limit() {
    let large = vec![b'a'; 3_000];
    let files: Files<'_> = &[("1", &large), ("2", b"b")];
    let found = searched(rar(files), &[0, 1], &Allowance::new(2_000, TIME));
    assert_eq!(found, [None, Some(b'b')]);
    let found = searched(solid_rar(files), &[0, 1], &Allowance::new(2_000, TIME));
    assert_eq!(found, [None, None]);
}
