//! Which format a file has, by its first bytes.

use std::io::{Read, Seek};

use super::{
    Recording, aiff, ape, asf, flac, frames, matroska, mp4, mpeg, musepack, ogg, plain, wav,
    wavpack,
};
use crate::source::{Bytes, ReadResult, Source};
use crate::tags::Want;

/// The formats that are read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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

impl Kind {
    /// The format of a file that begins with these bytes.
    pub(super) fn of(head: &[u8], extension: &str) -> Option<Self> {
        Self::by_name(head).or_else(|| Self::by_sync(head, extension))
    }

    /// Formats that begin with a name.
    fn by_name(head: &[u8]) -> Option<Self> {
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

    /// Streams of frames, which begin with a few set bits only.
    fn by_sync(head: &[u8], extension: &str) -> Option<Self> {
        let sync = head.be16(0).unwrap_or(0);
        if sync & 0xfff6 == 0xfff0 {
            return Some(Self::Adts);
        }
        if mpeg::Frame::read(head).is_some() {
            return Some(Self::Mpeg);
        }
        // Junk before the first frame is passed over by their readers.
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
        want: Want,
    ) -> ReadResult<Recording> {
        match self {
            Self::Mpeg => mpeg::read(source, begin, want),
            Self::Adts => frames::adts(source, begin, want),
            Self::Mp4 => mp4::read(source, want),
            Self::Flac => flac::read(source, begin, want),
            Self::Ogg => ogg::read(source, begin, want),
            Self::Wav => wav::read(source, begin, want),
            Self::Wave64 => wav::read_w64(source, want),
            Self::Aiff => aiff::read(source, begin, want),
            Self::Ape => ape::read(source, begin, want),
            Self::WavPack => wavpack::read(source, begin, want),
            Self::Musepack7 => musepack::read7(source, begin, want),
            Self::Musepack8 => musepack::read8(source, begin, want),
            Self::Asf => asf::read(source, want),
            Self::Matroska => matroska::read(source, want),
            Self::Dsf => plain::dsf(source, want),
            Self::Dff => plain::dff(source, want),
            Self::TrueAudio => plain::tta(source, begin, want),
            Self::Au => plain::au(source),
            Self::Caf => plain::caf(source, want),
            Self::Amr => frames::amr(source),
            Self::Ac3 => frames::ac3(source, begin, want),
            Self::Dts => frames::dts(source, begin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_decide_before_the_name() {
        assert_eq!(Kind::of(b"fLaC\0\0\0\x22", "mp3"), Some(Kind::Flac));
        assert_eq!(Kind::of(b"\0\0\0\x20ftypM4A ", "mp3"), Some(Kind::Mp4));
        assert_eq!(Kind::of(b"\xff\xf1\x50\x80", "mp3"), Some(Kind::Adts));
        assert_eq!(Kind::of(b"\xff\xfb\x90\x64", "xyz"), Some(Kind::Mpeg));
        assert_eq!(Kind::of(b"\0\0\0\0", "mp3"), Some(Kind::Mpeg));
        assert_eq!(Kind::of(b"hello world!", "wav"), None);
    }
}
