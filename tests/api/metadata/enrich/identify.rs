//! Identification: candidates of all providers at once, with scores and pictures.

use ledge_tests::{Asked, Reply};
use serde_json::{Value, json};

use super::{House, TUNE, carolan, picture, work};

fn house() -> House {
    let house = House::new(&[TUNE]);
    house.first.answer(|asked: &Asked| {
        if asked.path == "/cover.jpg" {
            return Reply::bytes("image/jpeg", picture([30, 120, 60]));
        }
        let mut known = carolan();
        known["cover"] = json!("https://sheetcat.example/cover.jpg");
        let other = work("SC7", "Si Bheag Polka", "Somebody Else");
        Reply::json(&json!({ "works": [other, known] }))
    });
    house.second.answer(|_: &Asked| Reply::status(503));
    house
}

fn answers(house: &House, body: &Value) -> Vec<Value> {
    let path = format!("/items/{}/identify", house.item(TUNE)["id"]);
    let found = house.admin.post(&path, body).expect(200).json();
    found["items"].as_array().expect("answers").clone()
}

#[test]
fn all_providers_are_asked_and_best_candidate_is_first() {
    let house = house();
    let answers = answers(&house, &json!({}));
    let [first, second] = answers.as_slice() else {
        panic!("{answers:?}");
    };
    assert_eq!(first["provider"], "sheetcat");
    assert_eq!(first["label"], "Sheet catalogue");
    let candidates = first["candidates"].as_array().expect("candidates");
    assert_eq!(candidates[0]["provider_id"], "SC1");
    assert!(
        candidates[0]["score"]
            .as_f64()
            .is_some_and(|score| score >= 0.8),
        "{first}"
    );
    assert_eq!(candidates[1]["score"], Value::Null);
    assert_eq!(first["error"], Value::Null);
    assert_eq!(
        (&second["provider"], &second["candidates"]),
        (&json!("tunebook"), &json!([]))
    );
    assert!(
        second["error"].as_str().expect("a reason").contains("503"),
        "{second}"
    );
    // Nothing is written.
    assert_eq!(house.item(TUNE)["provider_ids"], json!({}));
}

#[test]
fn words_replace_the_title() {
    let house = house();
    answers(&house, &json!({ "query": "Planxty Irwin", "year": 1740 }));
    let asked = house.first.asked();
    let last = asked.last().expect("a request");
    assert!(last.path.contains("Planxty"), "{}", last.path);
}

#[test]
fn picture_of_candidate_is_served_by_this_server() {
    let house = house();
    let found = answers(&house, &json!({}));
    assert_eq!(found[0]["candidates"][0]["has_picture"], true);
    let item = house.item(TUNE)["id"].clone();
    let path = format!("/items/{item}/matches/sheetcat/picture?provider_id=SC1");
    let image = house.admin.get(&path).expect(200);
    assert_eq!(image.header("content-type"), "image/jpeg");
    // The server fetches nothing for an unknown entry.
    let unknown = format!("/items/{item}/matches/sheetcat/picture?provider_id=SC99");
    house.admin.get(&unknown).expect(404);
}

#[test]
fn unusable_words_are_refused() {
    let house = house();
    let path = format!("/items/{}/identify", house.item(TUNE)["id"]);
    house
        .admin
        .post(&path, &json!({ "query": "x".repeat(301) }))
        .expect(422);
    house.admin.post(&path, &json!({ "year": 0 })).expect(422);
}

#[test]
fn only_administrators_identify() {
    let house = house();
    let user = house.server.user(&house.admin, "reader").1;
    let item = house.item(TUNE)["id"].clone();
    user.post(&format!("/items/{item}/identify"), &json!({}))
        .expect(403);
    let picture = format!("/items/{item}/matches/sheetcat/picture?provider_id=SC1");
    user.get(&picture).expect(403);
}
