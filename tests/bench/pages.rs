//! Item pages at both ends of the list, and the personal pages: items, home, history. Each is
//! compared with a minimal response and with plain SQL.

use crate::lists::{collections, playlists};
use crate::measure::floor::Floor;
use crate::measure::load::{self, CLIENTS, Request};
use crate::prepare::Library;
use crate::{figure, measure::hello, measure::latency, scanning};

const SORTS: [(&str, Option<&str>); 12] = [
    ("title", Some("item_by_title")),
    ("added", Some("item_by_added")),
    ("year", Some("item_by_year")),
    ("author", Some("item_by_author")),
    ("series", Some("item_by_series")),
    ("random", None),
    ("rating", None),
    ("last_played", None),
    ("duration", Some("item_by_duration")),
    ("pages", Some("item_by_pages")),
    ("size", Some("item_by_size")),
    ("released", Some("item_by_released")),
];

/// Parameters of a measured request.
struct Row<'a> {
    name: &'a str,
    /// Number of requests over one connection.
    alone: usize,
    /// Number of requests over many connections.
    together: usize,
    beside: String,
}

/// Measures lists, letters, details, home and history.
pub(crate) fn measure(library: &Library) {
    let floor = Floor::of(&library.server.database());
    let total = scanning::total(&library.heavy);
    hello::measure();
    bare(library);
    item(library, &floor, total);
    lists(library, &floor, total);
    narrowed(library);
    personal(library, &floor);
}

/// Measures the longest playlist, and smart collections.
pub(crate) fn own_lists(library: &Library) {
    playlist(library);
    smart_collections(library);
}

fn row(library: &Library, row: &Row<'_>, path: impl Fn(usize) -> String + Sync) {
    let times = latency::of(&library.heavy, row.alone, &path);
    let token = library.heavy.token().expect("a session");
    let request = |n| Request::get(path(n));
    let cost = load::of(
        &library.server,
        token,
        CLIENTS,
        &|n| n < row.together,
        request,
    );
    let beside = format!(
        "p50 / p99; {:.0} µs CPU at {CLIENTS} clients{}",
        cost.cpu, row.beside
    );
    figure(row.name, &times.show(), &beside);
}

fn bare(library: &Library) {
    for (name, path) in [
        ("GET /version, the floor", "/version"),
        ("GET /auth/me, the session", "/auth/me"),
    ] {
        let wanted = Row {
            name,
            alone: 2000,
            together: 20_000,
            beside: String::new(),
        };
        row(library, &wanted, |_| path.to_owned());
    }
}

fn item(library: &Library, floor: &Floor, total: u64) {
    let sql = "SELECT item.*, file.*, person.name
                 FROM item
                 JOIN file ON file.item_id = item.id
                 LEFT JOIN item_person AS link ON link.item_id = item.id
                 LEFT JOIN person ON person.id = link.person_id
                WHERE item.id = 1 + ?1 * 7919 % (SELECT max(id) FROM item)";
    let sql = floor.sql(1000, sql);
    let wanted = Row {
        name: "GET /items/ID",
        alone: 2000,
        together: 20_000,
        beside: format!("; budget 150 µs; SQL {:.0} µs", sql * 1000.0),
    };
    row(library, &wanted, |n| {
        format!("/items/{}", 1 + n as u64 * 7919 % total.max(1))
    });
}

fn lists(library: &Library, floor: &Floor, total: u64) {
    // The middle is the furthest from both ends.
    let deep = total / 2;
    for (sort, index) in SORTS {
        let (first, far) = index.map_or_else(Default::default, |index| floors(floor, index, deep));
        for order in ["asc", "desc"] {
            let path = |offset: u64, n: usize| {
                let offset = offset + n as u64 % 50;
                format!("/items?sort={sort}&order={order}&seed=7&offset={offset}")
            };
            let wanted = Row {
                name: &format!("GET /items {sort} {order} at 0"),
                alone: 300,
                together: 2000,
                beside: format!("; budget p99 5 ms{first}"),
            };
            row(library, &wanted, |n| path(0, n));
            let wanted = Row {
                name: &format!("GET /items {sort} {order} at {deep}"),
                alone: 100,
                together: 320,
                beside: format!("; budget p99 60 ms{far}"),
            };
            row(library, &wanted, |n| path(deep, n));
        }
    }
}

/// Measures a page of one library and kind from its index, and the time to skip `deep` index
/// entries.
fn floors(floor: &Floor, index: &str, deep: u64) -> (String, String) {
    let first = format!(
        "SELECT * FROM item INDEXED BY {index}
          WHERE (library_id, kind) =
                (SELECT library_id, kind FROM item_count ORDER BY n DESC LIMIT 1)
          LIMIT 60"
    );
    let far = format!(
        "SELECT count(*)
           FROM (SELECT library_id, kind FROM item INDEXED BY {index} LIMIT {deep})"
    );
    let show = |ms: f64| format!("; SQL {ms:.2} ms");
    (show(floor.sql(200, &first)), show(floor.sql(9, &far)))
}

fn narrowed(library: &Library) {
    let plays = library.heavy.get("/items?engines=html5,mpv&limit=1");
    let total = plays.expect(200).json()["total"].as_u64().unwrap_or(0);
    let deep = total / 2;
    for (path, budget) in [
        ("/items?engines=html5,mpv".to_owned(), "5 ms"),
        (format!("/items?engines=html5,mpv&offset={deep}"), "60 ms"),
        ("/items?limit=500".to_owned(), "none of its own"),
        ("/items/letters".to_owned(), "none of its own"),
        ("/items?missing=true".to_owned(), "5 ms"),
        ("/items/subkinds".to_owned(), "none of its own"),
    ] {
        let wanted = Row {
            name: &format!("GET {path}"),
            alone: 200,
            together: 640,
            beside: format!("; budget p99 {budget}"),
        };
        row(library, &wanted, |_| path.clone());
    }
    for filter in [
        "state=started",
        "state=unstarted",
        "state=finished",
        "favourite=true",
    ] {
        own(library, filter);
    }
    subkinds(library);
}

/// Measures facets without a filter and with filters, and lists with a long filter.
pub(crate) fn facets(library: &Library) {
    for query in [
        "",
        "kind=books",
        "genre=3",
        "kind=books&genre=3,40&language=en&rating_min=5",
        "tag=3,13,23&state=unstarted",
        "year_from=1950&engines=html5,mpv",
    ] {
        let path = format!("/items/facets?{query}");
        let wanted = Row {
            name: &format!("GET {path}"),
            alone: 100,
            together: 160,
            beside: "; budget p99 150 ms".to_owned(),
        };
        row(library, &wanted, |_| path.clone());
    }
    for filter in [
        "genre=3",
        "genre=3,40&language=en",
        "rating_min=5",
        "tag=3,13,23",
        "decade=1990",
    ] {
        own(library, filter);
    }
}

/// Measures the lists of every subkind that has items, such as the films or the games of a
/// platform.
fn subkinds(library: &Library) {
    let counts = library.heavy.get("/items/subkinds").expect(200).json();
    for count in counts["items"].as_array().expect("subkinds") {
        let (kind, subkind) = (count["kind"].as_str(), count["subkind"].as_str());
        let (kind, subkind) = (kind.expect("a kind"), subkind.expect("a subkind"));
        own(library, &format!("kind={kind}&subkind={subkind}"));
    }
}

/// Measures a filtered list at its beginning and in its middle, which is the furthest from both
/// ends.
fn own(library: &Library, filter: &str) {
    let list = library.heavy.get(&format!("/items?{filter}&limit=1"));
    let total = list.expect(200).json()["total"].as_u64().unwrap_or(0);
    for offset in [0, total / 2] {
        let path = format!("/items?{filter}&offset={offset}");
        let wanted = Row {
            name: &format!("GET /items?{filter} at {offset} of {total}"),
            alone: 300,
            together: 640,
            beside: "; budget p99 60 ms".to_owned(),
        };
        row(library, &wanted, |_| path.clone());
    }
}

/// Measures personal pages. The floors are the rows of as many items as the response has cards.
fn personal(library: &Library, floor: &Floor) {
    let cards = "SELECT item.*, summary.*
                   FROM item_progress AS summary
                   JOIN item ON item.id = summary.item_id
                  WHERE summary.user_id = (SELECT id FROM user WHERE username = 'reader1')
                  LIMIT ";
    let places = floor.number(
        "SELECT count(*) FROM progress
          WHERE user_id = (SELECT id FROM user WHERE username = 'reader1')",
    );
    let home = floor.sql(200, &format!("{cards} 140"));
    let wanted = Row {
        name: "GET /home, six shelves",
        alone: 500,
        together: 2000,
        beside: format!(
            "; budget 2 ms CPU, p99 10 ms; {places} places; SQL of 140 rows {home:.2} ms"
        ),
    };
    row(library, &wanted, |_| "/home".to_owned());
    for (path, budget) in [
        ("/history".to_owned(), "10 ms"),
        (format!("/history?offset={}", places * 9 / 10), "60 ms"),
    ] {
        let page = floor.sql(200, &format!("{cards} 60"));
        let wanted = Row {
            name: &format!("GET {path}"),
            alone: 200,
            together: 1000,
            beside: format!("; budget p99 {budget}; SQL of 60 rows {page:.2} ms"),
        };
        row(library, &wanted, |_| path.clone());
    }
}

/// Measures the pages of the longest playlist: at its beginning, and behind all skipped entries.
fn playlist(library: &Library) {
    let (path, entries) = playlists::largest(&library.heavy);
    for offset in [0, entries.saturating_sub(60)] {
        let wanted = Row {
            name: &format!("GET …/entries at {offset} of {entries}"),
            alone: 300,
            together: 640,
            beside: "; budget p99 60 ms".to_owned(),
        };
        row(library, &wanted, |_| {
            format!("{path}/entries?offset={offset}")
        });
    }
    let wanted = Row {
        name: "GET /playlists",
        alone: 300,
        together: 2000,
        beside: "; budget p99 5 ms".to_owned(),
    };
    row(library, &wanted, |_| "/playlists".to_owned());
}

/// Measures the first pages of smart collections.
fn smart_collections(library: &Library) {
    for (name, rule) in collections::rules() {
        let path = collections::smart(&library.heavy, name, &rule);
        let wanted = Row {
            name: &format!("GET …/items of the collection \"{name}\""),
            alone: 60,
            together: 120,
            beside: "; budget p99 60 ms".to_owned(),
        };
        row(library, &wanted, |_| format!("{path}/items"));
    }
}
