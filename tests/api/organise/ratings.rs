//! Ratings: own, from 1 to 10, on cards and in filters.

use ledge_tests::Client;
use serde_json::{Value, json};

use crate::http::conventions::library_of;

fn rate(client: &Client, item: &Value, rating: &Value) -> u16 {
    let headers = [("Content-Type", "application/json")];
    let body = json!({ "rating": rating }).to_string();
    let path = format!("/items/{item}/rating");
    client
        .send("PUT", &path, &headers, Some(body.as_bytes()))
        .status
}

#[test]
fn rating_belongs_to_one_user() {
    let (server, admin, library) = library_of(&[("Emma.epub", "1"), ("Persuasion.epub", "2")]);
    let items = admin.get("/items").expect(200).json()["items"].clone();
    let (emma, persuasion) = (&items[0]["id"], &items[1]["id"]);
    assert_eq!(items[0]["rating"], Value::Null);
    assert_eq!(rate(&admin, emma, &json!(7)), 204);
    assert_eq!(rate(&admin, emma, &json!(8)), 204);
    assert_eq!(rate(&admin, persuasion, &json!(3)), 204);
    let card = admin.get("/items?rating_min=8").expect(200).json();
    assert_eq!(
        (card["total"].as_u64(), &card["items"][0]["rating"]),
        (Some(1), &json!(8))
    );
    assert_eq!(
        admin.get("/items?rating_min=9").expect(200).json()["total"],
        0
    );
    let detail = admin.get(&format!("/items/{emma}")).expect(200).json();
    assert_eq!(detail["rating"], 8);
    let (mia_id, mia) = server.user(&admin, "mia");
    assert_eq!(rate(&mia, emma, &json!(1)), 404);
    let path = format!("/libraries/{library}/grants/{mia_id}");
    admin.send("PUT", &path, &[], None).expect(204);
    let seen = mia.get(&format!("/items/{emma}")).expect(200).json();
    assert_eq!(seen["rating"], Value::Null);
    assert_eq!(
        mia.get("/items?rating_min=1").expect(200).json()["total"],
        0
    );
    for _ in 0..2 {
        admin.delete(&format!("/items/{emma}/rating")).expect(204);
    }
    assert_eq!(
        admin.get("/items?rating_min=1").expect(200).json()["total"],
        1
    );
}

#[test]
fn rating_out_of_range_is_refused() {
    let (_server, admin, _) = library_of(&[("Emma.epub", "1")]);
    let item = admin.get("/items").expect(200).json()["items"][0]["id"].clone();
    for rating in [json!(0), json!(11), json!(-1)] {
        assert_eq!(rate(&admin, &item, &rating), 422, "{rating}");
    }
    for rating in [json!(7.5), json!("7"), json!(null)] {
        assert!(
            (400..500).contains(&rate(&admin, &item, &rating)),
            "{rating}"
        );
    }
    for query in ["rating_min=0", "rating_min=11"] {
        let refused = admin.get(&format!("/items?{query}")).expect(422).json();
        assert_eq!(refused["error"]["field"], "rating_min");
    }
}
