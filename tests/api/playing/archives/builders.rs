//! Archives built byte by byte: with many entries, or with false sizes.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// File of an archive.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Content as stored in the archive.
    packed: Vec<u8>,
    is_deflated: bool,
    crc: u32,
    /// Uncompressed size that the archive declares.
    declared: u32,
}

impl Entry {
    pub(super) fn stored(name: &str, body: &[u8]) -> Self {
        Self {
            name: name.to_owned(),
            packed: body.to_vec(),
            is_deflated: false,
            crc: crc(body),
            declared: length(body),
        }
    }

    pub(super) fn deflated(name: &str, body: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).expect("memory");
        Self {
            packed: encoder.finish().expect("memory"),
            is_deflated: true,
            ..Self::stored(name, body)
        }
    }

    /// Returns the same content with another declared size.
    pub(super) fn declaring(self, declared: u32) -> Self {
        Self { declared, ..self }
    }
}

/// Returns the two files that every EPUB must have.
pub(super) fn package() -> Vec<Entry> {
    let container = "<container><rootfiles><rootfile full-path='book.opf' \
                     media-type='application/oebps-package+xml'/></rootfiles></container>";
    let package = "<package xmlns:dc='http://purl.org/dc/elements/1.1/'><metadata>\
                   <dc:title>A Title</dc:title></metadata><manifest/><spine/></package>";
    vec![
        Entry::stored("META-INF/container.xml", container.as_bytes()),
        Entry::stored("book.opf", package.as_bytes()),
    ]
}

/// Returns a ZIP archive with the ZIP64 record that more than 65,535 entries need.
pub(super) fn zip(entries: &[Entry]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let offset = length(&out);
        let mut common = Vec::new();
        for value in [20, 0x800, if entry.is_deflated { 8 } else { 0 }, 0, 0] {
            common.extend(u16::to_le_bytes(value));
        }
        for value in [entry.crc, length(&entry.packed), entry.declared] {
            common.extend(value.to_le_bytes());
        }
        common.extend(short(entry.name.len()));
        common.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(entry.name.as_bytes());
        out.extend(&entry.packed);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let (start, count) = (out.len() as u64, entries.len() as u64);
    let size = directory.len() as u64;
    out.extend(directory);
    let record = out.len() as u64;
    out.extend(b"PK\x06\x06");
    out.extend(44_u64.to_le_bytes());
    out.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    out.extend([count, count, size, start].map(u64::to_le_bytes).concat());
    out.extend(b"PK\x06\x07\0\0\0\0");
    out.extend(record.to_le_bytes());
    out.extend([1, 0, 0, 0]);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([0xff; 12]);
    out.extend([0, 0]);
    out
}

/// Returns a tar archive.
pub(super) fn tar(entries: &[Entry]) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        let mut header = [0; 512];
        header[..entry.name.len()].copy_from_slice(entry.name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", entry.declared).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar  \0");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        out.extend(header);
        out.extend(&entry.packed);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.extend([0; 1024]);
    out
}

/// Returns a RAR 5 archive of stored files.
pub(super) fn rar(entries: &[Entry]) -> Vec<u8> {
    let mut out = b"Rar!\x1a\x07\x01\x00".to_vec();
    out.extend(rar_header(&[1, 0, 0], b""));
    for entry in entries {
        let mut fields = [
            2,
            2,
            entry.packed.len() as u64,
            4,
            entry.declared.into(),
            0o100_644,
        ]
        .map(rar_number)
        .concat();
        fields.extend(entry.crc.to_le_bytes());
        for field in [0, 1, entry.name.len() as u64] {
            fields.extend(rar_number(field));
        }
        fields.extend(entry.name.as_bytes());
        out.extend(rar_header(&[], &fields));
        out.extend(&entry.packed);
    }
    out.extend(rar_header(&[5, 0, 0], b""));
    out
}

fn rar_header(fields: &[u64], rest: &[u8]) -> Vec<u8> {
    let mut content: Vec<u8> = fields.iter().flat_map(|field| rar_number(*field)).collect();
    content.extend(rest);
    let mut sized = rar_number(content.len() as u64);
    sized.extend(content);
    [crc(&sized).to_le_bytes().to_vec(), sized].concat()
}

fn rar_number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(value & 0x7f).expect("seven bits");
        value >>= 7;
        bytes.push(if value == 0 { low } else { low | 0x80 });
        if value == 0 {
            return bytes;
        }
    }
}

/// Returns a 7z archive of empty files with one-letter names. It fits into the largest directory
/// that is read.
pub(super) fn seven_of_empty_files(count: usize) -> Vec<u8> {
    // 7z number with four further bytes.
    let number = |value: usize| {
        let value = u32::try_from(value).expect("small").to_le_bytes();
        [&[0xf0], value.as_slice()].concat()
    };
    let mut header = vec![1, 5];
    header.extend(number(count));
    header.push(0x0e);
    header.extend(number(count.div_ceil(8)));
    header.extend(vec![0xff; count.div_ceil(8)]);
    header.push(0x11);
    header.extend(number(4 * count + 1));
    header.push(0);
    header.extend([b'a', 0, 0, 0].repeat(count));
    header.extend([0, 0]);
    let mut start = vec![0; 8];
    start.extend((header.len() as u64).to_le_bytes());
    start.extend(crc(&header).to_le_bytes());
    let mut out = b"7z\xbc\xaf\x27\x1c\0\x04".to_vec();
    out.extend(crc(&start).to_le_bytes());
    out.extend(start);
    out.extend(header);
    out
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("small")
}

fn short(value: usize) -> [u8; 2] {
    u16::try_from(value).expect("short").to_le_bytes()
}
