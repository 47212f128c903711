//! Tests of repeated reads: files with changed sidecar files or newer readers, and no others.

use ledge_core::scan::{Folders, Scope};

use crate::world::World;

fn title(world: &World, path: &str) -> String {
    let item = world.item(path);
    world.one(&format!("SELECT title FROM item WHERE id = {item}"))
}

/// Returns the number of reads of each file so far.
fn reads<const N: usize>(world: &World, paths: [&str; N]) -> [usize; N] {
    paths.map(|path| world.reads(path))
}

fn touch(world: &World, path: &str) {
    std::fs::File::options()
        .write(true)
        .open(world.path(path))
        .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
        .expect("a time");
}

#[test]
fn added_changed_or_removed_sidecar_causes_read() {
    let world = World::new();
    world.write("one.sheet", "title=One");
    world.write("two.sheet", "title=Two");
    world.scan();
    let [_, two] = reads(&world, ["one.sheet", "two.sheet"]);
    for (note, expected) in [
        (Some("title=First"), "First"),
        (Some("title=The first"), "The first"),
        (None, "One"),
    ] {
        match note {
            Some(text) => world.write("one.slip", text),
            None => world.remove("one.slip"),
        }
        assert_eq!(world.scan().updated, 1, "{expected}");
        assert_eq!(title(&world, "one.sheet"), expected);
    }
    world.write("two.sheet.slip", "");
    assert_eq!(world.scan().updated, 1);
    assert!(
        world.reads("two.sheet") > two,
        "it speaks of it, be it empty"
    );
}

#[test]
fn file_replaced_by_outside_link_after_listing_is_not_read() {
    let world = World::new();
    world.write("a/one.sheet", "title=Plain!");
    world.write("../secret/s.sheet", "title=Secret");
    touch(&world, "a/one.sheet");
    touch(&world, "../secret/s.sheet");
    let (seen, secret) = (world.path("a/one.sheet"), world.path("../secret/s.sheet"));
    // Between listing and reading, the file is replaced by a link with the same size and time.
    world.eyes.trick("a", move |listing| {
        std::fs::remove_file(&seen).expect("gone");
        std::os::unix::fs::symlink(&secret, &seen).expect("a link");
        listing
    });
    world.scan();
    let titles = world.rows("SELECT title FROM item");
    assert!(!titles.contains(&"Secret".to_owned()), "{titles:?}");
    world.eyes.honest();
    world.scan();
    assert_eq!(
        world.errors(),
        ["a/one.sheet: the link leads out of the library"]
    );
}

#[test]
fn folder_replaced_by_outside_link_after_listing_is_not_listed() {
    let world = World::new();
    world.write("a/one.sheet", "title=Plain");
    world.write("../secret/s.sheet", "title=Secret");
    let (seen, secret) = (world.path("a"), world.path("../secret"));
    // Between the listing of the parent folder and its own listing.
    world.eyes.trick("", move |listing| {
        if !seen.is_symlink() {
            std::fs::remove_dir_all(&seen).expect("gone");
            std::os::unix::fs::symlink(&secret, &seen).expect("a link");
        }
        listing
    });
    world.scan();
    assert_eq!(world.errors(), ["a: the link leads out of the library"]);
    assert_eq!(world.one("SELECT count(*) FROM file"), "0");
}

#[test]
fn sidecar_with_new_time_causes_read() {
    let world = World::new();
    world.write("one.sheet", "title=One");
    world.write("one.slip", "title=First");
    world.scan();
    world.write("one.slip", "title=Prime");
    touch(&world, "one.slip");
    assert_eq!(world.scan().updated, 1);
    assert_eq!(title(&world, "one.sheet"), "Prime");
}

#[test]
fn contested_file_belongs_to_kind_that_accepts_its_content() {
    let world = World::new();
    world.write("a/text.leaf", "title=Text");
    world.write("b/film.leaf", "film");
    world.write("b/veto.leaf", "veto");
    let kinds = || {
        world.rows(
            "SELECT file.name, item.kind, file.container
               FROM file JOIN item ON item.id = file.item_id
              WHERE file.missing = 0
              ORDER BY file.name",
        )
    };
    assert_eq!(world.scan().added, 2);
    let first = kinds();
    assert_eq!(first.len(), 2, "{first:?}");
    assert!(first[0].contains("reel"), "{first:?}");
    assert!(first[1].contains("paper"), "{first:?}");
    // After another change in the folder, the file stays with its kind.
    world.write("b/more.sheet", "title=More");
    assert_eq!(world.scan().added, 1);
    assert_eq!(kinds().len(), 3);
    assert!(kinds()[0].contains("reel"), "{:?}", kinds());
    // After a change of its content, the owner of the extension gets it.
    world.write("b/film.leaf", "title=Now text");
    world.scan();
    assert!(kinds()[0].contains("paper"), "{:?}", kinds());
    assert_eq!(title(&world, "b/film.leaf"), "Now text");
    assert_eq!(world.errors(), [""; 0]);
}

/// Returns a sheet of 200 KB with its title in the middle, outside the fingerprinted parts.
fn long_sheet(title: &str) -> String {
    let filler = format!("{}\n", "x".repeat(100_000));
    format!("{filler}title={title}\n{filler}")
}

#[test]
fn file_retagged_in_the_middle_at_the_same_size_is_read_again() {
    let world = World::new();
    world.write("one.sheet", long_sheet("Old"));
    world.write("two.sheet", long_sheet("Two"));
    world.scan();
    let (id, [_, two]) = (
        world.file("one.sheet"),
        reads(&world, ["one.sheet", "two.sheet"]),
    );
    world.write("one.sheet", long_sheet("New"));
    touch(&world, "one.sheet");
    assert_eq!(world.scan().updated, 1);
    assert_eq!(title(&world, "one.sheet"), "New");
    assert_eq!(world.file("one.sheet"), id, "it keeps its identity");
    assert_eq!(world.reads("two.sheet"), two);
    let before = world.reads("one.sheet");
    assert_eq!(world.scan().updated, 0);
    assert_eq!(world.reads("one.sheet"), before);
}

#[test]
fn file_that_moves_and_is_retagged_is_read_again() {
    let world = World::new();
    world.write("one.sheet", long_sheet("Old"));
    world.scan();
    let id = world.file("one.sheet");
    world.remove("one.sheet");
    world.write("shelf/one.sheet", long_sheet("New"));
    touch(&world, "shelf/one.sheet");
    assert_eq!(world.scan().moved, 1);
    assert_eq!(title(&world, "shelf/one.sheet"), "New");
    assert_eq!(world.file("shelf/one.sheet"), id);
}

#[test]
fn sidecar_of_folder_applies_to_folder_and_its_subfolders() {
    let world = World::new();
    let files = [
        "show/first/one.sheet",
        "show/two.sheet",
        "show/first/deep/x.sheet",
    ];
    for file in files {
        world.write(file, "title=Own");
    }
    world.scan();
    let before = reads(&world, files);
    world.write("show/house.slip", "title=House");
    assert_eq!(world.scan().updated, 2);
    assert_eq!(title(&world, files[0]), "House");
    assert_eq!(title(&world, files[1]), "House");
    assert_eq!(title(&world, files[2]), "Own");
    world.write("show/first/shelf.slip", "title=Shelf");
    assert_eq!(world.scan().updated, 1);
    assert_eq!(title(&world, files[0]), "Shelf");
    assert_eq!(reads(&world, [files[2]]), [before[2]]);
}

#[test]
fn folder_scan_reads_nothing_that_full_scan_has_read() {
    let world = World::new();
    world.write("show/house.slip", "title=House");
    world.write("show/first/one.sheet", "title=One");
    world.scan();
    let before = world.reads("show/first/one.sheet");
    let part = |tree: &[u8]| Scope {
        folders: Some(Folders {
            trees: [tree.to_owned()].into(),
            ..Folders::default()
        }),
        ..Scope::default()
    };
    world.scan_scope(part(b"show/first"));
    world.scan_scope(part(b"show"));
    world.scan();
    assert_eq!(world.reads("show/first/one.sheet"), before);
    assert_eq!(title(&world, "show/first/one.sheet"), "House");
}

#[test]
fn second_scan_reads_nothing() {
    let world = World::new();
    let files = ["a/one.sheet", "a/two.leaf", "b/three.reel"];
    for file in files {
        world.write(file, "title=T");
    }
    world.write("a/one.slip", "title=First");
    world.scan();
    let before = reads(&world, files);
    // If a folder is examined for another reason, only its new files are read.
    world.write("a/four.sheet", "title=Four");
    world.write("a/notes.txt", "");
    let counters = world.scan();
    assert_eq!((counters.added, counters.updated), (1, 0));
    world.scan();
    assert_eq!(reads(&world, files), before);
}

#[test]
fn file_with_new_time_is_read_only_if_sidecar_changed() {
    let world = World::new();
    world.write("one.sheet", "title=One");
    world.write("one.slip", "title=First");
    world.scan();
    touch(&world, "one.sheet");
    assert_eq!(world.scan().updated, 0);
    assert_eq!(title(&world, "one.sheet"), "First");
    world.write("one.sheet", "title=One");
    world.write("one.slip", "title=Later");
    assert_eq!(world.scan().updated, 1);
    assert_eq!(title(&world, "one.sheet"), "Later");
}

#[test]
fn newer_reading_version_causes_one_read() {
    let world = World::new();
    world.write("one.sheet", "title=One");
    world.write("two.reel", "title=Two");
    world.scan();
    let world = world.improved();
    let before = reads(&world, ["one.sheet", "two.reel"]);
    assert_eq!(world.scan().updated, 1);
    let after = reads(&world, ["one.sheet", "two.reel"]);
    assert!(after[0] > before[0]);
    assert_eq!(after[1], before[1], "its kind is as it was");
    assert_eq!(world.scan().updated, 0);
    assert_eq!(reads(&world, ["one.sheet", "two.reel"]), after);
}

#[test]
fn file_without_signature_is_read_again_once() {
    let world = World::new();
    world.write("one.sheet", "title=One");
    world.scan();
    world.sql("UPDATE file SET read_signature = NULL; UPDATE folder SET listing = NULL");
    assert_eq!(world.scan().updated, 1);
    assert_eq!(world.scan().updated, 0);
}

#[test]
fn file_moved_with_sidecar_is_not_read_again() {
    let world = World::new();
    world.write("one/one.sheet", "title=One");
    world.write("one/one.slip", "title=First");
    world.scan();
    let item = world.item("one/one.sheet");
    world.rename("one/one.sheet", "two/deux.sheet");
    world.rename("one/one.slip", "two/deux.slip");
    let counters = world.scan();
    assert_eq!((counters.moved, counters.updated), (1, 0));
    assert_eq!(world.item("two/deux.sheet"), item);
    // Without the sidecar file, the metadata differs.
    world.rename("two/deux.sheet", "three/trois.sheet");
    assert_eq!(world.scan().moved, 1);
    assert_eq!(world.item("three/trois.sheet"), item);
    assert_eq!(title(&world, "three/trois.sheet"), "One");
}

#[test]
fn item_of_two_folders_has_profile_of_first_part_in_any_order() {
    let world = World::new();
    world.write("Film/Disc 1/7.reel", "known");
    world.write("Film/Disc 2/1.reel", "blank");
    world.write("Play/Disc 1/7.reel", "blank");
    world.write("Play/Disc 2/1.reel", "known");
    world.scan();
    let begins_with = |path: &str| {
        let item = world.item(path);
        world.one(&format!(
            "SELECT coalesce((SELECT container FROM media_profile WHERE id = profile_id), '-')
               FROM item
              WHERE id = {item}"
        ))
    };
    assert_eq!(begins_with("Film/Disc 1/7.reel"), "-");
    assert_eq!(begins_with("Play/Disc 1/7.reel"), "reel");
}
