//! CPU time of a search by the number of its matches, in a library of 20,000 tracks in 2,000
//! albums. An album is one item; the track names are the paths that the search index contains.

use std::fs;
use std::path::Path;

use ledge_core::db::open;
use ledge_tests::Server;
use ledge_tests::server::until;

use crate::measure::load::{self, CLIENTS, Request};
use crate::{figure, measure::hello, measure::machine, prepare, scanning};

/// Albums in the library.
const ALBUMS: usize = 2_000;
/// Tracks of an album.
const TRACKS: usize = 10;
/// Albums out of eighty that contain a frequent word: 225 in all.
const FREQUENT: usize = 9;
/// Requests of each class.
const REQUESTS: usize = 1_000;

/// List of as many items as a search returns. It bounds what a search of many items can cost.
const LIST: &str = "/items?limit=20";

/// Name of a class, its query, and its number of matches if it is fixed.
const CLASSES: &[(&str, &str, Option<u64>)] = &[
    ("no hit", "qqqqqq", Some(0)),
    ("rare word", "xylophone", Some(1)),
    ("two words", "harbour+xylophone", Some(1)),
    ("225 hits in titles", "harbour", Some(225)),
    ("225 hits in authors", "velvet", Some(225)),
    ("225 hits in paths", "lantern", Some(225)),
    ("225 hits inside words", "anter", Some(225)),
    ("one letter", "s", None),
    ("two letters", "la", None),
];

/// Measures every class. Each figure is also printed as a multiple of the minimal response, and of a
/// list.
pub(crate) fn measure(ledge: &Path) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("Music");
    write_albums(&root);
    let data = folder.path().join("data");
    fs::create_dir_all(&data).expect("a folder");
    let server = Server::in_folder(ledge, &data, prepare::SETTINGS);
    let admin = server.admin();
    let library = prepare::register(&admin, &root);
    let status = scanning::scan(&admin, library);
    assert_eq!(status["added"], ALBUMS * TRACKS, "{status}");
    wait_for_merge(&server.database());
    machine::warm(&server.database());
    let floor = hello::cpu();
    let token = admin.token().expect("a session");
    let cpu_of = |path: &str| {
        let request = |_| Request::get(path.to_owned());
        load::of(&server, token, CLIENTS, &|n| n < REQUESTS, request).cpu
    };
    let list = cpu_of(LIST);
    figure(
        "GET /items, as many items as a search returns",
        &format!("{list:.0} µs CPU"),
        &format!("{:.1} × hello", list / floor),
    );
    for (name, query, expected) in CLASSES {
        let path = format!("/search?q={query}");
        let response = admin.get(&path).expect(200).json();
        let total = response["total"].as_u64().unwrap_or(0);
        assert_eq!(expected.unwrap_or(total), total, "{name}: {response}");
        let cost = cpu_of(&path);
        figure(
            &format!("GET /search, {name}"),
            &format!("{cost:.0} µs CPU"),
            &format!(
                "{total} matches; {:.1} × hello, {:.1} × the list",
                cost / floor,
                cost / list
            ),
        );
    }
}

/// Waits until the server has merged the segments of the search indexes after the scan.
fn wait_for_merge(database: &Path) {
    let database = open::inspected(database).expect("the database");
    let mut segments = database
        .prepare(
            "SELECT max((SELECT count(DISTINCT segid) FROM search_word_idx),
                        (SELECT count(DISTINCT segid) FROM search_infix_idx))",
        )
        .expect("a statement");
    until("a merged search index", || {
        let segments: i64 = segments.query_row([], |row| row.get(0)).expect("a number");
        (segments == 1).then_some(())
    });
}

/// Writes empty files: artist, album and track names determine titles, authors and paths.
fn write_albums(root: &Path) {
    let mut words = Words(1);
    for album in 0..ALBUMS {
        let in_title = album % 80 < FREQUENT;
        let in_authors = (5..5 + FREQUENT).contains(&(album % 80));
        let in_path = (20..20 + FREQUENT).contains(&(album % 80));
        let extra = |is_there: bool, word: &str| {
            if is_there {
                format!(" {word}")
            } else {
                String::new()
            }
        };
        let artist = format!("{} {album}{}", words.next(), extra(in_authors, "Velvet"));
        let rare = extra(album == 1_600, "Xylophone");
        let title = format!("{} {}{rare}", words.next(), extra(in_title, "Harbour"));
        let folder = root.join(artist).join(title.trim());
        fs::create_dir_all(&folder).expect("a folder");
        for track in 1..=TRACKS {
            let frequent = extra(in_path && track == 3, "Lantern");
            let (first, second) = (words.next(), words.next());
            let name = format!("{track:02} - {first} {second}{frequent}.mp3");
            fs::write(folder.join(name), "").expect("a file");
        }
    }
}

/// Pseudo-random words of two or three syllables, the same in every run.
struct Words(u64);

impl Words {
    fn next(&mut self) -> String {
        const FIRST: [&str; 16] = [
            "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "w",
        ];
        const THEN: [&str; 5] = ["a", "e", "i", "o", "u"];
        (0..2 + self.below(2))
            .map(|_| FIRST[self.below(FIRST.len())].to_owned() + THEN[self.below(THEN.len())])
            .collect()
    }

    fn below(&mut self, end: usize) -> usize {
        // Knuth's MMIX generator. Only its high bits are random enough.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }
}
