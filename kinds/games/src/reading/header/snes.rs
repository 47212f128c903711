//! Headers of SNES cartridges, at the offset that their memory map defines.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::Header;
use crate::reading::text;

/// Size in bytes of the header that a copier adds before a cartridge.
const COPIER_HEADER_BYTES: u64 = 512;
/// Size in bytes of the extended header before the title, which newer cartridges have.
const EXTENDED: usize = 0x10;
const LENGTH: usize = EXTENDED + 0x40;
/// Smallest score of a valid header.
const MIN_SCORE: u32 = 6;

/// Header offsets, names of the memory maps, and the valid low bits of their mode byte.
const HEADER_OFFSETS: &[(u64, &str, &[u8])] = &[
    (0x7fc0, "LoROM", &[0x0, 0x2, 0x3]),
    (0xffc0, "HiROM", &[0x1, 0xa]),
    (0x0040_7fc0, "ExLoROM", &[0x0, 0x2]),
    (0x0040_ffc0, "ExHiROM", &[0x5]),
];

const COUNTRIES: &[&str] = &[
    "Japan",
    "USA",
    "Europe",
    "Scandinavia",
    "Finland",
    "Denmark",
    "France",
    "Netherlands",
    "Spain",
    "Germany",
    "Italy",
    "China",
    "",
    "Korea",
    "",
    "Canada",
    "Brazil",
    "Australia",
];

/// Returns the header with the highest score. Most homebrew has none.
pub fn read<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let copier = if file.size() % 1024 == COPIER_HEADER_BYTES {
        COPIER_HEADER_BYTES
    } else {
        0
    };
    let mut best: Option<(u32, Header)> = None;
    for (offset, map, modes) in HEADER_OFFSETS {
        let bytes = file.read_vec_at(copier + offset - EXTENDED as u64, LENGTH)?;
        let Some(fields) = Fields::parse(&bytes) else {
            break;
        };
        let score = fields.score(modes);
        if score >= MIN_SCORE && best.as_ref().is_none_or(|(other, _)| score > *other) {
            best = Some((score, fields.header(map)));
        }
    }
    let mut header = best.map(|(_, header)| header).unwrap_or_default();
    if copier > 0 {
        header.put("copier_header", true);
    }
    Ok(header)
}

/// Fields at one possible offset.
struct Fields<'a> {
    title: &'a [u8],
    code: &'a [u8],
    mode: u8,
    chips: u8,
    rom: u8,
    ram: u8,
    country: u8,
    maker: u8,
    version: u8,
    complement: u16,
    checksum: u16,
    reset: u16,
}

impl<'a> Fields<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let base = bytes.get(EXTENDED..)?;
        let [mode, chips, rom, ram, country, maker, version] = base.array_at(0x15)?;
        Some(Self {
            title: base.get(..21)?,
            code: bytes.get(2..6)?,
            mode,
            chips,
            rom,
            ram,
            country,
            maker,
            version,
            complement: base.le16(0x1c)?,
            checksum: base.le16(0x1e)?,
            reset: base.le16(0x3c)?,
        })
    }

    fn is_summed(&self) -> bool {
        self.checksum ^ self.complement == 0xffff && self.checksum != 0
    }

    fn score(&self, modes: &[u8]) -> u32 {
        let is_text = text::japanese(self.title).is_some();
        let points = [
            (self.is_summed(), 4),
            (
                self.mode & 0xe0 == 0x20 && modes.contains(&(self.mode & 0x0f)),
                3,
            ),
            (is_text, 2),
            (self.reset >= 0x8000, 2),
            ((0x07..=0x0d).contains(&self.rom), 1),
            (self.ram <= 0x09, 1),
        ];
        let held = points.into_iter().filter(|(holds, _)| *holds);
        // Code at the offset of a header may look like one, so title and reset vector are required.
        let sum: u32 = held.map(|(_, points)| points).sum();
        if is_text && self.reset >= 0x8000 {
            sum
        } else {
            0
        }
    }

    fn header(&self, map: &'static str) -> Header {
        let mut header = Header {
            title: text::japanese(self.title),
            ..Header::default()
        };
        header.put("mapper", map);
        header.put_some("chip", self.chip());
        header.put("battery", matches!(self.chips & 0x0f, 2 | 5 | 6 | 9 | 0xa));
        header.put_some("rom_size", kib(self.rom));
        header.put_some("ram_size", kib(self.ram).filter(|_| self.ram > 0));
        header.put(
            "header_checksum",
            if self.is_summed() { "valid" } else { "invalid" },
        );
        if self.is_summed() {
            let country = COUNTRIES.get(usize::from(self.country));
            header
                .regions
                .extend(country.filter(|name| !name.is_empty()));
            header.revised(self.version);
            if self.maker == 0x33 {
                header.serial = text::code(self.code);
            }
        }
        header
    }

    /// Returns the name of the additional processor.
    fn chip(&self) -> Option<&'static str> {
        if self.chips & 0x0f < 3 {
            return None;
        }
        match self.chips >> 4 {
            0x0 => Some("DSP"),
            0x1 => Some("Super FX"),
            0x2 => Some("OBC1"),
            0x3 => Some("SA-1"),
            0x4 => Some("S-DD1"),
            0x5 => Some("S-RTC"),
            _ => None,
        }
    }
}

fn kib(power: u8) -> Option<u64> {
    (power <= 0x0d).then(|| 1024 << power)
}
