//! Track boxes (`trak`).

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;
use ledge_core::text::language;
use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source};

use super::{entry, header, seconds, tags};
use crate::container::media::{Track, display_size};
use crate::reading::text;
use ledge_formats::bmff::{Atom, Atoms};

/// Stream with the data that reading its samples requires.
#[derive(Debug, Clone, Default)]
pub struct Trak {
    /// Properties of the stream.
    pub track: Track,
    /// Time units per second.
    pub scale: u32,
    /// Sample table box.
    pub table: Option<Atom>,
    /// Ids of the tracks with this track's chapters.
    pub chapters: Vec<u64>,
    /// Duration of the samples in a fragmented file, in seconds.
    pub media_length: Option<f64>,
}

/// Reads a `trak` box. Returns `None` if it has no `mdia` box.
pub(super) fn read<R: Read + Seek>(source: &mut Source<R>, trak: Atom) -> ReadResult<Option<Trak>> {
    let mut found = Trak::default();
    let mut shape = Shape::default();
    let mut mdia = None;
    let mut atoms = Atoms::inside(trak);
    while let Some(atom) = atoms.next(source)? {
        match &atom.kind {
            b"tkhd" => {
                let bytes = atom.content(source, 0, 104)?;
                shape = track_header(bytes, &mut found.track).unwrap_or_default();
            }
            b"mdia" => mdia = Some(atom),
            b"tref" => found.chapters = chapter_tracks(source, atom)?,
            b"udta" => found.track.title = tags::track_name(source, atom)?,
            _ => {}
        }
    }
    let Some(mdia) = mdia else {
        return Ok(None);
    };
    read_media(source, mdia, &mut found)?;
    finish_picture(&mut found.track, shape);
    Ok(Some(found))
}

fn read_media<R: Read + Seek>(
    source: &mut Source<R>,
    mdia: Atom,
    found: &mut Trak,
) -> ReadResult<()> {
    let mut handler = None;
    let mut minf = None;
    let mut extended_language = None;
    let mut atoms = Atoms::inside(mdia);
    while let Some(atom) = atoms.next(source)? {
        match &atom.kind {
            b"mdhd" => {
                let bytes = atom.content(source, 0, 40)?;
                media_header(bytes, found);
            }
            b"hdlr" => handler = ByteReader(atom.content(source, 8, 4)?).tag(),
            b"elng" => extended_language = text::from_bytes(atom.content(source, 4, 64)?),
            b"minf" => minf = Some(atom),
            _ => {}
        }
    }
    if let Some(language) = extended_language.as_deref().and_then(language::tag) {
        found.track.language = Some(language);
    }
    found.track.kind = match handler.as_ref() {
        Some(b"vide" | b"pict") => Some(StreamKind::Video),
        Some(b"soun") => Some(StreamKind::Audio),
        Some(b"subt" | b"sbtl" | b"text" | b"clcp" | b"subp") => Some(StreamKind::Subtitle),
        _ => None,
    };
    let Some(minf) = minf else { return Ok(()) };
    let Some(table) = Atoms::inside(minf).find(source, *b"stbl")? else {
        return Ok(());
    };
    found.table = Some(table);
    if let Some(stsd) = Atoms::inside(table).find(source, *b"stsd")? {
        entry::read(source, stsd, &mut found.track)?;
    }
    Ok(())
}

/// Display matrix and size of a track.
#[derive(Default, Clone, Copy)]
struct Shape {
    rotation: u32,
    size: (u32, u32),
}

fn track_header(bytes: &[u8], track: &mut Track) -> Option<Shape> {
    let mut bytes = ByteReader(bytes);
    let is_long = bytes.u8()? == 1;
    let flags = bytes.u24()?;
    track.is_default = flags & 1 != 0;
    bytes.skip(if is_long { 16 } else { 8 })?;
    track.number = bytes.u32()?.into();
    bytes.skip(4 + if is_long { 8 } else { 4 } + 8 + 8)?;
    let (a, b) = (bytes.u32()?, bytes.u32()?);
    bytes.skip(28)?;
    Some(Shape {
        rotation: rotation(a.cast_signed(), b.cast_signed()),
        size: (bytes.u32()? >> 16, bytes.u32()? >> 16),
    })
}

/// Returns the clockwise rotation in degrees from the first row of the matrix.
fn rotation(a: i32, b: i32) -> u32 {
    const ONE: i32 = 1 << 16;
    match (a, b) {
        (0, ONE) => 90,
        (a, 0) if a == -ONE => 180,
        (0, b) if b == -ONE => 270,
        _ => 0,
    }
}

fn media_header(bytes: &[u8], found: &mut Trak) {
    let mut bytes = ByteReader(bytes);
    let Some((scale, length)) = header(&mut bytes) else {
        return;
    };
    found.scale = scale;
    found.track.duration = length.and_then(|length| seconds(length, scale));
    found.track.language = bytes.u16().and_then(packed_language);
}

/// Decodes a language: three letters of five bits each, or a QuickTime language code below 0x400.
fn packed_language(packed: u16) -> Option<String> {
    const QUICKTIME: &[&str] = &[
        "eng", "fra", "deu", "ita", "nld", "swe", "spa", "dan", "por", "nor", "heb", "jpn", "ara",
        "fin", "ell", "isl", "mlt", "tur", "hrv", "zho", "urd", "hin", "tha", "kor", "lit", "pol",
        "hun", "est", "lav", "smi", "fao", "fas", "rus", "zho",
    ];
    if packed < 0x400 {
        return QUICKTIME
            .get(usize::from(packed))
            .and_then(|code| language::tag(code));
    }
    if packed == 0x7fff {
        return None;
    }
    let letter = |shift: u32| {
        let five = u8::try_from(packed >> shift & 0x1f).ok()?;
        (1..=26).contains(&five).then(|| char::from(b'`' + five))
    };
    let code: String = [letter(10)?, letter(5)?, letter(0)?].iter().collect();
    language::tag(&code)
}

fn finish_picture(track: &mut Track, shape: Shape) {
    if track.kind != Some(StreamKind::Video) {
        return;
    }
    track.rotation = shape.rotation;
    let plain = track.size.unwrap_or(shape.size);
    if track.size.is_none() && shape.size != (0, 0) {
        track.size = Some(shape.size);
    }
    let stretched = track.display_size.unwrap_or(plain);
    track.display_size = Some(display_size(stretched, (1, 1), shape.rotation));
}

fn chapter_tracks<R: Read + Seek>(source: &mut Source<R>, tref: Atom) -> ReadResult<Vec<u64>> {
    let Some(chap) = Atoms::inside(tref).find(source, *b"chap")? else {
        return Ok(Vec::new());
    };
    let mut bytes = ByteReader(chap.content(source, 0, 64)?);
    Ok(std::iter::from_fn(|| bytes.u32()).map(u64::from).collect())
}
