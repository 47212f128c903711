//! ZIP archives with deflated entries, written to a file that can be rewound (PKWARE APPNOTE 6.3).

use std::io::{self, Seek, SeekFrom, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// Version that a reader needs: 2.0 for deflate, 4.5 for ZIP64.
const VERSION: u16 = 20;
const VERSION_64: u16 = 45;
/// Flag of UTF-8 names.
const UTF8: u16 = 1 << 11;
const DEFLATE: u16 = 8;
/// 1980-01-01, the first date that the format can represent.
const DATE: u16 = 0x21;
/// Value of fields whose real value is in a ZIP64 record.
const SEE_64: u32 = u32::MAX;

/// Entry of the directory.
struct Entry {
    name: String,
    crc: u32,
    packed: u32,
    size: u32,
    offset: u64,
}

/// Archive that is being written.
pub(super) struct ZipWriter<W> {
    out: W,
    entries: Vec<Entry>,
}

/// Writer that counts bytes and computes their checksum.
struct Content<W> {
    out: W,
    crc: Crc,
}

impl<W: Write> Write for Content<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.crc.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes deflated content. Returns its size before compression, and its checksum.
fn deflated<E: From<io::Error>>(
    out: impl Write,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(u64, u32), E> {
    let mut content = Content {
        out: DeflateEncoder::new(out, Compression::default()),
        crc: Crc::new(),
    };
    write(&mut content)?;
    let size = content.out.total_in();
    content.out.finish()?;
    Ok((size, content.crc.sum()))
}

impl<W: Write + Seek> ZipWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            entries: Vec::new(),
        }
    }

    /// Adds an entry whose content `write` writes. An entry has less than 4 GiB.
    pub(super) fn entry<E: From<io::Error>>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), E> {
        let offset = self.out.stream_position()?;
        let mut entry = Entry {
            name: name.to_owned(),
            crc: 0,
            packed: 0,
            size: 0,
            offset,
        };
        self.out.write_all(&entry.local_header())?;
        let start = self.out.stream_position()?;
        let (size, crc) = deflated(&mut self.out, write)?;
        let end = self.out.stream_position()?;
        entry.crc = crc;
        entry.size = small(size)?;
        entry.packed = small(end - start)?;
        self.out.seek(SeekFrom::Start(offset))?;
        self.out.write_all(&entry.local_header())?;
        self.out.seek(SeekFrom::Start(end))?;
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the directory. Returns the writer, and the size of the archive.
    pub(super) fn finish(mut self) -> io::Result<(W, u64)> {
        let start = self.out.stream_position()?;
        for entry in &self.entries {
            let record = entry.directory_record();
            self.out.write_all(&record)?;
        }
        let end = self.out.stream_position()?;
        let count = self.entries.len() as u64;
        if count >= u64::from(u16::MAX) || end >= u64::from(SEE_64) {
            self.out.write_all(&end_64(count, start, end))?;
        }
        self.out.write_all(&end_record(count, start, end))?;
        let size = self.out.stream_position()?;
        self.out.flush()?;
        Ok((self.out, size))
    }
}

impl Entry {
    /// Returns the fields that both headers have.
    fn common(&self, extra: u16) -> Vec<u8> {
        let mut fields = Vec::new();
        for value in [UTF8, DEFLATE, 0, DATE] {
            fields.extend(value.to_le_bytes());
        }
        for value in [self.crc, self.packed, self.size] {
            fields.extend(value.to_le_bytes());
        }
        let name = u16::try_from(self.name.len()).unwrap_or(u16::MAX);
        for value in [name, extra] {
            fields.extend(value.to_le_bytes());
        }
        fields
    }

    fn local_header(&self) -> Vec<u8> {
        let mut header = b"PK\x03\x04".to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend(self.common(0));
        header.extend(self.name.as_bytes());
        header
    }

    fn directory_record(&self) -> Vec<u8> {
        let offset = u32::try_from(self.offset).ok().filter(|at| *at < SEE_64);
        let version = if offset.is_some() {
            VERSION
        } else {
            VERSION_64
        };
        let mut record = b"PK\x01\x02".to_vec();
        // The upper byte 3 means Unix.
        record.extend((version | 3 << 8).to_le_bytes());
        record.extend(version.to_le_bytes());
        record.extend(self.common(if offset.is_some() { 0 } else { 12 }));
        // Comment, disk and internal attributes; then the mode of an ordinary file.
        record.extend([0; 6]);
        record.extend((0o100_644_u32 << 16).to_le_bytes());
        record.extend(offset.unwrap_or(SEE_64).to_le_bytes());
        record.extend(self.name.as_bytes());
        if offset.is_none() {
            record.extend(1_u16.to_le_bytes());
            record.extend(8_u16.to_le_bytes());
            record.extend(self.offset.to_le_bytes());
        }
        record
    }
}

fn end_64(count: u64, start: u64, end: u64) -> Vec<u8> {
    let mut record = b"PK\x06\x06".to_vec();
    record.extend(44_u64.to_le_bytes());
    for value in [VERSION_64, VERSION_64] {
        record.extend(value.to_le_bytes());
    }
    record.extend([0; 8]);
    for value in [count, count, end - start, start] {
        record.extend(value.to_le_bytes());
    }
    record.extend(b"PK\x06\x07");
    record.extend([0; 4]);
    record.extend(end.to_le_bytes());
    record.extend(1_u32.to_le_bytes());
    record
}

fn end_record(count: u64, start: u64, end: u64) -> Vec<u8> {
    let mut record = b"PK\x05\x06\0\0\0\0".to_vec();
    let count = u16::try_from(count).unwrap_or(u16::MAX);
    for value in [count, count] {
        record.extend(value.to_le_bytes());
    }
    for value in [end - start, start] {
        record.extend(u32::try_from(value).unwrap_or(SEE_64).to_le_bytes());
    }
    record.extend([0; 2]);
    record
}

fn small(size: u64) -> io::Result<u32> {
    let size = u32::try_from(size).ok().filter(|size| *size < SEE_64);
    size.ok_or_else(|| io::Error::other("an entry of the archive has 4 GiB or more"))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn entries_are_read_again_by_the_reader_of_archives() {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let texts = [
            ("a.json", "[]".to_owned()),
            ("b/ä.md", "text ".repeat(10_000)),
        ];
        for (name, text) in &texts {
            let written: io::Result<()> = zip.entry(name, |out| out.write_all(text.as_bytes()));
            written.expect("memory");
        }
        let (out, size) = zip.finish().expect("memory");
        assert_eq!(out.get_ref().len() as u64, size);
        let mut read = ledge_formats::archive::zip::Zip::open(out).expect("an archive");
        for (name, text) in &texts {
            let entry = read.find(name).expect("an entry");
            let bytes = read.read(&entry, 1 << 20).expect("bytes");
            assert!(bytes == text.as_bytes(), "{name}");
        }
    }

    #[test]
    fn far_entries_have_their_offset_in_a_zip64_record() {
        let entry = Entry {
            name: "x".to_owned(),
            crc: 1,
            packed: 2,
            size: 3,
            offset: 5 << 32,
        };
        let record = entry.directory_record();
        assert_eq!(record.len(), 46 + 1 + 12);
        assert!(record.ends_with(&(5_u64 << 32).to_le_bytes()));
        assert_eq!(end_64(1, 5 << 32, 6 << 32).len(), 56 + 20);
    }
}
