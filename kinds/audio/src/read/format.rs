//! Detection of the audio format from the first bytes of a file.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::ape_tagged::{ape, musepack, wavpack};
use super::chunks::{aiff, plain, wav};
use super::frames::{mpeg, streams};
use super::xiph::{flac, ogg};
use super::{Recording, asf, matroska, mp4};
use crate::tags::TagSelection;

/// Audio formats with a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AudioFormat {
    Mpeg,
    Adts,
    Mp4,
    Flac,
    Ogg,
    Wav,
    Wave64,
    Aiff,
    Ape,
    WavPack,
    Musepack7,
    Musepack8,
    Asf,
    Matroska,
    Dsf,
    Dff,
    TrueAudio,
    Au,
    Caf,
    Amr,
    Ac3,
    Dts,
}

impl AudioFormat {
    /// Returns the format of a file that begins with these bytes.
    pub(super) fn detect(head: &[u8], extension: &str) -> Option<Self> {
        Self::by_signature(head).or_else(|| Self::by_sync(head, extension))
    }

    /// Detects formats with a signature at the start.
    fn by_signature(head: &[u8]) -> Option<Self> {
        let within = head.get(8..12).unwrap_or_default();
        Some(match head.get(..4)? {
            b"fLaC" => Self::Flac,
            b"OggS" => Self::Ogg,
            b"RIFF" | b"RF64" | b"BW64" if within == b"WAVE" => Self::Wav,
            b"FORM" if matches!(within, b"AIFF" | b"AIFC") => Self::Aiff,
            b"MAC " => Self::Ape,
            b"wvpk" => Self::WavPack,
            b"MPCK" => Self::Musepack8,
            [b'M', b'P', b'+', version] if version & 0x0f == 7 => Self::Musepack7,
            b"TTA1" => Self::TrueAudio,
            b"DSD " => Self::Dsf,
            b"FRM8" => Self::Dff,
            b".snd" => Self::Au,
            b"caff" => Self::Caf,
            b"#!AM" => Self::Amr,
            b"\x30\x26\xb2\x75" => Self::Asf,
            b"\x1a\x45\xdf\xa3" => Self::Matroska,
            b"riff" => Self::Wave64,
            b"\x7f\xfe\x80\x01" | b"\xfe\x7f\x01\x80" | b"\x1f\xff\xe8\x00"
            | b"\xff\x1f\x00\xe8" => Self::Dts,
            [0x0b, 0x77, ..] | [0x77, 0x0b, ..] => Self::Ac3,
            _ => match head.get(4..8)? {
                b"ftyp" | b"moov" | b"mdat" | b"wide" | b"free" | b"skip" | b"pnot" => Self::Mp4,
                _ => return None,
            },
        })
    }

    /// Detects frame streams. Their sync word has only a few fixed bits, so the extension decides
    /// in doubt.
    fn by_sync(head: &[u8], extension: &str) -> Option<Self> {
        let sync = head.be16(0).unwrap_or(0);
        if sync & 0xfff6 == 0xfff0 {
            return Some(Self::Adts);
        }
        if mpeg::Frame::read(head).is_some() {
            return Some(Self::Mpeg);
        }
        // The readers of these formats skip junk before the first frame.
        match extension {
            "mp3" | "mp2" | "mp1" | "mpga" => Some(Self::Mpeg),
            "aac" | "adts" => Some(Self::Adts),
            _ => None,
        }
    }

    pub(super) fn read<R: Read + Seek>(
        self,
        source: &mut Source<R>,
        begin: u64,
        selection: TagSelection,
    ) -> ReadResult<Recording> {
        match self {
            Self::Mpeg => mpeg::read(source, begin, selection),
            Self::Adts => streams::adts(source, begin, selection),
            Self::Mp4 => mp4::read(source, selection),
            Self::Flac => flac::read(source, begin, selection),
            Self::Ogg => ogg::read(source, begin, selection),
            Self::Wav => wav::read(source, begin, selection),
            Self::Wave64 => wav::read_w64(source, selection),
            Self::Aiff => aiff::read(source, begin, selection),
            Self::Ape => ape::read(source, begin, selection),
            Self::WavPack => wavpack::read(source, begin, selection),
            Self::Musepack7 => musepack::read7(source, begin, selection),
            Self::Musepack8 => musepack::read8(source, begin, selection),
            Self::Asf => asf::read(source, selection),
            Self::Matroska => matroska::read(source, selection),
            Self::Dsf => plain::dsf(source, selection),
            Self::Dff => plain::dff(source, selection),
            Self::TrueAudio => plain::tta(source, begin, selection),
            Self::Au => plain::au(source),
            Self::Caf => plain::caf(source, selection),
            Self::Amr => streams::amr(source),
            Self::Ac3 => streams::ac3(source, begin, selection),
            Self::Dts => streams::dts(source, begin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_overrides_the_extension() {
        assert_eq!(
            AudioFormat::detect(b"fLaC\0\0\0\x22", "mp3"),
            Some(AudioFormat::Flac)
        );
        assert_eq!(
            AudioFormat::detect(b"\0\0\0\x20ftypM4A ", "mp3"),
            Some(AudioFormat::Mp4)
        );
        assert_eq!(
            AudioFormat::detect(b"\xff\xf1\x50\x80", "mp3"),
            Some(AudioFormat::Adts)
        );
        assert_eq!(
            AudioFormat::detect(b"\xff\xfb\x90\x64", "xyz"),
            Some(AudioFormat::Mpeg)
        );
        assert_eq!(
            AudioFormat::detect(b"\0\0\0\0", "mp3"),
            Some(AudioFormat::Mpeg)
        );
        assert_eq!(AudioFormat::detect(b"hello world!", "wav"), None);
    }
}
