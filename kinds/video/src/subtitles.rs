//! Conversion of subtitles to WebVTT, cleaned scripts of SubStation Alpha, and their fonts.

pub mod ass;
pub mod charset;
pub mod cue;
pub mod embedded;
pub mod fonts;
pub mod markup;
pub mod name;
pub mod script;
pub mod srt;
pub mod vtt;

use ledge_formats::ReadResult;

use cue::Cue;

/// Error message for a file without a timed subtitle.
const NO_TIMED_CUE: &str = "contains no timed subtitle";

/// Text subtitle format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// SubRip.
    Srt,
    /// SubStation Alpha, in its original and its advanced version.
    Ass,
    /// WebVTT.
    Vtt,
}

impl Format {
    /// Returns the format of a lower-case file extension.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "srt" => Self::Srt,
            "ass" | "ssa" => Self::Ass,
            "vtt" => Self::Vtt,
            _ => return None,
        })
    }

    /// Returns the format of a codec.
    pub fn from_codec(codec: &str) -> Option<Self> {
        Some(match codec {
            "subrip" | "mov_text" | "text" => Self::Srt,
            "ass" => Self::Ass,
            "webvtt" => Self::Vtt,
            _ => return None,
        })
    }

    /// Returns the format name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Srt => "srt",
            Self::Ass => "ass",
            Self::Vtt => "vtt",
        }
    }

    /// Returns the formats that the server can send, as extensions of a track's URL.
    pub fn output_formats(self) -> &'static [&'static str] {
        match self {
            Self::Ass => &["vtt", "ass"],
            Self::Srt | Self::Vtt => &["vtt"],
        }
    }
}

/// Parses the cues of a subtitle file.
pub fn cues(format: Format, bytes: &[u8], language: Option<&str>) -> ReadResult<Vec<Cue>> {
    let text = charset::decode(bytes, language);
    let cues = match format {
        Format::Srt => srt::read(&text),
        Format::Ass => ass::read(&text),
        Format::Vtt => vtt::read(&text),
    };
    if cues.is_empty() && !text.trim().is_empty() && !text.trim_start().starts_with("WEBVTT") {
        return Err(ledge_formats::damaged(NO_TIMED_CUE));
    }
    Ok(cues)
}

/// Returns the cleaned script of a SubStation Alpha file.
pub fn script(bytes: &[u8], language: Option<&str>) -> ReadResult<String> {
    let text = charset::decode(bytes, language);
    let script = script::from_file(&text);
    script.ok_or_else(|| ledge_formats::damaged(NO_TIMED_CUE))
}
