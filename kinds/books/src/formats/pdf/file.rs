//! An opened PDF, whose objects and streams are read on demand by their numbers.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::time::{Duration, Instant};

use flate2::read::ZlibDecoder;

use super::object::{Dictionary, Lexer, MOST_PARTS, Object};
use super::predictor;
use super::xref::{self, ObjectPosition, Table};
use crate::archive::{ReadResult, damaged, limit};

/// Largest offset of the `%PDF-` header, in bytes.
const HEAD: u64 = 1024;
/// Numbers of bytes that are read to parse one object, in this order. Most objects are small.
const OBJECT_SIZES: [usize; 4] = [4 << 10, 64 << 10, 1 << 20, 8 << 20];
/// Most bytes read of a document in total, including repeated reads.
const MOST_BYTES: u64 = 192 << 20;
/// Longest chain of references.
const LONGEST_CHAIN: usize = 16;
/// Largest object stream, unpacked, in bytes.
const LARGEST_OBJECTS: u64 = 16 << 20;

/// An opened document.
#[derive(Debug)]
pub(super) struct Pdf<R> {
    reader: R,
    /// Length of the file.
    pub(super) length: u64,
    /// Number of bytes before the document. Its offsets are relative to the end of those bytes.
    base: u64,
    table: Table,
    /// Limits of time and read bytes. They end the work on damaged documents with circular
    /// references.
    until: Instant,
    left: u64,
    /// Object stream that was unpacked last.
    unpacked: Option<(u32, Vec<Object>)>,
}

/// Indirect object as stored in the file.
pub(super) struct IndirectObject {
    /// Object number at this position of the file.
    pub(super) number: u32,
    pub(super) object: Object,
    /// Offset of the stream's bytes.
    pub(super) stream: Option<u64>,
}

/// Fails if a file has no PDF header. The position is at the start of the file afterwards.
pub(super) fn check_header(file: &mut (impl Read + Seek)) -> ReadResult<()> {
    file.rewind()?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    header_offset(&head)?;
    file.rewind()?;
    Ok(())
}

/// Returns the offset of the PDF header in the first bytes of a file.
fn header_offset(head: &[u8]) -> ReadResult<usize> {
    let mark = head.windows(5).position(|window| window == b"%PDF-");
    mark.ok_or_else(|| damaged("is not a PDF"))
}

impl<R: Read + Seek> Pdf<R> {
    pub(super) fn open(mut reader: R, time: Duration) -> ReadResult<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        let mut pdf = Self {
            reader,
            length,
            base: 0,
            table: Table::default(),
            until: Instant::now() + time,
            left: MOST_BYTES,
            unpacked: None,
        };
        let head = pdf.bytes(0, HEAD)?;
        pdf.base = header_offset(&head)? as u64;
        pdf.table = xref::read(&mut pdf)?.unwrap_or_default();
        Ok(pdf)
    }

    pub(super) fn trailer(&self) -> &Dictionary {
        &self.table.trailer
    }

    /// Reads up to `most` bytes at an offset of the document.
    pub(super) fn bytes(&mut self, at: u64, most: u64) -> ReadResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let Some(start) = self
            .base
            .checked_add(at)
            .filter(|start| *start < self.length)
        else {
            return Ok(bytes);
        };
        if Instant::now() > self.until {
            return Err(limit("searching for its objects takes too long"));
        }
        self.reader.seek(SeekFrom::Start(start))?;
        let most = most.min(self.left);
        self.reader.by_ref().take(most).read_to_end(&mut bytes)?;
        self.left -= bytes.len() as u64;
        Ok(bytes)
    }

    /// Parses the indirect object at an offset.
    pub(super) fn indirect_object(&mut self, at: u64) -> Option<IndirectObject> {
        for size in OBJECT_SIZES {
            let bytes = self.bytes(at, size as u64).ok()?;
            let is_all = bytes.len() < size;
            let mut lexer = Lexer::new(&bytes);
            let found = parse_indirect_object(&mut lexer, &bytes, at);
            // An object that ends near the end of the read bytes may continue after them.
            let is_whole = lexer.position() + 16 < bytes.len();
            if is_all || is_whole {
                return found;
            }
        }
        None
    }

    /// Returns an object after following its references.
    pub(super) fn resolved(&mut self, object: &Object) -> Object {
        let mut object = object.clone();
        for _ in 0..LONGEST_CHAIN {
            let Object::Reference(number) = object else {
                return object;
            };
            object = self.numbered(number).unwrap_or(Object::Null);
        }
        Object::Null
    }

    /// Returns the dictionary that an object is or refers to.
    pub(super) fn dictionary(&mut self, object: Option<&Object>) -> Option<Dictionary> {
        match self.resolved(object?) {
            Object::Dictionary(dictionary) => Some(dictionary),
            _ => None,
        }
    }

    fn numbered(&mut self, number: u32) -> Option<Object> {
        if Instant::now() > self.until {
            return None;
        }
        match self.table.positions.get(&number).copied()? {
            ObjectPosition::At(at) => {
                let indirect = self.indirect_object(at)?;
                (indirect.number == number).then_some(indirect.object)
            }
            ObjectPosition::Within { stream, index } => self.packed(stream, index),
        }
    }

    /// Returns an object of an object stream.
    fn packed(&mut self, stream: u32, index: usize) -> Option<Object> {
        if self
            .unpacked
            .as_ref()
            .is_none_or(|(known, _)| *known != stream)
        {
            let objects = self.objects(stream).unwrap_or_default();
            self.unpacked = Some((stream, objects));
        }
        let (_, objects) = self.unpacked.as_ref()?;
        objects.get(index).cloned()
    }

    /// Parses an object stream: pairs of number and offset, followed by the objects.
    fn objects(&mut self, number: u32) -> Option<Vec<Object>> {
        let ObjectPosition::At(at) = self.table.positions.get(&number).copied()? else {
            return None;
        };
        let indirect = self.indirect_object(at)?;
        let Object::Dictionary(about) = &indirect.object else {
            return None;
        };
        let count = about.get("N")?.unsigned()?;
        let first = usize::try_from(about.get("First")?.unsigned()?).ok()?;
        let bytes = self.content(&indirect, LARGEST_OBJECTS)?;
        let mut list = Lexer::new(&bytes);
        let mut objects = Vec::new();
        let (mut spent, mut parts) = (0, 0);
        for _ in 0..count.min(100_000) {
            list.object()?;
            let position = usize::try_from(list.object()?.unsigned()?).ok()?;
            let mut lexer = Lexer::new(&bytes);
            lexer.seek(first.checked_add(position)?);
            let start = lexer.position();
            objects.push(lexer.object().unwrap_or(Object::Null));
            // Overlapping objects would otherwise be parsed repeatedly.
            spent += lexer.position().saturating_sub(start);
            parts += lexer.parts();
            if spent > 2 * bytes.len() || parts > MOST_PARTS {
                break;
            }
        }
        Some(objects)
    }

    /// Returns the unpacked bytes of the stream that a reference points to.
    pub(super) fn stream(&mut self, object: &Object, most: u64) -> Option<Vec<u8>> {
        let Object::Reference(number) = object else {
            return None;
        };
        let ObjectPosition::At(at) = self.table.positions.get(number).copied()? else {
            return None;
        };
        let indirect = self.indirect_object(at)?;
        self.content(&indirect, most)
    }

    /// Unpacks up to `most` bytes of a stream. Returns `None` for unsupported filters.
    pub(super) fn content(&mut self, indirect: &IndirectObject, most: u64) -> Option<Vec<u8>> {
        let Object::Dictionary(about) = &indirect.object else {
            return None;
        };
        let length = about.get("Length").map(|length| self.resolved(length));
        let length = length.and_then(|length| length.unsigned()).unwrap_or(most);
        let packed = self.bytes(indirect.stream?, length.min(most)).ok()?;
        let filter = about.get("Filter").map(|filter| self.resolved(filter));
        // An empty array means no filter.
        let filter = filter.as_ref().and_then(single);
        let bytes = match filter {
            None | Some(Object::Null) => return Some(packed),
            Some(Object::Name(name)) if matches!(name.as_str(), "FlateDecode" | "Fl") => {
                inflate(&packed, most)
            }
            Some(_) => return None,
        };
        let parameters = about.get("DecodeParms").map(|found| self.resolved(found));
        let Some(Some(Object::Dictionary(parameters))) = parameters.as_ref().map(single) else {
            return Some(bytes);
        };
        let number = |name: &str| parameters.get(name).and_then(Object::unsigned);
        match number("Predictor") {
            None | Some(0 | 1) => Some(bytes),
            Some(10..=15) => {
                let columns = number("Columns").unwrap_or(1);
                let columns = usize::try_from(columns)
                    .ok()
                    .filter(|columns| *columns <= 4096)?;
                Some(predictor::unpredict(&bytes, columns))
            }
            Some(_) => None,
        }
    }
}

/// Returns the object itself, or the only element of an array. Returns `None` for an empty array.
fn single(object: &Object) -> Option<&Object> {
    match object {
        Object::Array(items) if items.is_empty() => None,
        Object::Array(items) if items.len() == 1 => items.first(),
        object => Some(object),
    }
}

/// Inflates as much as possible. Streams that end early are common.
fn inflate(packed: &[u8], most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = ZlibDecoder::new(packed).take(most).read_to_end(&mut bytes);
    bytes
}

/// Parses `12 0 obj`, the object, and the start of a stream if there is one.
fn parse_indirect_object(lexer: &mut Lexer<'_>, bytes: &[u8], at: u64) -> Option<IndirectObject> {
    let number = u32::try_from(lexer.object()?.unsigned()?).ok()?;
    lexer.object()?.unsigned()?;
    if lexer.object()? != Object::Word("obj".to_owned()) {
        return None;
    }
    let object = lexer.object()?;
    let before = lexer.position();
    let is_stream = matches!(object, Object::Dictionary(_))
        && lexer.object() == Some(Object::Word("stream".to_owned()));
    if !is_stream {
        lexer.seek(before);
    }
    let line_end = match bytes.get(lexer.position()..).unwrap_or_default() {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    };
    let start = at + (lexer.position() + line_end) as u64;
    Some(IndirectObject {
        number,
        object,
        stream: is_stream.then_some(start),
    })
}

/// Positions of objects by their numbers.
pub(super) type ObjectPositions = HashMap<u32, ObjectPosition>;
