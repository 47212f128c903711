//! Wikidata: a film whose `.nfo` file contains an id.

use ledge_fixtures::mp4;
use ledge_tests::{Asked, Fake, Reply};
use serde_json::{Value, json};

use super::{enrich, enriched, media, put, server};

const NFO: &str = "<movie><title>Some Film</title>\
    <uniqueid type=\"imdb\">tt0133093</uniqueid></movie>";

fn wikidata(asked: &Asked) -> Reply {
    let path = asked.path.as_str();
    if path.contains("list=search") {
        assert!(path.contains("haswbstatement%3AP345%3Dtt0133093"), "{path}");
        return Reply::json(&json!({ "query": { "search": [{ "ns": 0, "title": "Q83495" }] } }));
    }
    if path.contains("ids=Q83495") {
        return Reply::json(&json!({ "entities": { "Q83495": {
            "id": "Q83495", "labels": { "en": { "value": "Another Title" } },
            "descriptions": { "en": { "value": "1999 film" } },
            "claims": {
                "P345": [{ "rank": "normal", "mainsnak": {
                    "datavalue": { "type": "string", "value": "tt0133093" } } }],
                "P577": [{ "rank": "normal", "mainsnak": { "datavalue": {
                    "type": "time",
                    "value": { "time": "+1999-03-31T00:00:00Z", "precision": 11 } } } }]
            }
        } } }));
    }
    Reply::status(404)
}

fn of_provider(matches: &[Value]) -> &Value {
    let mut found = matches.iter().filter(|one| one["provider"] == "wikidata");
    found.next().expect("an attempt")
}

#[test]
fn film_is_found_by_the_id_in_its_nfo_and_keeps_its_title() {
    let fake = Fake::start(wikidata);
    let url = fake.url();
    let server = server(&[("LEDGE_WIKIDATA_URL", &url)]);
    let (_folder, media) = media();
    put(&media, "Some Film/Some Film.mp4", mp4("Some Film"));
    put(&media, "Some Film/Some Film.nfo", NFO);
    let admin = server.admin();
    let (item, matches) = enriched(&admin, &media);
    assert_eq!(item["title"], "Some Film", "{matches:?}");
    assert_eq!(item["year"], 1999);
    assert_eq!(item["description"], "1999 film");
    assert_eq!(item["provider_ids"], json!({ "wikidata": "Q83495" }));
    assert_eq!(of_provider(&matches)["outcome"], "ok");

    let id = item["id"].as_i64().expect("an id");
    let broken: [fn() -> Reply; 4] = [
        || Reply::status(429).header("Retry-After", "1"),
        || Reply::status(500),
        || Reply::json(&json!({ "error": { "code": "ratelimited" } })),
        || Reply::bytes("application/json", "{"),
    ];
    for (at, reply) in broken.into_iter().enumerate() {
        fake.answer(move |_| reply());
        let before = fake.asked().len();
        let (item, matches) = enrich(&admin, id);
        assert_eq!(of_provider(&matches)["outcome"], "failure", "{at}");
        assert!(fake.asked().len() > before, "{at}: no request");
        assert_eq!(item["year"], 1999, "the match stays");
    }
}

#[test]
fn film_without_ids_causes_no_request() {
    let fake = Fake::start(wikidata);
    let url = fake.url();
    let server = server(&[("LEDGE_WIKIDATA_URL", &url)]);
    let (_folder, media) = media();
    put(&media, "Some Film.mp4", mp4("Some Film"));
    let (_, matches) = enriched(&server.admin(), &media);
    assert_eq!(of_provider(&matches)["outcome"], "notfound", "{matches:?}");
    assert_eq!(fake.asked().len(), 0);
}
