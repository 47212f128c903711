//! Tests of discs, packages and archives, read through the scanner's interface.

use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use ledge_core::registry::reading::ReadTools;
use ledge_proving::seven;
use serde_json::{Value, json};

use super::{cover, inspect, picture, read};
use crate::fixtures::discs::{self, PNG};
use crate::fixtures::zip::{Packing, zip};
use crate::fixtures::{self, Image};
use crate::formats::platforms;
use crate::naming::release::Release;
use crate::reading::header::Header;

fn header(extension: &str, bytes: &[u8]) -> Header {
    read(extension, None, Cursor::new(bytes)).expect("readable")
}

#[track_caller]
fn holds(header: Header, expected: &Value) {
    let year = header.year;
    let found = header.into_inspection(&Release::default());
    let mut found = json!(found.facts);
    found["year"] = json!(year);
    for (name, value) in expected.as_object().expect("facts") {
        let is = found.get(name).unwrap_or(&Value::Null);
        assert_eq!(is, value, "{name} of {found:#}");
    }
}

#[test]
fn playstation_generation_is_detected_by_boot_settings() {
    let first = json!({
        "platform": "psx", "serial": "SLUS-00594", "region": "USA", "volume": "A_VOLUME",
    });
    let second = json!({
        "platform": "ps2", "serial": "SLES-50003", "region": "Europe", "version": "1.02",
    });
    let plain = discs::playstation();
    holds(header("iso", &plain), &first);
    for behind in [0, 96] {
        holds(header("bin", &discs::raw(&plain, 2, behind)), &first);
        holds(header("bin", &discs::raw(&plain, 1, behind)), &first);
    }
    holds(header("iso", &discs::playstation_2()), &second);
    let odd = discs::volume(
        b"PLAYSTATION",
        &[("SYSTEM.CNF", b"BOOT = cdrom:\\MAIN.EXE;1")],
    );
    holds(
        header("iso", &odd),
        &json!({ "platform": "psx", "serial": null, "region": null }),
    );
    let none = discs::volume(b"PLAYSTATION", &[("PSX.EXE", b"")]);
    holds(header("iso", &none), &json!({ "platform": "psx" }));
}

#[test]
fn psp_disc_provides_title_serial_and_icon() {
    let disc = discs::portable();
    holds(
        header("iso", &disc),
        &json!({
            "platform": "psp", "serial": "ULES-00125", "region": "Europe", "version": "1.01",
            "header_title": "A Small Game",
        }),
    );
    let icon = picture("iso", Cursor::new(&disc)).expect("readable");
    assert_eq!(icon.as_deref(), Some(PNG));
    let other = picture("iso", Cursor::new(discs::playstation())).expect("readable");
    assert_eq!(other, None);
}

#[test]
fn package_category_determines_platform() {
    for (category, platform) in [("MG", "psp"), ("ME", "psx")] {
        let package = discs::package(category);
        holds(
            header("pbp", &package),
            &json!({
                "platform": platform, "serial": "SLUS-00594", "region": "USA",
                "header_title": "A Game",
            }),
        );
        let icon = picture("pbp", Cursor::new(&package)).expect("readable");
        assert_eq!(icon.as_deref(), Some(PNG));
    }
    let error = read("pbp", None, Cursor::new(b"something")).expect_err("damaged");
    assert_eq!(
        error.to_string(),
        "is not a package of the PlayStation Portable"
    );
}

#[test]
fn sega_disc_headers_provide_facts() {
    let cd = json!({
        "platform": "segacd", "header_title": "SONIC THE HEDGEHOG",
        "serial": "GM 00001009-00", "region": "Japan, USA, Europe", "year": 1991,
    });
    holds(header("iso", &discs::sega_cd()), &cd);
    holds(header("bin", &discs::raw(&discs::sega_cd(), 1, 0)), &cd);
    holds(
        header("bin", &discs::raw(&discs::saturn(), 1, 0)),
        &json!({
            "platform": "saturn", "header_title": "NIGHTS INTO DREAMS", "serial": "MK-81020",
            "region": "USA", "version": null, "year": 1996,
        }),
    );
    holds(
        header("bin", &discs::raw(&discs::dreamcast(), 1, 0)),
        &json!({
            "platform": "dreamcast", "header_title": "SONIC ADVENTURE", "serial": "MK-51000",
            "region": "Japan, USA, Europe", "version": "1.005", "year": 1999,
        }),
    );
}

#[test]
fn console_of_other_discs_is_detected() {
    let engine = Image::new(4096)
        .put(2048 + 32, b"PC Engine CD-ROM SYSTEM")
        .0;
    let three = Image::new(4096).put(0, b"\x01ZZZZZ\x01").0;
    let neo = discs::volume(b"APPLE COMPUTER, INC.", &[("IPL.TXT", b"")]);
    for (bytes, platform) in [(engine, "pcenginecd"), (three, "3do"), (neo, "neogeocd")] {
        holds(header("iso", &bytes), &json!({ "platform": platform }));
    }
    let film = discs::volume(b"LINUX", &[("FILM.MKV", b"")]);
    assert_eq!(header("iso", &film), Header::default());
    assert_eq!(header("iso", b""), Header::default());
}

#[test]
fn chd_provides_tracks_and_medium() {
    let cd = discs::chd(
        5,
        &[
            (b"CHT2", b"TRACK:1 TYPE:MODE2_RAW SUBTYPE:NONE FRAMES:100\0"),
            (b"CHT2", b"TRACK:2 TYPE:AUDIO SUBTYPE:NONE FRAMES:100\0"),
        ],
    );
    holds(
        header("chd", &cd),
        &json!({
            "chd_version": 5, "medium": "CD", "tracks": 2, "audio_tracks": 1, "platform": null,
        }),
    );
    let gd = discs::chd(4, &[(b"CHGD", b"TRACK:1 TYPE:MODE1_RAW SUBTYPE:NONE")]);
    holds(
        header("chd", &gd),
        &json!({ "chd_version": 4, "medium": "GD-ROM", "platform": "dreamcast" }),
    );
    let dvd = discs::chd(5, &[(b"DVD ", b"\0")]);
    holds(
        header("chd", &dvd),
        &json!({ "medium": "DVD", "platform": "ps2" }),
    );
    let hinted = read("chd", platforms::by_id("psp"), Cursor::new(&dvd)).expect("readable");
    assert_eq!(hinted.platform, None);
    let error = read("chd", None, Cursor::new(b"something")).expect_err("damaged");
    assert_eq!(error.to_string(), "is not a compressed disc (CHD)");
}

#[test]
fn circular_chd_record_list_terminates() {
    let mut endless = discs::chd(5, &[(b"CHT2", b"TRACK:1 TYPE:AUDIO")]);
    endless[124 + 8..124 + 16].copy_from_slice(&124_u64.to_be_bytes());
    holds(header("chd", &endless), &json!({ "tracks": 128 }));
}

#[test]
fn header_of_the_largest_rom_in_an_archive_is_read() {
    let small = fixtures::advance();
    let mut large = small.clone();
    large[0xa0] = b'B';
    large[0xbd] = large[0xbd].wrapping_sub(1);
    large.resize(0x4000, 0);
    for packing in [Packing::Stored, Packing::Deflated] {
        let archive = zip(&[
            ("Old.gba", &small, packing),
            ("readme.txt", &vec![b'x'; 0x8000], packing),
            ("New.gba", &large, packing),
        ]);
        holds(
            header("zip", &archive),
            &json!({ "platform": "gba", "header_title": "BDVANCE WARS", "serial": "AWRP" }),
        );
    }
}

#[test]
fn archive_with_unreadable_rom_has_platform() {
    let rom = fixtures::advance();
    let odd = zip(&[("Game.gba", &rom, Packing::Unknown)]);
    holds(
        header("zip", &odd),
        &json!({ "platform": "gba", "header_title": null }),
    );
    let locked = zip(&[("Game.gba", &rom, Packing::Locked)]);
    let error = read("zip", None, Cursor::new(locked)).expect_err("damaged");
    assert_eq!(error.to_string(), "is an encrypted archive");
    let other = zip(&[("Notes.txt", b"x", Packing::Stored)]);
    assert_eq!(header("zip", &other), Header::default());
}

#[test]
fn packed_rom_has_the_declared_length() {
    let long = fixtures::nes([16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 256 << 10);
    let archive = zip(&[("Game.nes", &long, Packing::Deflated)]);
    holds(header("zip", &archive), &json!({ "prg_size": 256 << 10 }));
}

#[test]
fn bin_without_signature_has_platform_of_its_folder() {
    holds(
        header("bin", &fixtures::mega_drive(b"SEGA 32X")),
        &json!({ "platform": "sega32x", "header_title": "SONIC THE HEDGEHOG" }),
    );
    let atari = fixtures::seven_eight_hundred();
    let read = |hint| read("bin", hint, Cursor::new(&atari)).expect("readable");
    assert_eq!(read(None), Header::default());
    holds(
        read(platforms::by_id("atari7800")),
        &json!({ "header_title": "A GAME" }),
    );
}

#[test]
fn platform_specific_extension_overrides_content() {
    holds(
        header("md", &fixtures::mega_drive(b"SEGA 32X")),
        &json!({ "platform": null, "header_title": "SONIC THE HEDGEHOG" }),
    );
}

#[test]
fn archive_7z_provides_platform_and_header() {
    let games = seven(&[("A.txt", b"x"), ("Game (USA).sfc", &[1; 500])]);
    holds(header("7z", &games), &json!({ "platform": "snes" }));
    let advance = fixtures::advance();
    let packed = seven(&[("A.txt", b"x"), ("Game.gba", &advance)]);
    assert_eq!(
        header("7z", &packed),
        Header {
            platform: Some("gba"),
            ..header("gba", &advance)
        }
    );
    let mixed = seven(&[("A.gb", b"x"), ("B.sfc", b"x")]);
    assert_eq!(header("7z", &mixed), Header::default());
    let mut cut = games;
    cut.truncate(cut.len() - 1);
    let error = read("7z", None, Cursor::new(cut)).expect_err("damaged");
    assert_eq!(
        error.to_string(),
        "is a 7z archive that was cut short or damaged"
    );
}

#[test]
fn name_that_is_a_code_is_replaced_by_header_title() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tools = ReadTools {
        root: Path::new("/"),
        ffprobe: None,
        time_limit: Duration::from_secs(5),
    };
    for (name, title) in [
        ("EBOOT.PBP", Some("A Game")),
        ("SLUS-00594.pbp", Some("A Game")),
        ("slus_005.94.pbp", Some("A Game")),
        ("A Game (USA).pbp", None),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, discs::package("ME")).expect("a file");
        let found = inspect(&path, &tools).expect("readable");
        assert_eq!(found.title.as_deref(), title, "{name}");
        let has_region = found.facts.contains_key("region");
        assert_eq!(has_region, !name.contains("USA"), "{name}");
        let icon = cover(&path, &tools).expect("readable");
        assert_eq!(icon.as_deref(), Some(PNG), "{name}");
    }
}
