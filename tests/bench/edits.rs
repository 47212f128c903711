//! Edits of many items and their undo, with the latency of reads in the meantime.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ledge_tests::Client;
use ledge_tests::server::all_items;
use serde_json::{Value, json};

use crate::figure;
use crate::measure::latency::{self, Times};
use crate::prepare::Library;

/// Number of items per request with ids.
const IDS: usize = 1_000;
/// Number of items that the filter selects.
const FILTERED: usize = 10_000;
/// Tag that the filter selects.
const TAG: &str = "bench";

/// Measures edits of own and of shared fields.
pub(crate) fn measure(library: &Library) {
    let ids = ids(&library.admin);
    let own = json!({
        "favourite": true, "finished": true, "rating": 10, "tags_add": ["edited"],
    });
    // New values in every run: an interrupted run leaves its own ones in a kept catalogue.
    let run = std::process::id();
    let shared = json!({
        "authors": [format!("Ada Edited {run}"), format!("Ben Edited {run}")],
        "genres_add": [format!("Edited {run}")], "year": 1000 + run % 900,
        "series": {"name": format!("Edited {run}")}, "language": "eo",
    });
    let few: Vec<i64> = ids.iter().copied().take(IDS).collect();
    for (client, name, set) in [
        (&library.heavy, "own", &own),
        (&library.admin, "shared", &shared),
    ] {
        let body = json!({"ids": few, "set": set});
        show(
            library,
            client,
            &format!("{name} fields of {} items", few.len()),
            &body,
        );
        let tag = tagged(client, &ids);
        let count = ids.len().min(FILTERED);
        let body = json!({"filter": {"tag": tag}, "set": set, "expected": count});
        show(
            library,
            client,
            &format!("{name} fields of {count} by filter"),
            &body,
        );
        untag(client, &tag);
    }
}

/// Returns the ids of the items to edit.
fn ids(client: &Client) -> Vec<i64> {
    let mut ids: Vec<i64> = Vec::with_capacity(FILTERED);
    while ids.len() < FILTERED {
        let path = format!("/items?sort=added&limit=500&offset={}", ids.len());
        let page = client.get(&path).expect(200).json();
        let items = page["items"].as_array().expect("items");
        if items.is_empty() {
            break;
        }
        ids.extend(items.iter().filter_map(|item| item["id"].as_i64()));
    }
    ids
}

/// Tags the items, and returns the id of the tag.
fn tagged(client: &Client, ids: &[i64]) -> Value {
    for chunk in ids.chunks(IDS) {
        let body = json!({"ids": chunk, "set": {"tags_add": [TAG]}});
        client.patch("/items", &body).expect(200);
    }
    let tags = all_items(client, &format!("/tags?q={TAG}"));
    let tag = tags.iter().find(|tag| tag["name"] == TAG);
    tag.expect("the tag")["id"].clone()
}

fn untag(client: &Client, tag: &Value) {
    client.delete(&format!("/tags/{tag}")).expect(204);
}

/// Shows the duration of an edit and of its undo, and the reads during both.
fn show(library: &Library, client: &Client, name: &str, body: &Value) {
    let is_over = AtomicBool::new(false);
    let (edit, undo, reads) = std::thread::scope(|scope| {
        let reads = scope.spawn(|| {
            let mut times = Times::default();
            while !is_over.load(Ordering::Relaxed) {
                times.add(latency::once(&library.heavy, "/items?limit=60"));
            }
            times
        });
        let (edit, answer) = timed(|| client.patch("/items", body));
        let batch = answer.json()["batch"].clone();
        let undo = format!("/edits/{batch}/undo");
        let (undo, undone) = timed(|| client.send("POST", &undo, &[], None));
        // The reads end before an unexpected answer does.
        is_over.store(true, Ordering::Relaxed);
        let (answer, undone) = (answer.expect(200).json(), undone.expect(200).json());
        assert_eq!(undone["restored"], answer["changed"], "{undone}");
        (edit, undo, reads.join().expect("the reads"))
    });
    let beside = format!(
        "edit / undo; {} reads meanwhile {}",
        reads.len(),
        reads.show()
    );
    let value = format!("{} / {} ms", edit.as_millis(), undo.as_millis());
    figure(name, &value, &beside);
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begin = Instant::now();
    let value = work();
    (begin.elapsed(), value)
}
