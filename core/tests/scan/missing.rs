//! Tests of missing files: removed files become missing, temporarily unavailable ones do not.

use std::sync::atomic::{AtomicU32, Ordering};

use ledge_core::scan::Stop;
use ledge_core::store::library::scan_run::End;

use crate::world::World;

fn present(world: &World) -> usize {
    world
        .files()
        .keys()
        .filter(|path| !path.ends_with('?'))
        .count()
}

#[test]
fn removed_file_becomes_missing_once_and_is_restored() {
    let world = World::new();
    world.write("a/one.sheet", "first");
    world.write("a/two.sheet", "second");
    world.scan();
    world.remove("a/one.sheet");
    assert_eq!(world.scan().missing, 1);
    let since = world.one("SELECT missing_since FROM item WHERE missing = 1");
    assert_eq!(
        world.one("SELECT missing_since FROM file WHERE missing = 1"),
        since
    );
    assert_eq!(world.scan().missing, 0);
    assert_eq!(
        world.one("SELECT missing_since FROM item WHERE missing = 1"),
        since
    );
    world.write("a/one.sheet", "first");
    let counters = world.scan();
    assert_eq!((counters.restored, counters.added), (1, 0));
    assert_eq!(
        world.rows("SELECT missing, missing_since FROM item ORDER BY id"),
        ["0|null", "0|null"]
    );
}

#[test]
fn removed_folder_marks_files_and_restores_them_unchanged() {
    let world = World::new();
    for n in 0..4 {
        world.write(&format!("a/b/{n}.sheet"), format!("{n}"));
    }
    world.write("stays.sheet", "s");
    world.scan();
    let away = world.root_of("away");
    std::fs::rename(world.path("a"), &away).expect("a rename");
    assert_eq!(world.scan().missing, 4);
    std::fs::rename(&away, world.path("a")).expect("a rename");
    let counters = world.scan();
    assert_eq!(
        (counters.restored, counters.moved, counters.added),
        (4, 0, 0)
    );
    assert_eq!(present(&world), 5);
}

#[test]
fn item_is_missing_only_without_present_file() {
    let world = World::new();
    world.write("Film/1.reel", "one");
    world.write("Film/2.reel", "two");
    world.scan();
    world.remove("Film/1.reel");
    world.scan();
    assert_eq!(world.one("SELECT missing FROM item"), "0");
    world.remove("Film/2.reel");
    world.scan();
    assert_eq!(world.one("SELECT missing FROM item"), "1");
}

#[test]
fn files_below_unreadable_folder_stay() {
    let world = World::new();
    world.write("a/b/one.sheet", "first");
    world.write("c/two.sheet", "second");
    world.scan();
    world.eyes.unreadable("a");
    world.remove("c/two.sheet");
    assert_eq!(world.scan().missing, 1);
    assert_eq!(
        world.files().into_keys().collect::<Vec<_>>(),
        ["a/b/one.sheet", "c/two.sheet?"]
    );
    assert_eq!(world.errors(), ["a: permission denied"]);
}

#[test]
fn unreadable_root_marks_nothing() {
    let world = World::new();
    world.write("one.sheet", "first");
    world.scan();
    world.eyes.unreadable("");
    let why = world.failing_scan();
    assert!(why.contains("cannot be read"), "{why}");
    let (end, _) = world.scan_with(true, &|| None);
    assert!(matches!(end, End::Failed(_)), "{end:?}");
    world.eyes.honest();
    world.remove("");
    assert!(world.failing_scan().contains("cannot be read"));
    assert_eq!(present(&world), 1);
    assert_eq!(
        world.rows("SELECT status FROM scan_run"),
        ["done", "failed", "failed", "failed"]
    );
}

#[test]
fn vanished_mount_marks_nothing() {
    let world = World::new();
    world.write("disk/deep/one.sheet", "first");
    world.write("disk/two.sheet", "second");
    world.write("here.sheet", "third");
    world.eyes.mount("disk");
    world.scan();
    world.eyes.honest();
    world.remove("disk/deep");
    world.remove("disk/two.sheet");
    let before = world.rows("SELECT * FROM file");
    let counters = world.scan();
    assert_eq!(counters.missing, 0);
    assert_eq!(world.rows("SELECT * FROM file"), before);
    assert!(
        world.errors()[0].starts_with("disk: another file system"),
        "{:?}",
        world.errors()
    );
    // The next scan does not mark them either.
    assert_eq!(world.scan().missing, 0);
    let (end, counters) = world.scan_with(true, &|| None);
    assert_eq!((end, counters.missing), (End::Done, 2));
    assert_eq!(world.errors(), Vec::<String>::new());
}

#[test]
fn vanished_mount_point_marks_nothing() {
    let world = World::new();
    world.write("media/disk/deep/one.sheet", "first");
    world.write("media/disk/deeper/still/two.sheet", "second");
    world.write("here.sheet", "third");
    world.eyes.mount("media/disk");
    world.scan();
    world.eyes.honest();
    world.remove("media");
    let before = world.rows("SELECT * FROM file");
    // Neither this scan nor the next one marks them.
    for _ in 0..2 {
        assert_eq!(world.scan().missing, 0);
        assert_eq!(world.rows("SELECT * FROM file"), before);
        let errors = world.errors();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(
            errors[0].starts_with("media/disk: another file system")
                && errors[0].contains("2 files"),
            "{errors:?}"
        );
    }
    let (end, counters) = world.scan_with(true, &|| None);
    assert_eq!((end, counters.missing), (End::Done, 2));
    assert_eq!(world.scan().missing, 0);
    assert_eq!(world.errors(), Vec::<String>::new());
}

#[test]
fn new_mount_over_files_marks_nothing() {
    let world = World::new();
    world.write("disk/one.sheet", "first");
    world.scan();
    world.remove("disk/one.sheet");
    world.write("disk/other.sheet", "second");
    world.eyes.mount("disk");
    let counters = world.scan();
    assert_eq!((counters.missing, counters.added), (0, 1));
    assert_eq!(world.scan().missing, 0);
}

#[test]
fn root_that_lost_its_mount_marks_nothing() {
    let world = World::new();
    world.write("one.sheet", "first");
    world.eyes.mount("");
    world.scan();
    world.eyes.honest();
    world.remove("one.sheet");
    assert!(world.failing_scan().contains("No file system is mounted"));
    assert_eq!(present(&world), 1);
    assert_eq!(world.scan_with(true, &|| None).1.missing, 1);
}

#[test]
fn mount_that_vanishes_during_scan_marks_nothing() {
    let world = World::new();
    world.write("disk/a/one.sheet", "first");
    world.write("disk/two.sheet", "second");
    world.eyes.mount("disk");
    world.scan();
    world.eyes.honest();
    let listed = AtomicU32::new(0);
    world.eyes.trick("disk", move |listing| {
        listing.map(|mut listing| {
            // The mount exists when it is listed, and is gone at the second check.
            listing.is_mount = listed.fetch_add(1, Ordering::Relaxed) == 0;
            listing.files.clear();
            listing.folders.clear();
            listing
        })
    });
    assert_eq!(world.scan().missing, 0);
    assert_eq!(present(&world), 2);
    assert_eq!(
        world.errors(),
        ["disk: its file system went away during the scan"]
    );
}

#[test]
fn loss_of_more_than_half_of_hundred_files_is_refused() {
    for (files, lost, is_believed) in [(99, 99, true), (100, 50, true), (100, 51, false)] {
        let world = World::new();
        for n in 0..files {
            world.write(&format!("{n}.sheet"), format!("body {n}"));
        }
        world.scan();
        for n in 0..lost {
            world.remove(&format!("{n}.sheet"));
        }
        world.write("new.sheet", "one more does not help");
        let (end, counters) = world.scan_with(false, &|| None);
        if is_believed {
            assert_eq!((end, counters.missing), (End::Done, lost));
            continue;
        }
        let End::Failed(why) = end else {
            panic!("{end:?}");
        };
        assert!(
            why.contains("51 of 100") && why.contains("accept_missing"),
            "{why}"
        );
        assert_eq!(counters.missing, 0);
        assert_eq!(world.scan_with(true, &|| None).1.missing, lost);
    }
}

#[test]
fn cancelled_scan_marks_nothing() {
    let world = World::new();
    world.write("a/one.sheet", "first");
    world.write("b/two.sheet", "second");
    world.scan();
    world.remove("a/one.sheet");
    for max_wait in 0..12 {
        let asked = AtomicU32::new(0);
        let stop = || {
            let n = asked.fetch_add(1, Ordering::Relaxed);
            (n >= max_wait).then_some(Stop::Cancelled)
        };
        let (end, counters) = world.scan_with(false, &stop);
        if end == End::Done {
            // The scan ended before it asked this often.
            assert!(max_wait > 3, "{max_wait}");
            return;
        }
        assert_eq!((end, counters.missing), (End::Cancelled, 0));
        assert_eq!(present(&world), 2);
        assert_eq!(
            world.one("SELECT status FROM scan_run ORDER BY id DESC LIMIT 1"),
            "cancelled"
        );
    }
}

#[test]
fn library_deleted_or_moved_during_scan_ends_scan() {
    let world = World::new();
    world.write("a/one.sheet", "first");
    let db = world.app.db.clone();
    world.eyes.trick("a", move |listing| {
        db.write_blocking(|tx| Ok(tx.execute("UPDATE library SET path = x'2f78'", [])?))
            .expect("an update");
        listing
    });
    assert_eq!(world.scan_with(false, &|| None).0, End::Cancelled);
    assert_eq!(world.files().len(), 0);
}

#[test]
fn file_replaced_by_known_file_becomes_missing_with_its_user_data() {
    let world = World::new();
    world.write("a.sheet", "content a");
    world.write("b.sheet", "content of b");
    world.scan();
    world.enjoy("a.sheet");
    let (a, b) = (world.file("a.sheet"), world.file("b.sheet"));
    world.rename("b.sheet", "a.sheet");
    let counters = world.scan();
    assert_eq!((counters.moved, counters.missing), (1, 1));
    assert_eq!((world.file("a.sheet"), world.file("a.sheet?")), (b, a));
    assert_eq!(world.scan().missing, 0);
    // The file was only absent temporarily.
    world.write("back.sheet", "content a");
    assert_eq!(world.scan().moved, 1);
    assert_eq!(world.file("back.sheet"), a);
    assert_eq!(world.enjoyed("back.sheet"), "7|1|1|3");
}
