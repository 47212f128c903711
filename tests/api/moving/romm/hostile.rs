//! Hostile and damaged content of an assets folder.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{ANN, Console, DRIFT, console};
use crate::http::conventions::write;
use crate::moving::world::has_numbers;

/// Size limit of a save in bytes.
const LARGEST: usize = 16 << 20;

/// Writes one save that can be imported, among links, wrong depths, sizes and names.
fn hostile_assets(console: &Console) {
    let outside = console.world.server.folder().join("outside");
    write(&outside, "secret.srm", "secret");
    write(&outside, "7/Lantern Drift (World).srm", "secret");
    let game = format!("{ANN}/saves/snes/7");
    let assets = &console.assets;
    console.asset(&format!("{game}/Lantern Drift (World).srm"), "good", 1);
    console.asset(
        &format!("{game}/core/deep/Lantern Drift (World).srm"),
        "deep",
        2,
    );
    console.asset(&format!("{game}/empty/Lantern Drift (World).srm"), "", 3);
    let huge = assets.join(&game).join("huge/Lantern Drift (World).srm");
    write(
        assets,
        &format!("{game}/huge/Lantern Drift (World).srm"),
        "",
    );
    let file = File::options().write(true).open(huge).expect("a file");
    file.set_len(LARGEST as u64 + 1).expect("a length");
    let link = |to: &Path, from: &str| symlink(to, assets.join(from)).expect("a link");
    fs::create_dir_all(assets.join(&game).join("linked")).expect("a folder");
    link(
        &outside.join("secret.srm"),
        &format!("{game}/linked/Lantern Drift (World).srm"),
    );
    link(&outside, &format!("{ANN}/saves/gb"));
    link(&outside, &format!("{game}/up"));
    link(assets, &format!("{ANN}/states"));
    let fifo = assets.join(&game).join("pipe.srm");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo").success());
    for name in ["2e2e", "557365723a2e2e2f", "User:2", "\u{202e}", "-rf"] {
        write(
            assets,
            &format!("users/{name}/saves/snes/7/Lantern Drift (World).srm"),
            "x",
        );
    }
    let bytes = std::ffi::OsStr::from_bytes(b"Lantern \xff.srm");
    fs::write(assets.join(&game).join(bytes), "x").expect("a file");
}

#[test]
fn hostile_names_links_and_sizes_change_nothing() {
    let console = console();
    hostile_assets(&console);
    let summary = console.import_thrice();
    has_numbers(&summary, &[("taken.saves", 1), ("matched", 1)]);
    assert_eq!(
        console.current(&console.ann, DRIFT, "sram").as_deref(),
        Some("good")
    );
    let none: [&str; 0] = [];
    assert_eq!(console.versions(&console.ann, DRIFT, "sram"), none);
    let report = console.report();
    let count = |reason: &str| report.iter().filter(|row| row.1 == reason).count();
    assert_eq!((count("no_user"), count("no_file")), (5, 1), "{report:?}");
    for name in ["deep", "empty", "huge", "linked", "up", "pipe.srm"] {
        let is_named = |row: &&(String, String)| {
            row.0.contains(&format!("/7/{name}")) || row.0.contains(&format!("/core/{name}"))
        };
        let found: Vec<_> = report.iter().filter(is_named).collect();
        assert_eq!(found.len(), 1, "{name}: {report:?}");
        assert_eq!(found[0].1, "unsupported", "{name}");
    }
}

#[test]
fn largest_state_is_imported_in_full() {
    let console = console();
    let content = vec![b'x'; LARGEST];
    let path = format!("{ANN}/states/snes/7/Lantern Drift (World).state");
    console.asset(&path, &content, 1);
    has_numbers(&console.import_thrice(), &[("taken.saves", 1)]);
    let state = console
        .current(&console.ann, DRIFT, "romm")
        .expect("a state");
    assert!(state.as_bytes() == content);
}

#[test]
fn unknown_layout_is_refused_with_one_line() {
    let console = console();
    let folder = console.world.server.folder();
    let users = console.assets.join("users");
    let file = folder.join("file");
    fs::write(&file, "x").expect("a file");
    for path in [&users, &file, &folder.join("absent")] {
        let line = console.world.refused("romm", path, &[]);
        assert!(!line.contains("panicked"), "{line}");
    }
    let line = console.world.refused("romm", &users, &[]);
    assert!(line.contains("RomM") && line.contains("`users`"), "{line}");
    let output = crate::operation::cli::run(
        &console.world.server,
        &["import", "romm", "x", "--library", "y.db"],
        "",
    );
    assert_eq!(output.status.code(), Some(2));
    // A link instead of the folder of users.
    fs::remove_dir_all(&users).expect("gone");
    symlink(folder, &users).expect("a link");
    console.world.refused("romm", &console.assets, &[]);
}
