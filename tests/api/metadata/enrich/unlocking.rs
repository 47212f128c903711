//! Unlocked fields: the next refresh restores the provider's values.

use ledge_tests::Reply;
use serde_json::{Value, json};

use super::{House, TUNE, ended, knows, picture};

const LOCKED: [&str; 4] = ["title", "year", "authors", "description"];

/// Creates a matched tune. A user has edited every field and unlocked it again.
fn unlocked() -> (House, Value) {
    let house = House::new(&[TUNE]);
    let answer = knows(
        "Bheag",
        json!({
            "id": "SC1", "title": "Sí Bheag, Sí Mhór", "authors": ["Turlough O'Carolan"],
            "year": 1691, "description": "Two hills.", "cover": "http://covers.example/1.jpg",
        }),
    );
    house.first.answer(move |asked| match asked.path.as_str() {
        "/1.jpg" => Reply::bytes("image/jpeg", picture([1, 2, 3])),
        _ => answer(asked),
    });
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    let found = house.item(TUNE);
    assert_eq!(found["sources"]["title"], "provider");
    let path = format!("/items/{}", found["id"]);
    let edit = json!({
        "title": "Mine", "year": 2001, "authors": ["Me"], "description": "My own words.",
    });
    house.admin.patch(&path, &edit).expect(200);
    let edited = house.item(TUNE);
    // A locked field stays, whichever provider is queried.
    house.enrich(&json!({ "force": true }));
    assert_eq!(house.item(TUNE), edited);
    house
        .admin
        .patch(&path, &json!({ "unlock": LOCKED }))
        .expect(200);
    assert_ne!(house.item(TUNE)["title"], found["title"]);
    (house, found)
}

#[track_caller]
fn is_restored(house: &House, found: &Value) {
    let item = house.item(TUNE);
    for field in LOCKED.iter().chain(&["cover", "provider_ids"]) {
        assert_eq!(item[field], found[field], "{field}: {item}");
    }
    for field in LOCKED {
        assert_eq!(item["sources"][field], "provider", "{field}: {item}");
    }
}

#[test]
fn refresh_of_item_restores_unlocked_fields() {
    let (house, found) = unlocked();
    house.enrich_item(&found["id"]);
    is_restored(&house, &found);
}

#[test]
fn unforced_refresh_of_item_restores_unlocked_fields() {
    let (house, found) = unlocked();
    let path = format!("/items/{}/enrich", found["id"]);
    let queued = house.admin.post(&path, &json!({ "force": false }));
    let result = ended(&house.admin, &queued.expect(202).json()["job_id"]);
    assert_eq!(result["outcome"], "matched", "{result}");
    is_restored(&house, &found);
}

#[test]
fn unforced_refresh_of_library_restores_unlocked_fields() {
    let (house, found) = unlocked();
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    is_restored(&house, &found);
    // Once is sufficient: the answer is valid again.
    assert_eq!(house.enrich(&json!({}))["standing"], 1);
}
