//! A playlist of the largest size, with the files of many items.

use ledge_tests::Client;
use serde_json::{Value, json};

/// Limit of entries in a playlist.
const MAX_ENTRIES: u64 = 10_000;
/// Number of items per request.
const BATCH: u64 = 50;

/// Returns the path and the number of entries of a playlist that is as full as the library allows.
/// An earlier run's playlist is used again.
pub(crate) fn largest(owner: &Client) -> (String, u64) {
    let own = owner.get("/playlists?own=true").expect(200).json();
    let path = match own["items"][0]["id"].as_i64() {
        Some(id) => format!("/playlists/{id}"),
        None => fill(owner),
    };
    let list = owner.get(&path).expect(200).json();
    (path, list["entry_count"].as_u64().expect("a count"))
}

fn fill(owner: &Client) -> String {
    let list = owner
        .post("/playlists", &json!({"name": "Largest"}))
        .expect(201);
    let path = format!("/playlists/{}", list.json()["id"]);
    let mut offset = 0;
    let mut count = 0;
    while count < MAX_ENTRIES {
        let query = format!("/items?kind=audio&sort=random&seed=1&limit={BATCH}&offset={offset}");
        let items = owner.get(&query).expect(200).json();
        let ids: Vec<&Value> = items["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|item| &item["id"])
            .collect();
        let added = owner.post(&format!("{path}/entries"), &json!({"items": ids}));
        if added.status != 201 {
            // The items have ended, or the last ones do not fit.
            break;
        }
        count = added.json()["entry_count"].as_u64().expect("a count");
        offset += BATCH;
    }
    path
}
