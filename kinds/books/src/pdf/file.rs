//! An opened PDF: objects and streams by their numbers, read when they are asked for.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::time::{Duration, Instant};

use flate2::read::ZlibDecoder;

use super::object::{Dictionary, Lexer, MOST_PARTS, Object};
use super::predictor;
use super::xref::{self, Place, Table};
use crate::archive::{ReadResult, damaged, limit};

/// How far into the file its mark may stand.
pub(super) const HEAD: u64 = 1024;
/// Sizes in which an object is looked for, in bytes: most are small.
const OBJECT_SIZES: [usize; 4] = [4 << 10, 64 << 10, 1 << 20, 8 << 20];
/// Most bytes read of a document, over and over.
const MOST_BYTES: u64 = 192 << 20;
/// Longest chain of references.
const LONGEST_CHAIN: usize = 16;
/// Largest stream of objects, unpacked, in bytes.
const LARGEST_OBJECTS: u64 = 16 << 20;

/// An opened document.
#[derive(Debug)]
pub(super) struct Pdf<R> {
    reader: R,
    /// Length of the file.
    pub(super) length: u64,
    /// What stands in front of the document; its places count from behind that.
    base: u64,
    table: Table,
    /// When to give up, and how many bytes may be read until then: damaged documents lead in
    /// circles.
    until: Instant,
    left: u64,
    /// The stream of objects that was unpacked last.
    unpacked: Option<(u32, Vec<Object>)>,
}

/// An object where it stands in the file.
pub(super) struct Standing {
    /// The number it bears there.
    pub(super) number: u32,
    pub(super) object: Object,
    /// Where the bytes of its stream begin.
    pub(super) stream: Option<u64>,
}

/// Where a PDF begins in the first bytes of a file.
pub(super) fn beginning(head: &[u8]) -> ReadResult<usize> {
    let mark = head.windows(5).position(|window| window == b"%PDF-");
    mark.ok_or_else(|| damaged("is no PDF"))
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
        pdf.base = beginning(&head)? as u64;
        pdf.table = xref::read(&mut pdf)?.unwrap_or_default();
        if pdf
            .dictionary(pdf.table.trailer.get("Root").cloned().as_ref())
            .is_none()
        {
            pdf.table = xref::rebuilt(&mut pdf)?;
        }
        Ok(pdf)
    }

    pub(super) fn trailer(&self) -> &Dictionary {
        &self.table.trailer
    }

    /// Bytes of the document from a place on, as many as there are.
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
            return Err(limit("looking for its objects takes too long"));
        }
        self.reader.seek(SeekFrom::Start(start))?;
        let most = most.min(self.left);
        self.reader.by_ref().take(most).read_to_end(&mut bytes)?;
        self.left -= bytes.len() as u64;
        Ok(bytes)
    }

    /// The object that stands at a place.
    pub(super) fn standing(&mut self, at: u64) -> Option<Standing> {
        for size in OBJECT_SIZES {
            let bytes = self.bytes(at, size as u64).ok()?;
            let is_all = bytes.len() < size;
            let mut lexer = Lexer::new(&bytes);
            let found = standing(&mut lexer, &bytes, at);
            // What ends near the end of what was read may go on.
            let is_whole = lexer.position() + 16 < bytes.len();
            if is_all || is_whole {
                return found;
            }
        }
        None
    }

    /// An object, or the one it refers to.
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

    /// The dictionary that an object is or refers to.
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
        match self.table.places.get(&number).copied()? {
            Place::At(at) => {
                let standing = self.standing(at)?;
                (standing.number == number).then_some(standing.object)
            }
            Place::Within { stream, index } => self.packed(stream, index),
        }
    }

    /// An object out of a stream of objects.
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

    /// All objects of a stream of objects: pairs of number and place, then the objects.
    fn objects(&mut self, number: u32) -> Option<Vec<Object>> {
        let Place::At(at) = self.table.places.get(&number).copied()? else {
            return None;
        };
        let standing = self.standing(at)?;
        let Object::Dictionary(about) = &standing.object else {
            return None;
        };
        let count = about.get("N")?.unsigned()?;
        let first = usize::try_from(about.get("First")?.unsigned()?).ok()?;
        let bytes = self.content(&standing, LARGEST_OBJECTS)?;
        let mut list = Lexer::new(&bytes);
        let mut objects = Vec::new();
        let (mut spent, mut parts) = (0, 0);
        for _ in 0..count.min(100_000) {
            list.object()?;
            let place = usize::try_from(list.object()?.unsigned()?).ok()?;
            let mut lexer = Lexer::new(&bytes);
            lexer.seek(first.checked_add(place)?);
            let start = lexer.position();
            objects.push(lexer.object().unwrap_or(Object::Null));
            // Objects that lie upon each other would be read again and again.
            spent += lexer.position().saturating_sub(start);
            parts += lexer.parts();
            if spent > 2 * bytes.len() || parts > MOST_PARTS {
                break;
            }
        }
        Some(objects)
    }

    /// The unpacked bytes of the stream that an object refers to.
    pub(super) fn stream(&mut self, object: &Object, most: u64) -> Option<Vec<u8>> {
        let Object::Reference(number) = object else {
            return None;
        };
        let Place::At(at) = self.table.places.get(number).copied()? else {
            return None;
        };
        let standing = self.standing(at)?;
        self.content(&standing, most)
    }

    /// The unpacked bytes of a stream: `most` at the most, and none that are packed in unusual
    /// ways.
    pub(super) fn content(&mut self, standing: &Standing, most: u64) -> Option<Vec<u8>> {
        let Object::Dictionary(about) = &standing.object else {
            return None;
        };
        let length = about.get("Length").map(|length| self.resolved(length));
        let length = length.and_then(|length| length.unsigned()).unwrap_or(most);
        let packed = self.bytes(standing.stream?, length.min(most)).ok()?;
        let filter = about.get("Filter").map(|filter| self.resolved(filter));
        // An empty list is no filter.
        let filter = filter.as_ref().and_then(only);
        let bytes = match filter {
            None | Some(Object::Null) => return Some(packed),
            Some(Object::Name(name)) if matches!(name.as_str(), "FlateDecode" | "Fl") => {
                inflated(&packed, most)
            }
            Some(_) => return None,
        };
        let parameters = about.get("DecodeParms").map(|found| self.resolved(found));
        let Some(Some(Object::Dictionary(parameters))) = parameters.as_ref().map(only) else {
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
                Some(predictor::undone(&bytes, columns))
            }
            Some(_) => None,
        }
    }
}

/// The object itself, or the only one of a list; none where the list is empty.
fn only(object: &Object) -> Option<&Object> {
    match object {
        Object::Array(items) if items.is_empty() => None,
        Object::Array(items) if items.len() == 1 => items.first(),
        object => Some(object),
    }
}

/// What can be unpacked: streams that end early are common.
fn inflated(packed: &[u8], most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = ZlibDecoder::new(packed).take(most).read_to_end(&mut bytes);
    bytes
}

/// `12 0 obj`, an object, and perhaps the beginning of a stream.
fn standing(lexer: &mut Lexer<'_>, bytes: &[u8], at: u64) -> Option<Standing> {
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
    Some(Standing {
        number,
        object,
        stream: is_stream.then_some(start),
    })
}

/// Places of objects by their numbers.
pub(super) type Places = HashMap<u32, Place>;
