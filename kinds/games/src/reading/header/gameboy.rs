//! Headers of Game Boy and Game Boy Color cartridges.

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source};

use super::{Header, nintendo_region};
use crate::reading::text;

const START: u64 = 0x100;
const LENGTH: usize = 0x50;
/// First bytes of the logo, which the console verifies before it starts a game.
const LOGO: [u8; 8] = [0xce, 0xed, 0x66, 0x66, 0xcc, 0x0d, 0x00, 0x0b];

/// Board types by their number in the header.
const BOARDS: &[(u8, &str)] = &[
    (0x00, "ROM"),
    (0x01, "MBC1"),
    (0x02, "MBC1+RAM"),
    (0x03, "MBC1+RAM+battery"),
    (0x05, "MBC2"),
    (0x06, "MBC2+battery"),
    (0x08, "ROM+RAM"),
    (0x09, "ROM+RAM+battery"),
    (0x0b, "MMM01"),
    (0x0c, "MMM01+RAM"),
    (0x0d, "MMM01+RAM+battery"),
    (0x0f, "MBC3+timer+battery"),
    (0x10, "MBC3+timer+RAM+battery"),
    (0x11, "MBC3"),
    (0x12, "MBC3+RAM"),
    (0x13, "MBC3+RAM+battery"),
    (0x19, "MBC5"),
    (0x1a, "MBC5+RAM"),
    (0x1b, "MBC5+RAM+battery"),
    (0x1c, "MBC5+rumble"),
    (0x1d, "MBC5+rumble+RAM"),
    (0x1e, "MBC5+rumble+RAM+battery"),
    (0x20, "MBC6"),
    (0x22, "MBC7+sensor+rumble+RAM+battery"),
    (0xfc, "Pocket Camera"),
    (0xfd, "TAMA5"),
    (0xfe, "HuC3"),
    (0xff, "HuC1+RAM+battery"),
];

/// Reads the header. Returns an empty one if there is none, as in homebrew that only runs in
/// emulators.
pub fn read<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let bytes = file.read_vec_at(START, LENGTH)?;
    Ok(parse(&bytes).unwrap_or_default())
}

fn parse(bytes: &[u8]) -> Option<Header> {
    let has_logo = bytes.get(4..)?.starts_with(&LOGO);
    let sum = bytes.get(0x34..0x4d)?.iter();
    let sum = sum.fold(0_u8, |sum, byte| sum.wrapping_sub(*byte).wrapping_sub(1));
    let is_summed = sum == *bytes.get(0x4d)?;
    if !has_logo && !is_summed {
        return None;
    }
    let at = |offset: usize| bytes.get(offset).copied();
    let colour = at(0x43)?;
    let is_new = at(0x4b)? == 0x33;
    let field = bytes.get(0x34..0x44)?;
    let (title, serial) = title(field, colour, is_new);
    let mut header = Header {
        title,
        serial,
        ..Header::default()
    };
    if let Some(letter) = header.serial.as_ref().and_then(|code| code.bytes().last()) {
        header.regions.extend(nintendo_region(letter));
    }
    match colour {
        0xc0 => header.put("colour", "required"),
        byte if byte & 0x80 != 0 => header.put("colour", "supported"),
        _ => {}
    }
    if is_new && at(0x46)? == 3 {
        header.put("super_game_boy", true);
    }
    let board = BOARDS.iter().find(|(number, _)| Some(*number) == at(0x47));
    header.put_some("mapper", board.map(|(_, name)| *name));
    let rom = at(0x48)?;
    header.put_some("rom_size", (rom <= 8).then(|| 32_768_u32 << rom));
    let ram = [0, 2, 8, 32, 128, 64].get(usize::from(at(0x49)?)).copied();
    header.put_some("ram_size", ram.filter(|kib| *kib > 0).map(|kib| kib * 1024));
    header.put(
        "header_checksum",
        if is_summed { "valid" } else { "invalid" },
    );
    if is_summed {
        header.revised(at(0x4c)?);
    }
    Some(header)
}

/// Returns title and code. Only late games have a code, which follows a title of eleven letters.
fn title(field: &[u8], colour: u8, is_new: bool) -> (Option<String>, Option<String>) {
    if colour & 0x80 == 0 {
        return (text::ascii(field), None);
    }
    let (short, rest) = field.split_at_checked(11).unwrap_or_default();
    let code = rest
        .get(..4)
        .and_then(text::code)
        .filter(|code| is_new && code.starts_with(['A', 'B', 'H', 'K', 'V']))
        .filter(|code| code.bytes().last().and_then(nintendo_region).is_some());
    match code {
        Some(code) => (text::ascii(short), Some(code)),
        None => (field.get(..15).and_then(text::ascii), None),
    }
}
