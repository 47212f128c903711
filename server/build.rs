//! Before the crate is compiled: the web UI is packed, with a page in its place where it was not
//! built, and the commit is found out.

use std::fmt::Write as _;
use std::io::{Result, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

/// Where the web UI's build lies.
const UI: &str = "../web/dist";

/// What `cargo build` embeds on a machine without Node: the API works all the same.
const STUB: &str = "<!doctype html>
<html lang=\"en\">
  <head>
    <meta charset=\"utf-8\" />
    <meta name=\"description\" content=\"A self-hosted media library.\" />
    <title>Ledge</title>
  </head>
  <body>
    <h1>Ledge</h1>
    <p>This executable was built without its web interface. Build it with
      <code>npm ci &amp;&amp; npm run build</code> in <code>web/</code>, then build the server
      again.</p>
  </body>
</html>
";

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed={UI}");
    put_stub_in_place(Path::new(UI))?;
    pack(Path::new(UI))?;
    println!("cargo::rerun-if-env-changed=LEDGE_COMMIT");
    // Only a release looks at each commit: a debug build would be made anew after every one.
    if env::var("PROFILE").as_deref() == Ok("release") && Path::new("../.git/logs/HEAD").exists() {
        println!("cargo::rerun-if-changed=../.git/logs/HEAD");
    }
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=LEDGE_BUILD_COMMIT={commit}");
    }
    Ok(())
}

fn put_stub_in_place(ui: &Path) -> Result<()> {
    let page = ui.join("index.html");
    if page.exists() {
        return Ok(());
    }
    fs::create_dir_all(ui)?;
    fs::write(page, STUB)
}

/// Writes `ui.rs`, a list of all files with their bytes: compressed where that makes them smaller,
/// which is also how most of them go out.
fn pack(ui: &Path) -> Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut files = Vec::new();
    collect(ui, &mut files)?;
    files.sort_unstable();
    let mut list = String::from("&[\n");
    for (n, file) in files.iter().enumerate() {
        let bytes = fs::read(file)?;
        let packed = gzip(&bytes)?;
        let is_packed = packed.len() < bytes.len();
        let path = out.join(format!("ui-{n}"));
        fs::write(&path, if is_packed { &packed } else { &bytes })?;
        let path = path.to_string_lossy();
        let name = file.strip_prefix(ui).unwrap_or(file).to_string_lossy();
        let mime = mime_guess::from_path(file).first_or_octet_stream();
        let digest = Sha256::digest(&bytes);
        let hash = digest
            .iter()
            .take(12)
            .fold(String::new(), |mut text, byte| {
                // Writing to a string cannot fail.
                let _ = write!(text, "{byte:02x}");
                text
            });
        let _ = writeln!(
            list,
            "    Embedded {{ name: {name:?}, mime: {:?}, hash: {hash:?}, is_packed: {is_packed}, \
             bytes: include_bytes!({path:?}) }},",
            mime.essence_str(),
        );
    }
    list.push(']');
    fs::write(out.join("ui.rs"), list)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The commit from `LEDGE_COMMIT`, which an image's build sets, or from Git.
fn commit() -> Option<String> {
    let given = env::var("LEDGE_COMMIT").ok();
    if let Some(commit) = given.filter(|commit| !commit.is_empty()) {
        return Some(commit);
    }
    let output = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let commit = String::from_utf8(output.stdout).ok()?;
    Some(commit.trim().to_owned()).filter(|commit| !commit.is_empty())
}
