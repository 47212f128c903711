//! Comparison of real games with the results of other readers, and checks with hostile files.
//!
//! Reads `manifest.json` in the folder `LEDGE_TEST_CORPUS`. Without that variable, the tests print
//! that they were skipped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ledge_core::registry::naming::{FileName, FolderListing};
use ledge_core::registry::reading::{Candidate, FolderNotes, Verdict};
use ledge_kind_games::KIND;
use ledge_kind_games::reading::inspect::inspect;
use ledge_proving::{Corpus, READ_TOOLS, Tally, in_time};
use serde_json::Value;

/// Files for which the other reader shows an invalid header, with the reasons.
const NO_HEADER: &[(&str, &str)] = &[(
    "Scorpion Illuminati (World) (Unl).md",
    "the header of a disc, not of a cartridge: its fields have other offsets",
)];

/// Returns the title and the facts of the item that a scan makes of a file, or `None` if the file
/// is not accepted.
///
/// A folder of the corpus contains games of one platform and is named after it. The file is
/// therefore grouped as if it were at a library's root, where only its name and content count.
fn catalogued(file: &Path) -> Option<(String, BTreeMap<String, Value>)> {
    let folder = file.parent().expect("a folder");
    let names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let name = file.file_name().expect("a name").to_string_lossy();
    let name = FileName::new(&name);
    let siblings: Vec<String> = names
        .iter()
        .map(|name| FileName::new(name).extension)
        .collect();
    let accepts = KIND.accepts.expect("the kind has a veto");
    let verdict = accepts(&Candidate {
        path: file,
        root: Path::new("/"),
        extension: &name.extension,
        siblings: &siblings,
        names: &names,
        notes: &FolderNotes::default(),
    });
    if verdict != Verdict::Accept {
        return None;
    }
    let files = [name];
    let groups = (KIND.group)(&FolderListing {
        library: "Library",
        path: "",
        files: &files,
        folders: &[],
    });
    let names = groups.into_iter().next().expect("a group").names;
    let mut facts = names.facts;
    facts.extend(inspect(file, &READ_TOOLS).unwrap_or_default().facts);
    Some((names.title, facts))
}

/// Facts that intentionally differ from those of the manifest, with the reasons.
const EXCEPTIONS: &[(&str, &str)] = &[];

#[test]
fn real_games_match_results_of_other_readers() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    let mut tally = Tally::default();
    for (path, row) in corpus.below("games/") {
        let facts = &row["facts"];
        let Some((title, found)) = catalogued(&corpus.root.join(path)) else {
            tally.miss(path, &"no game");
            continue;
        };
        let platform = facts["platform"].as_str().unwrap_or_default();
        let platform = platform.split(" (member").next().unwrap_or_default();
        let name = found.get("platform_name").cloned().unwrap_or_default();
        tally.hold(path, "platform", &platform.into(), &name);
        let title = (KIND.search_title)(&title);
        tally.hold(path, "search_title", &facts["search_title"], &title.into());
        if NO_HEADER.iter().any(|(name, _)| path.ends_with(name)) {
            continue;
        }
        for (fact, value) in header_facts(facts["header"].as_str().unwrap_or_default()) {
            let found = found.get(fact).cloned().unwrap_or_default();
            tally.hold(path, fact, &value, &found);
        }
    }
    eprintln!("{:.1} µs to read a file", microseconds_per_file(&corpus));
    tally.end(100, EXCEPTIONS);
}

/// Returns the average time to read one file, in microseconds.
fn microseconds_per_file(corpus: &Corpus) -> f64 {
    const ROUNDS: u32 = 100;
    let files: Vec<PathBuf> = corpus
        .below("games/")
        .map(|(path, _)| corpus.root.join(path))
        .collect();
    let start = Instant::now();
    for _ in 0..ROUNDS {
        for file in &files {
            let _ = inspect(file, &READ_TOOLS);
        }
    }
    let each = start.elapsed() / ROUNDS / u32::try_from(files.len()).expect("few");
    each.as_secs_f64() * 1e6
}

/// Parses the facts in a line of `file`: `NES ROM image (iNES): 2x16k PRG, 1x8k CHR [H-mirror]`.
fn header_facts(line: &str) -> Vec<(&'static str, Value)> {
    let mut facts: Vec<(&str, Value)> = Vec::new();
    let between = |start: &str, end: &str| {
        let (_, rest) = line.split_once(start)?;
        Some(rest.split_once(end)?.0)
    };
    let number = |text: Option<&str>| text?.trim().parse::<u64>().ok();
    if let Some(title) = between("image: \"", "\"") {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        facts.push(("header_title", title.into()));
    }
    if line.starts_with("NES ") {
        let format = if line.contains("NES 2.0") {
            "NES 2.0"
        } else {
            "iNES"
        };
        facts.push(("header_format", format.into()));
        let program = number(between("): ", "x16k PRG"));
        facts.push(("prg_size", program.map(|n| n << 14).into()));
        let graphics = number(between("PRG, ", "x8k CHR"));
        facts.push(("chr_size", graphics.map(|n| n << 13).into()));
        let is_vertical = line.contains("[V-mirror]");
        let mirroring = if is_vertical {
            "vertical"
        } else {
            "horizontal"
        };
        facts.push(("mirroring", mirroring.into()));
        if let Some(system) = between("mirror] [", "]") {
            facts.push(("tv_system", system.replace('+', ", ").into()));
        }
    }
    if line.starts_with("Game Boy ROM") {
        let boards = [("[ROM ONLY]", "ROM"), ("BATT]", "+RAM+battery")];
        let board = boards.iter().find(|(word, _)| line.contains(word));
        let (_, board) = board.expect("a board");
        let chip = ["MBC1", "MBC5"]
            .into_iter()
            .find(|chip| line.contains(chip));
        facts.push((
            "mapper",
            format!("{}{board}", chip.unwrap_or_default()).into(),
        ));
        facts.push(("rom_size", size(line, "ROM: ")));
        facts.push(("ram_size", size(line, "RAM: ")));
        let colour = [("[CGB ONLY]", "required"), ("CGB]", "supported")];
        let colour = colour.iter().find(|(word, _)| line.contains(word));
        facts.push(("colour", colour.map(|(_, colour)| *colour).into()));
        let is_super = line.contains("[SGB");
        facts.push(("super_game_boy", is_super.then_some(true).into()));
    }
    if line.starts_with("Game Boy Advance") {
        let code = between("(", ",").filter(|code| !code.is_empty());
        facts.push(("serial", code.into()));
    }
    if line.starts_with("Atari 7800") {
        facts.push(("tv_system", between("(", ")").into()));
    }
    if line.starts_with("Famicom Disk") {
        facts.push(("sides", number(between(") (", " side")).into()));
    }
    if line.contains("(SMD format)") {
        facts.push(("interleaved", true.into()));
    }
    facts
}

/// Converts a size such as `ROM: 2Mbit` to bytes.
fn size(line: &str, what: &str) -> Value {
    let text = line.split_once(what).map_or("", |(_, rest)| rest);
    let digits = text.split(|c: char| !c.is_ascii_digit()).next();
    let unit = if text.trim_start_matches(char::is_numeric).starts_with('M') {
        20
    } else {
        10
    };
    let number = digits.and_then(|digits| digits.parse::<u64>().ok());
    number.map(|number| (number << unit) / 8).into()
}

#[test]
fn hostile_games_are_catalogued_or_rejected() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    let rows: Vec<_> = corpus.below("hostile/").collect();
    assert!(!rows.is_empty());
    for (path, row) in rows {
        let file = corpus.root.join(path);
        let found = in_time(path, || {
            let _ = catalogued(&file);
            // The file is also inspected if it was not accepted.
            inspect(&file, &READ_TOOLS)
        });
        if path.starts_with("hostile/games/") {
            let shown = found.map(|found| found.facts.len());
            eprintln!("{path}: {shown:?} ({})", row["group"]);
        }
    }
}
