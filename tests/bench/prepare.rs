//! Synthetic library: trees of empty files, their first scan, and the data of fifty users.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ledge_core::db::open;
use ledge_tests::server::{PASSWORD, program};
use ledge_tests::{Client, Server};
use rusqlite::named_params;
use serde_json::{Value, json};

use crate::{Plan, covers, report, scanning};

/// The files are empty, so that starting `ffprobe` would be useless.
pub(crate) const SETTINGS: &[(&str, &str)] = &[("LEDGE_FFPROBE", "off")];
/// Libraries with their kinds and their percentage of all items. Albums and shows have many files
/// per item, so there are fewer of them.
const LIBRARIES: [(&str, u64); 5] = [
    ("books", 30),
    ("games", 30),
    ("books,games", 30),
    ("audio", 5),
    ("video", 5),
];
/// Number of users in addition to the administrator.
const USERS: u64 = 50;
/// User with the most data.
const HEAVY: &str = "reader1";
/// Number of items with progress, of the heavy user and of each other user.
const PLACES: (u64, u64) = (100_000, 500);

/// Codecs for shows and albums, for lists of playable items. The empty files have none.
const PROBED: &str = "
    INSERT INTO media_profile (container, vcodec, acodec)
    VALUES ('mp4', 'h264', 'aac'), ('matroska', 'hevc', 'dts'), ('mp3', NULL, 'mp3');
    UPDATE item
       SET profile_id = (SELECT id FROM media_profile
                          WHERE container = iif(item.kind = 'audio', 'mp3',
                                                iif(item.id % 5 = 0, 'matroska', 'mp4')))
     WHERE kind IN ('audio', 'video');
    UPDATE file
       SET (container, vcodec, acodec) =
           (SELECT profile.container, profile.vcodec, profile.acodec
              FROM item
              JOIN media_profile AS profile ON profile.id = item.profile_id
             WHERE item.id = file.item_id)
     WHERE item_id IN (SELECT id FROM item WHERE profile_id IS NOT NULL);";

/// Server with the libraries of the plan.
#[derive(Debug)]
pub(crate) struct Library {
    /// Running server.
    pub(crate) server: Server,
    /// Client that is signed in as the administrator.
    pub(crate) admin: Client,
    /// Client that is signed in as the user with the most data.
    pub(crate) heavy: Client,
    /// Roots of the libraries.
    pub(crate) roots: Vec<PathBuf>,
    /// Ids of the libraries.
    pub(crate) ids: Vec<i64>,
    _folder: Option<tempfile::TempDir>,
}

/// Creates everything that does not exist yet. A configured folder keeps it for the next run.
pub(crate) fn library(ledge: &Path, plan: &Plan) -> Library {
    let temporary = plan
        .keep
        .is_none()
        .then(|| tempfile::tempdir().expect("a folder"));
    let folder = match (&plan.keep, &temporary) {
        (Some(folder), _) => folder.clone(),
        (None, Some(temporary)) => temporary.path().to_owned(),
        (None, None) => unreachable!("one of the two is there"),
    };
    let roots = trees(&folder.join("trees"), plan.items);
    let data = folder.join("data");
    fs::create_dir_all(&data).expect("a folder");
    let mut server = Server::in_folder(ledge, &data, SETTINGS);
    let admin = server.admin();
    if ids(&admin).is_empty() {
        let ids: Vec<i64> = roots.iter().map(|root| register(&admin, root)).collect();
        scanning::first(&server, &admin, &roots, &ids);
        covers::settle(&server, &admin);
    } else {
        report("The catalogue was kept from an earlier run: nothing is scanned first.");
    }
    if !is_inhabited(&admin) {
        inhabit(&mut server, &admin);
    }
    if admin.get("/genres?limit=1").expect(200).json()["total"] == 0 {
        change_offline(&mut server, |tx| {
            tx.execute_batch(CLASSIFIED).expect("genres");
        });
    }
    let admin = server.admin();
    let heavy = server.client().sign_in(HEAVY, PASSWORD);
    let ids = ids(&admin);
    Library {
        server,
        admin,
        heavy,
        roots,
        ids,
        _folder: temporary,
    }
}

fn is_inhabited(admin: &Client) -> bool {
    let users = admin.get("/users").expect(200).json();
    users["items"]
        .as_array()
        .is_some_and(|users| users.len() > 1)
}

/// Creates the users and their data.
fn inhabit(server: &mut Server, admin: &Client) {
    let ids = ids(admin);
    for n in 1..=USERS {
        let (user, _) = server.user(admin, &format!("reader{n}"));
        admin
            .put(
                &format!("/users/{user}/libraries"),
                &json!({"library_ids": ids}),
            )
            .expect(204);
    }
    change_offline(server, |tx| {
        for n in 1..=USERS {
            let places = if n == 1 { PLACES.0 } else { PLACES.1 };
            occupy(tx, &format!("reader{n}"), places, n);
        }
        tx.execute_batch(PROBED).expect("codecs");
    });
}

/// Changes the database of the stopped server in one transaction.
fn change_offline(server: &mut Server, change: impl FnOnce(&rusqlite::Transaction<'_>)) {
    assert_eq!(server.terminate(), Some(0));
    let mut connection = open::existing(&server.database()).expect("the database");
    let tx = connection.transaction().expect("a transaction");
    change(&tx);
    tx.commit().expect("a commit");
    drop(connection);
    server.restart();
}

/// Genres, languages, tags and ratings: every item has one or two of sixty genres, and most have a
/// language. The first user has rated and tagged a hundred thousand items. Most recordings have a
/// length, and two thirds of the books have pages.
const CLASSIFIED: &str = "
    WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 60)
    INSERT INTO genre (id, name, name_key) SELECT n, 'Genre ' || n, 'genre ' || n FROM n;
    INSERT INTO item_genre (item_id, position, genre_id)
    SELECT id, 0, 1 + id * id % 31 FROM item;
    INSERT INTO item_genre (item_id, position, genre_id)
    SELECT id, 1, 32 + id % 29 FROM item WHERE id % 2 = 0;
    UPDATE item
       SET language = CASE id % 10 WHEN 0 THEN NULL WHEN 1 THEN 'de' WHEN 2 THEN 'fr' ELSE 'en' END;
    UPDATE item SET sort_duration = 60 + id * 7919 % 20000
     WHERE kind IN ('audio', 'video') AND id % 20 <> 0;
    UPDATE item SET sort_pages = 1 + id * 104729 % 900 WHERE kind = 'books' AND id % 3 <> 0;
    WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 100)
    INSERT INTO tag (id, user_id, name, name_key)
    SELECT n, (SELECT id FROM user WHERE username = 'reader1'), 'Tag ' || n, 'tag ' || n FROM n;
    INSERT INTO item_tag (tag_id, item_id)
    SELECT 1 + id % 100, id FROM item WHERE id % 10 = 3;
    INSERT INTO rating (user_id, item_id, rating, rated_at)
    SELECT (SELECT id FROM user WHERE username = 'reader1'), id, 1 + id % 7 + id % 4, '2026-01-02T03:04:05Z'
      FROM item WHERE id % 10 = 7;";

/// Registers a library with the name of its folder.
pub(crate) fn register(admin: &Client, root: &Path) -> i64 {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let body = json!({"name": name, "path": root});
    let library = admin.post("/libraries", &body).expect(201).json();
    library["id"].as_i64().expect("an id")
}

/// Returns the library of this folder, if there is one.
pub(crate) fn id_of(admin: &Client, root: &Path) -> Option<i64> {
    let libraries = admin.get("/libraries").expect(200).json();
    let of_root = |library: &&Value| library["path"].as_str().map(Path::new) == Some(root);
    libraries["items"].as_array()?.iter().find(of_root)?["id"].as_i64()
}

/// Inserts progress, views and favourites of a user for items all over the libraries, as after
/// years of use. The API would take as long as the measurements.
fn occupy(tx: &rusqlite::Transaction<'_>, user: &str, places: u64, offset: u64) {
    for sql in [
        "INSERT INTO progress (user_id, file_id, item_id, position, finished, updated_at)
         SELECT user.id, f.id, f.item_id, 40, f.id % 3 = 0,
                strftime('%Y-%m-%dT%H:%M:%S.000000Z', 1700000000 + f.id * 17, 'unixepoch')
           FROM user, item
           JOIN file AS f
             ON f.id = (SELECT min(id) FROM file WHERE file.item_id = item.id)
          WHERE user.username = :user
            AND (item.id - :offset % 7) % max(1, (SELECT max(id) FROM item) / :places) = 0
          LIMIT :places",
        "INSERT INTO item_progress
                (user_id, item_id, library_id, file_id, finished, fraction, continue_file_id,
                 updated_at)
         SELECT p.user_id, p.item_id, item.library_id, p.file_id, p.finished, 0.4,
                iif(p.finished, NULL, p.file_id), p.updated_at
           FROM progress AS p
           JOIN item ON item.id = p.item_id
          WHERE p.user_id = (SELECT id FROM user WHERE username = :user)",
        "INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
         SELECT user_id, item_id, library_id, 1 + item_id % 40, updated_at
           FROM item_progress
          WHERE user_id = (SELECT id FROM user WHERE username = :user)",
        "INSERT INTO favourite (user_id, item_id, created_at)
         SELECT user_id, item_id, updated_at
           FROM item_progress
          WHERE user_id = (SELECT id FROM user WHERE username = :user) AND item_id % 5 = 0",
    ] {
        let mut statement = tx.prepare(sql).expect("a statement");
        let all = named_params! { ":user": user, ":places": places, ":offset": offset };
        let wanted: Vec<_> = all
            .iter()
            .filter(|(name, _)| matches!(statement.parameter_index(name), Ok(Some(_))))
            .copied()
            .collect();
        statement.execute(wanted.as_slice()).expect(sql);
    }
}

fn ids(admin: &Client) -> Vec<i64> {
    let libraries = admin.get("/libraries").expect(200).json();
    let libraries = libraries["items"].as_array().expect("libraries").clone();
    libraries
        .iter()
        .map(|library| library["id"].as_i64().expect("an id"))
        .collect()
}

fn trees(folder: &Path, items: u64) -> Vec<PathBuf> {
    fs::create_dir_all(folder).expect("a folder");
    LIBRARIES
        .iter()
        .zip(1..)
        .map(|((kinds, percent), seed)| {
            let count = items * percent / 100;
            let tree = folder.join(format!("{kinds}-{count}"));
            if !tree.exists() {
                make_tree(&tree, kinds, count, seed);
            }
            tree
        })
        .collect()
}

/// Creates a tree of empty files with the fixtures generator.
pub(crate) fn make_tree(tree: &Path, kinds: &str, items: u64, seed: u64) {
    let status = Command::new(program("ledge-fixtures"))
        .arg("tree")
        .arg(tree)
        .args(["--items", &items.to_string(), "--kinds", kinds, "--empty"])
        .args(["--seed", &seed.to_string()])
        .stdout(Stdio::null())
        .status()
        .expect("ledge-fixtures");
    assert!(status.success(), "the tree could not be made");
}
