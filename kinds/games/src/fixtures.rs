//! Test games, built byte by byte: the header of each format, with little else.

pub(crate) mod discs;
pub(crate) mod zip;

use crate::reading::header::ds::crc16;

/// Byte buffer into which fields are written at their offsets.
pub(crate) struct Image(pub(crate) Vec<u8>);

impl Image {
    pub(crate) fn new(length: usize) -> Self {
        Self(vec![0; length])
    }

    pub(crate) fn put(mut self, at: usize, bytes: &[u8]) -> Self {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Writes a text field padded with spaces.
    pub(crate) fn field(self, at: usize, length: usize, text: &[u8]) -> Self {
        let mut field = text.to_vec();
        field.resize(length, b' ');
        self.put(at, &field)
    }
}

/// Returns an iNES file with these header bytes after the signature, and a ROM of this size.
pub(crate) fn nes(header: [u8; 12], rom: usize) -> Vec<u8> {
    let image = Image::new(16 + rom).put(0, b"NES\x1a").put(4, &header);
    image.0
}

pub(crate) fn unif() -> Vec<u8> {
    let mut bytes = b"UNIF\x07\0\0\0".to_vec();
    bytes.resize(32, 0);
    for (name, content) in [
        (b"MAPR", &b"NES-TxROM\0"[..]),
        (b"NAME", b"A Game\0"),
        (b"TVCI", b"\x01"),
        (b"BATR", b"\x01"),
        (b"PRG0", &[0; 64]),
    ] {
        bytes.extend(name);
        bytes.extend(u32::try_from(content.len()).expect("short").to_le_bytes());
        bytes.extend(content);
    }
    bytes
}

pub(crate) fn fds() -> Vec<u8> {
    let image = Image::new(16 + 2 * 65_500)
        .put(0, b"FDS\x1a\x02")
        .put(16, b"\x01*NINTENDO-HVC*\x01ZEL \x01");
    image.0
}

/// Returns a SNES cartridge with its header at this offset.
pub(crate) fn snes(length: usize, header: usize, mode: u8) -> Vec<u8> {
    let image = Image::new(length)
        .put(header - 0x10, b"01AZ0E")
        .field(header, 21, b"A SUPER GAME")
        .put(header + 0x15, &[mode, 0x15, 0x09, 0x03, 0x01, 0x33, 0x02])
        .put(header + 0x1c, &[0x34, 0x12, 0xcb, 0xed])
        .put(header + 0x3c, &[0x00, 0x80]);
    image.0
}

pub(crate) fn game_boy() -> Vec<u8> {
    let mut image = Image::new(0x8000)
        .put(0x104, &[0xce, 0xed, 0x66, 0x66, 0xcc, 0x0d, 0x00, 0x0b])
        .put(0x134, b"POKEMON_GLDAAUE\x80")
        .put(0x146, &[3, 0x10, 6, 3, 1, 0x33, 1])
        .0;
    let header = &image[0x134..0x14d];
    let sum = header
        .iter()
        .fold(0_u8, |sum, byte| sum.wrapping_sub(*byte).wrapping_sub(1));
    image[0x14d] = sum;
    image
}

pub(crate) fn advance() -> Vec<u8> {
    let mut image = Image::new(0x200)
        .put(0xa0, b"ADVANCE WARSAWRP01\x96")
        .put(0xbc, &[1])
        .0;
    let sum = image[0xa0..0xbd]
        .iter()
        .fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
    image[0xbd] = sum.wrapping_sub(0x19);
    image
}

/// Returns a Nintendo 64 cartridge whose words of this many bytes are reversed.
pub(crate) fn n64(word: usize) -> Vec<u8> {
    let mut image = Image::new(0x1000)
        .put(0, &[0x80, 0x37, 0x12, 0x40])
        .field(0x20, 20, b"SUPER GAME 64")
        .put(0x3b, b"NSMJ\x02")
        .0;
    for word in image.chunks_mut(word) {
        word.reverse();
    }
    image
}

pub(crate) fn ds(title: &str) -> Vec<u8> {
    let title: Vec<u8> = title.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut image = Image::new(0x2000)
        .put(0, b"SHORT NAME\0\0AMCP01\x02")
        .put(0x1e, &[1])
        .put(0x68, &0x1000_u32.to_le_bytes())
        .put(0x1340, &title)
        .0;
    let sum = crc16(&image[..0x15e]);
    image[0x15e..0x160].copy_from_slice(&sum.to_le_bytes());
    image
}

/// Returns the header of Mega Drive and Sega CD, which begins with the console's name.
pub(crate) fn sega_header(console: &[u8]) -> Vec<u8> {
    let image = Image::new(0)
        .grown(0x100)
        .field(0, 16, console)
        .field(0x10, 16, b"(C)SEGA 1991.JUL")
        .field(0x20, 48, b"\x83]\x83j\x83b\x83N")
        .field(0x50, 48, b"SONIC THE   HEDGEHOG")
        .field(0x80, 14, b"GM 00001009-00")
        .field(0xf0, 16, b"JUE");
    image.0
}

impl Image {
    fn grown(mut self, length: usize) -> Self {
        self.0.resize(length, 0);
        self
    }
}

pub(crate) fn mega_drive(console: &[u8]) -> Vec<u8> {
    Image::new(0x4000).put(0x100, &sega_header(console)).0
}

/// Returns a Mega Drive image in the interleaved format of the Super Magic Drive.
pub(crate) fn interleaved() -> Vec<u8> {
    let plain = mega_drive(b"SEGA GENESIS");
    let mut bytes = Image::new(512).put(8, &[0xaa, 0xbb]).0;
    for parity in [1, 0] {
        bytes.extend(plain.iter().skip(parity).step_by(2));
    }
    bytes
}

pub(crate) fn master_system() -> Vec<u8> {
    let image = Image::new(0x8000)
        .put(0x7fe0, b"SDSC\x01\x23\x09\x04\x06\x20\x00\x10\x20\x10")
        .put(0x7ff0, b"TMR SEGA\0\0\0\0\x13\x70\x02\x5c")
        .put(0x1000, b"Ann Example\0")
        .put(0x1020, b"A Small Game\0");
    image.0
}

pub(crate) fn seven_eight_hundred() -> Vec<u8> {
    let image = Image::new(128 + 0x4000)
        .put(0, b"\x03ATARI7800")
        .put(17, b"A GAME")
        .put(49, &0x4000_u32.to_be_bytes())
        .put(53, &[0, 3, 1, 1, 1]);
    image.0
}

pub(crate) fn lynx() -> Vec<u8> {
    let image = Image::new(0x1000)
        .put(0, b"LYNX\0\x04\0\0\x01\0A GAME")
        .put(42, b"A Company")
        .put(58, &[1]);
    image.0
}

pub(crate) fn neo_geo_pocket() -> Vec<u8> {
    let image = Image::new(0x1000)
        .put(0, b"COPYRIGHT BY SNK CORPORATION")
        .put(0x20, &[0x51, 0x00, 0x02, 0x10])
        .put(0x24, b"A GAME      ");
    image.0
}

pub(crate) fn wonderswan() -> Vec<u8> {
    let image = Image::new(0x2_0000).put(
        0x1_fff0,
        &[0xea, 0, 0, 0, 0xf0, 0, 1, 1, 7, 3, 2, 0, 5, 0, 0, 0],
    );
    image.0
}

pub(crate) fn virtual_boy() -> Vec<u8> {
    let image = Image::new(0x1000)
        .field(0x1000 - 0x220, 20, b"MARIO'S TENNIS")
        .put(0x1000 - 0x220 + 0x19, b"01VMTJ\x01");
    image.0
}
