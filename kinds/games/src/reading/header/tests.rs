//! Tests of each format's header, with the smallest image that contains one.

use std::io::Cursor;

use ledge_formats::Source;
use serde_json::{Value, json};

use super::{Header, READ_LIMITS, cartridge};
use crate::fixtures;
use crate::naming::release::Release;

fn read(platform: &str, bytes: &[u8]) -> Header {
    let mut file = Source::new(Cursor::new(bytes), READ_LIMITS).expect("a file");
    cartridge(platform, &mut file).expect("readable")
}

fn error(platform: &str, bytes: &[u8]) -> String {
    let mut file = Source::new(Cursor::new(bytes), READ_LIMITS).expect("a file");
    let error = cartridge(platform, &mut file).expect_err("damaged");
    error.to_string()
}

/// Asserts the facts of an item whose name contains no release marks.
#[track_caller]
fn holds(header: Header, expected: &Value) {
    let found = header.into_inspection(&Release::default());
    let found = json!(found.facts);
    for (name, value) in expected.as_object().expect("facts") {
        let is = found.get(name).unwrap_or(&Value::Null);
        assert_eq!(is, value, "{name} of {found:#}");
    }
}

#[test]
fn ines_and_nes_2_headers_provide_board_facts() {
    let old = fixtures::nes([2, 1, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0, 0], 40 * 1024);
    holds(
        read("nes", &old),
        &json!({
            "header_format": "iNES", "mapper": 65, "prg_size": 32_768, "chr_size": 8192,
            "mirroring": "vertical", "battery": true, "tv_system": null,
        }),
    );
    let new = fixtures::nes([2, 0, 0x18, 0x48, 0x31, 0, 0, 0, 1, 0, 0, 0], 32 * 1024);
    holds(
        read("nes", &new),
        &json!({
            "header_format": "NES 2.0", "mapper": 321, "submapper": 3, "tv_system": "PAL",
            "mirroring": "four screens", "battery": false,
        }),
    );
    let mut signed = fixtures::nes([1, 0, 0x10, 0x44, 0, 0, 0, 0, 0, 0, 0, 0], 16 * 1024);
    signed[7..16].copy_from_slice(b"DiskDude!");
    holds(read("nes", &signed), &json!({ "mapper": 1 }));
}

#[test]
fn nes_2_exponent_sizes_are_decoded() {
    let odd = fixtures::nes([0b10_1001, 0, 0, 8, 0, 0x0f, 0, 0, 0, 0, 0, 0], 3 << 10);
    holds(read("nes", &odd), &json!({ "prg_size": 3072 }));
    let endless = fixtures::nes([0xff, 0xff, 0, 8, 0, 0xff, 0, 0, 0, 0, 0, 0], 16);
    assert_eq!(
        error("nes", &endless),
        "is shorter than its header declares"
    );
}

#[test]
fn nes_file_without_valid_header_is_rejected() {
    assert_eq!(
        error("nes", b"something else altogether"),
        "has no header of an NES cartridge"
    );
    let cut = fixtures::nes([2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1024);
    assert_eq!(error("nes", &cut), "is shorter than its header declares");
}

#[test]
fn unif_chunks_provide_facts() {
    holds(
        read("nes", &fixtures::unif()),
        &json!({
            "header_format": "UNIF", "board": "NES-TxROM", "header_title": "A Game",
            "tv_system": "PAL", "battery": true,
        }),
    );
}

#[test]
fn famicom_disk_provides_code_and_sides() {
    let whole = fixtures::fds();
    let expected = json!({ "serial": "ZEL", "revision": "1", "sides": 2 });
    holds(read("fds", &whole), &expected);
    holds(read("fds", &whole[16..]), &expected);
    assert_eq!(
        error("fds", b"no disk"),
        "is not an image of a Famicom disk"
    );
}

#[test]
fn snes_header_is_found_in_every_memory_map() {
    for (length, at, mode, mapper) in [
        (0x8000, 0x7fc0, 0x20, "LoROM"),
        (0x10000, 0xffc0, 0x31, "HiROM"),
        (0x60_0000, 0x40_ffc0, 0x35, "ExHiROM"),
        (0x60_0000, 0x40_7fc0, 0x32, "ExLoROM"),
    ] {
        let plain = fixtures::snes(length, at, mode);
        let expected = json!({
            "mapper": mapper, "header_title": "A SUPER GAME", "serial": "AZ0E",
            "region": "USA", "revision": "2", "chip": "Super FX", "battery": true,
            "rom_size": 512 << 10, "ram_size": 8 << 10, "header_checksum": "valid",
            "copier_header": null,
        });
        holds(read("snes", &plain), &expected);
        let copied = [vec![0; 512], plain].concat();
        holds(
            read("snes", &copied),
            &json!({ "mapper": mapper, "copier_header": true }),
        );
    }
    assert_eq!(read("snes", &vec![0; 0x10000]), Header::default());
}

#[test]
fn game_boy_header_provides_board_and_colour() {
    let mut bytes = fixtures::game_boy();
    holds(
        read("gbc", &bytes),
        &json!({
            "header_title": "POKEMON_GLD", "serial": "AAUE", "region": "USA",
            "colour": "supported", "super_game_boy": true, "mapper": "MBC3+timer+RAM+battery",
            "rom_size": 2 << 20, "ram_size": 32 << 10, "header_checksum": "valid",
            "revision": "1",
        }),
    );
    bytes[0x134] = b'Q';
    holds(
        read("gbc", &bytes),
        &json!({ "header_title": "QOKEMON_GLD", "header_checksum": "invalid", "revision": null }),
    );
    bytes[0x104] = 0;
    assert_eq!(read("gbc", &bytes), Header::default());
}

#[test]
fn advance_header_provides_code_and_region() {
    holds(
        read("gba", &fixtures::advance()),
        &json!({
            "header_title": "ADVANCE WARS", "serial": "AWRP", "region": "Europe",
            "revision": "1", "header_checksum": "valid",
        }),
    );
    assert_eq!(read("gba", &[0; 0x200]), Header::default());
}

#[test]
fn nintendo_64_is_read_in_every_byte_order() {
    for (word, order) in [(1, "big-endian"), (2, "byte-swapped"), (4, "little-endian")] {
        holds(
            read("n64", &fixtures::n64(word)),
            &json!({
                "header_title": "SUPER GAME 64", "serial": "NSMJ", "region": "Japan",
                "revision": "2", "byte_order": order,
            }),
        );
    }
    assert_eq!(
        error("n64", b"nothing"),
        "has no header of a Nintendo 64 cartridge"
    );
}

#[test]
fn ds_title_is_read_from_icon_data() {
    holds(
        read("nds", &fixtures::ds("Mario Kart\nDS\nNintendo")),
        &json!({
            "header_title": "Mario Kart DS", "publisher": "Nintendo", "serial": "AMCP",
            "region": "Europe", "dsi": "supported", "revision": "1",
        }),
    );
    holds(
        read("nds", &fixtures::ds("Homebrew")),
        &json!({ "header_title": "Homebrew", "publisher": null }),
    );
    holds(
        read("nds", &fixtures::ds("")),
        &json!({ "header_title": "SHORT NAME" }),
    );
    let mut wrong = fixtures::ds("A");
    wrong[0] = b'X';
    assert_eq!(read("nds", &wrong), Header::default());
}

#[test]
fn mega_drive_is_read_plain_and_interleaved() {
    let expected = json!({
        "platform": "megadrive", "header_title": "SONIC THE HEDGEHOG",
        "serial": "GM 00001009-00", "region": "Japan, USA, Europe",
    });
    let plain = fixtures::mega_drive(b"SEGA MEGA DRIVE");
    let header = read("megadrive", &plain);
    assert_eq!(header.year, Some(1991));
    holds(header, &expected);
    holds(read("megadrive", &fixtures::interleaved()), &expected);
    holds(
        read("megadrive", &fixtures::interleaved()),
        &json!({ "interleaved": true }),
    );
    let late = [vec![0], plain].concat();
    holds(read("megadrive", &late), &expected);
    holds(
        read("sega32x", &fixtures::mega_drive(b"SEGA 32X")),
        &json!({ "platform": "sega32x" }),
    );
    assert_eq!(read("megadrive", &[0; 0x300]), Header::default());
}

#[test]
fn domestic_title_is_used_without_overseas_title() {
    let mut bytes = fixtures::mega_drive(b"SEGA MEGA DRIVE");
    bytes[0x150..0x180].fill(b' ');
    holds(
        read("megadrive", &bytes),
        &json!({ "header_title": "ゾニック" }),
    );
}

#[test]
fn master_system_provides_product_code_and_homebrew_facts() {
    let bytes = fixtures::master_system();
    let header = read("mastersystem", &bytes);
    assert_eq!(header.year, Some(2006));
    let expected = json!({
        "serial": "7013", "revision": "2", "version": "1.23", "region": "Japan",
        "rom_size": 32 << 10, "header_title": "A Small Game", "developer": "Ann Example",
    });
    holds(header, &expected);
    let copied = [vec![0; 512], bytes].concat();
    holds(read("gamegear", &copied), &expected);
    assert_eq!(read("mastersystem", &vec![0; 0x8000]), Header::default());
}

#[test]
fn atari_headers_provide_title_and_board() {
    holds(
        read("atari7800", &fixtures::seven_eight_hundred()),
        &json!({
            "header_title": "A GAME", "mapper": "SuperGame", "chip": "POKEY",
            "tv_system": "PAL", "rom_size": 16 << 10,
        }),
    );
    holds(
        read("lynx", &fixtures::lynx()),
        &json!({
            "header_title": "A GAME", "publisher": "A Company", "rom_size": 256 << 10,
            "orientation": "turned left",
        }),
    );
    assert_eq!(read("atari7800", &[0; 200]), Header::default());
    assert_eq!(read("lynx", &[0; 200]), Header::default());
}

#[test]
fn handheld_headers_provide_facts() {
    holds(
        read("ngp", &fixtures::neo_geo_pocket()),
        &json!({
            "header_title": "A GAME", "serial": "0051", "revision": "2",
            "colour": "supported",
        }),
    );
    holds(
        read("wonderswan", &fixtures::wonderswan()),
        &json!({
            "colour": "required", "revision": "3", "rom_size": 512 << 10,
            "orientation": "vertical",
        }),
    );
    holds(
        read("virtualboy", &fixtures::virtual_boy()),
        &json!({
            "header_title": "MARIO'S TENNIS", "serial": "VMTJ", "region": "Japan",
            "revision": "1",
        }),
    );
    for platform in ["ngp", "wonderswan", "virtualboy", "pcengine"] {
        assert_eq!(read(platform, &[0; 0x1000]), Header::default());
    }
}

#[test]
fn release_marks_in_the_name_take_precedence_over_the_header() {
    let named = Release::parse("Advance Wars (USA) (Rev 2)");
    let found = read("gba", &fixtures::advance()).into_inspection(&named);
    assert_eq!(found.facts.get("region"), None);
    assert_eq!(found.facts.get("revision"), None);
    assert_eq!(found.facts.get("serial"), Some(&json!("AWRP")));
    let named = Release::parse("Sonic (1990)(Sega)(JP)");
    let bytes = fixtures::mega_drive(b"SEGA MEGA DRIVE");
    assert_eq!(read("megadrive", &bytes).into_inspection(&named).year, None);
}
