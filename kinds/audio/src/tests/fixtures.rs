//! Audio files for tests, built byte by byte.

mod ape;
mod asf;
mod frames;
mod id3;
mod matroska;
mod mp4;
mod plain;
mod xiph;

use ape::{monkey, musepack7, musepack8, wavpack};
use asf::asf;
use frames::{ac3, adts, amr, dts, tta};
use id3::mp3;
use matroska::matroska;
use mp4::m4b;
use plain::{aiff, au, caf, dff, dsf, wav, wave64};
use xiph::{flac, ogg_flac, opus, speex, vorbis};

pub(crate) use id3::{frame, id3, id3v1, mpeg, tagged, uneven_mpeg};

/// Bytes with a JPEG signature. They are not a complete picture.
pub(crate) const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0 a picture";

/// Id of the release in the tags of the fixtures.
pub(crate) const RELEASE: &str = "0dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
/// Id of the recording in the tags of the fixtures. Some of them contain it in capital letters.
pub(crate) const RECORDING: &str = "8b8a38c9-e15f-4b8e-b7a4-4e4a5b0c0a11";

/// Builds a chunk of name, big-endian length and body, padded to an even length (AIFF).
pub(crate) fn chunk_be(name: [u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = name.to_vec();
    chunk.extend(be32(body.len()));
    chunk.extend(body);
    chunk.extend(vec![0; body.len() % 2]);
    chunk
}

pub(crate) fn chunk_le(name: [u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = name.to_vec();
    chunk.extend(le32(body.len()));
    chunk.extend(body);
    chunk.extend(vec![0; body.len() % 2]);
    chunk
}

pub(crate) fn be32(number: usize) -> [u8; 4] {
    u32::try_from(number).expect("small").to_be_bytes()
}

pub(crate) fn le32(number: usize) -> [u8; 4] {
    u32::try_from(number).expect("small").to_le_bytes()
}

/// Returns one file of each format, with its extension.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("mp3", mp3()),
        ("flac", flac()),
        ("ogg", vorbis()),
        ("opus", opus()),
        ("spx", speex()),
        ("oga", ogg_flac()),
        ("wav", wav()),
        ("w64", wave64()),
        ("aiff", aiff()),
        ("ape", monkey()),
        ("wv", wavpack()),
        ("mpc", musepack7()),
        ("mpp", musepack8()),
        ("m4b", m4b(true)),
        ("m4a", m4b(false)),
        ("wma", asf()),
        ("dsf", dsf()),
        ("dff", dff()),
        ("tta", tta()),
        ("au", au()),
        ("caf", caf()),
        ("amr", amr()),
        ("aac", adts()),
        ("ac3", ac3()),
        ("dts", dts()),
        ("mka", matroska()),
    ]
}
