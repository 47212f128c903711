//! ZIP archives, built byte by byte.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// Builder of valid or deliberately invalid ZIP archives.
#[derive(Debug, Default, Clone)]
pub struct ZipBuilder {
    entries: Vec<Packed>,
    is_long: bool,
}

#[derive(Debug, Clone)]
struct Packed {
    name: Vec<u8>,
    method: u16,
    flags: u16,
    mode: u16,
    crc: u32,
    size: u32,
    bytes: Vec<u8>,
}

impl ZipBuilder {
    /// Creates a builder without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an uncompressed file.
    #[must_use]
    pub fn stored(self, name: &str, bytes: &[u8]) -> Self {
        self.entry(name, 0, bytes.to_vec(), bytes)
    }

    /// Adds a compressed file.
    #[must_use]
    pub fn deflated(self, name: &str, bytes: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("memory");
        self.entry(name, 8, encoder.finish().expect("memory"), bytes)
    }

    /// Adds a symbolic link.
    #[must_use]
    pub fn link(self, name: &str, target: &str) -> Self {
        let mut linked = self.stored(name, target.as_bytes());
        linked.last().mode = 0o120_777;
        linked
    }

    fn entry(mut self, name: &str, method: u16, packed: Vec<u8>, bytes: &[u8]) -> Self {
        self.entries.push(Packed {
            name: name.as_bytes().to_vec(),
            method,
            flags: 0x800,
            mode: 0o100_644,
            crc: crc(bytes),
            size: bytes.len().try_into().expect("small"),
            bytes: packed,
        });
        self
    }

    fn last(&mut self) -> &mut Packed {
        self.entries.last_mut().expect("an entry")
    }

    /// Sets a wrong unpacked size for the last entry.
    pub fn claim_size(&mut self, size: u32) {
        self.last().size = size;
    }

    /// Marks every entry as encrypted.
    pub fn encrypt(&mut self) {
        for entry in &mut self.entries {
            entry.flags |= 1;
        }
    }

    /// Writes sizes and offsets in ZIP64 records.
    #[must_use]
    pub fn long(mut self) -> Self {
        self.is_long = true;
        self
    }

    /// Returns the archive.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut directory = Vec::new();
        for entry in &self.entries {
            let offset = u32::try_from(out.len()).expect("small");
            let packed = u32::try_from(entry.bytes.len()).expect("small");
            let name = u16::try_from(entry.name.len()).expect("short");
            let mut common = Vec::new();
            for value in [20, entry.flags, entry.method, 0, 0] {
                common.extend(u16::to_le_bytes(value));
            }
            out.extend(b"PK\x03\x04");
            out.extend(&common);
            for value in [entry.crc, packed, entry.size] {
                out.extend(value.to_le_bytes());
            }
            out.extend(name.to_le_bytes());
            out.extend([0, 0]);
            out.extend(&entry.name);
            out.extend(&entry.bytes);

            directory.extend(b"PK\x01\x02\x14\x03");
            directory.extend(&common);
            let mut extra = Vec::new();
            let mut sizes = [packed, entry.size, offset];
            if self.is_long {
                extra.extend(b"\x01\x00\x18\x00");
                for value in [entry.size, packed, offset] {
                    extra.extend(u64::from(value).to_le_bytes());
                }
                sizes = [u32::MAX; 3];
            }
            directory.extend(entry.crc.to_le_bytes());
            directory.extend(sizes[0].to_le_bytes());
            directory.extend(sizes[1].to_le_bytes());
            directory.extend(name.to_le_bytes());
            directory.extend(u16::try_from(extra.len()).expect("short").to_le_bytes());
            directory.extend([0; 6]);
            directory.extend([0, 0]);
            directory.extend(entry.mode.to_le_bytes());
            directory.extend(sizes[2].to_le_bytes());
            directory.extend(&entry.name);
            directory.extend(extra);
        }
        self.end(out, &directory)
    }

    fn end(&self, mut out: Vec<u8>, directory: &[u8]) -> Vec<u8> {
        let offset = u32::try_from(out.len()).expect("small");
        let size = u32::try_from(directory.len()).expect("small");
        let count = u16::try_from(self.entries.len()).expect("few");
        out.extend(directory);
        let mut sizes = [size, offset];
        let mut counts = [count; 2];
        if self.is_long {
            let at = out.len() as u64;
            out.extend(b"PK\x06\x06");
            out.extend(44u64.to_le_bytes());
            out.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            for value in [count.into(), count.into(), size.into(), offset.into()] {
                out.extend(u64::to_le_bytes(value));
            }
            out.extend(b"PK\x06\x07\0\0\0\0");
            out.extend(at.to_le_bytes());
            out.extend(1u32.to_le_bytes());
            sizes = [u32::MAX; 2];
            counts = [u16::MAX; 2];
        }
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        out.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
        out.extend([0, 0]);
        out
    }
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
