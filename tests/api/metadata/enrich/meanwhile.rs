//! Events during a provider request: a user's decision, a revoked grant, queued jobs, a server
//! stop.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ledge_tests::server::{scan, until};
use ledge_tests::{After, Asked, Fake, Reply};
use serde_json::{Value, json};

use super::{House, TUNE, carolan, known_to_both, knows, nothing, work};
use crate::http::conventions::refused;

/// Makes a provider reply normally, but run `meanwhile` before its first reply.
fn interrupted(
    fake: &Fake,
    meanwhile: impl FnOnce() + Send + 'static,
    answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
) {
    let meanwhile = Mutex::new(Some(meanwhile));
    fake.answer(move |asked| {
        let now = meanwhile
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(now) = now {
            now();
        }
        answer(asked)
    });
}

/// Holds a provider's replies until the test releases them.
fn held(fake: &Fake, answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Sender<()> {
    let (release, wait): (Sender<()>, Receiver<()>) = channel();
    let wait = Mutex::new(wait);
    fake.answer(move |asked| {
        // The other end is dropped when all replies are released.
        let _ = wait.lock().unwrap_or_else(PoisonError::into_inner).recv();
        answer(asked)
    });
    release
}

fn two_hills() -> Value {
    work("TB7", "The Two Hills", "A. Harper")
}

#[test]
fn choice_during_request_is_kept() {
    let house = House::new(&[TUNE]);
    house.second.answer(knows("Nowhere", two_hills()));
    let item = house.item(TUNE)["id"].clone();
    let path = format!("/items/{item}/matches/tunebook");
    let admin = house.admin.clone();
    let choose = move || {
        admin
            .put(&path, &json!({ "provider_id": "TB7" }))
            .expect(200);
    };
    interrupted(&house.first, choose, knows("Bheag", carolan()));
    let result = house.enrich(&json!({}));
    assert_eq!(
        (&result["matched"], &result["standing"]),
        (&json!(0), &json!(1)),
        "{result}"
    );
    let tune = house.item(TUNE);
    assert_eq!(tune["title"], "The Two Hills");
    assert_eq!(tune["provider_ids"], json!({ "tunebook": "TB7" }));
    let attempts = house.matches(&item);
    assert_eq!(
        attempts.len(),
        1,
        "no match that was not made: {attempts:?}"
    );
    assert_eq!(
        (&attempts[0]["is_current"], &attempts[0]["is_chosen"]),
        (&json!(true), &json!(true))
    );
}

#[test]
fn choice_undone_during_refresh_stays_undone() {
    let house = House::new(&[TUNE]);
    house.second.answer(knows("Nowhere", two_hills()));
    let before = house.item(TUNE);
    let path = format!("/items/{}/matches/tunebook", before["id"]);
    house
        .admin
        .put(&path, &json!({ "provider_id": "TB7" }))
        .expect(200);
    let admin = house.admin.clone();
    let undo = move || {
        admin.delete(&path).expect(204);
    };
    interrupted(&house.second, undo, knows("Nowhere", two_hills()));
    house.enrich_item(&before["id"]);
    let after = house.item(TUNE);
    for field in ["title", "year", "authors", "provider_ids", "sources"] {
        assert_eq!(after[field], before[field], "{field}");
    }
}

#[test]
fn next_run_queries_after_undo() {
    let house = known_to_both();
    let item = house.item(TUNE)["id"].clone();
    assert_eq!(
        house.item(TUNE)["provider_ids"],
        json!({ "sheetcat": "SC1" })
    );
    let undo = format!("/items/{item}/matches/sheetcat");
    house.admin.delete(&undo).expect(204);
    let result = house.enrich(&json!({}));
    assert_eq!(
        (&result["asked"], &result["matched"]),
        (&json!(1), &json!(1)),
        "{result}"
    );
    let tune = house.item(TUNE);
    assert_eq!(tune["provider_ids"], json!({ "tunebook": "TB1" }));
    assert_eq!(tune["sources"]["year"], "provider", "{tune}");
    assert_eq!(house.enrich(&json!({}))["standing"], 1);
}

#[test]
fn match_with_lost_values_is_restored() {
    let house = House::new(&[TUNE]);
    house.first.answer(|_| Reply::status(500));
    let mut known = work("TB1", "Si Bheag Si Mhor", "Turlough O'Carolan");
    known["description"] = json!("Of the tune book.");
    house.second.answer(knows("Bheag", known));
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    // The first catalogue's match replaces the earlier one and is undone.
    house.first.answer(knows("Bheag", carolan()));
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    let item = house.item(TUNE)["id"].clone();
    assert_eq!(house.item(TUNE)["title"], "Si Bheag, Si Mhor");
    house
        .admin
        .delete(&format!("/items/{item}/matches/sheetcat"))
        .expect(204);
    let bare = house.item(TUNE);
    assert_eq!(bare["provider_ids"], json!({ "tunebook": "TB1" }));
    assert!(bare["description"].is_null(), "{bare}");
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    assert_eq!(house.item(TUNE)["description"], "Of the tune book.");
}

#[test]
fn grant_revoked_during_request_changes_nothing() {
    let house = House::new(&[TUNE]);
    let before = house.item(TUNE);
    let users = house.admin.get("/users").expect(200).json();
    let own = users["items"][0]["id"].clone();
    let grant = format!("/libraries/{}/grants/{own}", house.library);
    let (admin, revoked) = (house.admin.clone(), grant.clone());
    let revoke = move || {
        admin.delete(&revoked).expect(204);
    };
    interrupted(&house.first, revoke, knows("Bheag", carolan()));
    let path = format!("/items/{}/matches/sheetcat", before["id"]);
    let choice = json!({ "provider_id": "SC1" });
    refused(&house.admin.put(&path, &choice), 404, "not_found");
    house.admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(house.item(TUNE), before);
    assert_eq!(house.matches(&before["id"]), [] as [Value; 0]);
}

#[test]
fn library_has_one_running_enrichment_and_all_jobs_can_be_stopped() {
    let house = House::new(&[TUNE, "Anon - Other.abc"]);
    let release = held(&house.first, nothing);
    let path = format!("/libraries/{}/enrich", house.library);
    let status = || {
        house
            .admin
            .get(&format!("{path}/status"))
            .expect(200)
            .json()
    };
    let first = house.admin.post(&path, &json!({})).expect(202).json();
    until("the question", || {
        (house.first.count("/search") == 1).then_some(())
    });
    let second = house.admin.post(&path, &json!({ "force": true }));
    let second = second.expect(202).json();
    assert_ne!(first, second, "what runs believes earlier answers");
    // Free workers take later jobs.
    scan(&house.admin, house.library);
    let jobs = || {
        let jobs = house.admin.get("/jobs?kind=enrich").expect(200).json();
        jobs["items"].as_array().expect("jobs").clone()
    };
    let of = |wanted: &Value| {
        let mut jobs = jobs().into_iter();
        jobs.find(|job| job["id"] == wanted["job_id"])
            .expect("the job")
    };
    assert_eq!(of(&second)["status"], "queued");
    assert_eq!(
        (&status()["status"], &status()["job_id"]),
        (&json!("running"), &first["job_id"]),
        "the one that waits says nothing yet"
    );
    house.admin.delete(&path).expect(204);
    until("the end of both", || {
        let all = jobs();
        let is_over = |job: &Value| job["status"] == "done" && job["result"]["cancelled"] == true;
        all.iter().all(is_over).then_some(())
    });
    assert_eq!(status()["status"], "cancelled");
    assert_eq!(house.first.count("/search"), 1, "nobody is asked any more");
    drop(release);
}

#[test]
fn enrichment_is_stopped_while_other_jobs_wait() {
    let house = House::with(&[TUNE], &[("LEDGE_JOB_WORKERS", "1")]);
    let release = held(&house.first, nothing);
    let path = format!("/libraries/{}/enrich", house.library);
    let enriching = house.admin.post(&path, &json!({})).expect(202).json();
    until("the question", || {
        (house.first.count("/search") == 1).then_some(())
    });
    let scan = format!("/libraries/{}/scan", house.library);
    house.admin.send("POST", &scan, &[], None).expect(202);
    house.admin.delete(&path).expect(204);
    until("the scan's end", || {
        let status = house.admin.get(&format!("{scan}/status")).expect(200);
        (status.json()["status"] == "done").then_some(())
    });
    let jobs = house.admin.get("/jobs?kind=enrich").expect(200).json();
    assert_eq!(jobs["total"], 1, "{jobs}");
    let job = &jobs["items"][0];
    assert_eq!(
        (&job["id"], &job["status"], &job["result"]["cancelled"]),
        (&enriching["job_id"], &json!("done"), &json!(true)),
        "{job}"
    );
    drop(release);
}

#[test]
fn stopping_server_does_not_wait_for_provider() {
    let mut house = House::new(&[TUNE]);
    let hangs = Arc::new(AtomicBool::new(true));
    let is_silent = hangs.clone();
    house.first.answer(move |asked| {
        if is_silent.load(Ordering::SeqCst) {
            return Reply::raw("").then(After::Hang);
        }
        nothing(asked)
    });
    let path = format!("/libraries/{}/enrich", house.library);
    let queued = house.admin.post(&path, &json!({})).expect(202).json();
    until("the question", || {
        (house.first.count("/search") == 1).then_some(())
    });
    let begun = Instant::now();
    assert_eq!(house.server.terminate(), Some(0));
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "an answer may take 30 s"
    );
    hangs.store(false, Ordering::SeqCst);
    house.server.restart();
    let result = super::ended(&house.admin, &queued["job_id"]);
    assert_eq!(result["notfound"], 1, "{result}");
}

#[test]
fn match_without_cover_keeps_own_cover() {
    let house = House::new(&[]);
    let folder = house.server.folder().join("media/Carolan");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join(TUNE), "X:1\nK:C\n").expect("a file");
    fs::write(folder.join("cover.jpg"), super::picture([1, 200, 1])).expect("a file");
    scan(&house.admin, house.library);
    let with_cover = |is_theirs: bool| {
        until("the cover", || {
            let item = house.item(TUNE);
            let is_right = (item["sources"]["cover"] == "provider") == is_theirs;
            (!item["cover"].is_null() && is_right).then_some(item)
        })
    };
    let own = with_cover(false);
    let body = super::picture([200, 1, 1]);
    let mut known = carolan();
    known["cover"] = json!("https://covers.example/1.jpg");
    let answer = knows("Bheag", known);
    house.first.answer(move |asked| match asked.path.as_str() {
        "/1.jpg" => Reply::bytes("image/jpeg", body.clone()),
        _ => answer(asked),
    });
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    let theirs = with_cover(true);
    assert_ne!(theirs["cover"]["url"], own["cover"]["url"]);
    house.first.answer(nothing);
    house.second.answer(knows(
        "Bheag",
        work("TB1", "Si Bheag Si Mhor", "Turlough O'Carolan"),
    ));
    assert_eq!(house.enrich(&json!({ "force": true }))["matched"], 1);
    let again = with_cover(false);
    assert_eq!(again["cover"]["url"], own["cover"]["url"], "without a scan");
}
