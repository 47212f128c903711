//! Many concurrent clients, and some that never complete their requests.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ledge_tests::{Client, Server};

use crate::load::World;
use crate::{Plan, say};

/// Number of requests per client.
const EACH: u64 = 20;
/// Number of stalled connections.
const STALLED: usize = 200;

fn memory_mb(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid()));
    let status = status.unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

pub(crate) fn wait_on(plan: &Plan) {
    let world = World::new(&[]);
    let (answered, longest) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for n in 0..plan.clients {
            // Each client has a separate connection.
            let client = Client::new(world.admin.base());
            let client = client.with_token(world.admin.token().expect("a token"));
            let (item, _) = world.items[n % world.items.len()];
            let (answered, longest) = (&answered, &longest);
            scope.spawn(move || {
                for turn in 0..EACH {
                    let path = match turn % 4 {
                        0 => "/home".to_owned(),
                        1 => "/items?limit=60".to_owned(),
                        2 => format!("/items/{item}"),
                        _ => "/search?q=game".to_owned(),
                    };
                    let begin = Instant::now();
                    client.get(&path).expect(200);
                    let time = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
                    longest.fetch_max(time, Ordering::Relaxed);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let answered = answered.into_inner();
    assert_eq!(
        answered,
        plan.clients as u64 * EACH,
        "everybody is answered"
    );
    say(&format!(
        "{} clients at once: {answered} answers, the last after {} ms; {} MB at most",
        plan.clients,
        longest.into_inner(),
        memory_mb(&world.server)
    ));
}

/// Sends headers and bodies that never end, and never reads responses: other clients must not wait.
pub(crate) fn slow() {
    let world = World::new(&[]);
    let token = world.admin.token().expect("a token");
    let (item, file) = world.items[0];
    let beginnings = [
        "GET /api/v1/items HTTP/1.1\r\nHost: loc".to_owned(),
        format!(
            "PUT /api/v1/items/{item}/saves/9 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \
             {token}\r\nContent-Type: application/octet-stream\r\nContent-Length: 1000000\r\n\r\nhalf"
        ),
        format!(
            "GET /api/v1/files/{file}/content HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \
             {token}\r\n\r\n"
        ),
    ];
    let held: Vec<TcpStream> = (0..STALLED)
        .map(|n| {
            let mut stream =
                TcpStream::connect(("127.0.0.1", world.server.port())).expect("a line");
            let beginning = &beginnings[n % beginnings.len()];
            stream
                .write_all(beginning.as_bytes())
                .expect("buffer space");
            stream
        })
        .collect();
    let begin = Instant::now();
    for _ in 0..100 {
        world.admin.get("/items?limit=60").expect(200);
    }
    let time = begin.elapsed().as_millis();
    let saves = world.admin.get(&format!("/items/{item}/saves")).expect(200);
    assert_eq!(
        saves.json()["items"].as_array().map(Vec::len),
        Some(0),
        "half a save is none"
    );
    let mut ended = 0;
    for mut stream in held {
        let patience = Duration::from_secs(1);
        stream.set_read_timeout(Some(patience)).expect("a limit");
        ended += u32::from(matches!(stream.read(&mut [0; 4096]), Ok(n) if n == 0));
    }
    say(&format!(
        "{STALLED} connections that stall, a third each in the head, in an upload and in reading: \
         100 requests of another took {time} ms; {ended} were ended by then; {} MB at most",
        memory_mb(&world.server)
    ));
}
