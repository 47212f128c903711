//! Import from RomM.

mod hostile;

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use ledge_tests::server::{scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use super::world::{World, has_numbers};
use crate::http::conventions::{id_of, write};

/// Games of the library. Two of them have the same stem.
const GAMES: [&str; 5] = [
    "snes/Lantern Drift (World).sfc",
    "gb/Harbour (Europe).gb",
    "nes/Harbour (Europe).nes",
    "psx/Fog Bank/Fog Bank (Disc 1).chd",
    "Dr. Tide.min.nes",
];
/// Folder of the user 1, and of the user 2.
const BOSS: &str = "users/557365723a31";
const ANN: &str = "users/557365723a32";
const MAPPED: [&str; 4] = ["--user", "1=admin", "--user", "2=ann"];
/// Seconds of 2024-01-01.
const START: u64 = 1_704_067_200;

struct Console {
    world: World,
    ann: Client,
    assets: PathBuf,
}

fn console() -> Console {
    let server = Server::start();
    let media = server.folder().join("media");
    for name in GAMES {
        write(&media, name, name);
    }
    // A book with the stem of a save.
    write(&media, "Tales (World).epub", "no book");
    let admin = server.admin();
    let (library, status) = scanned_library(&admin, "media", &media);
    assert_eq!(status["status"], "done", "{status}");
    let assets = server.folder().join("assets");
    for user in [BOSS, ANN] {
        fs::create_dir_all(assets.join(user)).expect("a folder");
    }
    let world = World {
        server,
        admin,
        library,
    };
    let ann = world.user("ann");
    Console { world, ann, assets }
}

impl Console {
    /// Writes an asset that is `day` days newer than 2024-01-01.
    fn asset(&self, path: &str, content: impl AsRef<[u8]>, day: u64) {
        write(&self.assets, path, content);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(START + day * 86_400);
        let file = File::options().write(true).open(self.assets.join(path));
        file.expect("a file").set_modified(time).expect("a time");
    }

    fn import(&self) -> Value {
        self.world.import("romm", &self.assets, &MAPPED)
    }

    fn import_thrice(&self) -> Value {
        self.world.import_thrice("romm", &self.assets, &MAPPED)
    }

    fn path(&self, reader: &Client, file: &str, slot: &str) -> String {
        let item = id_of(&self.world.item(reader, file));
        format!("/items/{item}/saves/{slot}")
    }

    /// Returns the current state of a slot, if there is one.
    fn current(&self, reader: &Client, file: &str, slot: &str) -> Option<String> {
        let answer = reader.get(&self.path(reader, file, slot));
        (answer.status == 200).then(|| String::from_utf8(answer.body).expect("text"))
    }

    /// Returns the versions of a slot, the newest first.
    fn versions(&self, reader: &Client, file: &str, slot: &str) -> Vec<String> {
        let path = format!("{}/versions", self.path(reader, file, slot));
        let list = reader.get(&path).expect(200).json();
        let versions = list["items"].as_array().expect("versions");
        let bytes = |version: &Value| {
            let bytes = reader.get(&format!("{path}/{}", version["n"])).expect(200);
            String::from_utf8(bytes.body).expect("text")
        };
        versions.iter().map(bytes).collect()
    }

    fn save(&self, reader: &Client, file: &str, slot: &str, content: &str) {
        let path = self.path(reader, file, slot);
        let bytes = [("Content-Type", "application/octet-stream")];
        let answer = reader.send("PUT", &path, &bytes, Some(content.as_bytes()));
        assert!([200, 201].contains(&answer.status), "{answer:?}");
    }

    /// Returns the rows of the report of a dry run: path and reason.
    fn report(&self) -> Vec<(String, String)> {
        let file = self.world.server.folder().join("report.csv");
        let mut more = MAPPED.to_vec();
        more.extend(["--dry-run", "--report", file.to_str().expect("text")]);
        self.world.import("romm", &self.assets, &more);
        let report = fs::read_to_string(file).expect("a report");
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells[0], "save", "{line}");
            let label = if cells[2].is_empty() {
                cells[3]
            } else {
                cells[2]
            };
            (label.to_owned(), cells[4].to_owned())
        };
        report.lines().skip(1).map(row).collect()
    }
}

const DRIFT: &str = "Lantern Drift (World).sfc";

#[test]
fn saves_and_states_are_imported_with_versions() {
    let console = console();
    let drift = format!("{ANN}/saves/snes/7");
    console.asset(
        &format!("{drift}/snes9x/Lantern Drift (World).srm"),
        "third",
        3,
    );
    console.asset(
        &format!("{drift}/Lantern Drift (World) [2024-01-02_10-00-00].srm"),
        "first",
        1,
    );
    console.asset(
        &format!("{drift}/bsnes/Lantern Drift (World) [2024-01-03_10-00-00].srm"),
        "second",
        2,
    );
    console.asset(
        &format!("{BOSS}/states/snes/7/snes9x/Lantern Drift (World).state"),
        "a state",
        1,
    );
    let summary = console.import_thrice();
    assert_eq!(summary["version"], Value::Null);
    let users = json!([
        {"theirs": "1", "ours": "admin"}, {"theirs": "2", "ours": "ann"},
    ]);
    assert_eq!(summary["users"], users);
    has_numbers(
        &summary,
        &[("taken.saves", 4), ("matched", 4), ("unmatched", 0)],
    );
    let (admin, ann) = (&console.world.admin, &console.ann);
    assert_eq!(
        console.current(ann, DRIFT, "sram").as_deref(),
        Some("third")
    );
    assert_eq!(console.versions(ann, DRIFT, "sram"), ["second", "first"]);
    assert_eq!(console.current(ann, DRIFT, "romm"), None);
    assert_eq!(
        console.current(admin, DRIFT, "romm").as_deref(),
        Some("a state")
    );
    let item = id_of(&console.world.item(ann, DRIFT));
    let saves = ann.get(&format!("/items/{item}/saves")).expect(200).json();
    assert_eq!(saves["items"][0]["core"], "snes9x");
    assert_eq!(
        saves["items"][0]["updated_at"],
        "2024-01-04T00:00:00.000000Z"
    );
    // The undo deletes all of them.
    assert_eq!(
        console.world.undo(&summary),
        json!({"restored": 1, "skipped": 0})
    );
    assert_eq!(console.current(ann, DRIFT, "sram"), None);
    assert_eq!(console.current(admin, DRIFT, "romm"), None);
    assert_eq!(console.import()["taken"]["saves"], 4);
}

#[test]
fn newer_file_is_current_and_the_other_a_version() {
    let console = console();
    let ann = &console.ann;
    console.save(ann, DRIFT, "sram", "of Ledge");
    console.save(ann, DRIFT, "romm", "state of Ledge");
    let database = ledge_core::db::open::writable(&console.world.server.database());
    database
        .expect("the database")
        .execute_batch("UPDATE game_save SET updated_at = '2024-01-05T00:00:00.000000Z'")
        .expect("an older time");
    let file = |folder: &str, name: &str| format!("{ANN}/{folder}/snes/7/{name}");
    console.asset(&file("saves", "Lantern Drift (World).srm"), "of RomM", 2);
    console.asset(
        &file("states", "Lantern Drift (World).state"),
        "state of RomM",
        9,
    );
    // Equal bytes are not stored twice.
    console.asset(
        &file("saves", "Lantern Drift (World) [2024-01-09_00-00-00].srm"),
        "of Ledge",
        8,
    );
    let summary = console.import_thrice();
    has_numbers(
        &summary,
        &[
            ("taken.saves", 2),
            ("skipped.unchanged", 1),
            ("skipped.newer_here", 0),
        ],
    );
    let current = |slot| console.current(ann, DRIFT, slot);
    assert_eq!(current("sram").as_deref(), Some("of Ledge"));
    assert_eq!(console.versions(ann, DRIFT, "sram"), ["of RomM"]);
    assert_eq!(current("romm").as_deref(), Some("state of RomM"));
    assert_eq!(console.versions(ann, DRIFT, "romm"), ["state of Ledge"]);
    // The undo makes the replaced state current again, with its time.
    assert_eq!(
        console.world.undo(&summary),
        json!({"restored": 1, "skipped": 0})
    );
    assert_eq!(current("sram").as_deref(), Some("of Ledge"));
    assert_eq!(current("romm").as_deref(), Some("state of Ledge"));
    for slot in ["sram", "romm"] {
        let none: [&str; 0] = [];
        assert_eq!(console.versions(ann, DRIFT, slot), none);
    }
    assert_eq!(
        console.world.undo(&summary),
        json!({"restored": 0, "skipped": 0})
    );
}

#[test]
fn undo_keeps_a_slot_that_was_saved_since() {
    let console = console();
    let path = format!("{ANN}/saves/snes/7/Lantern Drift (World).srm");
    console.asset(&path, "of RomM", 2);
    let summary = console.import();
    console.save(&console.ann, DRIFT, "sram", "played on");
    assert_eq!(
        console.world.undo(&summary),
        json!({"restored": 0, "skipped": 1})
    );
    let current = console.current(&console.ann, DRIFT, "sram");
    assert_eq!(current.as_deref(), Some("played on"));
    assert_eq!(console.versions(&console.ann, DRIFT, "sram"), ["of RomM"]);
}

#[test]
fn imported_versions_displace_no_version_of_ledge() {
    let console = console();
    let ann = &console.ann;
    for n in 0..9 {
        console.save(ann, DRIFT, "sram", &format!("save {n}"));
    }
    for n in 0..14 {
        let name = format!("Lantern Drift (World) [2024-01-{:02}_00-00-00].srm", n + 1);
        console.asset(&format!("{ANN}/saves/snes/7/{name}"), format!("old {n}"), n);
    }
    // Eight versions of Ledge leave room for two. Three files are beyond the limit of a slot.
    let summary = console.import_thrice();
    has_numbers(
        &summary,
        &[
            ("taken.saves", 2),
            ("skipped.unsupported", 12),
            ("matched", 11),
        ],
    );
    let versions = console.versions(ann, DRIFT, "sram");
    assert_eq!(versions.len(), 10);
    assert_eq!(versions[..3], ["old 13", "old 12", "save 7"]);
    assert_eq!(versions[9], "save 0");
    assert_eq!(
        console.current(ann, DRIFT, "sram").as_deref(),
        Some("save 8")
    );
}

#[test]
fn game_is_found_by_stem_then_by_platform() {
    let console = console();
    let save = |platform: &str, rom: u64, name: &str| {
        let path = format!("{ANN}/saves/{platform}/{rom}/{name}");
        console.asset(&path, format!("{platform} {name}"), 1);
    };
    save("gb", 1, "Harbour (Europe).srm");
    save("nes", 2, "Harbour (Europe).sav");
    save("other", 3, "Harbour (Europe).srm");
    save("psx", 4, "Fog Bank.srm");
    save("nes", 5, "Dr. Tide.srm");
    save("nes", 6, "Nothing (World).srm");
    save("nes", 7, "Tales (World).srm");
    let summary = console.import_thrice();
    has_numbers(
        &summary,
        &[("taken.saves", 4), ("unmatched", 3), ("matched", 4)],
    );
    let current = |file| console.current(&console.ann, file, "sram").expect("a save");
    assert_eq!(current("Harbour (Europe).gb"), "gb Harbour (Europe).srm");
    assert_eq!(current("Harbour (Europe).nes"), "nes Harbour (Europe).sav");
    assert_eq!(current("Fog Bank (Disc 1).chd"), "psx Fog Bank.srm");
    assert_eq!(current("Dr. Tide.min.nes"), "nes Dr. Tide.srm");
    let reasons: Vec<_> = console.report().into_iter().collect();
    let row = |path: &str, reason: &str| (format!("{ANN}/saves/{path}"), reason.to_owned());
    let expected = [
        row("nes/6/Nothing (World).srm", "no_file"),
        row("nes/7/Tales (World).srm", "no_file"),
        row("other/3/Harbour (Europe).srm", "ambiguous"),
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn users_need_a_mapping_and_their_number_is_no_name() {
    let console = console();
    // A username that equals the number of another user of RomM.
    let two = console.world.user("222");
    let folder = "users/557365723a323232";
    for folder in [ANN, folder] {
        console.asset(
            &format!("{folder}/saves/snes/7/Lantern Drift (World).srm"),
            "x",
            1,
        );
    }
    let summary = console.world.import("romm", &console.assets, &[]);
    has_numbers(
        &summary,
        &[("matched", 0), ("unmatched", 2), ("taken.saves", 0)],
    );
    assert_eq!(summary["users"][2], json!({"theirs": "222", "ours": null}));
    let more = ["--user", "222=222", "--user", "2="];
    let summary = console.world.import("romm", &console.assets, &more);
    has_numbers(&summary, &[("unmatched", 0), ("taken.saves", 1)]);
    assert_eq!(console.current(&two, DRIFT, "sram").as_deref(), Some("x"));
    let line = console
        .world
        .refused("romm", &console.assets, &["--user", "9=ann"]);
    assert!(line.contains("`9`"), "{line}");
}

#[test]
fn api_imports_the_folder() {
    let console = console();
    console.asset(
        &format!("{ANN}/saves/snes/7/Lantern Drift (World).srm"),
        "x",
        1,
    );
    let body = json!({
        "source": "romm", "path": console.assets, "users": [{"theirs": "2", "ours": "ann"}],
    });
    let admin = &console.world.admin;
    let job = admin.post("/imports", &body).expect(202).json()["job_id"].clone();
    let done = until("the import", || {
        let import = admin.get(&format!("/imports/{job}")).expect(200).json();
        (import["status"] != "queued" && import["status"] != "running").then_some(import)
    });
    assert_eq!(done["status"], "done", "{done}");
    assert_eq!(done["taken"]["saves"], 1);
    assert_eq!(
        console.current(&console.ann, DRIFT, "sram").as_deref(),
        Some("x")
    );
    assert_eq!(console.import()["batch"], Value::Null);
}
