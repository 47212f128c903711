//! Tests of basic scans: items, fields, ignored files, and unchanged libraries.

use std::os::unix::ffi::OsStrExt;

use crate::world::World;

#[test]
fn file_metadata_precedes_names() {
    let world = World::new();
    world.write("a/Plain.sheet", "1");
    world.write(
        "a/Named.sheet",
        "title=The Émigré\nauthor=Ann Ode\nauthor=Bo Ek\nseries=Saga",
    );
    world.write("Film/Disc 1/1.reel", "x1");
    world.write("Film/Disc 2/1.reel", "x2");
    world.write("notes.txt", "not ours");
    let counters = world.scan();
    assert_eq!(
        (counters.scanned, counters.total, counters.added),
        (4, Some(4), 4)
    );
    assert_eq!(
        world.rows("SELECT kind, title, initial, authors, series_index, title_source FROM item ORDER BY title"),
        [
            "reel|Film|F|Ada Reel|null|0",
            "paper|Plain|P||null|0",
            "paper|The Émigré|E|Ann Ode, Bo Ek|1.5|1",
        ]
    );
    assert_eq!(
        world.rows("SELECT container, extent, sequence FROM file WHERE extent IS NOT NULL"),
        ["reel|62|1", "reel|62|1"]
    );
}

#[test]
fn scan_without_changes_writes_no_row_and_reads_no_file() {
    let world = World::new();
    for n in 0..30 {
        world.write(&format!("f{}/{n}.sheet", n % 5), format!("body {n}"));
    }
    world.write("f1/vetoed.sheet", "veto");
    world.write("empty.sheet", "");
    world.write("f2/damaged.sheet", "damaged");
    world.scan();
    let reads = world.reads("f1/vetoed.sheet") + world.reads("f0/0.sheet");
    world.sql("CREATE TABLE touched (what TEXT)");
    for table in ["item", "file", "folder", "person", "item_person"] {
        for verb in ["INSERT", "UPDATE", "DELETE"] {
            world.sql(&format!(
                "CREATE TRIGGER watch_{table}_{verb} AFTER {verb} ON {table} BEGIN
                     INSERT INTO touched VALUES ('{table} {verb}');
                 END"
            ));
        }
    }
    let counters = world.scan();
    assert_eq!(counters.scanned, 33);
    assert_eq!(
        (counters.added, counters.updated, counters.missing),
        (0, 0, 0)
    );
    assert_eq!(world.rows("SELECT * FROM touched"), Vec::<String>::new());
    assert_eq!(
        world.reads("f1/vetoed.sheet") + world.reads("f0/0.sheet"),
        reads
    );
}

#[test]
fn hidden_incomplete_and_foreign_files_are_ignored() {
    let world = World::new();
    for path in [
        ".hidden.sheet",
        ".folder/a.sheet",
        "@eaDir/a.sheet",
        "a.sheet.part",
        "#recycle/b.sheet",
        "x.download/c.sheet",
        "vetoed.sheet",
        "loading.sheet",
        "loading.sheet.aria2",
    ] {
        world.write(path, "veto");
    }
    world.write("UPPER.SHEET", "yes");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.sheet");
    std::fs::write(world.root().join(name), "bytes").expect("a file");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.path("pipe.sheet"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a pipe");
    world.scan();
    let files: Vec<String> = world.files().into_keys().collect();
    assert_eq!(files, ["UPPER.SHEET", "caf\\xe9.sheet"]);
    assert_eq!(
        world
            .rows("SELECT title FROM item ORDER BY id DESC LIMIT 2")
            .len(),
        2
    );
}

#[test]
fn unreadable_file_is_catalogued_with_error() {
    let world = World::new();
    world.write("bad/torn.sheet", "damaged");
    world.write("bad/crash.sheet", "panic");
    world.scan();
    let mut errors = world.errors();
    errors.sort();
    assert_eq!(
        errors,
        [
            "bad/crash.sheet: could not be read: the reader crashed",
            "bad/torn.sheet: it is torn",
        ]
    );
    assert_eq!(world.files().len(), 2);
}

#[test]
fn file_refused_by_kind_is_error_without_item() {
    let world = World::new();
    world.write("blank.sheet", "blank");
    world.write("vetoed.sheet", "veto");
    world.write("whole.sheet", "title=Whole");
    world.scan();
    assert_eq!(world.errors(), ["blank.sheet: is a blank sheet"]);
    assert_eq!(world.files().len(), 1);
}

#[test]
fn file_with_unclear_verdict_stays_and_is_judged_again() {
    let world = World::new();
    world.write("old.sheet", "title=Old");
    world.scan();
    world.write("old.sheet", "wet paint");
    world.write("new.sheet", "wet paint");
    for _ in 0..2 {
        let counters = world.scan();
        assert_eq!((counters.added, counters.missing), (0, 0));
        let mut errors = world.errors();
        errors.sort();
        assert_eq!(
            errors,
            ["new.sheet: is not dry yet", "old.sheet: is not dry yet"]
        );
    }
    assert_eq!(world.one("SELECT count(*), sum(missing) FROM file"), "1|0");
    world.write("new.sheet", "title=New");
    world.write("old.sheet", "title=Old again");
    let counters = world.scan();
    assert_eq!((counters.added, counters.updated), (1, 1));
    assert_eq!(world.files().len(), 2);
}

#[test]
fn refused_or_unclear_file_keeps_its_presence() {
    for (body, again) in [("blank", 0), ("wet paint", 1)] {
        let world = World::new();
        world.write("here.sheet", "title=Here");
        world.write("gone.sheet", "title=Gone");
        world.scan();
        world.remove("gone.sheet");
        world.scan();
        world.write("here.sheet", body);
        world.write("gone.sheet", body);
        let counters = world.scan();
        assert_eq!((counters.missing, counters.restored), (0, 0), "{body}");
        let missing = world.rows("SELECT missing FROM file ORDER BY name");
        assert_eq!(missing, ["1", "0"], "{body}");
        // The file is not judged again unless it changes.
        let before = world.reads("here.sheet");
        world.scan();
        assert_eq!(world.reads("here.sheet") - before, again, "{body}");
    }
}

#[test]
fn errors_beyond_a_hundred_are_only_counted() {
    let world = World::new();
    for n in 0..103 {
        world.write(&format!("{n}.sheet"), format!("damaged {n}"));
    }
    let counters = world.scan();
    assert_eq!((counters.errors.len(), counters.errors_overflow), (100, 3));
    assert_eq!(world.one("SELECT errors_overflow FROM scan_run"), "3");
}

#[test]
fn growing_file_is_left_for_next_scan() {
    let world = World::new();
    world.write("a/old.sheet", "old");
    world.scan();
    let id = world.file("a/old.sheet");
    world.write("a/new.sheet", "half");
    world.write("a/old.sheet", "older");
    let root = world.root();
    world.eyes.trick("a", move |listing| {
        std::fs::write(root.join("a/new.sheet"), "half and more").expect("written");
        std::fs::write(root.join("a/old.sheet"), "older and older").expect("written");
        listing
    });
    let counters = world.scan();
    assert_eq!(
        (counters.added, counters.updated, counters.missing),
        (0, 0, 0)
    );
    assert_eq!(world.files().len(), 1);
    world.eyes.honest();
    let counters = world.scan();
    assert_eq!((counters.added, counters.updated), (1, 1));
    assert_eq!(world.file("a/old.sheet"), id);
}

#[test]
fn links_inside_root_are_followed_and_others_are_errors() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    world.write(".store/kept.sheet", "kept");
    world.write("a/one.sheet", "one");
    world.write("../secret/s.sheet", "secret");
    world.write("../media-private/p.sheet", "private");
    symlink("../.store", world.path("a/inside")).expect("a link");
    symlink("../.store/kept.sheet", world.path("a/file.sheet")).expect("a link");
    symlink("..", world.path("a/loop")).expect("a link");
    symlink(".", world.path("self")).expect("a link");
    symlink("../secret", world.path("out")).expect("a link");
    symlink("../media-private", world.path("neighbour")).expect("a link");
    symlink("nowhere", world.path("broken.sheet")).expect("a link");
    world.scan();
    let files: Vec<String> = world.files().into_keys().collect();
    assert_eq!(
        files,
        ["a/file.sheet", "a/inside/kept.sheet", "a/one.sheet"]
    );
    let mut errors = world.errors();
    errors.sort();
    assert_eq!(
        errors,
        [
            "a/loop: the link leads back to a folder above it",
            "broken.sheet: the link leads nowhere",
            "neighbour: the link leads out of the library",
            "out: the link leads out of the library",
            "self: the link leads back to a folder above it",
        ]
    );
    assert_eq!(world.scan().added, 0);
}

#[test]
fn large_folder_is_catalogued_in_parts_and_as_one() {
    let world = World::new();
    for n in 0..8_200 {
        world.write(&format!("flat/{n}.sheet"), format!("body {n}"));
    }
    world.write("flat/vetoed.sheet", "veto");
    assert_eq!(world.scan().added, 8_200);
    assert_eq!(
        world.rows("SELECT count(*), count(DISTINCT group_key), count(DISTINCT title) FROM item"),
        ["8200|8200|8200"]
    );
    let reads = world.reads("flat/0.sheet");
    let counters = world.scan();
    assert_eq!(
        (
            counters.scanned,
            counters.added,
            counters.updated,
            counters.missing
        ),
        (8_201, 0, 0, 0)
    );
    assert_eq!(world.reads("flat/0.sheet"), reads);
    world.rename("flat/7.sheet", "flat/seven.sheet");
    world.remove("flat/8.sheet");
    let counters = world.scan();
    assert_eq!(
        (counters.added, counters.moved, counters.missing),
        (0, 1, 1)
    );
}
