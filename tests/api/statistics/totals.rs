//! Sums by period, kind, author, genre and item, and the access to them.

use ledge_tests::Client;
use serde_json::{Value, json};

use super::diary::{Diary, diary, entries, read, stats, sums};
use crate::http::conventions::{has_keys, invalid};

/// Returns a diary in which the client read an hour across midnight, and a minute of each other
/// item.
fn filled(client: impl Fn(&Diary) -> Client) -> (Diary, Client) {
    let diary = diary();
    let client = client(&diary);
    let [emma, nana, film] = ["Emma", "Nana", "Lantern"].map(|title| diary.item(title));
    read(
        &client,
        emma,
        &[
            ("31T22:58", 1),
            ("31T22:59", 4),
            ("31T23:02", 9),
            ("31T23:04", 10),
        ],
    );
    read(&client, nana, &[("28T12:00", 1), ("28T12:01", 3)]);
    read(&client, film, &[("30T12:00", 1), ("30T12:01:30", 3)]);
    (diary, client)
}

fn own(diary: &Diary) -> Client {
    diary.admin.clone()
}

#[test]
fn overview_has_all_fields() {
    let (_diary, client) = filled(own);
    let overview = stats(&client, "");
    has_keys(&overview, "from to by totals items");
    assert_eq!(
        [&overview["from"], &overview["to"], &overview["by"]],
        ["2024-01-01", "2024-02-29", "day"]
    );
    has_keys(&overview["totals"], "seconds pages sessions finished days");
    assert_eq!(sums(&overview["totals"]), [510, 11, 3, 0]);
    assert_eq!(overview["totals"]["days"], 3);
    has_keys(
        &overview["items"][0],
        "key name seconds pages sessions finished",
    );
    let without = client.get("/stats").expect(200).json();
    assert_eq!(sums(&without["totals"]), [0; 4]);
    assert_eq!(without["items"], json!([]));
}

#[test]
fn sessions_are_divided_at_midnight_of_the_zone() {
    let (_diary, client) = filled(own);
    let berlin = "tz=Europe/Berlin";
    let days = stats(&client, berlin);
    assert_eq!(
        entries(&days),
        [
            "2024-01-28 60 2",
            "2024-01-30 90 0",
            "2024-01-31 120 3",
            "2024-02-01 240 6"
        ]
    );
    // The part of each day counts as a session.
    assert_eq!(
        (sums(&days["totals"]), &days["totals"]["days"]),
        ([510, 11, 4, 0], &json!(4))
    );
    for (by, expected) in [
        ("week", vec!["2024-W04 60 2", "2024-W05 450 9"]),
        ("month", vec!["2024-01 270 5", "2024-02 240 6"]),
        ("year", vec!["2024 510 11"]),
        ("hour", vec!["0 240 6", "13 150 2", "23 120 3"]),
    ] {
        let grouped = stats(&client, &format!("{berlin}&by={by}"));
        assert_eq!(entries(&grouped), expected, "{by}");
        assert_eq!(grouped["totals"], days["totals"], "{by}");
        let sessions = grouped["items"].as_array().expect("entries").iter();
        let sessions: i64 = sessions
            .map(|entry| entry["sessions"].as_i64().expect("a number"))
            .sum();
        assert_eq!(sessions, 4, "{by}");
    }
    let hours = stats(&client, "by=hour");
    assert_eq!(entries(&hours), ["12 150 2", "22 120 3", "23 240 6"]);
}

#[test]
fn range_includes_both_dates_and_parts_of_sessions() {
    let (_diary, client) = filled(own);
    let range = |from: &str, to: &str| {
        let path = format!("/stats?from={from}&to={to}&tz=Europe/Berlin");
        sums(&client.get(&path).expect(200).json()["totals"])
    };
    assert_eq!(range("2024-01-28", "2024-01-30"), [150, 2, 2, 0]);
    assert_eq!(range("2024-02-01", "2024-02-01"), [240, 6, 1, 0]);
    assert_eq!(range("2024-01-31", "2024-01-31"), [120, 3, 1, 0]);
    assert_eq!(range("2024-02-02", "2024-02-02"), [0; 4]);
}

#[test]
fn names_are_sorted_by_time() {
    let (diary, client) = filled(own);
    let [emma, nana, film] = ["Emma", "Nana", "Lantern"].map(|title| diary.item(title));
    for (item, authors, genres) in [
        (
            emma,
            json!(["Jane Austen", "Ann Editor"]),
            json!(["Novel", "Irony"]),
        ),
        (nana, json!(["Ann Editor"]), json!(["Novel"])),
    ] {
        let edit = json!({"authors": authors, "genres": genres});
        diary
            .admin
            .patch(&format!("/items/{item}"), &edit)
            .expect(200);
    }
    let named = |by: &str| -> Vec<(Value, i64)> {
        let grouped = stats(&client, &format!("by={by}"));
        let entries = grouped["items"].as_array().expect("entries").iter();
        entries
            .map(|entry| (entry["name"].clone(), sums(entry)[0]))
            .collect()
    };
    assert_eq!(
        named("author"),
        [(json!("Ann Editor"), 420), (json!("Jane Austen"), 360)]
    );
    assert_eq!(
        named("genre"),
        [(json!("Novel"), 420), (json!("Irony"), 360)]
    );
    assert_eq!(
        named("item"),
        [
            (json!("Emma"), 360),
            (json!("Lantern"), 90),
            (json!("Nana"), 60)
        ]
    );
    assert_eq!(
        entries(&stats(&client, "by=item")),
        [
            format!("{emma} 360 9"),
            format!("{film} 90 0"),
            format!("{nana} 60 2")
        ]
    );
    let kinds = stats(&client, "by=kind");
    assert_eq!(entries(&kinds), ["books 420 11", "video 90 0"]);
    assert_eq!(kinds["items"][0]["name"], "Books");
}

#[test]
fn time_of_invisible_items_stays_without_their_names() {
    let (diary, mia) = filled(|diary| diary.reader("mia").1);
    let id = mia.get("/auth/me").expect(200).json()["id"]
        .as_i64()
        .expect("an id");
    let emma = diary.item("Emma");
    let edit = json!({"authors": ["Jane Austen"], "genres": ["Novel"]});
    diary
        .admin
        .patch(&format!("/items/{emma}"), &edit)
        .expect(200);
    let with_grant = ["day", "hour", "kind"].map(|by| stats(&mia, &format!("by={by}")));
    assert_eq!(entries(&stats(&mia, "by=author")).len(), 1);
    diary.grant(id, false);
    let without = ["day", "hour", "kind"].map(|by| stats(&mia, &format!("by={by}")));
    assert_eq!(with_grant, without);
    for by in ["author", "genre", "item"] {
        let grouped = stats(&mia, &format!("by={by}"));
        assert_eq!(grouped["items"], json!([]), "{by}");
        assert_eq!(grouped["totals"], without[0]["totals"], "{by}");
    }
    let sessions = mia.get("/stats/sessions").expect(200).json();
    assert_eq!(sessions["total"], 3);
    for session in sessions["items"].as_array().expect("sessions") {
        assert_eq!(
            [&session["item_id"], &session["title"]],
            [&Value::Null, &Value::Null]
        );
        assert!(session["kind"].is_string(), "{session}");
    }
    diary.grant(id, true);
    assert_eq!(entries(&stats(&mia, "by=author")).len(), 1);
}

#[test]
fn session_of_purged_item_keeps_time_and_kind() {
    let (diary, client) = filled(own);
    let before = stats(&client, "by=kind");
    diary.purge("Emma.epub");
    assert_eq!(stats(&client, "by=kind"), before);
    let items = stats(&client, "by=item");
    assert_eq!(items["totals"], before["totals"]);
    assert_eq!(items["items"].as_array().expect("entries").len(), 2);
    let newest = client.get("/stats/sessions?limit=1").expect(200).json()["items"][0].clone();
    assert_eq!(
        [&newest["kind"], &newest["item_id"], &newest["title"]],
        [&json!("books"), &Value::Null, &Value::Null]
    );
    // The library is deleted with its items.
    let path = format!("/libraries/{}", diary.library);
    diary.admin.delete(&path).expect(204);
    assert_eq!(stats(&client, "by=kind"), before);
}

#[test]
fn statistics_belong_to_one_user() {
    let (diary, client) = filled(own);
    let (_, mia) = diary.reader("mia");
    for by in ["day", "kind", "item"] {
        let other = stats(&mia, &format!("by={by}"));
        assert_eq!(
            (sums(&other["totals"]), &other["items"]),
            ([0; 4], &json!([]))
        );
    }
    assert_eq!(mia.get("/stats/sessions").expect(200).json()["total"], 0);
    assert_eq!(client.get("/stats/sessions").expect(200).json()["total"], 3);
}

#[test]
fn invalid_range_is_refused() {
    let diary = diary();
    for (query, field) in [
        ("from=2024-02-30", "from"),
        ("from=tomorrow", "from"),
        ("to=20240101", "to"),
        ("from=2024-01-02&to=2024-01-01", "to"),
        ("from=2014-01-01&to=2024-01-09", "from"),
        ("tz=Europe/Nowhere", "tz"),
        ("by=decade", "by"),
    ] {
        invalid(&diary.admin.get(&format!("/stats?{query}")), field);
    }
    // 3,660 days.
    let longest = "/stats?from=2014-01-01&to=2024-01-08";
    diary.admin.get(longest).expect(200);
}

#[test]
fn default_range_is_the_last_30_days() {
    let diary = diary();
    let path = format!("/items/{}/view", diary.item("Emma"));
    diary.admin.send("POST", &path, &[], None).expect(200);
    let last = diary.admin.get("/stats").expect(200).json();
    assert_eq!(last["totals"]["sessions"], 1);
    let to = last["to"].as_str().expect("a date").to_owned();
    let same = format!(
        "/stats?from={}&to={to}",
        last["from"].as_str().unwrap_or_default()
    );
    assert_eq!(diary.admin.get(&same).expect(200).json(), last);
    let until = diary
        .admin
        .get(&format!("/stats?to={to}"))
        .expect(200)
        .json();
    assert_eq!(until["from"], last["from"]);
}
