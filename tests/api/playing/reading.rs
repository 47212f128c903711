//! Files that scans open: none in an unchanged library, and only the affected ones after a small
//! change.

use std::collections::BTreeSet;
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use ledge_tests::server::{is_idle, scan, scanned_library, until};
use ledge_tests::{Client, Server};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

/// Records the files that any process opens in some folders.
struct Watcher(OwnedFd);

impl Watcher {
    /// Watches a folder and its subfolders.
    fn below(root: &Path) -> Self {
        let watcher = Self(inotify::init(CreateFlags::NONBLOCK).expect("inotify"));
        watcher.add(root);
        watcher
    }

    fn add(&self, folder: &Path) {
        inotify::add_watch(&self.0, folder, WatchFlags::OPEN).expect("a watch");
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                self.add(&path);
            }
        }
    }

    /// Returns the names of the files that were opened since the last call, without folders.
    fn opened(&self) -> BTreeSet<String> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.0, &mut buffer);
        let mut names = BTreeSet::new();
        loop {
            match reader.next() {
                Ok(event) => {
                    assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW));
                    let name = event.file_name().map(|name| name.to_string_lossy());
                    if !event.events().contains(ReadFlags::ISDIR) {
                        names.extend(name.map(std::borrow::Cow::into_owned));
                    }
                }
                Err(Errno::WOULDBLOCK) => return names,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Waits until the covers are examined too.
fn rest(admin: &Client) {
    until("rest", || is_idle(admin).then_some(()));
}

#[test]
fn scan_opens_only_changed_files() {
    let server = Server::start();
    let media = server.folder().join("media");
    ledge_fixtures::demo(&media).expect("files of every kind");
    let films = media.join("Zoo");
    fs::create_dir(&films).expect("a folder");
    fs::write(films.join("Ape (2001).mp4"), ledge_fixtures::mp4("")).expect("a file");
    fs::write(films.join("Bee (2002).mp4"), ledge_fixtures::mp4("")).expect("a file");
    fs::write(
        films.join("Ape (2001).nfo"),
        "<movie><title>Ape</title></movie>",
    )
    .expect("a note");
    let admin = server.admin();
    let watcher = Watcher::below(&media);
    let (library, first) = scanned_library(&admin, "Media", &media);
    rest(&admin);
    let opened = watcher.opened();
    for kind in ["books", "audio", "video", "games"] {
        let path = format!("/items?kind={kind}");
        let found = admin.get(&path).expect(200).json();
        assert!(found["total"].as_u64() > Some(0), "nothing of {path}");
    }
    // The watcher works: it would detect reads of the next scan.
    for name in ["Ape (2001).mp4", "Ape (2001).nfo", "Bee (2002).mp4"] {
        assert!(opened.contains(name), "{opened:?}");
    }

    let second = scan(&admin, library);
    rest(&admin);
    assert_eq!(second["scanned"], first["scanned"]);
    assert_eq!(watcher.opened(), BTreeSet::new());

    fs::write(
        films.join("Ape (2001).nfo"),
        "<movie><title>An ape</title></movie>",
    )
    .expect("a note");
    watcher.opened();
    let third = scan(&admin, library);
    rest(&admin);
    assert_eq!(third["updated"], 1, "{third}");
    let opened: Vec<String> = watcher.opened().into_iter().collect();
    assert_eq!(opened, ["Ape (2001).mp4", "Ape (2001).nfo"]);
    let found = admin.get("/search?q=an+ape&kind=video").expect(200).json();
    assert_eq!(found["groups"][0]["items"][0]["title"], "An ape", "{found}");
}
