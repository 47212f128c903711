//! Pictures of providers as candidates for the cover.

use ledge_tests::Reply;
use serde_json::{Value, json};

use super::{House, TUNE, carolan, knows, picture};

#[test]
fn picture_of_provider_can_be_chosen_and_returns_after_a_deleted_choice() {
    let house = House::new(&[TUNE]);
    let mut known = carolan();
    known["cover"] = json!("https://covers.example/1.jpg");
    let answer = knows("Bheag", known);
    house.first.answer(move |asked| match asked.path.as_str() {
        "/1.jpg" => Reply::bytes("image/jpeg", picture([1, 2, 3])),
        _ => answer(asked),
    });
    let item = house.item(TUNE)["id"].clone();
    let path = format!("/items/{item}/cover");
    let upload = ledge_fixtures::png(30, 40, 1);
    let headers = [("Content-Type", "image/png")];
    let uploaded = house.admin.send("PUT", &path, &headers, Some(&upload));
    uploaded.expect(200);
    // The picture of a match does not replace a chosen one, but can be chosen.
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    assert_eq!(house.item(TUNE)["cover"]["width"], 30);
    let list = house
        .admin
        .get(&format!("/items/{item}/covers"))
        .expect(200)
        .json();
    let rows = list["items"].as_array().expect("a list");
    let row = |one: &Value| (one["width"].clone(), one["chosen"].clone());
    assert_eq!((rows.len(), &rows[0]["source"]), (2, &json!("upload")));
    assert_eq!(row(&rows[0]), (json!(30), json!(true)));
    assert_eq!(row(&rows[1]), (json!(600), json!(false)));
    let provider = rows[1]["source"].as_str().expect("an id");
    assert!(house.item(TUNE)["provider_ids"].get(provider).is_some());

    house.admin.delete(&path).expect(204);
    let item = house.item(TUNE);
    assert_eq!(item["cover"]["width"], 600);
    assert_eq!(item["sources"]["cover"], "provider");
    assert_eq!(item["locked"], json!([]));
}
