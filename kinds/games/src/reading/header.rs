//! Headers of cartridges and discs: title, code, regions, and facts about the hardware.

pub mod advance;
pub mod atari;
pub mod chd;
pub mod ds;
pub mod famicom;
pub mod gameboy;
pub mod handheld;
pub mod mastersystem;
pub mod megadrive;
pub mod n64;
pub mod optical;
pub mod sfo;
pub mod snes;
pub mod unif;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use ledge_core::registry::reading::Inspection;
use ledge_formats::{ReadLimits, ReadResult, Source};
use serde_json::{Value, json};

use crate::formats::platforms;
use crate::naming::release::Release;

/// Limits of reading one file: few bytes, because headers are short.
pub const READ_LIMITS: ReadLimits = ReadLimits {
    chunk: 0,
    ..ReadLimits::with_bytes(1 << 20)
};

/// Values of a header. Every field may be absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Header {
    /// Platform id, if the content identifies the platform.
    pub platform: Option<&'static str>,
    /// Title in the header.
    pub title: Option<String>,
    /// Product code of the publisher, such as `SLUS-00594` or `ZMCE`.
    pub serial: Option<String>,
    /// Region names as in [`Release`].
    pub regions: Vec<&'static str>,
    /// Revision number, unless it is the first revision.
    pub revision: Option<String>,
    /// Version number as written in the header.
    pub version: Option<String>,
    /// Company that published it.
    pub publisher: Option<String>,
    /// Year of publication.
    pub year: Option<i32>,
    /// Further facts by name.
    pub facts: BTreeMap<String, Value>,
}

impl Header {
    /// Adds a fact.
    pub(crate) fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.to_owned(), value.into());
    }

    /// Adds a fact that may be absent.
    pub(crate) fn put_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    /// Sets the revision. The first revision has the number 0 and is not stored.
    pub(crate) fn revised(&mut self, number: u8) {
        // Homebrew contains arbitrary values there.
        if (1..=9).contains(&number) {
            self.revision = Some(number.to_string());
        }
    }

    /// Converts the header to facts. Regions, revisions, versions, years and publishers in the file
    /// name take precedence, because the naming databases verified them.
    pub fn into_inspection(self, named: &Release) -> Inspection {
        let mut facts = self.facts;
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                facts.insert(name.to_owned(), value);
            }
        };
        put("header_title", self.title.map(Value::from));
        put("serial", self.serial.map(Value::from));
        if named.regions.is_empty() && !self.regions.is_empty() {
            put("region", Some(json!(self.regions.join(", "))));
        }
        if named.revision.is_none() && named.version.is_none() {
            put("revision", self.revision.map(Value::from));
            put("version", self.version.map(Value::from));
        }
        if named.publisher.is_none() {
            put("publisher", self.publisher.map(Value::from));
        }
        if let Some(platform) = self.platform.and_then(platforms::by_id) {
            facts.extend(platform.facts());
        }
        Inspection {
            year: self.year.filter(|_| named.year.is_none()),
            facts,
            ..Inspection::default()
        }
    }
}

/// Reads the header of a cartridge image of this platform. Returns an empty header if there is
/// none.
pub fn cartridge<R: Read + Seek>(platform: &str, file: &mut Source<R>) -> ReadResult<Header> {
    match platform {
        "nes" => famicom::cartridge(file),
        "fds" => famicom::disk(file),
        "snes" => snes::read(file),
        "gb" | "gbc" => gameboy::read(file),
        "gba" => advance::read(file),
        "n64" => n64::read(file),
        "nds" => ds::read(file),
        "virtualboy" => handheld::virtual_boy(file),
        "ngp" | "ngpc" => handheld::neo_geo_pocket(file),
        "wonderswan" | "wonderswancolor" => handheld::wonderswan(file),
        "megadrive" | "sega32x" => megadrive::read(file),
        "mastersystem" | "gamegear" | "sg1000" => mastersystem::read(file),
        "atari7800" => atari::seven_eight_hundred(file),
        "lynx" => atari::lynx(file),
        _ => Ok(Header::default()),
    }
}

/// Returns the region of the last letter of a Nintendo game code.
pub(crate) fn nintendo_region(letter: u8) -> Option<&'static str> {
    let name = match letter {
        b'B' => "Brazil",
        b'C' => "China",
        b'D' => "Germany",
        b'E' => "USA",
        b'F' => "France",
        b'H' => "Netherlands",
        b'I' => "Italy",
        b'J' => "Japan",
        b'K' => "Korea",
        b'P' | b'X' | b'Y' | b'Z' => "Europe",
        b'R' => "Russia",
        b'S' => "Spain",
        b'U' => "Australia",
        b'W' => "Scandinavia",
        _ => return None,
    };
    Some(name)
}
