//! Tests of scans of some folders: they must find the same as a scan of the whole library, and
//! affect nothing else.

use std::os::unix::fs::symlink;

use ledge_core::scan::{self, Folders, Scope};
use ledge_core::store::library::scan_run::{Counters, End};

use crate::world::World;

/// Returns a scope of folders without subfolders, and of folders with everything below them.
fn folders(alone: &[&str], trees: &[&str]) -> Scope {
    let set = |paths: &[&str]| paths.iter().map(|path| path.as_bytes().to_vec()).collect();
    Scope {
        folders: Some(Folders {
            alone: set(alone),
            trees: set(trees),
        }),
        ..Scope::default()
    }
}

fn scan(world: &World, scope: Scope) -> Counters {
    let (end, counters) = world.scan_scope(scope);
    assert_eq!(end, End::Done);
    counters
}

/// Asserts that a scan of the whole library finds no further change.
#[track_caller]
fn assert_whole(world: &World) {
    let left = world.scan();
    let changes = [
        left.added,
        left.updated,
        left.moved,
        left.missing,
        left.restored,
    ];
    assert_eq!(changes, [0; 5], "{:?}", world.files());
}

#[test]
fn scan_of_folders_examines_only_these() {
    let world = World::new();
    for path in ["a/one.sheet", "b/two.sheet", "c/three.sheet"] {
        world.write(path, path);
    }
    world.scan();
    world.write("a/new.sheet", "new in a");
    world.write("b/new.sheet", "new in b");
    world.remove("b/two.sheet");
    world.remove("c");
    let counters = scan(&world, folders(&["a"], &[]));
    assert_eq!((counters.scanned, counters.total), (2, Some(2)));
    assert_eq!((counters.added, counters.missing), (1, 0));
    let counters = scan(&world, folders(&["b"], &["c"]));
    assert_eq!((counters.added, counters.missing), (1, 2));
    assert_whole(&world);
}

#[test]
fn single_folder_excludes_and_tree_includes_subfolders() {
    let world = World::new();
    world.write("a/one.sheet", "one");
    world.write("a/b/c/deep.sheet", "deep");
    assert_eq!(scan(&world, folders(&["a"], &[])).added, 1);
    assert_eq!(scan(&world, folders(&["a", "a/b"], &["a/b"])).added, 1);
    world.write("top.sheet", "top");
    assert_eq!(scan(&world, folders(&[""], &[])).added, 1);
    assert_whole(&world);
}

#[test]
fn removed_folder_loses_everything_below_it_and_no_namesake() {
    let world = World::new();
    for path in [
        "a/b/one.sheet",
        "a/b/c/two.sheet",
        "a/bc/three.sheet",
        "a/four.sheet",
    ] {
        world.write(path, path);
    }
    world.scan();
    world.remove("a/b");
    assert_eq!(scan(&world, folders(&["a"], &["a/b"])).missing, 2);
    assert_whole(&world);
    world.write("a/b/c/two.sheet", "a/b/c/two.sheet");
    assert_eq!(scan(&world, folders(&[], &["a/b"])).restored, 1);
    assert_whole(&world);
}

#[test]
fn file_moved_between_folders_keeps_id_in_any_scan_order() {
    let world = World::new();
    world.write("a/one.sheet", "one");
    world.write("a/two.sheet", "two");
    world.write("a/three.sheet", "three");
    world.write("b/other.sheet", "other");
    world.scan();
    let before = ["a/one.sheet", "a/two.sheet", "a/three.sheet"].map(|path| world.file(path));
    world.rename("a/one.sheet", "b/one.sheet");
    assert_eq!(scan(&world, folders(&["a", "b"], &[])).moved, 1);
    world.rename("a/two.sheet", "b/two.sheet");
    assert_eq!(scan(&world, folders(&["b"], &[])).moved, 1);
    world.rename("a/three.sheet", "b/three.sheet");
    assert_eq!(scan(&world, folders(&["a"], &[])).missing, 1);
    assert_eq!(scan(&world, folders(&["b"], &[])).added, 0);
    let after = ["b/one.sheet", "b/two.sheet", "b/three.sheet"].map(|path| world.file(path));
    assert_eq!(after, before);
    assert_whole(&world);
}

#[test]
fn item_keeps_its_parts_in_other_folders() {
    let world = World::new();
    world.write("Film/Disc 1/1.reel", "one");
    world.write("Film/Disc 2/2.reel", "two");
    world.scan();
    world.write("Film/Disc 2/3.reel", "three");
    assert_eq!(scan(&world, folders(&["Film/Disc 2"], &[])).added, 1);
    assert_eq!(
        world.item("Film/Disc 1/1.reel"),
        world.item("Film/Disc 2/3.reel")
    );
    assert_whole(&world);
}

#[test]
fn growing_file_is_skipped_until_complete() {
    let world = World::new();
    world.write("a/one.sheet", "one");
    world.scan();
    world.write("a/whole.sheet", "whole");
    world.write("a/half.sheet", "half");
    world.write("a/one.sheet", "one, and half of more");
    let mut scope = folders(&["a"], &[]);
    scope.growing = [&b"a/half.sheet"[..], b"a/one.sheet"]
        .map(<[u8]>::to_vec)
        .into();
    let counters = scan(&world, scope);
    let changes = [counters.added, counters.updated, counters.missing];
    assert_eq!(changes, [1, 0, 0]);
    let counters = scan(&world, folders(&["a"], &[]));
    assert_eq!((counters.added, counters.updated), (1, 1));
    assert_whole(&world);
}

#[test]
fn files_below_removed_parent_mount_stay() {
    let world = World::new();
    world.write("nas/series/one.sheet", "one");
    world.write("stays.sheet", "stays");
    world.eyes.mount("nas");
    world.scan();
    world.eyes.honest();
    world.remove("nas/series");
    let counters = scan(&world, folders(&[], &["nas/series"]));
    assert_eq!(counters.missing, 0);
    assert!(
        world.errors()[0].starts_with("nas: "),
        "{:?}",
        world.errors()
    );
}

#[test]
fn root_without_its_mount_fails_folder_scan() {
    let world = World::new();
    world.write("a/one.sheet", "one");
    world.eyes.mount("");
    world.scan();
    world.eyes.honest();
    world.remove("a");
    let (end, counters) = world.scan_scope(folders(&[], &["a"]));
    assert!(matches!(end, End::Failed(_)), "{end:?}");
    assert_eq!(counters.missing, 0);
}

#[test]
fn folder_scan_refuses_loss_of_more_than_half() {
    let world = World::new();
    for n in 0..120 {
        world.write(&format!("a/{n}.sheet"), format!("{n}"));
    }
    world.scan();
    world.remove("a");
    let (end, _) = world.scan_scope(folders(&[], &["a"]));
    assert!(matches!(end, End::Failed(_)), "{end:?}");
}

#[test]
fn links_are_treated_as_in_walk_from_root() {
    let world = World::new();
    let outside = world.root_of("outside");
    std::fs::create_dir(&outside).expect("a folder");
    std::fs::write(outside.join("secret.sheet"), "secret").expect("a file");
    world.write("a/one.sheet", "one");
    symlink("../..", world.path("a/up")).expect("a link");
    symlink("..", world.path("a/loop")).expect("a link");
    symlink(&outside, world.path("a/out")).expect("a link");
    world.scan();
    let errors = |world: &World| {
        let mut errors = world.errors();
        errors.sort();
        errors
    };
    let (files, judged) = (world.files(), errors(&world));
    for scope in [
        folders(&[], &["a"]),
        folders(&["a/out"], &["a/loop"]),
        folders(&[], &["a/out"]),
        folders(&["a/loop/a"], &[]),
    ] {
        scan(&world, scope.clone());
        assert_eq!(world.files(), files, "{scope:?}");
        assert_eq!(errors(&world), judged, "{scope:?}");
    }
}

#[test]
fn ignored_folders_are_ignored_in_folder_scan() {
    let world = World::new();
    world.write("a/one.sheet", "one");
    world.scan();
    world.write(".hidden/b/two.sheet", "two");
    let counters = scan(&world, folders(&[".hidden/b"], &[".hidden"]));
    assert_eq!(counters.scanned, 0);
}

fn ask(world: &World, scope: &Scope) -> Option<ledge_core::id::JobId> {
    let (library, now, scope) = (world.library, world.app.clock.now(), scope.clone());
    let ask = move |tx: &rusqlite::Transaction<'_>| scan::request_some(tx, library, &scope, now);
    world.app.db.write_blocking(ask).expect("an answer")
}

fn ask_for_all(world: &World) -> ledge_core::id::JobId {
    let (library, now) = (world.library, world.app.clock.now());
    let ask = move |tx: &rusqlite::Transaction<'_>| scan::request(tx, library, false, now);
    world.app.db.write_blocking(ask).expect("a job")
}

fn payload(world: &World, id: ledge_core::id::JobId) -> serde_json::Value {
    let text = world.one(&format!("SELECT payload FROM job WHERE id = {id}"));
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn queued_scan_collects_folders_and_becomes_whole_library() {
    let world = World::new();
    let job = ask(&world, &folders(&["a"], &[])).expect("a job");
    assert_eq!(ask(&world, &folders(&["b"], &["c"])), Some(job));
    let kept = payload(&world, job);
    assert_eq!(kept["folders"], serde_json::json!(["a", "b"]));
    assert_eq!(kept["trees"], serde_json::json!(["c"]));
    assert_eq!(ask_for_all(&world), job);
    assert_eq!(ask(&world, &folders(&["d"], &[])), Some(job));
    assert!(payload(&world, job).get("folders").is_none());
}

#[test]
fn request_during_scan_postpones_folders_and_queues_whole_library() {
    let world = World::new();
    let running = ask(&world, &folders(&["a"], &[])).expect("a job");
    world.sql("UPDATE job SET status = 'running'");
    assert_eq!(ask(&world, &folders(&["b"], &[])), None);
    let whole = ask_for_all(&world);
    assert_ne!(whole, running);
    assert_eq!(ask_for_all(&world), whole);
    let library = world.library;
    scan::cancel(&world.app, library).expect("cancelled");
    assert_eq!(
        world.rows("SELECT id, status, payload ->> 'cancelled' FROM job ORDER BY id"),
        [format!("{running}|running|1"), format!("{whole}|done|null")]
    );
}

#[test]
fn folder_scan_does_not_delay_scheduled_scan() {
    let world = World::new();
    world.write("a/one.sheet", "one");
    world.scan();
    let job = ask(&world, &folders(&["a"], &[])).expect("a job");
    let library = world.library;
    world.hand.advance(std::time::Duration::from_hours(1));
    let now = world.app.clock.now();
    let run = move |tx: &rusqlite::Transaction<'_>| {
        let run = ledge_core::store::library::scan_run::begin(tx, library, Some(job), false, now)?;
        ledge_core::store::library::scan_run::end(tx, run, &End::Done, now)?;
        ledge_core::store::job::finish(tx, job, &serde_json::Value::Null, now)?;
        Ok(())
    };
    world.app.db.write_blocking(run).expect("a run");
    let now = world.app.clock.now();
    let an_hour_ago = now.minus(std::time::Duration::from_mins(30));
    let read = move |conn: &rusqlite::Connection| {
        Ok(ledge_core::store::library::scan_run::due_unscoped(conn, an_hour_ago, now)?.len())
    };
    assert_eq!(world.app.db.read_blocking(read).expect("libraries"), 1);
}
