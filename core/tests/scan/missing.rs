//! What is gone goes missing; what may only be out of sight does not.

use std::sync::atomic::{AtomicU32, Ordering};

use ledge_core::scan::Stop;
use ledge_core::store::scan_run::End;

use crate::world::World;

fn present(world: &World) -> usize {
    world
        .files()
        .keys()
        .filter(|path| !path.ends_with('?'))
        .count()
}

#[test]
fn a_file_that_is_gone_goes_missing_once_and_comes_back() {
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
fn a_folder_that_is_gone_takes_its_files_along_and_brings_them_back_unchanged() {
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
fn an_item_is_missing_only_without_any_present_file() {
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
fn what_lies_below_an_unreadable_folder_stays_as_it_is() {
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
fn an_unreadable_root_marks_nothing() {
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
fn a_vanished_mount_is_no_deletion() {
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
    // It still is no deletion in the scan after that.
    assert_eq!(world.scan().missing, 0);
    let (end, counters) = world.scan_with(true, &|| None);
    assert_eq!((end, counters.missing), (End::Done, 2));
    assert_eq!(world.errors(), Vec::<String>::new());
}

#[test]
fn a_mount_point_that_went_with_its_mount_is_no_deletion() {
    let world = World::new();
    world.write("media/disk/deep/one.sheet", "first");
    world.write("media/disk/deeper/still/two.sheet", "second");
    world.write("here.sheet", "third");
    world.eyes.mount("media/disk");
    world.scan();
    world.eyes.honest();
    world.remove("media");
    let before = world.rows("SELECT * FROM file");
    // Neither now nor in the scan after that.
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
fn a_new_file_system_over_files_hides_them_only() {
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
fn a_root_that_was_a_mount_and_is_none_any_more_marks_nothing() {
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
fn a_mount_that_vanishes_during_the_scan_marks_nothing() {
    let world = World::new();
    world.write("disk/a/one.sheet", "first");
    world.write("disk/two.sheet", "second");
    world.eyes.mount("disk");
    world.scan();
    world.eyes.honest();
    let listed = AtomicU32::new(0);
    world.eyes.trick("disk", move |listing| {
        listing.map(|mut listing| {
            // There when it was listed, gone when it is asked about again.
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
fn more_than_half_of_a_hundred_files_is_not_believed() {
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
fn a_cancelled_scan_marks_nothing() {
    let world = World::new();
    world.write("a/one.sheet", "first");
    world.write("b/two.sheet", "second");
    world.scan();
    world.remove("a/one.sheet");
    for patience in 0..12 {
        let asked = AtomicU32::new(0);
        let stop = || {
            let n = asked.fetch_add(1, Ordering::Relaxed);
            (n >= patience).then_some(Stop::Cancelled)
        };
        let (end, counters) = world.scan_with(false, &stop);
        if end == End::Done {
            // So patient that nobody asked often enough.
            assert!(patience > 3, "{patience}");
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
fn a_library_that_is_deleted_or_moved_meanwhile_ends_the_scan() {
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
fn a_file_that_was_replaced_by_another_known_one_goes_missing_with_all_it_has() {
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
    // It was only away.
    world.write("back.sheet", "content a");
    assert_eq!(world.scan().moved, 1);
    assert_eq!(world.file("back.sheet"), a);
    assert_eq!(world.enjoyed("back.sheet"), "7|1|1|3");
}
