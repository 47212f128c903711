//! What becomes of an answer that is under way when the server is asked to end.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use ledge_tests::Server;
use ledge_tests::server::{scanned_library, until};

/// More than what the system holds of a connection that nobody reads.
const SIZE: usize = 32 << 20;

/// A server, and an answer of which a first part was read.
fn begun() -> (Server, TcpStream, Vec<u8>) {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Long.txt"), vec![b'x'; SIZE]).expect("a file");
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    let card = admin.get("/items").expect(200).json()["items"][0].clone();
    let item = admin.get(&format!("/items/{}", card["id"])).expect(200);
    let file = &item.json()["files"][0]["id"];
    let token = admin.token().expect("a token");
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
    write!(
        stream,
        "GET /api/v1/files/{file}/content HTTP/1.1\r\nHost: localhost\r\n\
         Authorization: Bearer {token}\r\n\r\n"
    )
    .expect("a request");
    let mut part = vec![0; 1 << 16];
    stream.read_exact(&mut part).expect("a beginning");
    assert!(part.starts_with(b"HTTP/1.1 200"), "{:?}", &part[..12]);
    (server, stream, part)
}

/// How many bytes of the file came, once the connection has ended.
fn came(mut stream: TcpStream, mut answer: Vec<u8>) -> usize {
    // Where it is cut off, the system may say so.
    let _ = stream.read_to_end(&mut answer);
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n");
    answer.len() - head.expect("a head") - 4
}

/// Asks the server to end, and waits until it takes nothing new.
fn ask_to_end(server: &Server) {
    server.ask_to_end();
    let address = ("127.0.0.1", server.port());
    until("nobody listens", || {
        TcpStream::connect(address).is_err().then_some(())
    });
}

#[test]
fn an_open_answer_is_sent_to_its_end_and_nothing_new_is_taken() {
    let (mut server, stream, beginning) = begun();
    ask_to_end(&server);
    assert_eq!(came(stream, beginning), SIZE);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn who_asks_twice_does_not_wait_for_open_answers() {
    let (mut server, stream, beginning) = begun();
    ask_to_end(&server);
    assert_eq!(server.terminate(), Some(0));
    assert!(came(stream, beginning) < SIZE);
}
