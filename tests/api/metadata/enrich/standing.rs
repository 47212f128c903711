//! Answers are valid for 30 days, also across restarts, unless a user requests a refresh.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ledge_core::db::open;
use ledge_tests::Reply;
use ledge_tests::server::until;
use serde_json::json;

use super::{House, TUNE, ended, knows, nothing, work};

#[test]
fn answer_is_valid_until_expiry_or_forced_refresh() {
    let house = House::new(&[TUNE, "Anon - Unknown.abc"]);
    house.first.answer(knows(
        "Bheag",
        work("SC1", "Si Bheag Si Mhor", "Turlough O'Carolan"),
    ));
    let result = house.enrich(&json!({}));
    assert_eq!(
        (&result["matched"], &result["notfound"]),
        (&json!(1), &json!(1)),
        "{result}"
    );
    let asked = || (house.first.count("/search"), house.second.count("/search"));
    assert_eq!(asked(), (2, 1));
    let again = house.enrich(&json!({ "force": false }));
    assert_eq!(
        (&again["asked"], &again["standing"]),
        (&json!(0), &json!(2)),
        "{again}"
    );
    assert_eq!(asked(), (2, 1), "nobody is asked again");
    let anew = house.enrich(&json!({ "force": true }));
    assert_eq!(anew["asked"], 2, "{anew}");
    assert_eq!(asked(), (4, 2));
    let item = house.item(TUNE)["id"].clone();
    let path = format!("/items/{item}/enrich");
    let kept = house
        .admin
        .post(&path, &json!({ "force": false }))
        .expect(202)
        .json();
    assert_eq!(ended(&house.admin, &kept["job_id"])["outcome"], "standing");
    assert_eq!(house.enrich_item(&item)["outcome"], "matched");
    assert_eq!(asked(), (5, 2), "asking about an item is asking anew");

    let days = |attempt: &serde_json::Value| {
        let micros = |field: &str| -> i64 {
            let text = attempt[field].as_str().expect("a time");
            text.parse::<ledge_core::Timestamp>()
                .expect("a time")
                .as_micros()
        };
        (micros("expires_at") - micros("fetched_at")) / 86_400_000_000
    };
    assert_eq!(days(&house.matches(&item)[0]), 30);
    let database = open::existing(&house.server.database()).expect("a database");
    let changed = database
        .execute(
            "UPDATE metadata_fetch SET expires_at = '2020-01-01T00:00:00.000000Z'",
            [],
        )
        .expect("a change");
    assert!(changed > 0);
    assert_eq!(house.enrich(&json!({}))["asked"], 2, "a month later");
}

#[test]
fn restart_does_not_repeat_answered_queries() {
    let names: Vec<String> = (0..60).map(|n| format!("Anon - Tune {n:03}.abc")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut house = House::new(&names);
    // The server is killed before the 25th reply.
    let count = Arc::new(AtomicUsize::new(0));
    let questions = count.clone();
    house.first.answer(move |asked| {
        if questions.fetch_add(1, Ordering::SeqCst) == 24 {
            return Reply::bytes("application/json", "{").then(ledge_tests::After::Hang);
        }
        nothing(asked)
    });
    let path = format!("/libraries/{}/enrich", house.library);
    let queued = house
        .admin
        .post(&path, &json!({ "force": true }))
        .expect(202)
        .json();
    until("the 25th question", || {
        (count.load(Ordering::SeqCst) == 25).then_some(())
    });
    house.server.kill();
    house.first.answer(nothing);
    house.server.restart();
    let result = ended(&house.admin, &queued["job_id"]);
    for (count, n) in [("total", 60), ("seen", 60), ("asked", 60), ("notfound", 60)] {
        assert_eq!(result[count], n, "{result}");
    }
    for (fake, repeated) in [(&house.first, 1), (&house.second, 0)] {
        let mut paths: Vec<String> = fake.asked().into_iter().map(|asked| asked.path).collect();
        let all = paths.len();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), 60);
        assert_eq!(
            all - paths.len(),
            repeated,
            "only the one without an answer"
        );
    }
}

#[test]
fn running_job_can_be_stopped_and_second_request_reuses_it() {
    let house = House::new(&[TUNE, "Anon - Other.abc"]);
    house
        .first
        .answer(|_| Reply::bytes("application/json", "{").then(ledge_tests::After::Hang));
    let path = format!("/libraries/{}/enrich", house.library);
    let status = || {
        house
            .admin
            .get(&format!("{path}/status"))
            .expect(200)
            .json()
    };
    assert_eq!(status()["status"], "never");
    let first = house.admin.post(&path, &json!({})).expect(202).json();
    until("the question", || {
        (house.first.count("/search") == 1).then_some(())
    });
    let second = house.admin.post(&path, &json!({})).expect(202).json();
    assert_eq!(first, second);
    assert_eq!(status()["status"], "running");
    house.admin.delete(&path).expect(204);
    until("the end", || {
        (status()["status"] == "cancelled").then_some(())
    });
    house.admin.delete(&path).expect(204);
}
