//! Tests that files and items keep their identity when they are renamed or moved.

use std::collections::BTreeMap;
use std::fs;

use ledge_core::scan::Stop;
use ledge_core::store::library::scan_run::End;

use crate::world::World;

const ALL: &str = "7|1|1|3";

#[test]
fn renamed_file_keeps_item_and_user_data() {
    let world = World::new();
    world.write("a/one.sheet", "first body");
    world.write("a/two.sheet", "second body");
    world.scan();
    world.enjoy("a/one.sheet");
    let (file, item) = (world.file("a/one.sheet"), world.item("a/one.sheet"));
    world.rename("a/one.sheet", "b/c/uno.sheet");
    let counters = world.scan();
    assert_eq!(
        (counters.moved, counters.added, counters.missing),
        (1, 0, 0)
    );
    assert_eq!(
        (world.file("b/c/uno.sheet"), world.item("b/c/uno.sheet")),
        (file, item)
    );
    assert_eq!(world.enjoyed("b/c/uno.sheet"), ALL);
    assert_eq!(
        world.one(&format!("SELECT title FROM item WHERE id = {item}")),
        "uno"
    );
    assert_eq!(world.files().len(), 2);
}

#[test]
fn moved_folder_keeps_item() {
    let world = World::new();
    for disc in 1..=2 {
        for part in 1..=3 {
            world.write(
                &format!("Film/Disc {disc}/{part}.reel"),
                format!("{disc} {part}"),
            );
        }
    }
    world.scan();
    world.enjoy("Film/Disc 2/2.reel");
    let item = world.item("Film/Disc 2/2.reel");
    world.rename("Film", "Shelf/Motion Picture");
    let counters = world.scan();
    assert_eq!(
        (counters.moved, counters.added, counters.missing),
        (6, 0, 0)
    );
    assert_eq!(world.item("Shelf/Motion Picture/Disc 2/2.reel"), item);
    assert_eq!(world.enjoyed("Shelf/Motion Picture/Disc 2/2.reel"), ALL);
    assert_eq!(world.rows("SELECT title FROM item"), ["Motion Picture"]);
}

#[test]
fn files_with_swapped_names_keep_their_ids() {
    let world = World::new();
    world.write("a.sheet", "content of a");
    world.write("b.sheet", "content of b, longer");
    world.scan();
    world.enjoy("a.sheet");
    let (a, b) = (world.file("a.sheet"), world.file("b.sheet"));
    world.rename("a.sheet", "t");
    world.rename("b.sheet", "a.sheet");
    world.rename("t", "b.sheet");
    let counters = world.scan();
    assert_eq!(
        (counters.moved, counters.added, counters.missing),
        (2, 0, 0)
    );
    assert_eq!((world.file("b.sheet"), world.file("a.sheet")), (a, b));
    assert_eq!(world.enjoyed("b.sheet"), ALL);
    assert_eq!(world.scan().moved, 0);
}

#[test]
fn chain_of_renames_keeps_ids() {
    let world = World::new();
    for n in 1..=5 {
        world.write(
            &format!("{n}.sheet"),
            format!("episode number {n}{}", " ".repeat(n)),
        );
    }
    world.scan();
    let before = world.files();
    for n in (1..=5).rev() {
        world.rename(&format!("{n}.sheet"), &format!("{}.sheet", n + 1));
    }
    let counters = world.scan();
    assert_eq!(
        (counters.moved, counters.added, counters.missing),
        (5, 0, 0)
    );
    let after = world.files();
    for n in 1..=5 {
        assert_eq!(
            before[&format!("{n}.sheet")],
            after[&format!("{}.sheet", n + 1)]
        );
    }
}

#[test]
fn new_content_at_same_path_keeps_file_id() {
    let world = World::new();
    world.write("a.sheet", "title=Old");
    world.scan();
    world.enjoy("a.sheet");
    let file = world.file("a.sheet");
    world.write("a.sheet", "title=Newer words");
    let counters = world.scan();
    assert_eq!(
        (counters.updated, counters.added, counters.moved),
        (1, 0, 0)
    );
    assert_eq!(world.file("a.sheet"), file);
    assert_eq!(world.enjoyed("a.sheet"), ALL);
    assert_eq!(world.one("SELECT title FROM item"), "Newer words");
}

#[test]
fn copy_is_new_file_and_outlives_original() {
    let world = World::new();
    world.write("a.sheet", "the same words");
    world.scan();
    let original = world.file("a.sheet");
    fs::copy(world.path("a.sheet"), world.path("copy.sheet")).expect("a copy");
    assert_eq!(world.scan().added, 1);
    let copy = world.file("copy.sheet");
    assert_ne!(copy, original);
    world.remove("a.sheet");
    let counters = world.scan();
    assert_eq!((counters.missing, counters.moved), (1, 0));
    assert_eq!(
        (world.file("copy.sheet"), world.file("a.sheet?")),
        (copy, original)
    );
}

#[test]
fn same_name_precedes_other_candidates() {
    let world = World::new();
    let body = vec![7; 300_000];
    world.write("x/one.sheet", &body);
    world.write("y/two.sheet", &body);
    world.scan();
    let (one, two) = (world.file("x/one.sheet"), world.file("y/two.sheet"));
    world.rename("x/one.sheet", "z/one.sheet");
    world.rename("y/two.sheet", "z/two.sheet");
    world.scan();
    assert_eq!(
        (world.file("z/one.sheet"), world.file("z/two.sheet")),
        (one, two)
    );
}

#[test]
fn renamed_root_keeps_everything() {
    let world = World::new();
    world.write("a/one.sheet", "first");
    world.write("b.reel", "second");
    world.scan();
    world.enjoy("a/one.sheet");
    let before = world.files();
    let root = world.root_of("elsewhere");
    fs::rename(world.root(), &root).expect("a rename");
    world.sql(&format!(
        "UPDATE library SET path = CAST('{}' AS BLOB), root_is_mount = NULL",
        root.display()
    ));
    let counters = world.scan();
    assert_eq!(
        (counters.added, counters.moved, counters.missing),
        (0, 0, 0)
    );
    assert_eq!(world.files(), before);
    assert_eq!(world.enjoyed("a/one.sheet"), ALL);
}

#[test]
fn interrupted_move_ends_like_complete_move() {
    let world = World::new();
    for n in 0..20 {
        world.write(&format!("a/{n}.sheet"), format!("body {n}"));
    }
    world.scan();
    let before = world.files();
    world.rename("a", "b");
    let asked = std::sync::atomic::AtomicU32::new(0);
    let stop = || {
        let n = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        (n > 6).then_some(Stop::Cancelled)
    };
    assert_eq!(world.scan_with(false, &stop).0, End::Cancelled);
    assert!(world.files().keys().all(|path| !path.ends_with('?')));
    world.scan();
    for n in 0..20 {
        assert_eq!(
            world.file(&format!("b/{n}.sheet")),
            before[&format!("a/{n}.sheet")]
        );
    }
    assert_eq!(world.files().len(), 20);
}

#[test]
fn edits_of_user_are_kept() {
    let world = World::new();
    world.write("a.sheet", "title=Said\nauthor=Ann Ode");
    world.scan();
    world.sql("UPDATE item SET title = 'Mine', title_source = 3, authors_source = 2, year = 1, year_source = 2");
    world.write("a.sheet", "title=Said anew\nauthor=Bo Ek");
    world.scan();
    assert_eq!(
        world.one("SELECT title, authors, year FROM item"),
        "Mine|Ann Ode|1"
    );
}

#[test]
fn rename_keeps_metadata_of_file() {
    let world = World::new();
    world.write("a.sheet", "title=Said\nfact=known\nseries=Saga");
    world.scan();
    world.rename("a.sheet", "b.sheet");
    world.scan();
    assert_eq!(
        world.one("SELECT title, facts, series_index, title_source FROM item"),
        "Said|{\"fact\":\"known\"}|1.5|1"
    );
}

/// Enough folders for several transactions, so that content is recognized in one and the new
/// content at its path is written in another.
#[test]
fn content_replaced_at_its_path_keeps_file_id_and_facts() {
    const FOLDERS: usize = 1_400;
    const AHEAD: usize = 40;
    let world = World::new();
    for n in 0..FOLDERS {
        world.write(&format!("f{n:05}/{n}.sheet"), format!("part=Old {n}"));
    }
    world.scan();
    let before = world.files();
    for n in 0..FOLDERS {
        let refilled = format!("f{n:05}/{n}.sheet");
        world.rename(&refilled, &format!("f{:05}_{n}/moved {n}.sheet", n + AHEAD));
        world.write(&refilled, format!("part=New one {n}"));
    }
    world.scan();
    let after = world.files();
    let mut titles = BTreeMap::new();
    for row in world.rows("SELECT id, title_in_file FROM file WHERE missing = 0") {
        let (id, part) = row.split_once('|').expect("two columns");
        titles.insert(id.parse::<i64>().expect("an id"), part.to_owned());
    }
    assert_eq!(after.len(), 2 * FOLDERS);
    for n in 0..FOLDERS {
        let moved = after[&format!("f{:05}_{n}/moved {n}.sheet", n + AHEAD)];
        let refilled = after[&format!("f{n:05}/{n}.sheet")];
        assert_eq!(before[&format!("f{n:05}/{n}.sheet")], moved, "{n}");
        assert_eq!(titles[&moved], format!("Old {n}"));
        assert_eq!(titles[&refilled], format!("New one {n}"));
    }
    let again = world.scan();
    assert_eq!((again.added, again.updated, again.moved), (0, 0, 0));
}

#[test]
fn item_follows_content_when_path_is_reused() {
    let world = World::new();
    for n in 0..4 {
        world.write(&format!("{n}/{n}.sheet"), format!("part=Old {n}"));
    }
    world.scan();
    let item_of = |world: &World, part: &str| {
        let sql = format!("SELECT item_id FROM file WHERE title_in_file = '{part}'");
        world.rows(&sql)
    };
    let before: Vec<_> = (0..4)
        .map(|n| item_of(&world, &format!("Old {n}")))
        .collect();
    for n in 0..4 {
        let refilled = format!("{n}/{n}.sheet");
        world.rename(&refilled, &format!("{n}_/moved {n}.sheet"));
        world.write(&refilled, format!("part=New one {n}"));
    }
    world.scan();
    for (n, item) in before.iter().enumerate() {
        assert_eq!(item_of(&world, &format!("Old {n}")), *item, "{n}");
        assert_ne!(item_of(&world, &format!("New one {n}")), *item, "{n}");
    }
}

#[test]
fn new_time_with_same_fingerprint_clears_full_hash() {
    let world = World::new();
    let mut body = vec![7; 300_000];
    world.write("a.sheet", &body);
    world.scan();
    let file = world.file("a.sheet");
    world.sql("UPDATE file SET full_hash = zeroblob(32)");
    body[150_000] = 8;
    world.write("a.sheet", &body);
    world.scan();
    assert_eq!(world.file("a.sheet"), file);
    assert_eq!(
        world.one("SELECT full_hash IS NULL, fingerprint IS NULL FROM file"),
        "1|0"
    );
}

#[test]
fn metadata_of_file_outlives_new_first_file() {
    let world = World::new();
    world.write("Film/2.reel", "title=Said\nfact=known");
    world.scan();
    assert_eq!(world.one("SELECT title, title_source FROM item"), "Said|1");
    world.write("Film/1.reel", "says nothing");
    world.scan();
    assert_eq!(
        world.one("SELECT title, title_source, facts FROM item"),
        "Said|1|{\"fact\":\"known\"}"
    );
    // If all files were read and none has the value any more, it is removed.
    world.write("Film/1.reel", "still says nothing");
    world.write("Film/2.reel", "neither");
    world.scan();
    assert_eq!(
        world.one("SELECT title, title_source, facts FROM item"),
        "Film|0|{}"
    );
}
