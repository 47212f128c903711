//! Tests of watched folders and reported changes.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Instant;

use super::super::fake::FakeControls;
use super::super::mounts::Mount;
use super::*;

struct World {
    folder: tempfile::TempDir,
    root: PathBuf,
    controls: FakeControls,
}

impl World {
    /// Creates a library with the folders `a` and `b/c`.
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
            controls: FakeControls::default(),
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn write(&self, path: &str) {
        fs::write(self.path(path), path).expect("a file");
    }

    fn open(&self) -> Result<TreeWatcher, WatchError> {
        TreeWatcher::open(&self.root, &self.controls.system(), &|| {})
    }

    fn watched(&self) -> TreeWatcher {
        self.open().expect("a watcher")
    }
}

/// Collects the reported changes up to and including `last`.
#[track_caller]
fn until(tree_watcher: &mut TreeWatcher, last: &Change) -> Vec<Change> {
    let start = Instant::now();
    let mut all = Vec::new();
    while !all.contains(last) {
        assert!(start.elapsed() < Duration::from_mins(1), "{all:?}");
        all.extend(
            tree_watcher
                .next_changes(Duration::from_millis(100), &|| {})
                .expect("changes"),
        );
    }
    all
}

/// Waits for the end of the watch and returns its reason.
fn end(tree_watcher: &mut TreeWatcher) -> WatchError {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < Duration::from_mins(1));
        if let Err(watch_error) = tree_watcher.next_changes(Duration::from_millis(100), &|| {}) {
            return watch_error;
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
fn unreadable_folder_is_reported_and_others_are_watched() {
    let world = World::new();
    world.controls.refuse(&world.path("b"), Errno::ACCESS);
    let mut tree_watcher = world.watched();
    let actual = tree_watcher.gaps().expect("a gap");
    assert!(
        actual.contains(": b: the server may not read it."),
        "{actual}"
    );
    world.write("a/new.epub");
    until(&mut tree_watcher, &closed("a/new.epub"));

    world.controls.state().refused.clear();
    fs::set_permissions(world.path("b"), Permissions::from_mode(0o755)).expect("rights");
    until(&mut tree_watcher, &tree("b"));
    assert_eq!(tree_watcher.gaps(), None);
    world.write("b/c/new.epub");
    until(&mut tree_watcher, &closed("b/c/new.epub"));
}

#[test]
fn new_unreadable_folder_is_watched_after_it_becomes_readable() {
    let world = World::new();
    let mut tree_watcher = world.watched();
    world.controls.refuse(&world.path("new"), Errno::ACCESS);
    fs::create_dir(world.path("new")).expect("a folder");
    until(&mut tree_watcher, &tree("new"));
    assert!(tree_watcher.gaps().expect("a gap").contains("new"));
    world.controls.state().refused.clear();
    fs::set_permissions(world.path("new"), Permissions::from_mode(0o755)).expect("rights");
    until(&mut tree_watcher, &tree("new"));
    assert_eq!(tree_watcher.gaps(), None);
}

#[test]
fn paths_that_scans_ignore_are_neither_watched_nor_reported() {
    let world = World::new();
    for path in ["lost+found", ".git/objects", "a/@eaDir"] {
        fs::create_dir_all(world.path(path)).expect("folders");
    }
    let mut tree_watcher = world.watched();
    let asked = ["", "a", "b", "b/c"].map(|path| world.times_requested(path));
    assert_eq!((asked, world.controls.state().requested.len()), ([1; 4], 4));
    fs::create_dir_all(world.path(".trash/x")).expect("folders");
    world.write("a/film.mkv.part");
    world.write("a/last.epub");
    let actual = until(&mut tree_watcher, &closed("a/last.epub"));
    assert_eq!(
        actual.first(),
        Some(&Change::Written("a/last.epub".into())),
        "{actual:?}"
    );
}

impl World {
    fn times_requested(&self, path: &str) -> usize {
        let path = if path.is_empty() {
            self.root.clone()
        } else {
            self.path(path)
        };
        self.controls.times_requested(&path)
    }
}

#[test]
fn folder_that_vanishes_during_the_start_is_not_a_gap() {
    let world = World::new();
    world.controls.refuse(&world.path("b/c"), Errno::NOENT);
    assert_eq!(world.watched().gaps(), None);
}

#[test]
fn limit_of_watches_ends_the_watch() {
    let world = World::new();
    let mut tree_watcher = world.watched();
    world.controls.refuse(&world.path("new"), Errno::NOSPC);
    fs::create_dir(world.path("new")).expect("a folder");
    assert_eq!(end(&mut tree_watcher), WatchError::Limit);
    assert_eq!(world.controls.state().opened, 1);
    fs::remove_dir(world.path("new")).expect("no folder");
    world.controls.refuse(&world.path("b"), Errno::NOSPC);
    let watch_error = world.open().err().expect("no watcher");
    assert!(
        watch_error
            .why()
            .expect("a sentence")
            .contains("max_user_watches")
    );
}

#[test]
fn queue_overflow_ends_the_watch() {
    let world = World::new();
    let mut tree_watcher = world.watched();
    world.controls.state().overflows = true;
    assert_eq!(end(&mut tree_watcher), WatchError::Overflow);
}

#[test]
fn network_file_system_below_the_root_is_a_gap_and_is_not_entered() {
    let world = World::new();
    let nas = (b"b".to_vec(), Mount::named("nfs4"));
    world.controls.state().mounts.below = [nas].into();
    let tree_watcher = world.watched();
    let actual = tree_watcher.gaps().expect("a gap");
    assert!(actual.contains(": b: nfs4 does not report"), "{actual}");
    assert_eq!(
        (world.times_requested("b"), world.times_requested("b/c")),
        (0, 0)
    );
    assert_eq!(tree_watcher.check(&world.controls.system()), Ok(()));
    world.controls.state().mounts.below.clear();
    assert_eq!(
        tree_watcher.check(&world.controls.system()),
        Err(WatchError::Mounts)
    );
}

#[test]
fn root_on_a_network_file_system_is_not_watched() {
    let world = World::new();
    world.controls.state().mounts.silent_root = Some("cifs".to_owned());
    let watch_error = world.open().err().expect("no watcher");
    assert!(watch_error.why().expect("a sentence").contains("(cifs)"));
}

#[test]
fn renamed_folder_is_reported_with_its_new_name() {
    let world = World::new();
    let mut tree_watcher = world.watched();
    fs::rename(world.path("b"), world.path("d")).expect("a rename");
    let actual = until(&mut tree_watcher, &tree("d"));
    assert!(actual.contains(&tree("b")), "{actual:?}");
    assert!(
        actual.contains(&Change::Departure(Vec::new())),
        "{actual:?}"
    );
    world.write("d/c/new.epub");
    until(&mut tree_watcher, &closed("d/c/new.epub"));
}

#[test]
fn folders_in_new_folders_are_watched() {
    let world = World::new();
    let mut tree_watcher = world.watched();
    fs::create_dir_all(world.path("x/y/z")).expect("folders");
    until(&mut tree_watcher, &tree("x"));
    world.write("x/y/z/new.epub");
    until(&mut tree_watcher, &closed("x/y/z/new.epub"));
    fs::remove_dir_all(world.path("x")).expect("no folders");
    until(&mut tree_watcher, &Change::Departure(Vec::new()));
}

#[test]
fn hard_linked_file_is_not_waited_for() {
    let world = World::new();
    world.write("a/one.epub");
    let mut tree_watcher = world.watched();
    fs::hard_link(world.path("a/one.epub"), world.path("b/two.epub")).expect("a link");
    until(&mut tree_watcher, &Change::Folder("b".into()));
}

#[test]
fn link_within_the_library_reports_a_change_of_anything() {
    let world = World::new();
    symlink(world.folder.path(), world.path("out")).expect("a link");
    let mut tree_watcher = world.watched();
    world.write("a/one.epub");
    let actual = until(&mut tree_watcher, &closed("a/one.epub"));
    assert!(!actual.contains(&Change::Anything), "{actual:?}");
    symlink("../a", world.path("b/alias")).expect("a link");
    until(&mut tree_watcher, &Change::Anything);
    drop(tree_watcher);
    let mut tree_watcher = world.watched();
    world.write("a/two.epub");
    until(&mut tree_watcher, &Change::Anything);
}

#[test]
fn removed_or_replaced_root_ends_the_watch() {
    let world = World::new();
    let mut tree_watcher = world.watched();
    let away = world.folder.path().join("away");
    fs::rename(&world.root, &away).expect("a rename");
    assert!(matches!(end(&mut tree_watcher), WatchError::Root(_)));
    assert!(matches!(
        tree_watcher.check(&world.controls.system()),
        Err(WatchError::Root(_))
    ));
    fs::create_dir(&world.root).expect("a folder");
    assert!(matches!(
        tree_watcher.check(&world.controls.system()),
        Err(WatchError::Root(_))
    ));
}
