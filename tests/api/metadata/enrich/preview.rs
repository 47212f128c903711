//! Preview of a refresh and of a chosen match: the changes of the real write, and no write.

use ledge_tests::{Asked, Fake, Reply};
use serde_json::{Value, json};

use super::{House, TUNE, carolan, knows, picture, work};

fn house() -> House {
    let house = House::new(&[TUNE]);
    house.first.answer(|asked: &Asked| {
        let mut known = carolan();
        known["cover"] = json!("https://sheetcat.example/cover.jpg");
        known["description"] = json!("A tune.");
        match asked.path.as_str() {
            "/cover.jpg" => Reply::bytes("image/jpeg", picture([30, 120, 60])),
            "/works/SC1" => Reply::json(&known),
            path if path.starts_with("/works/") => Reply::status(404),
            _ => Reply::json(&json!({ "works": [known] })),
        }
    });
    house
}

fn requests(fake: &Fake) -> usize {
    fake.asked().len()
}

fn of_refresh(house: &House) -> Value {
    let path = format!("/items/{}/enrich/preview", house.item(TUNE)["id"]);
    house.admin.post(&path, &json!({})).expect(200).json()
}

fn field<'a>(entry: &'a Value, name: &str) -> Option<&'a Value> {
    let changes = entry["changes"].as_array().expect("changes");
    changes.iter().find(|one| one["field"] == name)
}

#[test]
fn preview_shows_the_changes_of_the_refresh_and_writes_nothing() {
    let house = house();
    let before = house.item(TUNE);
    let preview = of_refresh(&house);
    let entry = &preview["entry"];
    assert_eq!(
        (&entry["provider"], &entry["label"], &entry["provider_id"]),
        (&json!("sheetcat"), &json!("Sheet catalogue"), &json!("SC1"))
    );
    assert!(entry["score"].as_f64().is_some_and(|score| score >= 0.8));
    assert_eq!(entry["pictures"], json!(["cover"]));
    assert_eq!(house.item(TUNE), before);
    assert_eq!(house.matches(&before["id"]), Vec::<Value>::new());
    // Pictures are requested with the real refresh.
    assert_eq!(house.first.count("/cover.jpg"), 0);

    house.enrich_item(&before["id"]);
    let after = house.item(TUNE);
    assert_ne!(after["year"], before["year"]);
    let year = field(entry, "year").expect("a change");
    assert_eq!(year["after"], json!([after["year"].to_string()]));
    for name in ["title", "authors", "description"] {
        match field(entry, name) {
            Some(change) => assert_eq!(change["after"], json!([after[name]])),
            None => assert_eq!(before[name], after[name], "{name}"),
        }
    }
    assert!(field(entry, "description").is_some());
    assert_eq!(field(entry, "genres"), None);
    // The second refresh would change nothing.
    assert_eq!(of_refresh(&house)["entry"]["changes"], json!([]));
}

#[test]
fn locked_field_is_absent_from_the_preview() {
    let house = house();
    let item = house.item(TUNE)["id"].clone();
    let path = format!("/items/{item}");
    let edit = json!({ "description": "Mine." });
    house.admin.patch(&path, &edit).expect(200);
    let entry = of_refresh(&house)["entry"].clone();
    assert_eq!(field(&entry, "description"), None);
    assert!(field(&entry, "year").is_some());
}

#[test]
fn fetched_pictures_are_absent_from_the_preview() {
    let house = house();
    house.first.answer(|asked: &Asked| {
        let mut known = carolan();
        known["backdrop"] = json!("https://sheetcat.example/wide.jpg");
        match asked.path.as_str() {
            "/wide.jpg" => Reply::bytes("image/jpeg", picture([30, 120, 60])),
            "/works/SC1" => Reply::json(&known),
            _ => Reply::json(&json!({ "works": [known] })),
        }
    });
    assert_eq!(of_refresh(&house)["entry"]["pictures"], json!(["backdrop"]));
    house.enrich_item(&house.item(TUNE)["id"]);
    assert_eq!(of_refresh(&house)["entry"]["pictures"], json!([]));
}

#[test]
fn valid_answers_count_without_force() {
    let house = house();
    let item = house.item(TUNE)["id"].clone();
    house.enrich_item(&item);
    let before = requests(&house.first);
    let path = format!("/items/{item}/enrich/preview");
    let preview = house.admin.post(&path, &json!({ "force": false }));
    let preview = preview.expect(200).json();
    assert_eq!(preview, json!({ "entry": null, "asked": [] }));
    assert_eq!(requests(&house.first), before);
}

#[test]
fn item_that_is_not_granted_is_absent() {
    let house = house();
    let (item, library) = (house.item(TUNE)["id"].clone(), house.library);
    let me = house.admin.get("/auth/me").expect(200).json()["id"].clone();
    let grant = format!("/libraries/{library}/grants/{me}");
    house.admin.delete(&grant).expect(204);
    let (none, choice) = (json!({}), json!({ "provider_id": "SC1" }));
    for (end, body) in [
        ("enrich/preview", &none),
        ("matches/sheetcat/preview", &choice),
    ] {
        let of = |id: &Value| {
            let path = format!("/items/{id}/{end}");
            house.admin.post(&path, body).expect(404).json()
        };
        assert_eq!(of(&item), of(&json!(999_999)));
    }
    let of = |id: i64| {
        let path = format!("/libraries/{id}/enrich/preview");
        house.admin.get(&path).expect(404).json()
    };
    assert_eq!(of(library), of(999_999));
    assert_eq!(requests(&house.first), 0);
}

#[test]
fn provider_without_match_or_answer_is_listed() {
    let house = House::new(&[TUNE]);
    house.first.answer(|_: &Asked| Reply::status(503));
    house
        .second
        .answer(|_: &Asked| Reply::json(&json!({ "works": [] })));
    let preview = of_refresh(&house);
    assert_eq!(preview["entry"], Value::Null);
    let asked = preview["asked"].as_array().expect("providers");
    let reason = asked[0]["error"].as_str().expect("a reason");
    assert!(reason.contains("503"), "{reason}");
    assert_eq!(
        (&asked[1]["provider"], &asked[1]["error"]),
        (&json!("tunebook"), &Value::Null)
    );
}

#[test]
fn refresh_of_chosen_match_previews_only_this_match() {
    let house = house();
    let item = house.item(TUNE)["id"].clone();
    let path = format!("/items/{item}/matches/sheetcat");
    let choice = json!({ "provider_id": "SC1" });
    house.admin.put(&path, &choice).expect(200);
    let before = requests(&house.second);
    let preview = of_refresh(&house);
    assert_eq!(preview["entry"]["changes"], json!([]));
    assert_eq!(preview["entry"]["score"], Value::Null);
    assert_eq!(requests(&house.second), before);
}

#[test]
fn preview_of_an_entry_shows_the_changes_of_its_choice() {
    let house = house();
    let before = house.item(TUNE);
    let path = format!("/items/{}/matches/sheetcat", before["id"]);
    let choice = json!({ "provider_id": "SC1" });
    let preview = format!("{path}/preview");
    let entry = house.admin.post(&preview, &choice).expect(200).json();
    assert_eq!(house.item(TUNE), before);
    let taken = house.admin.put(&path, &choice).expect(200).json();
    let year = field(&entry, "year").expect("a change");
    assert_eq!(year["after"], json!([taken["year"].to_string()]));
    assert_eq!(entry["score"], Value::Null);
}

#[test]
fn unusable_entries_are_refused() {
    let house = house();
    let item = house.item(TUNE)["id"].clone();
    let post = |provider: &str, id: &str| {
        let path = format!("/items/{item}/matches/{provider}/preview");
        house.admin.post(&path, &json!({ "provider_id": id }))
    };
    post("sheetcat", "SC99").expect(422);
    post("sheetcat", "").expect(422);
    post("nobody", "SC1").expect(404);
    house.second.answer(|_: &Asked| Reply::status(503));
    post("tunebook", "TB1").expect(409);
    house
        .admin
        .post("/items/999999/enrich/preview", &json!({}))
        .expect(404);
}

#[test]
fn preview_of_library_names_the_items_that_need_a_query() {
    let house = House::new(&[TUNE]);
    house.first.answer(knows(
        "Bheag",
        work("SC1", "Si Bheag Si Mhor", "Turlough O'Carolan"),
    ));
    let item = house.item(TUNE);
    let path = format!("/libraries/{}/enrich/preview", item["library_id"]);
    let before = requests(&house.first);
    let preview = house.admin.get(&path).expect(200).json();
    assert_eq!(preview, json!({ "item_ids": [item["id"]] }));
    assert_eq!(requests(&house.first), before);
    house.enrich(&json!({}));
    let preview = house.admin.get(&path).expect(200).json();
    assert_eq!(preview, json!({ "item_ids": [] }));
    let forced = house
        .admin
        .get(&format!("{path}?force=true"))
        .expect(200)
        .json();
    assert_eq!(forced["item_ids"], json!([item["id"]]));
}

#[test]
fn only_administrators_preview() {
    let house = house();
    let item = house.item(TUNE);
    let user = house.server.user(&house.admin, "reader").1;
    let path = format!("/items/{}/enrich/preview", item["id"]);
    user.post(&path, &json!({})).expect(403);
    let path = format!("/libraries/{}/enrich/preview", item["library_id"]);
    user.get(&path).expect(403);
}
