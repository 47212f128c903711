//! Invalid requests: no response may be an internal error, and the server must keep running.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use ledge_tests::Server;

use crate::load::World;
use crate::{Plan, Rng, say};

const METHODS: [&str; 9] = [
    "GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW", "get",
];
const PATHS: [&str; 16] = [
    "/api/v1/items",
    "/api/v1/items/-1",
    "/api/v1/items/99999999999999999999",
    "/api/v1/items/1/progress",
    "/api/v1/items/1/saves/..%2f..%2fledge.db",
    "/api/v1/files/1/content",
    "/api/v1/search",
    "/api/v1/libraries",
    "/api/v1/users/1",
    "/api/v1/auth/login",
    "/../../../../etc/passwd",
    "/assets/%2e%2e/%2e%2e/ledge.db",
    "//evil.example/",
    "/%00",
    "/api/v1/kinds/games/cores/..%5c..%5cbios",
    "*",
];
const QUERIES: [&str; 10] = [
    "",
    "?q=%FF%FE",
    "?offset=-1",
    "?limit=99999999999",
    "?q=\"*(NEAR",
    "?sort=title;DROP%20TABLE%20item",
    "?kind[]=games",
    "?q=%F0%9F%92%A9&q=2",
    "?%00=%00",
    "?library=1e9",
];
const HEADERS: [&str; 12] = [
    "Content-Type: application/json",
    "Content-Length: 18446744073709551615",
    "Content-Length: -1",
    "Transfer-Encoding: chunked, chunked",
    "Range: bytes=0-,1-,2-,-1,99999999999999999999-",
    "If-None-Match: *, \"\\\"",
    "If-Match: \"",
    "Cookie: ledge_session=\x01\x02",
    "Authorization: Bearer \u{fe}\u{ff}",
    "Origin: https://evil.example",
    "X-Forwarded-For: 127.0.0.1, \x7f",
    "Expect: 100-continue",
];
const BODIES: [&str; 8] = [
    "",
    "{",
    "null",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "{\"username\":\"admin\",\"password\":\"\\u0000\"}",
    "{\"position\":1e999}",
    "{\"title\":\"\\ud800\"}",
    "5\r\nhello\r\n0\r\n\r\n",
];

pub(crate) fn answer(plan: &Plan, seed: u64) {
    let world = World::new(&[]);
    let mut rng = Rng(seed ^ 0x6e6f);
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..plan.nonsense {
        let request = request(&mut rng, world.admin.token().unwrap_or_default());
        let status = ask(&world.server, &request);
        assert!(
            !status.starts_with('5') || status == "503",
            "{status} for {:?}",
            String::from_utf8_lossy(&request)
        );
        *statuses.entry(status).or_default() += 1;
    }
    world.admin.get("/home").expect(200);
    say(&format!(
        "{} requests of nonsense: {statuses:?}",
        plan.nonsense
    ));
}

fn request(rng: &mut Rng, token: &str) -> Vec<u8> {
    if rng.below(8) == 0 {
        return (0..rng.below(400))
            .map(|_| rng.throw().to_le_bytes()[0])
            .collect();
    }
    let (method, path, query) = (
        rng.one_of(&METHODS),
        rng.one_of(&PATHS),
        rng.one_of(&QUERIES),
    );
    let version = rng.one_of(&["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/9.9"]);
    let mut text = format!("{method} {path}{query} {version}\r\nHost: localhost\r\n");
    if rng.below(2) == 0 {
        text = format!("{text}Authorization: Bearer {token}\r\n");
    }
    for _ in 0..rng.below(4) {
        let header: &str = rng.one_of::<&str>(&HEADERS);
        text.push_str(header);
        text.push_str("\r\n");
    }
    let body = *rng.one_of::<&str>(&BODIES);
    if rng.below(2) == 0 {
        text = format!("{text}Content-Length: {}\r\n", body.len());
    }
    text.push_str("Connection: close\r\n\r\n");
    text.push_str(body);
    let mut bytes = text.into_bytes();
    if rng.below(4) == 0 {
        let at = usize::try_from(rng.below(bytes.len() as u64)).expect("a place in memory");
        bytes[at] = rng.throw().to_le_bytes()[0];
    }
    bytes
}

/// Returns the response status, or a text if the connection ended without one.
fn ask(server: &Server, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("it listens");
    stream
        .set_read_timeout(Some(Duration::from_millis(300)))
        .expect("a limit");
    // The server may have closed the connection already.
    let _ = stream.write_all(request);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut head = [0; 12];
    match stream.read_exact(&mut head) {
        Ok(()) => String::from_utf8_lossy(&head[9..]).into_owned(),
        Err(_) => "none".to_owned(),
    }
}
