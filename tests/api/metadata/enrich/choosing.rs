//! Administrators choose another match, or undo a match.

use ledge_tests::server::until;
use ledge_tests::{Fake, Reply};
use serde_json::{Value, json};

use super::{House, TUNE, knows, picture, work};
use crate::http::conventions::{invalid, refused};

fn chosen() -> Value {
    json!({
        "id": "TB 7", "title": "The Two Hills", "authors": ["A. Harper"], "year": 1800,
        "description": "Chosen.", "cover": "https://covers.example/7.jpg",
    })
}

/// Makes the second catalogue return another work whose id contains a space.
fn has_another(fake: &Fake) {
    let body = picture([10, 90, 10]);
    fake.answer(move |asked| match asked.path.as_str() {
        "/works/TB%207" => Reply::json(&chosen()),
        "/7.jpg" => Reply::bytes("image/jpeg", body.clone()),
        path if path.starts_with("/search") => Reply::json(&json!({ "works": [chosen()] })),
        _ => Reply::status(404),
    });
}

#[test]
fn chosen_match_replaces_automatic_match() {
    let house = House::new(&[TUNE]);
    house.first.answer(knows(
        "Bheag",
        work("SC1", "Si Bheag Si Mhor", "Turlough O'Carolan"),
    ));
    has_another(&house.second);
    house.enrich(&json!({}));
    let item = house.item(TUNE);
    assert_eq!(item["year"], 1723);
    let path = format!("/items/{}/matches/tunebook", item["id"]);
    let search = house
        .admin
        .post(&format!("{path}/search"), &json!({ "query": "hills" }));
    let found = search.expect(200).json();
    assert_eq!(found["items"][0]["provider_id"], "TB 7", "{found}");
    assert_eq!(found["items"][0]["authors"], "A. Harper");
    let taken = house
        .admin
        .put(&path, &json!({ "provider_id": "TB 7" }))
        .expect(200)
        .json();
    assert_eq!(
        (&taken["title"], &taken["year"]),
        (&json!("The Two Hills"), &json!(1800))
    );
    assert_eq!(
        (&taken["authors"], &taken["description"]),
        (&json!("A. Harper"), &json!("Chosen."))
    );
    assert_eq!(taken["cover"]["height"], 800);
    assert_eq!(taken["provider_ids"]["tunebook"], "TB 7");
    let attempt = house.matches(&item["id"])[0].clone();
    assert_eq!(
        (&attempt["outcome"], &attempt["is_chosen"]),
        (&json!("ok"), &json!(true))
    );
    assert!(attempt["score"].is_null(), "{attempt}");

    // A refresh reads the chosen match again, and queries no other provider.
    let before = house.first.asked().len();
    house.enrich_item(&item["id"]);
    assert_eq!(house.first.asked().len(), before);
    assert_eq!(house.second.count("/works/TB%207"), 2);
    assert_eq!(house.item(TUNE)["title"], "The Two Hills");
}

#[test]
fn undone_match_is_not_repeated() {
    let house = House::new(&[TUNE]);
    let before = house.item(TUNE);
    let body = picture([10, 10, 90]);
    let answer = knows(
        "Bheag",
        json!({
            "id": "SC1", "title": "Sí Bheag, Sí Mhór", "authors": ["Turlough O'Carolan"],
            "year": 1691, "description": "Wrong.", "cover": "https://covers.example/1.jpg",
        }),
    );
    house.first.answer(move |asked| match asked.path.as_str() {
        "/1.jpg" => Reply::bytes("image/jpeg", body.clone()),
        _ => answer(asked),
    });
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    let path = format!("/items/{}/matches/sheetcat", before["id"]);
    house.admin.delete(&path).expect(204);
    house.admin.delete(&path).expect(204);
    let restored = until("the old fields", || {
        let item = house.item(TUNE);
        item["cover"].is_null().then_some(item)
    });
    for field in [
        "title",
        "year",
        "authors",
        "description",
        "people",
        "provider_ids",
        "sources",
    ] {
        assert_eq!(restored[field], before[field], "{field}");
    }
    house.enrich_item(&before["id"]);
    let again = house.item(TUNE);
    assert_eq!(
        (&again["title"], &again["provider_ids"]),
        (&before["title"], &json!({}))
    );
    // A user may choose the match again.
    house
        .admin
        .put(&path, &json!({ "provider_id": "SC1" }))
        .expect(200);
    assert_eq!(house.item(TUNE)["title"], "Sí Bheag, Sí Mhór");
}

#[test]
fn invalid_choices_are_refused() {
    let house = House::new(&[TUNE]);
    house
        .first
        .answer(knows("Bheag", work("SC1", "Si Bheag", "Carolan")));
    let item = house.item(TUNE)["id"].clone();
    let path = format!("/items/{item}/matches/sheetcat");
    for id in ["", "  ", "a\nb", &"x".repeat(201)] {
        invalid(
            &house.admin.put(&path, &json!({ "provider_id": id })),
            "provider_id",
        );
    }
    invalid(&house.admin.put(&path, &json!({})), "provider_id");
    invalid(
        &house
            .admin
            .put(&path, &json!({ "provider_id": "SC1", "id": 1 })),
        "id",
    );
    invalid(
        &house.admin.put(&path, &json!({ "provider_id": "SC9" })),
        "provider_id",
    );
    let long = json!({ "query": "x".repeat(301) });
    invalid(&house.admin.post(&format!("{path}/search"), &long), "query");
    let good = json!({ "provider_id": "SC1" });
    for path in [
        format!("/items/{item}/matches/nobody"),
        format!("/items/{item}/matches/vault"),
        "/items/987654321/matches/sheetcat".to_owned(),
    ] {
        refused(&house.admin.put(&path, &good), 404, "not_found");
    }
    refused(
        &house.admin.delete(&format!("/items/{item}/matches/nobody")),
        404,
        "not_found",
    );
    house.first.answer(|_| Reply::status(500));
    refused(&house.admin.put(&path, &good), 409, "conflict");
    assert_eq!(house.matches(&item)[0]["outcome"], "failure");
    assert_eq!(house.item(TUNE)["provider_ids"], json!({}));
}
