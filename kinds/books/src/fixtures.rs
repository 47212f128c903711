//! Files for tests, built byte by byte.

use std::fmt::Write as _;
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Builds ZIP archives, well-formed or not.
#[derive(Debug, Default, Clone)]
pub(crate) struct ZipBuilder {
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
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A file as it is.
    pub(crate) fn stored(self, name: &str, bytes: &[u8]) -> Self {
        self.entry(name, 0, bytes.to_vec(), bytes)
    }

    /// A compressed file.
    pub(crate) fn deflated(self, name: &str, bytes: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("memory");
        self.entry(name, 8, encoder.finish().expect("memory"), bytes)
    }

    /// A symbolic link.
    pub(crate) fn link(self, name: &str, target: &str) -> Self {
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

    /// Lets the last entry lie about its unpacked size.
    pub(crate) fn claim_size(&mut self, size: u32) {
        self.last().size = size;
    }

    /// Lets every entry look encrypted.
    pub(crate) fn encrypt(&mut self) {
        for entry in &mut self.entries {
            entry.flags |= 1;
        }
    }

    /// Writes sizes and places with 64 bits.
    pub(crate) fn long(mut self) -> Self {
        self.is_long = true;
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
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

/// Not quite a picture, but it begins like one.
pub(crate) const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0 a picture";

/// A container document that names a package document.
pub(crate) fn container(package: &str) -> String {
    format!(
        "<?xml version='1.0'?><container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'>\
         <rootfiles><rootfile full-path='{package}' media-type='application/oebps-package+xml'/>\
         </rootfiles></container>"
    )
}

/// A package document with this inside its parts; `spine` is the whole element.
pub(crate) fn opf(metadata: &str, manifest: &str, spine: &str) -> String {
    format!(
        "<?xml version='1.0'?><package xmlns='http://www.idpf.org/2007/opf' version='3.0'>\
         <metadata xmlns:dc='http://purl.org/dc/elements/1.1/' \
         xmlns:opf='http://www.idpf.org/2007/opf'>{metadata}</metadata>\
         <manifest>{manifest}</manifest>{spine}</package>"
    )
}

/// An EPUB with this package document at its root.
pub(crate) fn epub(package: &str) -> ZipBuilder {
    ZipBuilder::new()
        .stored("mimetype", b"application/epub+zip")
        .deflated("META-INF/container.xml", container("book.opf").as_bytes())
        .deflated("book.opf", package.as_bytes())
}

/// A tar archive of these files; names that do not fit are written the GNU way.
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

/// A RAR 5 archive of these files, as they are.
pub(crate) fn rar(files: &[(&str, &[u8])]) -> Vec<u8> {
    rar_of(files, false)
}

/// The same, where it says that each file can be had only with those before it.
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
        // A file with its checksum, stored, made on Unix.
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

/// A 7z archive of these files, as they are, one after another in one block.
pub(crate) fn solid_seven(files: &[(&str, &[u8])]) -> Vec<u8> {
    // A number of two bytes that follow the first.
    fn number(value: usize) -> Vec<u8> {
        let value = u16::try_from(value).expect("small").to_le_bytes();
        [&[0xc0], value.as_slice()].concat()
    }
    let content: Vec<u8> = files.iter().flat_map(|(_, bytes)| bytes.to_vec()).collect();
    let (last, others) = files.split_last().expect("a file");
    // One packed stream; one block of one coder, which copies.
    let mut header = vec![1, 4, 6, 0, 1, 9];
    header.extend(number(content.len()));
    header.extend([0, 7, 0x0b, 1, 0, 1, 1, 0, 0x0c]);
    header.extend(number(content.len()));
    // The files in it; the size of the last is what is left.
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

/// A Mobipocket book with these tagged values and one picture.
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

/// A PDF of these objects, numbered from 1; `trailer` is what stands in it beside the size.
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
