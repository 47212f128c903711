//! Monitoring counters.

use ledge_tests::Server;
use ledge_tests::server::program;

const TOKEN: &str = "a-token-for-monitoring";

fn value(text: &str, sample: &str) -> f64 {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    let line = line.unwrap_or_else(|| panic!("no {sample} in\n{text}"));
    line.parse().expect("a number")
}

#[test]
fn token_opens_counters_only() {
    let server = Server::with(&program("ledge"), &[("LEDGE_METRICS_TOKEN", TOKEN)]);
    let monitoring = server.client().with_token(TOKEN);
    let answer = monitoring.get("//metrics").expect(200);
    let kind = answer.headers["content-type"].to_str().expect("text");
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    let text = String::from_utf8(answer.body).expect("UTF-8");
    assert!(value(&text, "ledge_users") >= 1.0);
    assert!(value(&text, "process_resident_memory_bytes") > 1e6);
    assert!(!text.contains(TOKEN));
    server.client().get("/nothing").expect(404);
    let text = String::from_utf8(monitoring.get("//metrics").expect(200).body).expect("UTF-8");
    let before = value(&text, r#"ledge_http_requests_total{status="404"}"#);
    server.client().get("/nothing").expect(404);
    let text = String::from_utf8(monitoring.get("//metrics").expect(200).body).expect("UTF-8");
    let after = value(&text, r#"ledge_http_requests_total{status="404"}"#);
    assert!(after > before, "{before} {after}");

    // The token is not a session, and a session is not the token.
    monitoring.get("/items").expect(401);
    let admin = server.admin();
    admin.get("//metrics").expect(401);
    server.client().get("//metrics").expect(401);
    server
        .client()
        .with_token("a-token")
        .get("//metrics")
        .expect(401);
}

#[test]
fn counters_are_absent_without_token() {
    let server = Server::start();
    let unknown = server.client().get("//metrics/x").expect(404);
    for client in [server.client().clone(), server.admin()] {
        let answer = client.get("//metrics").expect(404);
        assert_eq!(answer.json(), unknown.json());
    }
}
