//! A scan that is killed at any moment: the database opens, and a rescan ends like an undisturbed
//! scan.

use std::path::Path;
use std::time::Duration;

use ledge_fixtures::{Bound, TreeOptions};
use ledge_tests::server::{all_items, program, scan, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

const KILLS: u64 = 20;
/// The files are not media, so probing them would only take time.
const NAMES_ONLY: &[(&str, &str)] = &[("LEDGE_FFPROBE", "off")];

/// Returns everything that users see of a library, except ids and times.
fn state(client: &Client, database: &Path) -> Vec<String> {
    let mut state: Vec<String> = all_items(client, "/items")
        .iter()
        .map(|item| {
            let of = |name: &str| item[name].to_string();
            [
                of("kind"),
                of("title"),
                of("year"),
                of("authors"),
                of("missing"),
            ]
            .join("|")
        })
        .collect();
    let connection = ledge_core::db::open::writable(database).expect("the database");
    let mut statement = connection
        .prepare(
            "SELECT item.group_key || '|' || CAST(folder.path AS TEXT) || '/'
                 || CAST(file.name AS TEXT) || '|' || file.size || '|' || file.missing
                 || '|' || ifnull(hex(file.fingerprint), '') || '|' || ifnull(file.sequence, '')
               FROM file
               JOIN item ON item.id = file.item_id
               JOIN folder ON folder.id = file.folder_id",
        )
        .expect("a statement");
    let files = statement.query_map([], |row| row.get(0)).expect("rows");
    state.extend(files.map(|row| row.expect("a row")));
    for term in ["the", "her*", "a*"] {
        let found: i64 = connection
            .query_row(
                "SELECT count(*) FROM search_word WHERE search_word MATCH ?1",
                [term],
                |row| row.get(0),
            )
            .expect("a count");
        state.push(format!("{term}: {found}"));
    }
    state.sort();
    state
}

fn check(database: &Path) {
    let connection = ledge_core::db::open::writable(database).expect("the database opens");
    let answer: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("an answer");
    assert_eq!(answer, "ok");
    let broken: i64 = connection
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })
        .expect("a count");
    assert_eq!(broken, 0);
}

#[test]
fn scan_killed_at_random_moments_loses_nothing() {
    let media = tempfile::tempdir().expect("a folder");
    let options = TreeOptions {
        bound: Bound::Files(20_000),
        ..TreeOptions::items(0)
    };
    ledge_fixtures::tree(media.path(), &options).expect("a tree");

    let undisturbed = Server::with(&program("ledge"), NAMES_ONLY);
    let admin = undisturbed.admin();
    let (_, status) = scanned_library(&admin, "Everything", media.path());
    assert_eq!(status["status"], "done", "{status}");
    let files = status["scanned"].as_u64().expect("a count");
    assert!(files >= 19_000, "{status}");
    let truth = state(&admin, &undisturbed.database());
    let duration = duration(&status);

    let mut server = Server::with(&program("ledge"), NAMES_ONLY);
    let admin = server.admin();
    let body = json!({"name": "Everything", "path": media.path()});
    let library = admin.post("/libraries", &body).expect(201).json()["id"]
        .as_i64()
        .expect("an id");
    for kill in 0..KILLS {
        // Each round continues after the previous kill. The moments cover a whole scan and a little
        // more. The remainder of the multiplication makes them irregular.
        let share = (kill * 7 + 3) % KILLS;
        admin
            .post(&format!("/libraries/{library}/scan"), &json!({}))
            .expect(202);
        until("the scan", || {
            let status = scan_status(&admin, library);
            (status["status"] != "queued" && status["status"] != "never").then_some(())
        });
        std::thread::park_timeout(
            duration * u32::try_from(share).expect("small")
                / (2 * u32::try_from(KILLS).expect("small")),
        );
        server.kill();
        check(&server.database());
        server.restart();
    }
    let status = scan(&admin, library);
    assert_eq!(status["status"], "done", "{status}");
    let found = state(&admin, &server.database());
    assert_eq!(found.len(), truth.len());
    assert_eq!(found, truth);
    assert_eq!(scan(&admin, library)["added"], 0);
}

fn scan_status(admin: &Client, library: i64) -> Value {
    admin
        .get(&format!("/libraries/{library}/scan/status"))
        .expect(200)
        .json()
}

fn duration(status: &Value) -> Duration {
    let at = |name: &str| {
        let text = status[name].as_str().expect("a time");
        text.parse::<ledge_core::Timestamp>().expect("a time")
    };
    at("finished_at").since(at("started_at"))
}
