//! What the header of a cartridge or a disc says: title, code, regions, and what is on the board.

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
use serde_json::{Value, json};

use crate::platforms;
use crate::release::Release;
use crate::windows::{ReadResult, Windows};

/// What a header says. Every field may be absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Header {
    /// The platform's id, where the content tells which it is.
    pub platform: Option<&'static str>,
    /// The title inside.
    pub title: Option<String>,
    /// The code that the maker gave the game: `SLUS-00594`, `ZMCE`.
    pub serial: Option<String>,
    /// Regions by the names that [`Release`] uses.
    pub regions: Vec<&'static str>,
    /// Number of the revision, where it is not the first.
    pub revision: Option<String>,
    /// Version as its makers write it.
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
    pub(crate) fn put_known(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    /// Revisions are counted from the first, which bears no mark.
    pub(crate) fn revised(&mut self, number: u8) {
        // Homebrew has anything there.
        if (1..=9).contains(&number) {
            self.revision = Some(number.to_string());
        }
    }

    /// What is kept of it. Regions, revisions, versions, years and publishers that stand in the
    /// name are somebody's who compared many copies, and go before those in the header.
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

/// The header of a cartridge image of this platform; empty where it has none.
pub fn cartridge<R: Read + Seek>(platform: &str, file: &mut Windows<R>) -> ReadResult<Header> {
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

/// The region that the last letter of a Nintendo game code stands for.
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
