//! What is watched and what is told of it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Instant;

use super::super::fake::Tricks;
use super::super::mounts::Mount;
use super::*;

struct World {
    folder: tempfile::TempDir,
    root: PathBuf,
    tricks: Tricks,
}

impl World {
    /// With the folders `a` and `b/c`.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path())
            .expect("a path")
            .join("media");
        for path in ["a", "b/c"] {
            fs::create_dir_all(root.join(path)).expect("folders");
        }
        Self {
            folder,
            root,
            tricks: Tricks::default(),
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn write(&self, path: &str) {
        fs::write(self.path(path), path).expect("a file");
    }

    fn open(&self) -> Result<Eyes, Lost> {
        Eyes::open(&self.root, &self.tricks.system(), &|| {})
    }

    fn watched(&self) -> Eyes {
        self.open().expect("eyes")
    }
}

/// What is told until this change is.
#[track_caller]
fn until(eyes: &mut Eyes, last: &Change) -> Vec<Change> {
    let start = Instant::now();
    let mut all = Vec::new();
    while !all.contains(last) {
        assert!(start.elapsed() < Duration::from_mins(1), "{all:?}");
        all.extend(
            eyes.see(Duration::from_millis(100), &|| {})
                .expect("changes"),
        );
    }
    all
}

/// Why they end.
fn end(eyes: &mut Eyes) -> Lost {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < Duration::from_mins(1));
        if let Err(lost) = eyes.see(Duration::from_millis(100), &|| {}) {
            return lost;
        }
    }
}

fn closed(path: &str) -> Change {
    Change::Closed(path.into())
}

fn tree(path: &str) -> Change {
    Change::Tree(path.into())
}

#[test]
fn a_folder_that_may_not_be_read_is_told_and_all_others_are_watched() {
    let world = World::new();
    world.tricks.refuse(&world.path("b"), Errno::ACCESS);
    let mut eyes = world.watched();
    let told = eyes.gaps().expect("a gap");
    assert!(told.contains(": b: the server may not read it."), "{told}");
    world.write("a/new.epub");
    until(&mut eyes, &closed("a/new.epub"));

    world.tricks.state().refused.clear();
    fs::set_permissions(world.path("b"), Permissions::from_mode(0o755)).expect("rights");
    until(&mut eyes, &tree("b"));
    assert_eq!(eyes.gaps(), None);
    world.write("b/c/new.epub");
    until(&mut eyes, &closed("b/c/new.epub"));
}

#[test]
fn a_new_folder_that_may_not_be_read_yet_is_watched_once_it_may() {
    let world = World::new();
    let mut eyes = world.watched();
    world.tricks.refuse(&world.path("new"), Errno::ACCESS);
    fs::create_dir(world.path("new")).expect("a folder");
    until(&mut eyes, &tree("new"));
    assert!(eyes.gaps().expect("a gap").contains("new"));
    world.tricks.state().refused.clear();
    fs::set_permissions(world.path("new"), Permissions::from_mode(0o755)).expect("rights");
    until(&mut eyes, &tree("new"));
    assert_eq!(eyes.gaps(), None);
}

#[test]
fn what_a_scan_passes_over_is_neither_watched_nor_told() {
    let world = World::new();
    for path in ["lost+found", ".git/objects", "a/@eaDir"] {
        fs::create_dir_all(world.path(path)).expect("folders");
    }
    let mut eyes = world.watched();
    let asked = ["", "a", "b", "b/c"].map(|path| world.times_asked(path));
    assert_eq!((asked, world.tricks.state().asked.len()), ([1; 4], 4));
    fs::create_dir_all(world.path(".trash/x")).expect("folders");
    world.write("a/film.mkv.part");
    world.write("a/last.epub");
    let told = until(&mut eyes, &closed("a/last.epub"));
    assert_eq!(
        told.first(),
        Some(&Change::Written("a/last.epub".into())),
        "{told:?}"
    );
}

impl World {
    fn times_asked(&self, path: &str) -> usize {
        let path = if path.is_empty() {
            self.root.clone()
        } else {
            self.path(path)
        };
        self.tricks.times_asked(&path)
    }
}

#[test]
fn a_folder_that_vanishes_meanwhile_is_no_gap() {
    let world = World::new();
    world.tricks.refuse(&world.path("b/c"), Errno::NOENT);
    assert_eq!(world.watched().gaps(), None);
}

#[test]
fn the_limit_of_watches_is_no_gap_but_the_end() {
    let world = World::new();
    let mut eyes = world.watched();
    world.tricks.refuse(&world.path("new"), Errno::NOSPC);
    fs::create_dir(world.path("new")).expect("a folder");
    assert_eq!(end(&mut eyes), Lost::Limit);
    assert_eq!(world.tricks.state().opened, 1);
    fs::remove_dir(world.path("new")).expect("no folder");
    world.tricks.refuse(&world.path("b"), Errno::NOSPC);
    let lost = world.open().err().expect("no eyes");
    assert!(lost.why().expect("a sentence").contains("max_user_watches"));
}

#[test]
fn where_more_happened_than_the_system_keeps_the_eyes_end() {
    let world = World::new();
    let mut eyes = world.watched();
    world.tricks.state().overflows = true;
    assert_eq!(end(&mut eyes), Lost::Overflow);
}

#[test]
fn a_network_file_system_below_the_root_is_a_gap_and_not_gone_into() {
    let world = World::new();
    let nas = (b"b".to_vec(), Mount::named("nfs4"));
    world.tricks.state().mounts.below = [nas].into();
    let eyes = world.watched();
    let told = eyes.gaps().expect("a gap");
    assert!(told.contains(": b: nfs4 does not tell"), "{told}");
    assert_eq!((world.times_asked("b"), world.times_asked("b/c")), (0, 0));
    assert_eq!(eyes.check(&world.tricks.system()), Ok(()));
    world.tricks.state().mounts.below.clear();
    assert_eq!(eyes.check(&world.tricks.system()), Err(Lost::Mounts));
}

#[test]
fn a_root_on_a_network_file_system_is_not_watched() {
    let world = World::new();
    world.tricks.state().mounts.silent_root = Some("cifs".to_owned());
    let lost = world.open().err().expect("no eyes");
    assert!(lost.why().expect("a sentence").contains("(cifs)"));
}

#[test]
fn a_renamed_folder_is_told_of_by_its_new_name() {
    let world = World::new();
    let mut eyes = world.watched();
    fs::rename(world.path("b"), world.path("d")).expect("a rename");
    let told = until(&mut eyes, &tree("d"));
    assert!(told.contains(&tree("b")), "{told:?}");
    assert!(told.contains(&Change::Departure(Vec::new())), "{told:?}");
    world.write("d/c/new.epub");
    until(&mut eyes, &closed("d/c/new.epub"));
}

#[test]
fn folders_in_new_folders_are_watched() {
    let world = World::new();
    let mut eyes = world.watched();
    fs::create_dir_all(world.path("x/y/z")).expect("folders");
    until(&mut eyes, &tree("x"));
    world.write("x/y/z/new.epub");
    until(&mut eyes, &closed("x/y/z/new.epub"));
    fs::remove_dir_all(world.path("x")).expect("no folders");
    until(&mut eyes, &Change::Departure(Vec::new()));
}

#[test]
fn a_file_of_two_names_has_nobody_to_close_it() {
    let world = World::new();
    world.write("a/one.epub");
    let mut eyes = world.watched();
    fs::hard_link(world.path("a/one.epub"), world.path("b/two.epub")).expect("a link");
    until(&mut eyes, &Change::Folder("b".into()));
}

#[test]
fn where_links_lead_within_the_library_a_change_may_be_one_of_several_places() {
    let world = World::new();
    symlink(world.folder.path(), world.path("out")).expect("a link");
    let mut eyes = world.watched();
    world.write("a/one.epub");
    let told = until(&mut eyes, &closed("a/one.epub"));
    assert!(!told.contains(&Change::Anything), "{told:?}");
    symlink("../a", world.path("b/alias")).expect("a link");
    until(&mut eyes, &Change::Anything);
    drop(eyes);
    let mut eyes = world.watched();
    world.write("a/two.epub");
    until(&mut eyes, &Change::Anything);
}

#[test]
fn a_root_that_is_gone_or_another_is_the_end() {
    let world = World::new();
    let mut eyes = world.watched();
    let away = world.folder.path().join("away");
    fs::rename(&world.root, &away).expect("a rename");
    assert!(matches!(end(&mut eyes), Lost::Root(_)));
    assert!(matches!(
        eyes.check(&world.tricks.system()),
        Err(Lost::Root(_))
    ));
    fs::create_dir(&world.root).expect("a folder");
    assert!(matches!(
        eyes.check(&world.tricks.system()),
        Err(Lost::Root(_))
    ));
}
