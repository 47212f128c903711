//! Names of ROMs and discs as they are found on disk, and what is read from them.

use ledge_core::registry::naming::{FileName, FolderListing, Group};
use ledge_kind_games::KIND;
use serde_json::{Value, json};

fn group(path: &str, names: &[&str]) -> Vec<Group> {
    let mut names = names.to_vec();
    names.sort_unstable();
    let files: Vec<FileName> = names.iter().map(|name| FileName::new(name)).collect();
    (KIND.group)(&FolderListing {
        library: "Games",
        path,
        files: &files,
        folders: &[],
    })
}

fn only(path: &str, names: &[&str]) -> Group {
    let mut groups = group(path, names);
    assert_eq!(groups.len(), 1, "{path} {names:?}: {groups:#?}");
    groups.remove(0)
}

/// Folder, file, platform, search title, and facts that must be there.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const ROWS: &[Row] = &[
    // No-Intro
    (
        "NES",
        "Super Mario Bros. (World).nes",
        "nes",
        "Super Mario Bros.",
        &[("region", "World")],
    ),
    (
        "NES",
        "Super Mario Bros. 3 (USA) (Rev 1).nes",
        "nes",
        "Super Mario Bros. 3",
        &[("region", "USA"), ("revision", "1")],
    ),
    (
        "",
        "Concentration Room (USA, Europe) (Unl).nes",
        "nes",
        "Concentration Room",
        &[("region", "USA, Europe"), ("marks", "unlicensed")],
    ),
    (
        "",
        "240p Test Suite (World) (v0.23) (Homebrew).nes",
        "nes",
        "240p Test Suite",
        &[("version", "0.23"), ("marks", "homebrew")],
    ),
    (
        "",
        "robotfindskitten (World) [T+Ger1.0].nes",
        "nes",
        "robotfindskitten",
        &[("marks", "translation")],
    ),
    (
        "",
        "Ralph 4 (Proto).nes",
        "nes",
        "Ralph 4",
        &[("marks", "prototype")],
    ),
    (
        "",
        "Zelda no Densetsu - The Hyrule Fantasy (Japan) (Rev A).fds",
        "fds",
        "Zelda no Densetsu - The Hyrule Fantasy",
        &[("revision", "A")],
    ),
    (
        "",
        "Legend of Zelda, The - A Link to the Past (USA).sfc",
        "snes",
        "Legend of Zelda, The - A Link to the Past",
        &[("region", "USA")],
    ),
    (
        "",
        "Chrono Trigger (USA) (Beta 2).smc",
        "snes",
        "Chrono Trigger",
        &[("marks", "beta")],
    ),
    (
        "",
        "Horizontal Shooter (World) (Demo) (Unl).sfc",
        "snes",
        "Horizontal Shooter",
        &[("marks", "demo, unlicensed")],
    ),
    (
        "",
        "Pokemon - Red Version (USA, Europe) (SGB Enhanced).gb",
        "gb",
        "Pokemon - Red Version",
        &[("region", "USA, Europe")],
    ),
    (
        "",
        "2048 (World) (Rev 1) (Homebrew).gb",
        "gb",
        "2048",
        &[("revision", "1")],
    ),
    (
        "",
        "Tobu Tobu Girl (World) (Aftermarket) (Unl).gb",
        "gb",
        "Tobu Tobu Girl",
        &[("marks", "aftermarket, unlicensed")],
    ),
    (
        "",
        "Slime Travel, A (Europe) (En).gbc",
        "gbc",
        "Slime Travel, A",
        &[("languages", "en"), ("region", "Europe")],
    ),
    (
        "",
        "uCity (World) (v1.2) (GPL).gbc",
        "gbc",
        "uCity",
        &[("version", "1.2")],
    ),
    (
        "",
        "Advance Wars (Europe) (En,Fr,De,Es).gba",
        "gba",
        "Advance Wars",
        &[("languages", "en, fr, de, es")],
    ),
    ("", "voxelburg_jam.gba", "gba", "voxelburg_jam", &[]),
    (
        "",
        "Mario Kart DS (Europe) (En,Fr,De,Es,It).nds",
        "nds",
        "Mario Kart DS",
        &[("languages", "en, fr, de, es, it")],
    ),
    (
        "",
        "Mario's Tennis (Japan, USA).vb",
        "virtualboy",
        "Mario's Tennis",
        &[("region", "Japan, USA")],
    ),
    ("", "Super Mario 64 (USA).z64", "n64", "Super Mario 64", &[]),
    (
        "",
        "Header Swapped (Japan).v64",
        "n64",
        "Header Swapped",
        &[("region", "Japan")],
    ),
    (
        "",
        "Sonic The Hedgehog 2 (World) (Rev A).md",
        "megadrive",
        "Sonic The Hedgehog 2",
        &[("revision", "A")],
    ),
    (
        "",
        "Header Interleaved (USA).smd",
        "megadrive",
        "Header Interleaved",
        &[],
    ),
    (
        "",
        "Knuckles' Chaotix (Japan, USA) (En).32x",
        "sega32x",
        "Knuckles' Chaotix",
        &[("languages", "en")],
    ),
    (
        "",
        "Alex Kidd in Miracle World (USA, Europe, Brazil) (Rev 1).sms",
        "mastersystem",
        "Alex Kidd in Miracle World",
        &[("region", "USA, Europe, Brazil")],
    ),
    (
        "",
        "Sonic Chaos (USA, Europe, Brazil) (En) (Virtual Console).gg",
        "gamegear",
        "Sonic Chaos",
        &[("marks", "virtual console")],
    ),
    (
        "",
        "Girl's Garden (Japan).sg",
        "sg1000",
        "Girl's Garden",
        &[],
    ),
    (
        "",
        "Bonk's Adventure (USA).pce",
        "pcengine",
        "Bonk's Adventure",
        &[],
    ),
    (
        "",
        "1941 - Counter Attack (Japan).sgx",
        "supergrafx",
        "1941 - Counter Attack",
        &[],
    ),
    (
        "",
        "Metal Slug - 1st Mission (World) (En,Ja).ngc",
        "ngpc",
        "Metal Slug - 1st Mission",
        &[("languages", "en, ja")],
    ),
    (
        "",
        "King of Fighters R-1 (Japan).ngp",
        "ngp",
        "King of Fighters R-1",
        &[],
    ),
    (
        "",
        "Gunpey (Japan) (Rev 2).ws",
        "wonderswan",
        "Gunpey",
        &[("revision", "2")],
    ),
    (
        "",
        "Final Fantasy (Japan).wsc",
        "wonderswancolor",
        "Final Fantasy",
        &[],
    ),
    ("", "Pitfall! (USA).a26", "atari2600", "Pitfall!", &[]),
    ("", "Header 5200 (USA).a52", "atari5200", "Header 5200", &[]),
    (
        "",
        "Header 7800 (USA) (Proto).a78",
        "atari7800",
        "Header 7800",
        &[("marks", "prototype")],
    ),
    (
        "",
        "California Games (USA, Europe).lnx",
        "lynx",
        "California Games",
        &[],
    ),
    (
        "",
        "Tempest 2000 (World).j64",
        "jaguar",
        "Tempest 2000",
        &[],
    ),
    ("", "Zaxxon (USA).col", "colecovision", "Zaxxon", &[]),
    (
        "",
        "Astrosmash (USA).int",
        "intellivision",
        "Astrosmash",
        &[],
    ),
    // GoodTools
    (
        "",
        "Super Metroid (JU) [!].smc",
        "snes",
        "Super Metroid",
        &[("region", "Japan, USA"), ("marks", "verified")],
    ),
    (
        "",
        "Contra (U) [b1].nes",
        "nes",
        "Contra",
        &[("region", "USA"), ("marks", "bad dump")],
    ),
    (
        "",
        "Contra (J) [h1C].nes",
        "nes",
        "Contra",
        &[("region", "Japan"), ("marks", "hack")],
    ),
    (
        "",
        "Tetris (W) (V1.1) [!].gb",
        "gb",
        "Tetris",
        &[("region", "World"), ("version", "1.1")],
    ),
    (
        "",
        "Snake (PD) [!].gb",
        "gb",
        "Snake",
        &[("marks", "public domain, verified")],
    ),
    (
        "",
        "Final Fantasy III (J) [T-Eng][a1].nes",
        "nes",
        "Final Fantasy III",
        &[("marks", "translation, alternate")],
    ),
    (
        "",
        "Sonic (E) [t2][o1].gen",
        "megadrive",
        "Sonic",
        &[("marks", "trained, overdump")],
    ),
    // TOSEC
    (
        "",
        "Legend of TOSEC, The (1986)(Devstudio)(US)[!].nes",
        "nes",
        "Legend of TOSEC, The",
        &[
            ("publisher", "Devstudio"),
            ("region", "USA"),
            ("marks", "verified"),
        ],
    ),
    (
        "",
        "Legend v1.2 (1989)(Firm, The)(JP)(en).sfc",
        "snes",
        "Legend",
        &[
            ("version", "1.2"),
            ("languages", "en"),
            ("publisher", "Firm, The"),
        ],
    ),
    (
        "",
        "Old Thing (19xx)(-)(PD).a26",
        "atari2600",
        "Old Thing",
        &[("marks", "public domain")],
    ),
    // Shared extensions, told by the folder
    ("Sega CD", "Sonic CD (USA).cue", "segacd", "Sonic CD", &[]),
    (
        "NEC - PC Engine CD & TurboGrafx CD",
        "Ys I & II (USA).chd",
        "pcenginecd",
        "Ys I & II",
        &[],
    ),
    ("Sega Saturn", "Nights (USA).chd", "saturn", "Nights", &[]),
    (
        "Nintendo/SNES/A-F",
        "Chrono Trigger (USA).zip",
        "snes",
        "Chrono Trigger",
        &[],
    ),
    ("Atari 2600", "Pong.bin", "atari2600", "Pong", &[]),
    (
        "",
        "Crash Bandicoot (USA).chd",
        "psx",
        "Crash Bandicoot",
        &[],
    ),
    (
        "Downloads",
        "Crash Bandicoot (USA).pbp",
        "psx",
        "Crash Bandicoot",
        &[],
    ),
    // Nasty ones
    ("", "[h] (1).nes", "nes", "[h] (1)", &[]),
    (
        "",
        "two\nlines (USA).nes",
        "nes",
        "two lines",
        &[("region", "USA")],
    ),
    ("", "smile :) (Europe.gb", "gb", "smile :) (Europe", &[]),
    ("", "𝕄𝕒𝕥𝕙 𝒷ℴℴ𝓀.nes", "nes", "𝕄𝕒𝕥𝕙 𝒷ℴℴ𝓀", &[]),
    ("", "Game (((.nes", "nes", "Game (((", &[]),
    ("", "Pocket Rev A.gb", "gb", "Pocket", &[]),
    ("", "Revenge of Rev.gb", "gb", "Revenge of Rev", &[]),
];

#[test]
fn names_tell_platform_release_and_search_title() {
    for (path, name, platform, search, facts) in ROWS {
        let group = only(path, &[name]);
        let found = &group.names.facts;
        assert_eq!(found.get("platform"), Some(&json!(platform)), "{name}");
        assert_eq!((KIND.search_title)(&group.names.title), *search, "{name}");
        for (fact, expected) in *facts {
            assert_eq!(text(found.get(*fact)), *expected, "{fact} of {name}");
        }
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(list)) => {
            let words: Vec<_> = list.iter().filter_map(Value::as_str).collect();
            words.join(", ")
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn the_stored_title_keeps_the_marks() {
    let group = only("", &["Contra (USA) (Rev 1) [b1].nes"]);
    assert_eq!(group.names.title, "Contra (USA) (Rev 1) [b1]");
    assert_eq!(group.names.year, None);
    let group = only("", &["Contra (1988)(Firm)(US).nes"]);
    assert_eq!(group.names.year, Some(1988));
}

#[test]
fn a_platform_without_core_is_not_playable() {
    let facts = only("", &["Astrosmash (USA).int"]).names.facts;
    assert_eq!(facts.get("playable"), Some(&json!(false)));
    assert_eq!(facts.get("core"), Some(&Value::Null));
    let facts = only("", &["Contra (USA).nes"]).names.facts;
    assert_eq!(facts.get("playable"), Some(&json!(true)));
    assert_eq!(facts.get("core"), Some(&json!("fceumm")));
}

/// The names of a group's files in order, and their sequences.
fn order(group: &Group, names: &[&str]) -> Vec<(String, Option<i64>)> {
    let mut names = names.to_vec();
    names.sort_unstable();
    let member = |m: &ledge_core::registry::naming::Member| {
        (
            names.get(m.file).copied().unwrap_or_default().to_owned(),
            m.sequence,
        )
    };
    group.members.iter().map(member).collect()
}

#[test]
fn discs_are_parts_of_one_game() {
    let names = [
        "Final Fantasy VII (USA) (Disc 1).chd",
        "Final Fantasy VII (USA) (Disc 2).chd",
        "Final Fantasy VII (USA) (Disc 3).chd",
        "Final Fantasy VII (USA).m3u",
    ];
    let group = only("PSX", &names);
    assert_eq!(group.names.title, "Final Fantasy VII (USA)");
    assert_eq!(group.names.facts.get("discs"), Some(&json!(3)));
    assert_eq!(
        order(&group, &names),
        [
            (names[3].to_owned(), Some(0)),
            (names[0].to_owned(), Some(1)),
            (names[1].to_owned(), Some(2)),
            (names[2].to_owned(), Some(3)),
        ]
    );
    assert_eq!(group.members[1].title.as_deref(), Some("Disc 1"));
}

#[test]
fn a_cue_stands_before_its_tracks() {
    let names = [
        "Ridge (USA) (Track 1).bin",
        "Ridge (USA) (Track 2).bin",
        "Ridge (USA).cue",
    ];
    let group = only("PSX", &names);
    let files: Vec<_> = order(&group, &names)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(files, [names[2], names[0], names[1]]);
    assert_eq!(group.names.title, "Ridge (USA)");
}

#[test]
fn discs_with_tracks_keep_their_order() {
    let names = [
        "Game (Disc 1) (Track 1).bin",
        "Game (Disc 1) (Track 2).bin",
        "Game (Disc 1).cue",
        "Game (Disc 2).bin",
        "Game (Disc 2).cue",
    ];
    let group = only("PSX", &names);
    let files: Vec<_> = order(&group, &names)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(files, [names[2], names[4], names[0], names[1], names[3]]);
}

#[test]
fn a_track_of_another_name_follows_the_only_disc() {
    assert_eq!(
        only("PSX/Game", &["Game (USA).cue", "slus_123.bin", "discs.m3u"])
            .members
            .len(),
        3
    );
    assert_eq!(group("PSX", &["A.cue", "B.cue", "C.bin"]).len(), 3);
}

#[test]
fn folders_of_discs_share_a_key() {
    let one = only("PSX/Game (USA)/Disc 1", &["game.cue"]);
    let two = only("PSX/Game (USA)/Disc 2", &["game.cue"]);
    assert_eq!(one.key, two.key);
    assert_eq!(
        (one.members[0].sequence, two.members[0].sequence),
        (Some(1), Some(2))
    );
    let one = only("PSX/Game (USA) (Disc 1)", &["Game (USA) (Disc 1).cue"]);
    let two = only("PSX/Game (USA) (Disc 2)", &["Game (USA) (Disc 2).cue"]);
    assert_eq!(one.key, two.key);
    let bare = only("PSX/Xenogears (USA)", &["Disc 1.chd", "Disc 2.chd"]);
    assert_eq!(bare.names.title, "Xenogears (USA)");
}

#[test]
fn releases_and_platforms_stay_apart() {
    let names = [
        "Tetris (Japan).gb",
        "Tetris (USA).gb",
        "Tetris (USA).nes",
        "Tetris (USA) [b1].gb",
        "Tetris (USA) (Rev 1).gb",
    ];
    assert_eq!(group("", &names).len(), 5);
}

#[test]
fn a_rom_and_its_zip_are_alternatives_in_their_platforms_folder() {
    let group = only("NES", &["Contra (USA).nes", "Contra (USA).zip"]);
    assert!(group.members.iter().all(|member| member.sequence.is_none()));
}

#[test]
fn a_gd_rom_and_its_tracks_are_one_game() {
    let names = ["Game (USA).gdi", "track01.bin", "track03.bin"];
    let group = only("Dreamcast/Game", &names);
    let files: Vec<_> = order(&group, &names)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(files, names);
    assert_eq!(group.names.title, "Game (USA)");
    assert_eq!(group.names.facts.get("platform"), Some(&json!("dreamcast")));
    assert_eq!(group.names.facts.get("playable"), Some(&json!(false)));
}
