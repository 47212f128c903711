//! Before the crate is compiled: a page in place of a web UI that was not built, and the commit.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Where the web UI's build lies.
const UI: &str = "../web/dist";

/// What `cargo build` embeds on a machine without Node: the API works all the same.
const STUB: &str = "<!doctype html>
<html lang=\"en\">
  <head><meta charset=\"utf-8\" /><title>Ledge</title></head>
  <body>
    <h1>Ledge</h1>
    <p>This executable was built without its web interface. Build it with
      <code>npm ci &amp;&amp; npm run build</code> in <code>web/</code>, then build the server
      again.</p>
  </body>
</html>
";

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed={UI}");
    put_stub_in_place(Path::new(UI))?;
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

fn put_stub_in_place(ui: &Path) -> std::io::Result<()> {
    let page = ui.join("index.html");
    if page.exists() {
        return Ok(());
    }
    fs::create_dir_all(ui)?;
    fs::write(page, STUB)
}

/// The commit from `LEDGE_COMMIT`, which an image's build sets, or from Git.
fn commit() -> Option<String> {
    if let Ok(commit) = env::var("LEDGE_COMMIT") {
        return Some(commit).filter(|commit| !commit.is_empty());
    }
    let output = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let commit = String::from_utf8(output.stdout).ok()?;
    Some(commit.trim().to_owned()).filter(|commit| !commit.is_empty())
}
