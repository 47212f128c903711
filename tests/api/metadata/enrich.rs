//! Enrichment with fake providers: queries, recorded attempts, and precedence of edits.

mod choosing;
mod covers;
mod details;
mod failing;
mod identify;
mod meanwhile;
mod outage;
mod people;
mod preview;
mod settings;
mod standing;
mod unlocking;

use std::fs;
use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage};
use ledge_tests::server::{program, scan, scanned_library, until};
use ledge_tests::{Asked, Client, Fake, Reply, Server};
use serde_json::{Value, json};

/// Server with a library of sheet music, and two catalogues as providers.
pub(crate) struct House {
    server: Server,
    admin: Client,
    library: i64,
    first: Fake,
    second: Fake,
}

/// Replies without a result.
fn nothing(_: &Asked) -> Reply {
    Reply::json(&json!({ "works": [] }))
}

/// Returns a work in the format of the catalogues.
fn work(id: &str, title: &str, author: &str) -> Value {
    json!({ "id": id, "title": title, "authors": [author], "year": 1723 })
}

/// Replies with a work to queries with these words, and to requests for the work itself.
fn knows(words: &'static str, work: Value) -> impl Fn(&Asked) -> Reply + Send + Sync {
    move |asked| {
        let own = format!("/works/{}", work["id"].as_str().expect("an id"));
        if asked.path == own {
            return Reply::json(&work);
        }
        if asked.path.starts_with("/works/") {
            return Reply::status(404);
        }
        if asked.path.contains(words) {
            return Reply::json(&json!({ "works": [work] }));
        }
        nothing(asked)
    }
}

fn carolan() -> Value {
    work("SC1", "Si Bheag, Si Mhor", "Turlough O'Carolan")
}

/// Creates a tune that both catalogues have, matched by the first one.
fn known_to_both() -> House {
    let house = House::new(&[TUNE]);
    house.first.answer(knows("Bheag", carolan()));
    house.second.answer(knows(
        "Bheag",
        work("TB1", "Si Bheag Si Mhor", "Turlough O'Carolan"),
    ));
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    house
}

pub(crate) fn picture(colour: [u8; 3]) -> Vec<u8> {
    let mut body = Cursor::new(Vec::new());
    RgbImage::from_pixel(600, 800, Rgb(colour))
        .write_to(&mut body, ImageFormat::Jpeg)
        .expect("an image");
    body.into_inner()
}

const TUNE: &str = "Turlough O'Carolan - Si Bheag Si Mhor.abc";

impl House {
    fn with(names: &[&str], further: &[(&str, &str)]) -> Self {
        let (first, second) = (Fake::start(nothing), Fake::start(nothing));
        let (one, two) = (first.url(), second.url());
        let mut settings = vec![
            ("LEDGE_SHEETCAT_URL", one.as_str()),
            ("LEDGE_TUNEBOOK_URL", two.as_str()),
        ];
        settings.extend(further);
        let server = Server::with(&program("ledge-example"), &settings);
        let media = server.folder().join("media");
        fs::create_dir(&media).expect("a folder");
        for name in names {
            fs::write(media.join(name), format!("X:1\nK:C\n% {name}")).expect("a file");
        }
        let admin = server.admin();
        let (library, _) = scanned_library(&admin, "Sheets", &media);
        Self {
            server,
            admin,
            library,
            first,
            second,
        }
    }

    fn new(names: &[&str]) -> Self {
        Self::with(names, &[])
    }

    /// Enriches the library and returns the job's result.
    #[track_caller]
    fn enrich(&self, body: &Value) -> Value {
        let path = format!("/libraries/{}/enrich", self.library);
        let queued = self.admin.post(&path, body).expect(202).json();
        ended(&self.admin, &queued["job_id"])
    }

    /// Refreshes one item and returns the job's result.
    #[track_caller]
    fn enrich_item(&self, item: &Value) -> Value {
        let path = format!("/items/{item}/enrich");
        let queued = self.admin.send("POST", &path, &[], None).expect(202).json();
        ended(&self.admin, &queued["job_id"])
    }

    /// Returns the only item, or the one with a file of this name.
    fn item(&self, name: &str) -> Value {
        let items = self.admin.get("/items?limit=500").expect(200).json()["items"].clone();
        let items = items.as_array().expect("items");
        let details = items.iter().map(|card| {
            let path = format!("/items/{}", card["id"]);
            self.admin.get(&path).expect(200).json()
        });
        let mut named = details.filter(|item| item["files"][0]["name"] == name);
        named.next().unwrap_or_else(|| panic!("there is no {name}"))
    }

    /// Returns every attempt for an item, newest first.
    fn matches(&self, item: &Value) -> Vec<Value> {
        let path = format!("/items/{item}/matches");
        let body = self.admin.get(&path).expect(200).json();
        body["items"].as_array().expect("items").clone()
    }
}

/// Returns the result of a job, once it is done.
#[track_caller]
pub(crate) fn ended(admin: &Client, id: &Value) -> Value {
    let job = until("the job's end", || {
        let jobs = admin.get("/jobs?limit=500").expect(200).json();
        let jobs = jobs["items"].as_array().expect("jobs").clone();
        let job = jobs.into_iter().find(|job| job["id"] == *id)?;
        (job["status"] == "done" || job["status"] == "failed").then_some(job)
    });
    assert_eq!(job["status"], "done", "{job}");
    job["result"].clone()
}

#[test]
fn match_of_provider_is_written_and_recorded() {
    let house = House::new(&[TUNE]);
    let body = picture([200, 30, 30]);
    let answer = knows(
        "Bheag",
        json!({
            "id": "SC1", "title": "Sí Bheag, Sí Mhór", "authors": ["Turlough O'Carolan"],
            "year": 1691, "description": "Two hills.", "cover": "http://covers.example/1.jpg",
        }),
    );
    house.first.answer(move |asked| match asked.path.as_str() {
        "/1.jpg" => Reply::bytes("image/jpeg", body.clone()),
        _ => answer(asked),
    });
    let result = house.enrich(&json!({}));
    for (count, n) in [
        ("total", 1),
        ("asked", 1),
        ("matched", 1),
        ("notfound", 0),
        ("failed", 0),
    ] {
        assert_eq!(result[count], n, "{result}");
    }
    let item = house.item(TUNE);
    assert_eq!(item["title"], "Sí Bheag, Sí Mhór");
    assert_eq!(
        (&item["year"], &item["description"]),
        (&json!(1691), &json!("Two hills."))
    );
    assert_eq!(item["authors"], "Turlough O'Carolan");
    assert_eq!(item["provider_ids"], json!({ "sheetcat": "SC1" }));
    assert_eq!(item["cover"]["width"], 600);
    let sources = &item["sources"];
    for field in ["title", "year", "authors", "description", "cover"] {
        assert_eq!(sources[field], "provider", "{field}: {sources}");
    }
    let attempts = house.matches(&item["id"]);
    assert_eq!(
        attempts.len(),
        1,
        "the second catalogue is not asked: {attempts:?}"
    );
    let attempt = &attempts[0];
    assert_eq!(
        (&attempt["provider"], &attempt["outcome"]),
        (&json!("sheetcat"), &json!("ok"))
    );
    assert_eq!(
        (&attempt["provider_id"], &attempt["year"]),
        (&json!("SC1"), &json!(1691))
    );
    assert_eq!(attempt["title"], "Sí Bheag, Sí Mhór");
    assert_eq!(attempt["authors"], "Turlough O'Carolan");
    assert!(
        attempt["query"]
            .as_str()
            .expect("a query")
            .contains("Si Bheag Si Mhor")
    );
    assert!(attempt["score"].as_f64().expect("a score") > 0.7 && attempt["error"].is_null());
    assert!(attempt["expires_at"].as_str() > attempt["fetched_at"].as_str());
    assert!(house.second.asked().is_empty());
    let found = house.admin.get("/search?q=mhór").expect(200).json();
    assert_eq!(found["total"], 1, "{found}");
    let asked = house.first.asked();
    assert_eq!(
        asked[0].header("user-agent"),
        concat!(
            "Ledge/",
            env!("CARGO_PKG_VERSION"),
            " (self-hosted media library)"
        )
    );
}

#[test]
fn rescan_keeps_match_and_edit() {
    let house = House::new(&[TUNE]);
    house.first.answer(knows(
        "Bheag",
        json!({
            "id": "SC1", "title": "Sí Bheag", "authors": ["Carolan"], "year": 1691,
            "description": "Two hills.",
        }),
    ));
    let item = house.item(TUNE);
    let path = format!("/items/{}", item["id"]);
    let edit = json!({ "year": 1700, "description": "My own words." });
    house.admin.patch(&path, &edit).expect(200);
    house.first.answer(knows(
        "Bheag",
        work("SC1", "Sí Bheag, Sí Mhór", "Turlough O’Carolan"),
    ));
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    let enriched = house.item(TUNE);
    assert_eq!(enriched["title"], "Sí Bheag, Sí Mhór");
    assert_eq!(enriched["year"], 1700);
    assert_eq!(enriched["description"], "My own words.");
    let media = house.server.folder().join("media");
    for change in [None, Some("X:1\nT:Quite another tune\nC:Nobody\nK:G\n")] {
        if let Some(body) = change {
            fs::write(media.join(TUNE), body).expect("a file");
        }
        scan(&house.admin, house.library);
        let again = house.item(TUNE);
        for field in ["title", "year", "authors", "description", "provider_ids"] {
            assert_eq!(again[field], enriched[field], "{field}");
        }
    }
}

#[test]
fn library_is_enriched_after_scan_if_enabled() {
    let house = House::with(&[], &[("LEDGE_ENRICH", "on")]);
    house.first.answer(knows(
        "Bheag",
        work("SC1", "Si Bheag Si Mhor", "Turlough O'Carolan"),
    ));
    fs::write(house.server.folder().join("media").join(TUNE), "X:1").expect("a file");
    scan(&house.admin, house.library);
    until("the match", || {
        (house.item(TUNE)["provider_ids"]["sheetcat"] == "SC1").then_some(())
    });
    let status = until("the end", || {
        let path = format!("/libraries/{}/enrich/status", house.library);
        let status = house.admin.get(&path).expect(200).json();
        (status["status"] == "done").then_some(status)
    });
    assert_eq!(
        (&status["total"], &status["matched"]),
        (&json!(1), &json!(1)),
        "{status}"
    );
}

#[test]
fn administrators_receive_progress_events() {
    let house = House::new(&[TUNE]);
    let (user, mia) = house.server.user(&house.admin, "mia");
    let grant = format!("/libraries/{}/grants/{user}", house.library);
    house.admin.send("PUT", &grant, &[], None).expect(204);
    let (told, untold) = (house.admin.events(), mia.events());
    house.enrich(&json!({}));
    let is_end = |name: &str, data: &Value| name == "enrichment" && data["status"] == "done";
    let (_, last) = told.until(is_end).pop().expect("the end");
    assert_eq!(last["library_id"], house.library);
    assert_eq!(
        (&last["asked"], &last["notfound"]),
        (&json!(1), &json!(1)),
        "{last}"
    );
    scan(&house.admin, house.library);
    let seen = untold.until(|name, data| name == "scan" && data["status"] == "done");
    assert!(
        seen.iter().all(|(name, _)| name != "enrichment"),
        "how it goes is the administrator's to know: {seen:?}"
    );
}

#[test]
fn granted_user_sees_matches_and_providers() {
    let house = House::new(&[TUNE]);
    house.enrich(&json!({}));
    let item = house.item(TUNE);
    let (user, mia) = house.server.user(&house.admin, "mia");
    let path = format!("/items/{}/matches", item["id"]);
    mia.get(&path).expect(404);
    let grant = format!("/libraries/{}/grants/{user}", house.library);
    house.admin.send("PUT", &grant, &[], None).expect(204);
    let seen = mia.get(&path).expect(200).json();
    assert_eq!(seen["items"].as_array().map(Vec::len), Some(2), "{seen}");
    for one in seen["items"].as_array().expect("items") {
        assert_eq!(one["outcome"], "notfound");
    }
    let providers = mia.get("/providers").expect(200).json();
    let ids = providers["items"].as_array().expect("items").iter();
    let ids: Vec<&str> = ids.filter_map(|one| one["id"].as_str()).collect();
    let order = |id: &str| ids.iter().position(|known| *known == id);
    assert!(
        order("sheetcat") < order("tunebook") && order("sheetcat").is_some(),
        "{ids:?}"
    );
    assert_eq!(order("vault"), None, "it has no key");
}
