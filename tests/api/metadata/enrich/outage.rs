//! Provider outages: existing matches stay, requests are limited, and missing data is fetched
//! later.

use ledge_tests::{Reply, Server};
use serde_json::{Value, json};

use super::{House, TUNE, carolan, known_to_both, knows, nothing, picture, work};

impl House {
    /// Returns the jobs that wait for a retry.
    fn waiting(&self) -> Vec<Value> {
        let path = "/jobs?status=queued&kind=enrich";
        let jobs = self.admin.get(path).expect(200).json();
        jobs["items"].as_array().expect("jobs").clone()
    }

    fn stop_waiting(&self) {
        let path = format!("/libraries/{}/enrich", self.library);
        self.admin.delete(&path).expect(204);
    }
}

#[test]
fn match_survives_provider_outage() {
    let house = known_to_both();
    let before = house.item(TUNE);
    house.first.answer(|_| Reply::status(500));
    let result = house.enrich(&json!({ "force": true }));
    assert_eq!(
        (&result["failed"], &result["matched"]),
        (&json!(1), &json!(0)),
        "{result}"
    );
    let after = house.item(TUNE);
    for field in ["title", "authors", "provider_ids", "sources"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert!(house.second.asked().is_empty(), "nobody else is asked");
    assert_eq!(house.waiting().len(), 1, "it is tried again");
    house.stop_waiting();
}

#[test]
fn failed_provider_is_queried_again_despite_other_match() {
    let house = House::new(&[TUNE]);
    house.first.answer(|_| Reply::status(500));
    house.second.answer(knows(
        "Bheag",
        work("TB1", "Si Bheag Si Mhor", "Turlough O'Carolan"),
    ));
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    assert_eq!(
        house.item(TUNE)["provider_ids"],
        json!({ "tunebook": "TB1" })
    );
    assert_eq!(house.waiting().len(), 1, "the first one is asked again");
    house.first.answer(knows("Bheag", carolan()));
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    let item = house.item(TUNE);
    assert_eq!(item["title"], "Si Bheag, Si Mhor");
    assert_eq!(item["provider_ids"]["sheetcat"], "SC1");
    assert!(house.waiting().is_empty());
}

#[test]
fn unavailable_cover_is_fetched_later() {
    for failure in [503, 429] {
        let house = House::new(&[TUNE]);
        let mut known = carolan();
        known["cover"] = json!("https://covers.example/1.jpg");
        let answer = knows("Bheag", known.clone());
        house.first.answer(move |asked| match asked.path.as_str() {
            "/1.jpg" => Reply::status(failure),
            _ => answer(asked),
        });
        assert_eq!(house.enrich(&json!({}))["matched"], 1, "{failure}");
        let item = house.item(TUNE);
        assert_eq!(item["title"], "Si Bheag, Si Mhor");
        assert!(item["cover"].is_null(), "{item}");
        let attempt = house.matches(&item["id"])[0].clone();
        assert_eq!(attempt["outcome"], "ok");
        assert!(
            attempt["expires_at"].is_null() && attempt["error"].is_string(),
            "{attempt}"
        );
        assert_eq!(house.waiting().len(), 1, "{failure}");
        let answer = knows("Bheag", known);
        house.first.answer(move |asked| match asked.path.as_str() {
            "/1.jpg" => Reply::bytes("image/jpeg", picture([3, 3, 90])),
            _ => answer(asked),
        });
        assert_eq!(house.enrich(&json!({}))["matched"], 1, "{failure}");
        let item = house.item(TUNE);
        assert_eq!(item["sources"]["cover"], "provider", "{item}");
        let attempt = house.matches(&item["id"])[0].clone();
        assert!(attempt["expires_at"].is_string(), "{attempt}");
        assert!(house.waiting().is_empty());
    }
}

#[test]
fn unavailable_cover_of_chosen_match_is_fetched_later() {
    let house = House::new(&[TUNE]);
    let mut known = carolan();
    known["cover"] = json!("https://covers.example/1.jpg");
    let answer = knows("Bheag", known);
    house.first.answer(move |asked| match asked.path.as_str() {
        "/1.jpg" => Reply::status(503),
        _ => answer(asked),
    });
    let item = house.item(TUNE)["id"].clone();
    let path = format!("/items/{item}/matches/sheetcat");
    let taken = house.admin.put(&path, &json!({ "provider_id": "SC1" }));
    assert_eq!(taken.expect(200).json()["title"], "Si Bheag, Si Mhor");
    let path = "/jobs?status=queued&kind=enrich_item";
    let jobs = house.admin.get(path).expect(200).json();
    assert_eq!(
        (&jobs["total"], &jobs["items"][0]["ref_id"]),
        (&json!(1), &item),
        "{jobs}"
    );
}

/// Returns the outcomes of a provider for an item.
fn outcomes(house: &House, item: &Value, provider: &str) -> Vec<Value> {
    let attempts = house.matches(item).into_iter();
    let own = attempts.filter(|one| one["provider"] == provider);
    own.map(|one| one["outcome"].clone()).collect()
}

#[test]
fn unavailable_provider_is_paused_and_job_waits() {
    let names: Vec<String> = (0..20).map(|n| format!("Anon - Tune {n:02}.abc")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let house = House::new(&names);
    house.first.answer(|_| Reply::status(401));
    house.second.answer(|_| Reply::status(429));
    let path = format!("/libraries/{}/enrich", house.library);
    let status = || {
        house
            .admin
            .get(&format!("{path}/status"))
            .expect(200)
            .json()
    };
    let asked = || (house.first.count("/search"), house.second.count("/search"));
    let put_off = |seen: u64| {
        ledge_tests::server::until("the work to be put off", || {
            let status = status();
            let is_over = status["status"] == "queued" && status["next_at"].is_string();
            (is_over && status["seen"] == seen).then_some(status)
        })
    };
    house.admin.post(&path, &json!({})).expect(202);
    let first = put_off(5);
    assert_eq!(asked(), (5, 5), "then nobody is pestered: {first}");
    let job = &house.waiting()[0];
    let micros = |field: &str| -> i64 {
        let text = job[field].as_str().expect("a time");
        let time: ledge_core::Timestamp = text.parse().expect("a time");
        time.as_micros()
    };
    let wait = micros("run_at") - micros("created_at");
    assert!(
        (55_000_000..=120_000_000).contains(&wait),
        "a minute: {job}"
    );
    // A user's request causes one more query.
    house.admin.post(&path, &json!({})).expect(202);
    put_off(6);
    assert_eq!(asked(), (6, 6));
    house.first.answer(nothing);
    house.second.answer(nothing);
    house.admin.post(&path, &json!({})).expect(202);
    ledge_tests::server::until("the end of the walk", || {
        let status = status();
        (status["seen"] == 20 && status["status"] == "queued").then_some(())
    });
    assert_eq!(asked(), (20, 20), "those that failed are asked for later");
    let item = house.item(names[0])["id"].clone();
    assert_eq!(outcomes(&house, &item, "sheetcat"), [json!("failure")]);
    let result = house.enrich(&json!({}));
    assert_eq!(
        (&result["asked"], &result["standing"]),
        (&json!(6), &json!(14)),
        "{result}"
    );
    assert_eq!(
        outcomes(&house, &item, "sheetcat"),
        [json!("notfound"), json!("failure")]
    );
}

#[test]
fn consecutive_failures_queue_one_retry() {
    let house = House::new(&[TUNE]);
    house.first.answer(|_| Reply::status(500));
    let item = house.item(TUNE)["id"].clone();
    for _ in 0..3 {
        house.enrich(&json!({ "force": true }));
    }
    assert_eq!(outcomes(&house, &item, "sheetcat"), [json!("failure")]);
    assert_eq!(outcomes(&house, &item, "tunebook").len(), 3);
    house.stop_waiting();
}

/// Returns the number of items that need no query.
fn settled(server: &Server) -> i64 {
    let database = ledge_core::db::open::existing(&server.database()).expect("a database");
    let count = database.query_row("SELECT count(*) FROM enrichment_checked", [], |row| {
        row.get(0)
    });
    count.expect("a count")
}

#[test]
fn answered_item_is_skipped_until_it_changes() {
    let house = House::new(&[TUNE, "Anon - Unknown.abc"]);
    house.first.answer(knows("Bheag", carolan()));
    house.enrich(&json!({}));
    assert_eq!(settled(&house.server), 2);
    let item = house.item(TUNE)["id"].clone();
    let path = format!("/items/{item}/matches/sheetcat");
    house.admin.delete(&path).expect(204);
    assert_eq!(settled(&house.server), 1, "the undone one is due");
    house.enrich(&json!({}));
    assert_eq!(settled(&house.server), 2);
    let choice = json!({ "provider_id": "SC1" });
    house.admin.put(&path, &choice).expect(200);
    assert_eq!(settled(&house.server), 1, "and so is a chosen one");
    assert_eq!(house.enrich(&json!({}))["standing"], 2);
    assert_eq!(settled(&house.server), 2);
    // An unavailable provider is queried again in the next run.
    house.first.answer(|_| Reply::status(500));
    house.enrich(&json!({ "force": true }));
    assert_eq!(settled(&house.server), 0);
    house.stop_waiting();
}
