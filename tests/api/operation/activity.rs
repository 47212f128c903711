//! Current file requests as administrators see them.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use ledge_tests::server::{all_items, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, is_time, refused};

/// Size of the file. It exceeds all buffers between the server and a client that does not read.
const SIZE: u64 = 256 << 20;
const STREAM: &str = "user device kind item_id file_id title size sent rate started_at";

/// Starts a server with one large file. Returns the ids of its library, item and file.
fn server_with_file() -> (Server, Client, [i64; 3]) {
    let server = Server::start();
    let media = server.folder().join("media");
    std::fs::create_dir(&media).expect("a folder");
    let file = File::create(media.join("Lantern (2001).mp4")).expect("a file");
    file.set_len(SIZE).expect("a size");
    let admin = server.admin();
    let (library, _) = scanned_library(&admin, "Media", &media);
    let item = id_of(&all_items(&admin, "/items")[0]);
    let detail = admin.get(&format!("/items/{item}")).expect(200).json();
    let file = id_of(&detail["files"][0]);
    (server, admin, [library, item, file])
}

fn activity(admin: &Client) -> Value {
    let activity = admin.get("/activity").expect(200).json();
    has_keys(&activity, "streams bytes_24h hours");
    let hours = activity["hours"].as_array().expect("hours");
    assert_eq!(hours.len(), 24);
    let sum: u64 = hours.iter().map(|hour| hour.as_u64().expect("bytes")).sum();
    assert_eq!(activity["bytes_24h"], sum);
    activity
}

/// Sends a request for the file, and reads only the beginning of the response.
fn begin(server: &Server, client: &Client, file: i64) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
    let token = client.token().expect("a session");
    let request = format!(
        "GET /api/v1/files/{file}/content HTTP/1.1\r\nHost: ledge\r\n\
         User-Agent: VLC/3.0.20 LibVLC/3.0.20\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut start = [0; 100];
    stream.read_exact(&mut start).expect("a response");
    assert!(start.starts_with(b"HTTP/1.1 200 "));
    stream
}

#[test]
fn open_request_is_listed_with_its_user_and_bytes() {
    let (server, admin, [library, item, file]) = server_with_file();
    let (id, mia) = server.user(&admin, "mia");
    let grant = format!("/libraries/{library}/grants/{id}");
    admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(activity(&admin)["streams"], json!([]));
    let stream = begin(&server, &mia, file);
    let open = activity(&admin)["streams"][0].clone();
    has_keys(&open, STREAM);
    assert_eq!(open["user"], json!({"id": id, "username": "mia"}));
    assert_eq!(
        ["device", "kind", "item_id", "file_id", "title", "size"].map(|key| open[key].clone()),
        [
            json!("VLC/3.0.20"),
            json!("video"),
            json!(item),
            json!(file),
            json!("Lantern"),
            json!(SIZE)
        ]
    );
    is_time(&open["started_at"]);
    let sent = open["sent"].as_u64().expect("bytes");
    assert!(0 < sent && sent < SIZE, "{open}");
    assert!(open["rate"].as_u64().is_some_and(|rate| rate > 0), "{open}");
    drop(stream);
    // An ended request is listed for 30 seconds.
    let ended = activity(&admin)["streams"].clone();
    assert_eq!(ended.as_array().expect("streams").len(), 1);
}

#[test]
fn sent_bytes_are_exact_and_other_responses_are_no_streams() {
    let (_server, admin, [_, _, file]) = server_with_file();
    let path = format!("/files/{file}/content");
    let part = admin.send("GET", &path, &[("Range", "bytes=10-1009")], None);
    let etag = part.header("etag").to_owned();
    part.expect(206);
    until("the end of the request", || {
        let activity = activity(&admin);
        (activity["bytes_24h"] == 1000).then_some(())
    });
    admin.send("HEAD", &path, &[], None).expect(200);
    let known = admin.send("GET", &path, &[("If-None-Match", &etag)], None);
    known.expect(304);
    let beyond = format!("bytes={SIZE}-");
    let beyond = admin.send("GET", &path, &[("Range", &beyond)], None);
    beyond.expect(416);
    let after = activity(&admin);
    assert_eq!(after["bytes_24h"], 1000);
    let streams = after["streams"].as_array().expect("streams");
    assert_eq!((streams.len(), &streams[0]["sent"]), (1, &json!(1000)));
}

#[test]
fn stream_of_invisible_item_has_no_ids_and_no_title() {
    let (server, admin, [library, _, file]) = server_with_file();
    let (id, mia) = server.user(&admin, "mia");
    refused(&mia.get("/activity"), 403, "forbidden");
    let grant = format!("/libraries/{library}/grants/{id}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let _stream = begin(&server, &mia, file);
    let me = id_of(&admin.get("/auth/me").expect(200).json());
    let own = format!("/libraries/{library}/grants/{me}");
    admin.delete(&own).expect(204);
    let hidden = activity(&admin)["streams"][0].clone();
    assert_eq!(
        ["item_id", "file_id", "title", "kind"].map(|key| hidden[key].clone()),
        [Value::Null, Value::Null, Value::Null, json!("video")]
    );
    assert_eq!(hidden["user"]["username"], "mia");
    admin.send("PUT", &own, &[], None).expect(204);
    assert_eq!(activity(&admin)["streams"][0]["title"], "Lantern");
}

#[test]
fn request_with_ticket_belongs_to_the_user_of_the_ticket() {
    let (server, admin, [_, _, file]) = server_with_file();
    let link = admin.send("POST", &format!("/files/{file}/link"), &[], None);
    let url = link.expect(200).json()["url"].clone();
    let path = url.as_str().expect("an address");
    let path = path.strip_prefix(server.client().base()).expect("own");
    let part = [("Range", "bytes=0-9")];
    let answer = server
        .client()
        .send("GET", &format!("/{path}"), &part, None);
    answer.expect(206);
    let me = admin.get("/auth/me").expect(200).json();
    assert_eq!(activity(&admin)["streams"][0]["user"]["id"], me["id"]);
}
