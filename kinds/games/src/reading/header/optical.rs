//! Discs: detection of the console, and facts from the first sectors and from small files.

use super::{Header, megadrive, sfo};
use ledge_formats::ReadResult;

use crate::reading::iso::Volume;
use crate::reading::sectors::Sectors;
use crate::reading::text;

/// Largest settings file that is read, in bytes.
const MAX_SETTINGS_BYTES: usize = 16 << 10;
/// Largest icon that is extracted, in bytes.
const MAX_ICON_BYTES: usize = 512 << 10;

/// Reads the facts of a disc. Returns an empty header for an unknown console.
pub fn read<S: Sectors>(disc: &mut S) -> ReadResult<Header> {
    let mut start = disc.sector(0)?;
    if let Some(header) = sega(&start) {
        return Ok(header);
    }
    if start.starts_with(b"\x01ZZZZZ\x01") {
        return Ok(for_platform("3do"));
    }
    // NEC discs are identified by the second sector of the first data track.
    start.extend(disc.sector(1)?);
    if contains(&start, b"PC Engine CD-ROM SYSTEM") {
        return Ok(for_platform("pcenginecd"));
    }
    match Volume::open(disc)? {
        Some(mut volume) => read_volume(&mut volume),
        None => Ok(Header::default()),
    }
}

fn for_platform(platform: &'static str) -> Header {
    Header {
        platform: Some(platform),
        ..Header::default()
    }
}

fn contains(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}

/// Reads the discs of Sega's consoles, which have their header in the first sector.
fn sega(sector: &[u8]) -> Option<Header> {
    if sector.starts_with(b"SEGADISCSYSTEM") || sector.starts_with(b"SEGABOOTDISC") {
        let inner = sector.get(0x100..).and_then(megadrive::parse);
        return Some(Header {
            platform: Some("segacd"),
            ..inner.unwrap_or_default()
        });
    }
    if sector.starts_with(b"SEGA SEGASATURN") {
        let offsets = FieldOffsets {
            platform: "saturn",
            product: (0x20, 10),
            version: 0x2a,
            date: 0x30,
            area: (0x40, 10),
            title: (0x60, 0x70),
        };
        return Some(offsets.read(sector));
    }
    sector.starts_with(b"SEGA SEGAKATANA").then(|| {
        let offsets = FieldOffsets {
            platform: "dreamcast",
            product: (0x40, 10),
            version: 0x4a,
            date: 0x50,
            area: (0x30, 8),
            title: (0x80, 0x80),
        };
        offsets.read(sector)
    })
}

/// Offsets and lengths of the fields that Saturn and Dreamcast share.
struct FieldOffsets {
    platform: &'static str,
    product: (usize, usize),
    version: usize,
    date: usize,
    area: (usize, usize),
    title: (usize, usize),
}

impl FieldOffsets {
    fn read(&self, sector: &[u8]) -> Header {
        let field = |(at, length): (usize, usize)| sector.get(at..at + length);
        let areas = field(self.area).unwrap_or_default();
        let regions = [(b'J', "Japan"), (b'U', "USA"), (b'E', "Europe")];
        let version = field((self.version, 6)).and_then(text::ascii);
        let date = field((self.date, 4)).and_then(|year| std::str::from_utf8(year).ok());
        let year = date.and_then(|year| year.parse().ok());
        Header {
            platform: Some(self.platform),
            title: field(self.title).and_then(text::japanese),
            serial: field(self.product).and_then(text::ascii),
            regions: regions
                .into_iter()
                .filter(|(letter, _)| areas.contains(letter))
                .map(|(_, name)| name)
                .collect(),
            version: version.and_then(|version| {
                let number = version.strip_prefix('V')?;
                // The first version is not marked.
                (number != "1.000").then(|| number.to_owned())
            }),
            year: year.filter(|year| (1990..=2100).contains(year)),
            ..Header::default()
        }
    }
}

/// Reads discs with a file system.
fn read_volume<S: Sectors>(volume: &mut Volume<'_, S>) -> ReadResult<Header> {
    if volume.system.starts_with("PSP GAME") {
        return playstation_portable(volume);
    }
    if let Some(file) = volume.find(&["SYSTEM.CNF"])? {
        let settings = volume.read(file, MAX_SETTINGS_BYTES)?;
        if let Some(mut header) = playstation(&String::from_utf8_lossy(&settings)) {
            header.put_some("volume", volume.name.clone());
            return Ok(header);
        }
    }
    if volume.system.starts_with("PLAYSTATION") {
        let mut header = for_platform("psx");
        header.put_some("volume", volume.name.clone());
        return Ok(header);
    }
    if volume.find(&["IPL.TXT"])?.is_some() {
        return Ok(for_platform("neogeocd"));
    }
    Ok(Header::default())
}

/// Parses the settings of PlayStation discs: `BOOT = cdrom:\SLUS_005.94;1`.
fn playstation(settings: &str) -> Option<Header> {
    let value = |name: &str| {
        settings.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    let second = value("BOOT2");
    let started = second.or_else(|| value("BOOT"))?;
    let program = started.rsplit(['\\', '/', ':']).next().unwrap_or(started);
    let program = program.split(';').next().unwrap_or(program);
    let mut header = for_platform(if second.is_some() { "ps2" } else { "psx" });
    header.serial = sony_serial(program);
    header.regions = region_of_serial(header.serial.as_deref());
    let version = second.and_then(|_| value("VER")).and_then(text::sanitize);
    header.version = version.filter(|version| version != "1.00");
    Some(header)
}

fn playstation_portable<S: Sectors>(volume: &mut Volume<'_, S>) -> ReadResult<Header> {
    let mut header = for_platform("psp");
    if let Some(file) = volume.find(&["PSP_GAME", "PARAM.SFO"])? {
        sfo::describe(&volume.read(file, MAX_SETTINGS_BYTES)?, &mut header);
    }
    Ok(header)
}

/// Returns the icon of a PlayStation Portable disc. The bytes are those of the file.
pub fn icon<S: Sectors>(disc: &mut S) -> ReadResult<Option<Vec<u8>>> {
    let Some(mut volume) = Volume::open(disc)? else {
        return Ok(None);
    };
    if !volume.system.starts_with("PSP GAME") {
        return Ok(None);
    }
    let Some(file) = volume.find(&["PSP_GAME", "ICON0.PNG"])? else {
        return Ok(None);
    };
    if file.length > MAX_ICON_BYTES as u64 {
        return Ok(None);
    }
    let bytes = volume.read(file, MAX_ICON_BYTES)?;
    Ok(Some(bytes).filter(|bytes| sfo::is_png(bytes)))
}

/// Formats a serial such as `SLUS_005.94` or `SLUS00594` as on the box: four letters, hyphen, five
/// digits.
pub(crate) fn sony_serial(name: &str) -> Option<String> {
    let letters: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_uppercase())
        .collect();
    let (maker, number) = letters.split_at_checked(4)?;
    let is_serial = maker.bytes().all(|byte| byte.is_ascii_uppercase())
        && number.len() == 5
        && number.bytes().all(|byte| byte.is_ascii_digit());
    is_serial.then(|| format!("{maker}-{number}"))
}

/// Returns the region of the third letter of a serial.
pub(crate) fn region_of_serial(serial: Option<&str>) -> Vec<&'static str> {
    let letter = serial.and_then(|serial| serial.as_bytes().get(2).copied());
    let region = match letter {
        Some(b'U') => Some("USA"),
        Some(b'E') => Some("Europe"),
        Some(b'P' | b'J') => Some("Japan"),
        Some(b'K') => Some("Korea"),
        Some(b'A' | b'H') => Some("Asia"),
        Some(b'C') => Some("China"),
        _ => None,
    };
    region.into_iter().collect()
}
