//! Test files, built byte by byte.

use std::fmt::Write as _;

pub(crate) use ledge_proving::ZipBuilder;

/// Bytes that are detected as a JPEG but cannot be decoded.
pub(crate) const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0 a picture";

/// Returns a container document that names a package document.
pub(crate) fn container(package: &str) -> String {
    format!(
        "<?xml version='1.0'?><container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'>\
         <rootfiles><rootfile full-path='{package}' media-type='application/oebps-package+xml'/>\
         </rootfiles></container>"
    )
}

/// Returns a package document with the given content of its parts; `spine` is the whole element.
pub(crate) fn opf(metadata: &str, manifest: &str, spine: &str) -> String {
    format!(
        "<?xml version='1.0'?><package xmlns='http://www.idpf.org/2007/opf' version='3.0'>\
         <metadata xmlns:dc='http://purl.org/dc/elements/1.1/' \
         xmlns:opf='http://www.idpf.org/2007/opf'>{metadata}</metadata>\
         <manifest>{manifest}</manifest>{spine}</package>"
    )
}

/// Returns an EPUB with this package document at its root.
pub(crate) fn epub(package: &str) -> ZipBuilder {
    ZipBuilder::new()
        .stored("mimetype", b"application/epub+zip")
        .deflated("META-INF/container.xml", container("book.opf").as_bytes())
        .deflated("book.opf", package.as_bytes())
}

/// Returns a tar archive of these files. Long names use GNU's extension.
pub(crate) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |name: &[u8], kind: u8, bytes: &[u8]| {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name);
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = kind;
        header[257..265].copy_from_slice(b"ustar  \0");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        out.extend(header);
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    };
    for (name, bytes) in files {
        if name.len() > 100 {
            put(b"././@LongLink", b'L', name.as_bytes());
        }
        put(&name.as_bytes()[..name.len().min(100)], b'0', bytes);
    }
    out.extend([0; 1024]);
    out
}

/// Returns a RAR 5 archive of these files, without compression.
pub(crate) fn rar(files: &[(&str, &[u8])]) -> Vec<u8> {
    rar_of(files, false)
}

/// Returns a solid RAR 5 archive of these files, without compression.
pub(crate) fn solid_rar(files: &[(&str, &[u8])]) -> Vec<u8> {
    rar_of(files, true)
}

fn rar_of(files: &[(&str, &[u8])], is_solid: bool) -> Vec<u8> {
    fn number(mut value: u64) -> Vec<u8> {
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
    fn header(fields: &[u64], name: &[u8]) -> Vec<u8> {
        let mut content: Vec<u8> = fields.iter().flat_map(|field| number(*field)).collect();
        content.extend(name);
        let mut sized = number(content.len() as u64);
        sized.extend(content);
        [crc(&sized).to_le_bytes().to_vec(), sized].concat()
    }
    let mut out = b"Rar!\x1a\x07\x01\x00".to_vec();
    out.extend(header(&[1, 0, if is_solid { 4 } else { 0 }], b""));
    for (at, (name, bytes)) in files.iter().enumerate() {
        let packing = if is_solid && at > 0 { 0x40 } else { 0 };
        let size = bytes.len() as u64;
        // Header fields: a stored file with its checksum, made on Unix.
        let mut sum = crc(bytes).to_le_bytes().to_vec();
        let mut fields: Vec<u8> = [2, 2, size, 4, size, 0o100_644]
            .iter()
            .flat_map(|field| number(*field))
            .collect();
        fields.append(&mut sum);
        for field in [packing, 1, name.len() as u64] {
            fields.extend(number(field));
        }
        fields.extend(name.as_bytes());
        out.extend(header(&[], &fields));
        out.extend(*bytes);
    }
    out.extend(header(&[5, 0, 0], b""));
    out
}

/// Returns a 7z archive of these files, without compression and in one block.
pub(crate) fn solid_sevenz(files: &[(&str, &[u8])]) -> Vec<u8> {
    // A 7z number of two bytes after the first.
    fn number(value: usize) -> Vec<u8> {
        let value = u16::try_from(value).expect("small").to_le_bytes();
        [&[0xc0], value.as_slice()].concat()
    }
    let content: Vec<u8> = files.iter().flat_map(|(_, bytes)| bytes.to_vec()).collect();
    let (last, others) = files.split_last().expect("a file");
    // One packed stream, and one block with one copy coder.
    let mut header = vec![1, 4, 6, 0, 1, 9];
    header.extend(number(content.len()));
    header.extend([0, 7, 0x0b, 1, 0, 1, 1, 0, 0x0c]);
    header.extend(number(content.len()));
    // The files of the block. The size of the last one is implied.
    header.extend([0, 8, 0x0d]);
    header.extend(number(others.len() + 1));
    header.push(9);
    header.extend(others.iter().flat_map(|(_, bytes)| number(bytes.len())));
    header.extend([0, 0, 5]);
    header.extend(number(others.len() + 1));
    let names = others.iter().chain([last]).map(|(name, _)| name);
    let names: Vec<u8> = names
        .flat_map(|name| name.encode_utf16().chain([0]))
        .flat_map(u16::to_le_bytes)
        .collect();
    header.push(0x11);
    header.extend(number(names.len() + 1));
    header.push(0);
    header.extend(names);
    header.extend([0, 0]);
    let mut start = (content.len() as u64).to_le_bytes().to_vec();
    start.extend((header.len() as u64).to_le_bytes());
    start.extend(crc(&header).to_le_bytes());
    let mut out = b"7z\xbc\xaf\x27\x1c\0\x04".to_vec();
    out.extend(crc(&start).to_le_bytes());
    out.extend(start);
    out.extend(content);
    out.extend(header);
    out
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Returns a Mobipocket book with these tagged values and one picture.
pub(crate) fn mobi(title: &str, fields: &[(u32, &[u8])], picture: &[u8]) -> Vec<u8> {
    const HEADER: usize = 248;
    let short = |number: usize| u32::try_from(number).expect("small").to_be_bytes();
    let mut exth = b"EXTH\0\0\0\0".to_vec();
    exth.extend(short(fields.len()));
    for (tag, value) in fields {
        exth.extend(tag.to_be_bytes());
        exth.extend(short(value.len() + 8));
        exth.extend(*value);
    }
    let mut head = vec![0; 16 + HEADER];
    let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
    put(16, b"MOBI");
    put(20, &short(HEADER));
    put(28, &short(65_001));
    put(84, &short(16 + HEADER + exth.len()));
    put(88, &short(title.len()));
    put(92, &short(0x409));
    put(108, &short(1));
    put(252, &[0xff; 4]);
    put(128, &short(if fields.is_empty() { 0 } else { 0x40 }));
    head.extend(exth);
    head.extend(title.as_bytes());
    let mut out = vec![0; 78];
    out[..4].copy_from_slice(b"name");
    out[60..68].copy_from_slice(b"BOOKMOBI");
    out[77] = 2;
    let first = 78 + 16;
    out.extend(short(first));
    out.extend([0; 4]);
    out.extend(short(first + head.len()));
    out.extend([0; 4]);
    out.extend(head);
    out.extend(picture);
    out
}

/// Returns a PDF of these objects, numbered from 1. `trailer` is added to the trailer after the
/// size.
pub(crate) fn pdf(objects: &[&str], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", out.len()).expect("text");
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", at + 1).as_bytes());
    }
    let place = out.len();
    let size = objects.len() + 1;
    out.extend(
        format!("{table}trailer\n<</Size {size}{trailer}>>\nstartxref\n{place}\n%%EOF\n")
            .as_bytes(),
    );
    out
}
