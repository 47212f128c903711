//! Tests of the scans that confirm missing files: a purge must not delete files in doubt.

use std::time::Duration;

use ledge_core::error::StoreError;
use ledge_core::scan::{Folders, Scope};
use ledge_core::store::library::purge::purge_blocking;
use ledge_core::store::library::scan_run::End;

use crate::world::World;

const FILES: usize = 200;
/// Number of files per folder.
const PER_FOLDER: usize = 50;

/// Creates and scans a library of [`FILES`] files in four folders.
fn library() -> World {
    let world = World::new();
    for n in 0..FILES {
        world.write(&path(n), format!("content {n}"));
    }
    assert_eq!(world.scan().added, FILES as u64);
    world
}

fn path(n: usize) -> String {
    format!("{}/{n}.sheet", n / PER_FOLDER)
}

fn remove(world: &World, files: std::ops::Range<usize>) {
    for n in files {
        world.remove(&path(n));
    }
}

fn folder(n: usize) -> Scope {
    Scope {
        folders: Some(Folders {
            alone: [n.to_string().into_bytes()].into(),
            ..Folders::default()
        }),
        ..Scope::default()
    }
}

/// Scans, and fails while files are marked, like a killed server: committed changes stay, and the
/// run stays `running`.
fn interrupted_scan(world: &World) -> u64 {
    world.sql(
        "CREATE TRIGGER break_off BEFORE UPDATE OF missing ON file
          WHEN new.missing = 1 AND (SELECT sum(missing) FROM file) >= 30
         BEGIN SELECT RAISE(ABORT, 'broken off'); END",
    );
    world.hand.advance(Duration::from_mins(1));
    world.try_scan().expect_err("it breaks off");
    world.sql("DROP TRIGGER break_off");
    let marked = world.one("SELECT sum(missing) FROM file");
    marked.parse().expect("a number")
}

#[track_caller]
fn refusal(world: &World) -> String {
    match purge_blocking(&world.app.db, world.library, || true) {
        Err(StoreError::Conflict(why)) => why,
        purged => panic!("not refused: {purged:?}"),
    }
}

#[track_caller]
fn purged(world: &World) -> Option<usize> {
    purge_blocking(&world.app.db, world.library, || true).expect("a purge")
}

#[test]
fn purge_is_refused_after_an_interrupted_and_a_rejected_scan() {
    let world = library();
    remove(&world, 0..90);
    let marked = interrupted_scan(&world);
    assert!((1..90).contains(&marked), "{marked}");
    let why = refusal(&world);
    assert!(why.contains("interrupted"), "{why}");

    remove(&world, 90..150);
    let rejected = world.failing_scan();
    assert!(rejected.contains("more than half"), "{rejected}");
    let why = refusal(&world);
    assert!(why.contains(&rejected), "{why}");
    assert_eq!(world.one("SELECT count(*) FROM item"), FILES.to_string());

    // A scan of one folder does not confirm the loss. An accepted scan of the whole library does.
    let (end, _) = world.scan_scope(folder(3));
    assert_eq!(end, End::Done);
    refusal(&world);
    let (end, _) = world.scan_with(true, &|| None);
    assert_eq!(end, End::Done);
    assert_eq!((purged(&world), purged(&world)), (Some(150), Some(0)));
}

#[test]
fn purge_is_allowed_once_the_interrupted_scan_was_repeated() {
    let world = library();
    remove(&world, 0..90);
    interrupted_scan(&world);
    refusal(&world);
    let world = world.restarted();
    world.scan();
    assert_eq!((purged(&world), purged(&world)), (Some(90), Some(0)));
}

#[test]
fn files_marked_by_interrupted_scan_count_for_next_scan() {
    let world = library();
    remove(&world, 0..90);
    interrupted_scan(&world);
    // Less than half of the still present files, but more than half of the original ones.
    remove(&world, 90..105);
    let why = world.failing_scan();
    assert!(why.starts_with("105 of 200 files"), "{why}");
}

#[test]
fn folder_scans_cannot_lose_more_than_half_in_steps() {
    let world = library();
    for lost in 0..2 {
        remove(&world, lost * PER_FOLDER..(lost + 1) * PER_FOLDER);
        let (end, counters) = world.scan_scope(folder(lost));
        assert_eq!((end, counters.missing), (End::Done, PER_FOLDER as u64));
    }
    remove(&world, 2 * PER_FOLDER..3 * PER_FOLDER);
    let (end, counters) = world.scan_scope(folder(2));
    let End::Failed(why) = end else {
        panic!("the scan ended as {end:?}");
    };
    assert!(why.starts_with("150 of 200 files"), "{why}");
    assert_eq!(counters.missing, 0);
    refusal(&world);
    // A scan of the whole library applies the same rule.
    assert!(world.failing_scan().starts_with("150 of 200 files"));
    refusal(&world);
    let (end, counters) = world.scan_with(true, &|| None);
    assert_eq!((end, counters.missing), (End::Done, PER_FOLDER as u64));
    assert_eq!(purged(&world), Some(150));
}

#[test]
fn accepted_losses_do_not_count_for_later_scans() {
    let world = library();
    remove(&world, 0..90);
    assert_eq!(world.scan().missing, 90);
    remove(&world, 90..140);
    assert_eq!(world.scan().missing, 50);
    assert_eq!(purged(&world), Some(140));
}

#[test]
fn purge_is_allowed_after_a_scan_that_was_cancelled_before_it_marked_anything() {
    let world = library();
    remove(&world, 0..9);
    world.scan();
    let stop = || Some(ledge_core::scan::Stop::Cancelled);
    let (end, counters) = world.scan_with(false, &stop);
    assert_eq!((end, counters.missing), (End::Cancelled, 0));
    assert_eq!(purged(&world), Some(9));
}

#[test]
fn purge_is_refused_while_the_root_was_unreadable_in_the_last_scan() {
    let world = library();
    remove(&world, 0..9);
    world.scan();
    world.eyes.unreadable("");
    world.failing_scan();
    world.eyes.honest();
    assert!(refusal(&world).contains("cannot be read"));
    world.scan();
    assert_eq!(purged(&world), Some(9));
}
