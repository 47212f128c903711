//! Browser cores and BIOS files: listing, upload, download and rejection.

use std::fs;

use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, invalid, refused};

const BYTES: (&str, &str) = ("Content-Type", "application/octet-stream");
const WASM: &[u8] = b"\0asm\x01\0\0\0 a core";
const SCRIPT: &[u8] = b"var EJS_Runtime = function () {};";
const CORES: &str = "/kinds/games/cores";

fn put(client: &Client, path: &str, body: &[u8]) -> Answer {
    client.send("PUT", path, &[BYTES], Some(body))
}

fn row(client: &Client, id: &str) -> Value {
    let list = client.get(CORES).expect(200).json();
    let rows = list["items"].as_array().expect("items");
    let found = rows.iter().find(|row| row["id"] == id);
    found.unwrap_or_else(|| panic!("no {id}")).clone()
}

fn state_of(client: &Client, platform: &str) -> Value {
    let list = client.get("/kinds/games/platforms").expect(200).json();
    let rows = list["items"].as_array().expect("items");
    let found = rows.iter().find(|row| row["id"] == platform);
    found.expect(platform)["core_state"].clone()
}

fn below_api(url: &Value) -> String {
    let url = url.as_str().expect("an address");
    url.strip_prefix("/api/v1").expect("the API's").to_owned()
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    let value = answer.headers.get(name);
    value.map_or("", |value| value.to_str().expect("text"))
}

#[test]
fn server_without_cores_lists_possible_cores_and_licences() {
    let server = Server::start();
    let (_, user) = server.user(&server.admin(), "reader");
    let mgba = row(&user, "mgba");
    has_keys(
        &mgba,
        "id platforms state script_url wasm_url wasm_size licence licence_url source_url free bios files",
    );
    assert_eq!(mgba["platforms"], json!(["gb", "gbc", "gba"]));
    assert_eq!(mgba["state"], "missing");
    assert_eq!(mgba["script_url"], Value::Null);
    assert_eq!(mgba["licence"], "MPL-2.0");
    assert_eq!(mgba["free"], true);
    has_keys(
        &mgba["bios"][0],
        "name md5 state url matches platforms required",
    );
    assert_eq!(mgba["bios"][0]["state"], "missing");
    assert_eq!(row(&user, "snes9x")["free"], false);
    assert_eq!(state_of(&user, "gb"), "missing");
    assert_eq!(state_of(&user, "intellivision"), Value::Null);
}

#[test]
fn core_is_available_with_script_and_module() {
    let server = Server::start();
    let admin = server.admin();
    let (_, user) = server.user(&admin, "reader");
    let module = put(&admin, &format!("{CORES}/mgba.wasm"), WASM).expect(201);
    assert_eq!(
        module.json(),
        json!({"name": "mgba.wasm", "size": WASM.len()})
    );
    assert_eq!(row(&user, "mgba")["state"], "missing");
    assert_eq!(row(&user, "mgba")["files"][0]["name"], "mgba.wasm");
    put(&admin, &format!("{CORES}/mgba.js"), SCRIPT).expect(201);
    put(&admin, &format!("{CORES}/mgba.js"), SCRIPT).expect(200);
    let added = row(&user, "mgba");
    assert_eq!(added["state"], "added");
    assert_eq!(added["wasm_size"], WASM.len());
    assert_eq!(state_of(&user, "gb"), "added");
    assert_eq!(state_of(&user, "nes"), "missing");
    assert_eq!(
        fs::read(server.folder().join("cores/mgba.wasm")).expect("a file"),
        WASM
    );

    let gzip = [("Accept-Encoding", "gzip")];
    let answer = user.send("GET", &below_api(&added["wasm_url"]), &gzip, None);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, WASM);
    assert_eq!(header(&answer, "content-type"), "application/wasm");
    assert_eq!(header(&answer, "content-encoding"), "");
    assert_eq!(header(&answer, "content-security-policy"), "sandbox");
    assert_eq!(
        header(&answer, "cache-control"),
        "private, max-age=31536000, immutable"
    );
    let etag = header(&answer, "etag").to_owned();
    let plain = format!("{CORES}/mgba.wasm");
    let known = user.send("GET", &plain, &[("If-None-Match", &etag)], None);
    assert_eq!(known.status, 304);
    assert_eq!(header(&known, "cache-control"), "private, no-cache");
    let script = user.get(&below_api(&added["script_url"])).expect(200);
    assert_eq!(
        header(&script, "content-type"),
        "text/javascript; charset=utf-8"
    );
    assert_eq!(script.body, SCRIPT);

    admin.delete(&plain).expect(204);
    refused(&admin.delete(&plain), 404, "not_found");
    refused(&user.get(&plain), 404, "not_found");
    assert_eq!(row(&user, "mgba")["state"], "missing");
}

#[test]
fn bios_file_reports_if_checksum_is_known() {
    let server = Server::start();
    let admin = server.admin();
    let path = "/kinds/games/bios/disksys.rom";
    put(&admin, path, b"another").expect(201);
    let bios = &row(&admin, "fceumm")["bios"][0];
    assert_eq!(bios["state"], "added");
    assert_eq!(bios["matches"], false);
    assert_eq!(bios["required"], true);
    let answer = admin.get(&below_api(&bios["url"])).expect(200);
    assert_eq!(answer.body, b"another");
    assert_eq!(header(&answer, "content-type"), "application/octet-stream");
    put(&admin, "/kinds/games/bios/7800%20BIOS%20(U).rom", b"x").expect(201);
    let url = &row(&admin, "prosystem")["bios"][0]["url"];
    admin.get(&below_api(url)).expect(200);
    admin.delete(path).expect(204);
    assert_eq!(row(&admin, "fceumm")["bios"][0]["state"], "missing");
}

#[test]
fn only_files_of_cores_inside_their_folders_are_accepted() {
    let server = Server::start();
    let admin = server.admin();
    for name in [
        "other.wasm",
        "mgba.exe",
        "..%2Fmgba.wasm",
        "%2e%2e%2fledge.db",
        "mgba.wasm%00",
        "MGBA.wasm",
    ] {
        invalid(&put(&admin, &format!("{CORES}/{name}"), WASM), "file");
        refused(&admin.get(&format!("{CORES}/{name}")), 404, "not_found");
        refused(&admin.delete(&format!("{CORES}/{name}")), 404, "not_found");
    }
    for name in ["other.bin", "..%2F..%2Fetc%2Fpasswd", "..%2Fledge.db"] {
        let path = format!("/kinds/games/bios/{name}");
        invalid(&put(&admin, &path, b"x"), "name");
        refused(&admin.get(&path), 404, "not_found");
        refused(&admin.delete(&path), 404, "not_found");
    }
    invalid(&put(&admin, &format!("{CORES}/mgba.wasm"), b""), "file");
    invalid(&put(&admin, "/kinds/games/bios/disksys.rom", b""), "name");
    assert!(!server.folder().join("cores").exists());
    assert!(!server.folder().join("bios").exists());
    assert!(server.folder().join("ledge.db").exists());
}

#[test]
fn upload_requires_type_limit_and_administrator() {
    let server = Server::start();
    let admin = server.admin();
    let (_, user) = server.user(&admin, "reader");
    for path in [
        "/kinds/games/cores/mgba.wasm",
        "/kinds/games/bios/disksys.rom",
    ] {
        refused(&put(&user, path, WASM), 403, "forbidden");
        refused(&user.delete(path), 403, "forbidden");
        let text = [("Content-Type", "application/json")];
        let answer = admin.send("PUT", path, &text, Some(WASM));
        refused(&answer, 415, "unsupported_media_type");
        let long = vec![0; (32 << 20) + 1];
        refused(&put(&admin, path, &long), 413, "payload_too_large");
    }
    assert!(!server.folder().join("cores").exists());
}
