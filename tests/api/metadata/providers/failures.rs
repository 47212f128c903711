//! Replies that no provider documents, for the tests of several providers.

use ledge_tests::{After, Asked, Fake, Reply};
use serde_json::json;

use super::malformed::World;

/// Returns a reply for each failure. None of them is valid, and all are retried.
fn replies(elsewhere: &str) -> Vec<(&'static str, Reply)> {
    let json = |body: &str| Reply::bytes("application/json", body);
    vec![
        ("server error", Reply::status(503)),
        ("torn", json("{\"results\": [{\"id\": ")),
        ("list of nothing", json("[null]")),
        ("page", Reply::bytes("text/html", "<html>[]</html>")),
        ("huge", json("[").then(After::Endless)),
        (
            "elsewhere",
            Reply::status(302).header("Location", elsewhere),
        ),
        // During this pause, no further request is sent.
        ("limit", Reply::status(429).header("Retry-After", "90")),
    ]
}

/// Asserts that every reply of [`replies`] is a failure that mentions no secret, and that no
/// redirect to another private address is followed.
#[track_caller]
pub(super) fn are_retried(fake: &Fake, world: &World, secret: &str) {
    let other = Fake::start(|_| Reply::json(&json!([])));
    for (name, reply) in replies(&other.url()) {
        fake.answer(move |_: &Asked| reply.clone());
        let before = fake.asked().len();
        let attempt = world.is_failure(&json!(name));
        assert!(fake.asked().len() > before, "{name}: no request");
        assert!(!attempt.to_string().contains(secret), "{name}: {attempt}");
        if name == "limit" {
            assert!(
                attempt["error"]
                    .as_str()
                    .is_some_and(|text| text.contains("429"))
            );
        }
    }
    assert!(other.asked().is_empty(), "a private address was reached");
}

/// Returns a server without entries for every provider of videos and comics that needs no key.
pub(super) fn without_entries() -> Fake {
    Fake::start(|asked| match asked.method.as_str() {
        "POST" => Reply::json(&json!({ "data": { "Page": { "media": [] } } })),
        _ if asked.path.starts_with("/search.json") => {
            Reply::json(&json!({ "numFound": 0, "docs": [] }))
        }
        _ if asked.path.starts_with("/books/v1") => {
            Reply::json(&json!({ "kind": "books#volumes", "totalItems": 0 }))
        }
        _ => Reply::json(&json!([])),
    })
}

/// Returns the settings that point these providers to a server.
pub(super) fn pointed(url: &str) -> Vec<(&str, &str)> {
    let variables = [
        "LEDGE_TVMAZE_URL",
        "LEDGE_ANILIST_URL",
        "LEDGE_OPENLIBRARY_URL",
        "LEDGE_GOOGLEBOOKS_URL",
    ];
    variables.map(|variable| (variable, url)).to_vec()
}
