//! Statistics of five years with eight sessions a day, over 2,000 items with authors.

use std::fs;
use std::path::Path;

use ledge_core::db::open;
use ledge_tests::Server;
use rusqlite::named_params;

use crate::measure::latency;
use crate::{figure, prepare, scanning};

/// Number of items.
const ITEMS: usize = 2_000;
/// Number of requests of each kind.
const REQUESTS: usize = 20;

/// Eight sessions of 35 minutes a day. Half of them have pages in three quarters of an hour.
const SESSIONS: &str = "
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5 * 365 * 8 - 1),
    starts (i, at) AS (SELECT i, unixepoch('2020-01-01') + i * 10800 FROM n)
    INSERT INTO usage_session
           (user_id, item_id, kind, started_at, last_at, pages, page_steps, finished_at)
    SELECT :user, 1 + i * 7919 % :items, 'books',
           strftime('%Y-%m-%dT%H:%M:%S.000000Z', at, 'unixepoch'),
           strftime('%Y-%m-%dT%H:%M:%S.000000Z', at + 2100, 'unixepoch'),
           iif(i % 2, 60, 0),
           iif(i % 2, json_array(json_array(at / 900, 20), json_array(at / 900 + 1, 20),
                                 json_array(at / 900 + 2, 20)), NULL),
           iif(i % 40, NULL, strftime('%Y-%m-%dT%H:%M:%S.000000Z', at + 2100, 'unixepoch'))
      FROM starts";

/// Measures every answer that reads five years or one year.
pub(crate) fn measure(ledge: &Path) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("Books");
    fs::create_dir_all(&root).expect("a folder");
    for n in 0..ITEMS {
        let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
        let name = format!("Ann M{}{} - Title {n}.epub", letter(n), letter(n / 26 % 12));
        fs::write(root.join(name), "").expect("a file");
    }
    let data = folder.path().join("data");
    fs::create_dir_all(&data).expect("a folder");
    let server = Server::in_folder(ledge, &data, prepare::SETTINGS);
    let admin = server.admin();
    let library = prepare::register(&admin, &root);
    scanning::scan(&admin, library);
    let me = admin.get("/auth/me").expect(200).json()["id"].as_i64();
    let database = open::existing(&server.database()).expect("the database");
    let added = database
        .execute(
            SESSIONS,
            named_params! { ":user": me, ":items": i64::try_from(ITEMS).unwrap_or(1) },
        )
        .expect("sessions");
    let zone = "tz=Europe/Berlin";
    let years = "/stats?from=2020-01-01&to=2024-12-31";
    let paths = ["day", "month", "hour", "kind", "author", "genre", "item"]
        .map(|by| format!("{years}&{zone}&by={by}"));
    let others = [
        format!("/stats/year/2023?{zone}"),
        format!("/stats/year/2023.svg?{zone}"),
        format!("/stats/server?from=2020-01-01&to=2024-12-31&{zone}&by=month"),
        "/stats/sessions?offset=5000".to_owned(),
        "/stats/export?format=csv".to_owned(),
    ];
    for path in paths.iter().chain(&others) {
        let times = latency::of(&admin, REQUESTS, |_| path.clone());
        let beside = format!("p50 / max; {added} sessions; budget 200 ms");
        figure(&format!("GET {path}"), &times.show(), &beside);
    }
}
