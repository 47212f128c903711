//! Subtitles as browsers show them: WebVTT, made of whatever lies beside a film or in it, and
//! SubStation Alpha as it is.

pub mod ass;
pub mod charset;
pub mod cue;
pub mod embedded;
pub mod markup;
pub mod name;
pub mod script;
pub mod srt;
pub mod vtt;

use crate::input::ReadResult;
use cue::Cue;

/// What is wrong with a file that shows nothing at any time.
const TIMELESS: &str = "holds no subtitle with a time";

/// A format of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// SubRip.
    Srt,
    /// Advanced SubStation Alpha, and the older one.
    Ass,
    /// WebVTT.
    Vtt,
}

impl Format {
    /// The format of a file's extension in lower case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "srt" => Self::Srt,
            "ass" | "ssa" => Self::Ass,
            "vtt" => Self::Vtt,
            _ => return None,
        })
    }

    /// The format of a stream's codec.
    pub fn of_codec(codec: &str) -> Option<Self> {
        Some(match codec {
            "subrip" | "mov_text" | "text" => Self::Srt,
            "ass" => Self::Ass,
            "webvtt" => Self::Vtt,
            _ => return None,
        })
    }

    /// Its word in the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Srt => "srt",
            Self::Ass => "ass",
            Self::Vtt => "vtt",
        }
    }

    /// What it is served as, by the endings of its addresses.
    pub fn served(self) -> &'static [&'static str] {
        match self {
            Self::Ass => &["vtt", "ass"],
            Self::Srt | Self::Vtt => &["vtt"],
        }
    }
}

/// The cues of a file.
pub fn cues(format: Format, bytes: &[u8], language: Option<&str>) -> ReadResult<Vec<Cue>> {
    let text = charset::decode(bytes, language);
    let cues = match format {
        Format::Srt => srt::read(&text),
        Format::Ass => ass::read(&text),
        Format::Vtt => vtt::read(&text),
    };
    if cues.is_empty() && !text.trim().is_empty() && !text.trim_start().starts_with("WEBVTT") {
        return Err(crate::input::damaged(TIMELESS));
    }
    Ok(cues)
}

/// The script of a file of SubStation Alpha.
pub fn script(bytes: &[u8], language: Option<&str>) -> ReadResult<String> {
    let text = charset::decode(bytes, language);
    let script = script::of_file(&text);
    script.ok_or_else(|| crate::input::damaged(TIMELESS))
}
