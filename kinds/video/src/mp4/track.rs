//! A stream in the index: `trak`.

use std::io::{Read, Seek};

use ledge_core::language;
use ledge_core::registry::reading::StreamKind;

use super::atom::{Atom, Atoms};
use super::{entry, header, seconds, tags};
use crate::input::{Bytes, Input, ReadResult};
use crate::media::{Track, shown};
use crate::text;

/// A stream, and where its samples are listed.
#[derive(Debug, Clone, Default)]
pub struct Trak {
    /// The stream.
    pub track: Track,
    /// Units of time in a second.
    pub scale: u32,
    /// The box of its sample tables.
    pub table: Option<Atom>,
    /// Numbers of the tracks that hold its chapters.
    pub chapters: Vec<u64>,
    /// Length of its samples in a fragmented file.
    pub media_length: Option<f64>,
}

/// Reads a `trak`; `None` where it lacks what every stream has.
pub(super) fn read<R: Read + Seek>(input: &mut Input<R>, trak: Atom) -> ReadResult<Option<Trak>> {
    let mut found = Trak::default();
    let mut shape = Shape::default();
    let mut mdia = None;
    let mut atoms = Atoms::inside(trak);
    while let Some(atom) = atoms.next(input)? {
        match &atom.kind {
            b"tkhd" => {
                let bytes = atom.content(input, 0, 104)?;
                shape = track_header(bytes, &mut found.track).unwrap_or_default();
            }
            b"mdia" => mdia = Some(atom),
            b"tref" => found.chapters = chapter_tracks(input, atom)?,
            b"udta" => found.track.title = tags::track_name(input, atom)?,
            _ => {}
        }
    }
    let Some(mdia) = mdia else {
        return Ok(None);
    };
    read_media(input, mdia, &mut found)?;
    finish_picture(&mut found.track, shape);
    Ok(Some(found))
}

fn read_media<R: Read + Seek>(
    input: &mut Input<R>,
    mdia: Atom,
    found: &mut Trak,
) -> ReadResult<()> {
    let mut handler = None;
    let mut minf = None;
    let mut extended_language = None;
    let mut atoms = Atoms::inside(mdia);
    while let Some(atom) = atoms.next(input)? {
        match &atom.kind {
            b"mdhd" => {
                let bytes = atom.content(input, 0, 40)?;
                media_header(bytes, found);
            }
            b"hdlr" => handler = Bytes(atom.content(input, 8, 4)?).tag(),
            b"elng" => extended_language = text::of_bytes(atom.content(input, 4, 64)?),
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
    let Some(table) = Atoms::inside(minf).find(input, *b"stbl")? else {
        return Ok(());
    };
    found.table = Some(table);
    if let Some(stsd) = Atoms::inside(table).find(input, *b"stsd")? {
        entry::read(input, stsd, &mut found.track)?;
    }
    Ok(())
}

/// Matrix and size that a picture is shown at.
#[derive(Default, Clone, Copy)]
struct Shape {
    rotation: u32,
    size: (u32, u32),
}

fn track_header(bytes: &[u8], track: &mut Track) -> Option<Shape> {
    let mut bytes = Bytes(bytes);
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

/// Quarters of a turn, clockwise, from the matrix' first row.
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
    let mut bytes = Bytes(bytes);
    let Some((scale, length)) = header(&mut bytes) else {
        return;
    };
    found.scale = scale;
    found.track.duration = length.and_then(|length| seconds(length, scale));
    found.track.language = bytes.u16().and_then(packed_language);
}

/// Three letters of five bits each; QuickTime's own numbers below.
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
    let stretched = track.shown.unwrap_or(plain);
    track.shown = Some(shown(stretched, (1, 1), shape.rotation));
}

fn chapter_tracks<R: Read + Seek>(input: &mut Input<R>, tref: Atom) -> ReadResult<Vec<u64>> {
    let Some(chap) = Atoms::inside(tref).find(input, *b"chap")? else {
        return Ok(Vec::new());
    };
    let mut bytes = Bytes(chap.content(input, 0, 64)?);
    Ok(std::iter::from_fn(|| bytes.u32()).map(u64::from).collect())
}
