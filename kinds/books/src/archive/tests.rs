use std::io::Cursor;

use ledge_proving::seven;

use super::*;
use crate::fixtures::{ZipBuilder, rar, solid_rar, solid_seven, tar};

type Files<'a> = &'a [(&'a str, &'a [u8])];

const TIME: Duration = Duration::from_secs(5);

fn zip(files: Files<'_>) -> Vec<u8> {
    let put = |zip: ZipBuilder, (name, bytes): &(&str, &[u8])| zip.stored(name, bytes);
    files.iter().fold(ZipBuilder::new(), put).bytes()
}

/// What is found of these files, looked at in this order.
fn looked_at(bytes: Vec<u8>, wanted: &[usize], allowance: &Allowance) -> Vec<Option<u8>> {
    // The first byte that is no zero.
    let find = |bytes: &[u8]| bytes.iter().find(|byte| **byte != 0).copied();
    let mut archive = Archive::open(Cursor::new(bytes)).expect("an archive");
    archive.look(wanted, find, allowance)
}

/// With half of them the others have to be unpacked as well.
fn packed(files: Files<'_>) -> [Vec<u8>; 4] {
    [
        rar(files),
        seven(files),
        solid_rar(files),
        solid_seven(files),
    ]
}

#[test]
fn files_are_looked_at_in_any_archive_and_any_order() {
    let files: Files<'_> = &[("1", b"a"), ("2", b"\0\0b"), ("3", b"\0"), ("4", b"d")];
    let allowance = Allowance::new(100, TIME);
    for bytes in packed(files).into_iter().chain([zip(files), tar(files)]) {
        let found = looked_at(bytes.clone(), &[3, 7, 1, 2], &allowance);
        assert_eq!(found, [Some(b'd'), None, Some(b'b'), None]);
        assert_eq!(looked_at(bytes, &[], &allowance), []);
    }
}

#[test]
fn what_stands_far_behind_the_beginning_is_seen() {
    let mut far = vec![0; 60_000];
    far.push(b'a');
    let files: Files<'_> = &[("1", &far), ("2", b"b")];
    let allowance = Allowance::new(1 << 20, TIME);
    for bytes in packed(files).into_iter().chain([zip(files), tar(files)]) {
        let found = looked_at(bytes, &[0, 1], &allowance);
        assert_eq!(found, [Some(b'a'), Some(b'b')]);
    }
}

#[test]
fn looking_ends_where_what_is_unpacked_becomes_too_much() {
    let first = vec![b'a'; 20_000];
    let files: Files<'_> = &[("1", &first), ("2", &first), ("3", b"c")];
    let allowance = Allowance {
        total: 30_000,
        ..Allowance::new(1 << 20, TIME)
    };
    for bytes in packed(files) {
        let found = looked_at(bytes, &[0, 1, 2], &allowance);
        assert_eq!((found[0], found[2]), (Some(b'a'), None));
    }
}

#[test]
fn looking_ends_with_the_time() {
    let files: Files<'_> = &[("1", b"a"), ("2", b"b")];
    let allowance = Allowance::new(100, Duration::ZERO);
    for bytes in packed(files).into_iter().chain([zip(files), tar(files)]) {
        assert_eq!(looked_at(bytes, &[0, 1], &allowance), [None, None]);
    }
}

#[test]
fn of_what_can_be_had_by_itself_no_more_is_unpacked_than_is_looked_at() {
    let large = vec![b'a'; 1 << 20];
    let files: Files<'_> = &[("1", &large), ("2", &large), ("3", &large)];
    let allowance = Allowance {
        total: 1 << 20,
        ..Allowance::new(1 << 20, TIME)
    };
    let found = looked_at(rar(files), &[0, 1, 2], &allowance);
    assert_eq!(found, [Some(b'a'); 3]);
    let found = looked_at(solid_rar(files), &[0, 1, 2], &allowance);
    assert_eq!(found[2], None);
}

#[test]
fn files_that_are_too_large_are_left_out() {
    let large = vec![b'a'; 3_000];
    let files: Files<'_> = &[("1", &large), ("2", b"b")];
    let found = looked_at(rar(files), &[0, 1], &Allowance::new(2_000, TIME));
    assert_eq!(found, [None, Some(b'b')]);
    let found = looked_at(solid_rar(files), &[0, 1], &Allowance::new(2_000, TIME));
    assert_eq!(found, [None, None]);
}
