//! Responses in progress when the server is asked to stop.

use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ledge_tests::Server;
use ledge_tests::server::{program, scanned_library, until};

/// Size of a response, larger than the system's socket buffers.
const SIZE: usize = 32 << 20;

/// Starts a server and reads the first part of a response.
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

/// Returns the number of bytes that arrived when the connection has ended.
fn came(mut stream: TcpStream, mut answer: Vec<u8>) -> usize {
    // An aborted connection may return an error.
    let _ = stream.read_to_end(&mut answer);
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n");
    answer.len() - head.expect("a head") - 4
}

/// Asks the server to stop, and waits until it accepts no new connection.
fn ask_to_end(server: &Server) {
    server.ask_to_end();
    let address = ("127.0.0.1", server.port());
    until("the closed listener", || {
        TcpStream::connect(address).is_err().then_some(())
    });
}

#[test]
fn open_response_completes_and_new_requests_are_refused() {
    let (mut server, stream, beginning) = begun();
    ask_to_end(&server);
    assert_eq!(came(stream, beginning), SIZE);
    assert_eq!(server.terminate(), Some(0));
}

/// Creates a program in place of ffprobe that never answers, and that creates a file when it is
/// started.
fn hanging_program(folder: &Path) -> PathBuf {
    let path = folder.join("ffprobe");
    let marker = folder.join("asked");
    let script = format!("#!/bin/sh\ntouch '{}'\nexec sleep 30\n", marker.display());
    fs::write(&path, script).expect("a program");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("an executable");
    path
}

/// `docker stop` kills a server that has not ended after ten seconds.
#[test]
fn stop_ends_in_time_despite_streams_slow_upload_and_hanging_job() {
    let folder = tempfile::tempdir().expect("a folder");
    let media = folder.path().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Long.txt"), vec![b'x'; SIZE]).expect("a file");
    let ffprobe = hanging_program(folder.path());
    let ffprobe = ffprobe.to_str().expect("text");
    let program = program("ledge-example");
    let mut server = Server::in_folder(&program, folder.path(), &[("LEDGE_FFPROBE", ffprobe)]);
    let admin = server.admin();
    let (library, _) = scanned_library(&admin, "Media", &media);
    // The client does not read these responses.
    let token = admin.token().expect("a token").to_owned();
    let item = admin.get("/items").expect(200).json()["items"][0]["id"].clone();
    let item = admin.get(&format!("/items/{item}")).expect(200).json();
    let file = &item["files"][0]["id"];
    let signed_in = format!("Host: localhost\r\nAuthorization: Bearer {token}\r\n");
    let requests = [
        format!("GET /api/v1/files/{file}/content HTTP/1.1\r\n{signed_in}\r\n"),
        format!("GET /api/v1/events HTTP/1.1\r\n{signed_in}\r\n"),
        format!(
            "PUT /api/v1/auth/password HTTP/1.1\r\n{signed_in}Content-Type: application/json\r\n\
             Content-Length: 60000\r\n\r\nhalf"
        ),
    ];
    let mut streams = requests.map(|request| {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
        stream.write_all(request.as_bytes()).expect("a request");
        stream
    });
    for stream in streams.iter_mut().take(2) {
        stream.read_exact(&mut [0; 12]).expect("a beginning");
    }
    // The running scan hangs in a file that only ffprobe can read.
    fs::write(media.join("Film.wtv"), b"no film").expect("a file");
    admin
        .send("POST", &format!("/libraries/{library}/scan"), &[], None)
        .expect(202);
    let marker = folder.path().join("asked");
    until("the job hangs", || marker.exists().then_some(()));
    let begin = Instant::now();
    assert_eq!(server.terminate(), Some(0));
    let time = begin.elapsed();
    assert!(time < Duration::from_secs(10), "{time:?}");
    drop(streams);
    // The interrupted job runs again at the next start.
    fs::remove_file(&marker).expect("a file");
    server.restart();
    until("the job runs again", || marker.exists().then_some(()));
    server.kill();
}

#[test]
fn second_signal_does_not_wait_for_open_responses() {
    let (mut server, stream, beginning) = begun();
    ask_to_end(&server);
    assert_eq!(server.terminate(), Some(0));
    assert!(came(stream, beginning) < SIZE);
}
