//! Build script: packs the web UI, or a stub page if it was not built, and determines the commit.

use std::io::{Result, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Folder of the web UI's build.
const UI: &str = "../web/dist";

/// Stub page for builds on a machine without Node. The API is complete in such builds.
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
    // Only a release build watches the commits: a debug build would otherwise be repeated after
    // each commit.
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

/// Writes the files to `ui/` in the output folder, which the program embeds. A file becomes `NAME.gz`
/// if compression makes it smaller.
fn pack(ui: &Path) -> Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("ui");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut files = Vec::new();
    collect(ui, &mut files)?;
    for file in files {
        let bytes = fs::read(&file)?;
        let packed = gzip(&bytes)?;
        let to = out.join(file.strip_prefix(ui).unwrap_or(&file));
        fs::create_dir_all(to.parent().unwrap_or(&out))?;
        if packed.len() < bytes.len() {
            let name = to.file_name().unwrap_or_default().to_string_lossy();
            fs::write(to.with_file_name(format!("{name}.gz")), packed)?;
        } else {
            fs::write(to, bytes)?;
        }
    }
    Ok(())
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

/// Returns the commit from `LEDGE_COMMIT`, which the image build sets, or from Git.
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
