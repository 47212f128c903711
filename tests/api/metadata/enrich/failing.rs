//! Failing providers: each failure is recorded, and the job continues.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use ledge_tests::server::until;
use ledge_tests::{After, Asked, Fake, Reply};
use serde_json::json;

use super::{House, TUNE, knows, picture, work};

fn bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(&vec![b' '; 64 << 20])
        .expect("a write into memory");
    encoder.finish().expect("a write into memory")
}

/// Returns the first catalogue's reply for a tune of this name.
fn misbehave(way: &str, elsewhere: &str) -> Reply {
    match way {
        "Broken" => Reply::status(500),
        "Later" => Reply::status(429).header("Retry-After", "1"),
        "Moved" => Reply::status(302).header("Location", elsewhere),
        "Circle" => Reply::status(301).header("Location", "/search?q=Circle"),
        "Local" => Reply::status(302).header("Location", "file:///etc/passwd"),
        "Torn" => Reply::bytes("application/json", "{\"works\": [{\"id\""),
        "Wrong" => Reply::json(&json!({ "works": { "id": 5 } })),
        "Page" => Reply::bytes("text/html", "<html>{\"works\": []}</html>"),
        "Noise" => Reply::raw("\u{0}\u{1}\u{2} this is no HTTP\r\n\r\n"),
        "Short" => Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"works\""),
        "Empty" => Reply::raw(""),
        "Huge" => Reply::bytes("application/json", "{").then(After::Endless),
        "Bomb" => Reply::bytes("application/json", bomb()).header("Content-Encoding", "gzip"),
        "Zipped" => Reply::bytes("application/json", "{}").header("Content-Encoding", "gzip"),
        "Stuck" => Reply::bytes("application/json", "{\"works\"").then(After::Hang),
        other => panic!("no reply is defined for {other}"),
    }
}

const WAYS: [&str; 15] = [
    "Broken", "Later", "Moved", "Circle", "Local", "Torn", "Wrong", "Page", "Noise", "Short",
    "Empty", "Huge", "Bomb", "Zipped", "Stuck",
];

fn way_of(asked: &Asked) -> Option<&'static str> {
    WAYS.into_iter().find(|way| asked.path.contains(way))
}

#[test]
fn provider_failure_is_recorded_and_next_item_is_queried() {
    let names: Vec<String> = WAYS.iter().map(|way| format!("Anon - {way}.abc")).collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.push(TUNE);
    let house = House::new(&names);
    let secret = Fake::start(|_| Reply::json(&json!({ "works": [] })));
    let elsewhere = secret.url();
    let good = knows(
        "Bheag",
        work("SC1", "Si Bheag Si Mhor", "Turlough O'Carolan"),
    );
    house.first.answer(move |asked| match way_of(asked) {
        Some(way) => misbehave(way, &elsewhere),
        None => good(asked),
    });
    let path = format!("/libraries/{}/enrich", house.library);
    house.admin.post(&path, &json!({})).expect(202);
    let status = until("the end of the first run", || {
        let status = house
            .admin
            .get(&format!("{path}/status"))
            .expect(200)
            .json();
        (status["seen"] == names.len() && status["status"] != "running").then_some(status)
    });
    let failed = u64::try_from(WAYS.len()).expect("few");
    assert_eq!(status["failed"], failed, "{status}");
    assert_eq!(status["matched"], 1, "{status}");
    for way in WAYS {
        let item = house.item(&format!("Anon - {way}.abc"));
        let attempts = house.matches(&item["id"]);
        let of = |provider: &str| {
            let mut own = attempts
                .iter()
                .rev()
                .filter(|one| one["provider"] == provider);
            own.next()
                .unwrap_or_else(|| panic!("{way}: {attempts:?}"))
                .clone()
        };
        assert_eq!(of("sheetcat")["outcome"], "failure", "{way}: {attempts:?}");
        assert!(of("sheetcat")["error"].is_string() && of("sheetcat")["expires_at"].is_null());
        assert_eq!(of("tunebook")["outcome"], "notfound", "{way}: {attempts:?}");
    }
    assert_eq!(house.item(TUNE)["provider_ids"]["sheetcat"], "SC1");
    assert!(secret.asked().is_empty(), "a private address was reached");
    assert!(
        house.first.count("/search?q=Circle") <= 12,
        "the circle ends"
    );
}

#[test]
fn failure_is_retried_later_or_at_once_on_request() {
    let house = House::new(&[TUNE]);
    house
        .first
        .answer(|_| Reply::status(503).header("Retry-After", "40"));
    let result = house.enrich(&json!({}));
    assert_eq!(
        (&result["asked"], &result["failed"]),
        (&json!(1), &json!(1)),
        "{result}"
    );
    let jobs = house
        .admin
        .get("/jobs?status=queued&kind=enrich")
        .expect(200)
        .json();
    let next = &jobs["items"][0];
    let micros = |field: &str| -> i64 {
        let text = next[field].as_str().expect("a time");
        text.parse::<ledge_core::Timestamp>()
            .expect("a time")
            .as_micros()
    };
    let wait = micros("run_at") - micros("created_at");
    assert!(
        (39_000_000..=45_000_000).contains(&wait),
        "as the provider wished: {next}"
    );
    let status = format!("/libraries/{}/enrich/status", house.library);
    let status = house.admin.get(&status).expect(200).json();
    assert_eq!(
        (&status["status"], &status["failed"]),
        (&json!("queued"), &json!(1)),
        "{status}"
    );
    assert!(status["next_at"].is_string(), "{status}");
    assert_eq!(house.first.count("/search"), 1);
    let path = format!("/libraries/{}/enrich", house.library);
    let again = house.admin.post(&path, &json!({})).expect(202).json();
    assert_eq!(again["job_id"], next["id"], "the one that waited");
    house.admin.delete(&path).expect(204);
}

#[test]
fn invalid_cover_does_not_affect_match() {
    let secret = Fake::start(|_| Reply::bytes("image/jpeg", picture([1, 2, 3])));
    let elsewhere = secret.url();
    let covers = ["text", "noise", "gone", "moved", "huge", "torn"];
    let names = covers.map(|cover| format!("Anon - Cover {cover}.abc"));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let house = House::new(&names);
    let torn = picture([9, 9, 9]);
    let torn = torn[..torn.len() / 3].to_vec();
    house.first.answer(move |asked| match asked.path.as_str() {
        "/text.jpg" => Reply::bytes("text/html", "<html>not here</html>"),
        "/noise.jpg" => Reply::bytes("image/jpeg", vec![7; 5000]),
        "/gone.jpg" => Reply::status(404),
        "/moved.jpg" => Reply::status(302).header("Location", &elsewhere),
        "/huge.jpg" => Reply::bytes("image/jpeg", "x").then(After::Endless),
        "/torn.jpg" => Reply::bytes("image/jpeg", torn.clone()),
        search => {
            let cover = covers.iter().find(|cover| search.ends_with(**cover));
            let cover = cover.expect("one of them");
            Reply::json(&json!({ "works": [{
                "id": format!("SC-{cover}"), "title": format!("Cover {cover}"),
                "authors": ["Anon"], "cover": format!("https://covers.example/{cover}.jpg"),
            }] }))
        }
    });
    let result = house.enrich(&json!({}));
    assert_eq!(result["matched"], covers.len(), "{result}");
    for name in names {
        let item = house.item(name);
        assert!(item["provider_ids"]["sheetcat"].is_string(), "{item}");
        let attempt = house.matches(&item["id"])[0].clone();
        assert_eq!(attempt["outcome"], "ok");
        // A truncated picture may be shown partially.
        if !name.contains("torn") {
            assert!(item["cover"].is_null(), "{name}: {item}");
            assert!(attempt["error"].is_string(), "{name}: {attempt}");
        }
    }
    assert!(secret.asked().is_empty(), "a private address was reached");
}
