//! Uploads that are cut off at any point: the existing save stays unchanged.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::time::Duration;

use ledge_tests::server::until;
use rustix::net::sockopt::set_socket_linger;
use serde_json::Value;

use super::uploads::read_answer;
use super::{Console, console, noise};

/// Seed of the cut positions.
const SEED: u32 = 19_937;
/// Number of cuts: sixteen for each body encoding and each end of a connection.
const CUTS: usize = 96;
/// Size of the upload, more than the server keeps of it in memory.
const SIZE: usize = 300_000;
const CHUNKED: &str = "Transfer-Encoding: chunked";
/// Last chunk of a chunked body.
const LAST: &[u8] = b"0\r\n\r\n";
const INTERIM: &[u8; 25] = b"HTTP/1.1 100 Continue\r\n\r\n";
const ENDS: [End; 3] = [End::Half, End::Closed, End::Reset];

/// End of a connection.
#[derive(Debug, Clone, Copy)]
enum End {
    /// The client sends nothing more, and waits for the response.
    Half,
    Closed,
    Reset,
}

/// State of a slot: its bytes, their tag, its list entry, its versions.
type State = (Vec<u8>, String, Vec<Value>, Vec<Value>);

/// Console whose uploads over a save with one version are cut off.
struct Unlucky {
    console: Console,
    before: State,
    /// Number of open sockets of the server before the uploads.
    sockets: usize,
}

fn unlucky() -> Unlucky {
    let console = console();
    console.put("quick", b"first").expect(201);
    console.put("quick", b"second").expect(200);
    let before = state(&console);
    assert_eq!((before.2.len(), before.3.len()), (1, 1));
    Unlucky {
        before,
        sockets: sockets(&console),
        console,
    }
}

fn state(console: &Console) -> State {
    let save = console.admin.get(&console.path("quick")).expect(200);
    let tag = save.header("etag").to_owned();
    (save.body, tag, console.list(), console.versions("quick"))
}

fn sockets(console: &Console) -> usize {
    let open = console.descriptors();
    open.iter().filter(|to| to.starts_with("socket:")).count()
}

impl Unlucky {
    /// Cuts a body off after `sent` bytes, and asserts that nothing has changed.
    fn cut(&self, headers: &str, body: &[u8], sent: usize, end: End) {
        let case = format!(
            "seed {SEED}: {sent} of {} bytes, {headers}, {end:?}",
            body.len()
        );
        if let Some(answer) = self.send(headers, &body[..sent], end) {
            assert!(answer.starts_with("HTTP/1.1 400"), "{case}: {answer}");
        }
        assert!(state(&self.console) == self.before, "{case}");
    }

    /// Sends a part of a body once the server requests it. Returns the response, if one is
    /// expected.
    fn send(&self, headers: &str, part: &[u8], end: End) -> Option<String> {
        let headers = format!("{headers}\r\nExpect: 100-continue");
        let mut stream = self.console.raw("quick", &headers);
        // The response must be read completely, because closing with unread data would be a reset.
        let mut interim = [0; INTERIM.len()];
        stream.read_exact(&mut interim).expect("an interim answer");
        assert_eq!(&interim, INTERIM);
        stream.write_all(part).expect("a part");
        match end {
            End::Half => {
                stream.shutdown(Shutdown::Write).expect("the end");
                Some(read_answer(stream))
            }
            End::Closed => None,
            End::Reset => {
                set_socket_linger(&stream, Some(Duration::ZERO)).expect("a reset");
                None
            }
        }
    }

    /// Finally sends a complete body. If the server had accepted a cut one late, it would be a
    /// version.
    fn succeed(&self, headers: &str, sent: &[u8], body: &[u8]) {
        until("the end of every connection", || {
            (sockets(&self.console) <= self.sockets).then_some(())
        });
        let mut stream = self.console.raw("quick", headers);
        stream.write_all(sent).expect("a body");
        let answer = read_answer(stream);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let (save, _, _, versions) = state(&self.console);
        assert!(save == body, "other bytes");
        let numbers: Vec<i64> = versions.iter().filter_map(|v| v["n"].as_i64()).collect();
        assert_eq!(numbers, [2, 1]);
        let replaced = format!("{}/versions/2", self.console.path("quick"));
        assert_eq!(
            self.console.admin.get(&replaced).expect(200).body,
            b"second"
        );
    }
}

/// Returns a body in chunks so small that some cuts are between them, or in their sizes.
fn in_chunks(body: &[u8]) -> Vec<u8> {
    let mut sent = Vec::new();
    for piece in body.chunks(100) {
        write!(sent, "{:x}\r\n", piece.len()).expect("a chunk");
        sent.extend_from_slice(piece);
        sent.extend_from_slice(b"\r\n");
    }
    sent.extend_from_slice(LAST);
    sent
}

/// Returns large numbers, the same in every run.
fn places() -> Vec<usize> {
    let bytes = noise(4 * CUTS, SEED);
    let (fours, _) = bytes.as_chunks::<4>();
    fours
        .iter()
        .map(|four| usize::try_from(u32::from_le_bytes(*four)).expect("a place in memory"))
        .collect()
}

#[test]
fn chunked_body_is_incomplete_before_its_last_byte() {
    let unlucky = unlucky();
    let body = noise(SIZE, 2);
    let sent = in_chunks(&body);
    for missing in 1..=LAST.len() {
        for end in ENDS {
            unlucky.cut(CHUNKED, &sent, sent.len() - missing, end);
        }
    }
    unlucky.succeed(CHUNKED, &sent, &body);
}

#[test]
fn upload_cut_off_anywhere_changes_nothing() {
    let unlucky = unlucky();
    let body = noise(SIZE, 2);
    let declared = format!("Content-Length: {SIZE}");
    let ways = [
        (declared.as_str(), body.clone()),
        (CHUNKED, in_chunks(&body)),
    ];
    for (n, place) in places().into_iter().enumerate() {
        let (headers, sent) = &ways[n % 2];
        unlucky.cut(headers, sent, place % sent.len(), ENDS[n / 2 % 3]);
    }
    unlucky.succeed(&declared, &body, &body);
}
