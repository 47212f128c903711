//! Audnexus: an audiobook with an ASIN in its name.

use ledge_fixtures::{AudioTags, m4b};
use ledge_tests::{After, Asked, Fake, Reply};
use serde_json::{Value, json};

use super::{enrich, enriched, media, picture, put, server};

fn audnexus(asked: &Asked) -> Reply {
    match asked.path.as_str() {
        "/books/B08G9PRS1K?region=us" => Reply::json(&json!({
            "asin": "B08G9PRS1K", "title": "Project Hail Mary", "region": "us",
            "authors": [{ "asin": "B00G0WYW92", "name": "Andy Weir" }],
            "narrators": [{ "name": "Ray Porter" }], "releaseDate": "2021-05-04T00:00:00.000Z",
            "runtimeLengthMin": 970, "summary": "<p>A lone astronaut.</p>",
            "image": "https://m.media-amazon.com/images/I/1.jpg", "genres": [],
            "seriesPrimary": { "name": "Some Series", "position": "2" }
        })),
        "/books/B08G9PRS1K/chapters?region=us" => Reply::json(&json!({
            "asin": "B08G9PRS1K", "isAccurate": true,
            "chapters": [{ "title": "One", "startOffsetMs": 0 }]
        })),
        "/images/I/1.jpg" => picture(),
        _ => Reply::status(404),
    }
}

fn of_provider(matches: &[Value]) -> &Value {
    let mut found = matches.iter().filter(|one| one["provider"] == "audnexus");
    found.next().expect("an attempt")
}

#[test]
fn audiobook_is_found_by_the_asin_in_its_name() {
    let fake = Fake::start(audnexus);
    let url = fake.url();
    let server = server(&[("LEDGE_AUDNEXUS_URL", &url)]);
    let (_folder, media) = media();
    let name = "Books/Hail Mary [B08G9PRS1K].m4b";
    put(&media, name, m4b(&AudioTags::default()));
    let admin = server.admin();
    let (item, matches) = enriched(&admin, &media);
    assert_eq!(item["subkind"], "audiobook", "{item}");
    assert_eq!(item["title"], "Project Hail Mary", "{matches:?}");
    assert_eq!(item["authors"], "Andy Weir");
    assert_eq!(item["year"], 2021);
    assert_eq!(item["description"], "A lone astronaut.");
    assert_eq!(item["provider_ids"], json!({ "audnexus": "B08G9PRS1K" }));
    assert_eq!(item["cover"]["width"], 200, "{item}");
    assert!(item["people"].to_string().contains("Ray Porter"), "{item}");
    assert_eq!(of_provider(&matches)["outcome"], "ok");

    let id = item["id"].as_i64().expect("an id");
    let broken: [fn() -> Reply; 5] = [
        || Reply::status(429).header("Retry-After", "1"),
        || Reply::status(500),
        || Reply::json(&json!({ "statusCode": 200 })),
        || Reply::bytes("application/json", "{").then(After::Endless),
        || Reply::status(302).header("Location", "http://192.168.0.1/"),
    ];
    for (at, reply) in broken.into_iter().enumerate() {
        fake.answer(move |_| reply());
        let before = fake.asked().len();
        let (item, matches) = enrich(&admin, id);
        assert_eq!(of_provider(&matches)["outcome"], "failure", "{at}");
        assert!(fake.asked().len() > before, "{at}: no request");
        assert_eq!(item["year"], 2021, "the match stays");
    }
}

#[test]
fn audiobook_without_asin_causes_no_request() {
    let fake = Fake::start(audnexus);
    let url = fake.url();
    let server = server(&[("LEDGE_AUDNEXUS_URL", &url)]);
    let (_folder, media) = media();
    put(&media, "Books/Hail Mary.m4b", m4b(&AudioTags::default()));
    let (_, matches) = enriched(&server.admin(), &media);
    assert_eq!(of_provider(&matches)["outcome"], "notfound", "{matches:?}");
    assert_eq!(fake.asked().len(), 0);
}

#[test]
fn region_is_one_of_the_known_ones() {
    let server = server(&[]);
    let admin = server.admin();
    let change = |region: &str| {
        let settings = json!({ "LEDGE_AUDNEXUS_REGION": region });
        let change = json!({ "providers": { "audnexus": { "settings": settings } } });
        admin.patch("/metadata/settings", &change)
    };
    let refused = change("nowhere").expect(422).json();
    assert!(refused.to_string().contains("`nowhere`"), "{refused}");
    let settings = change("GB").expect(200).json();
    let providers = settings["providers"].as_array().expect("providers");
    let mut found = providers.iter().filter(|one| one["id"] == "audnexus");
    let settings = &found.next().expect("the provider")["settings"];
    let mut settings = settings.as_array().expect("settings").iter();
    let region = settings.find(|one| one["name"] == "LEDGE_AUDNEXUS_REGION");
    assert_eq!(region.expect("the region")["value"], "uk");
}

#[test]
fn contact_of_the_operator_is_in_each_request() {
    let fake = Fake::start(audnexus);
    let url = fake.url();
    let server = server(&[
        ("LEDGE_AUDNEXUS_URL", &url),
        ("LEDGE_CONTACT", "books@example.org"),
    ]);
    let (_folder, media) = media();
    let name = "Books/Hail Mary [B08G9PRS1K].m4b";
    put(&media, name, m4b(&AudioTags::default()));
    enriched(&server.admin(), &media);
    let asked = fake.asked();
    assert!(asked.len() > 1);
    for one in asked {
        let agent = one.header("user-agent").to_owned();
        assert!(agent.ends_with(" (+books@example.org)"), "{agent}");
    }
}
