//! Parser for ffprobe's JSON output. Every field is optional, and numbers may be strings.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::container;
use crate::error::ReadError;
use crate::registry::UNKNOWN_CODEC;
use crate::registry::reading::{Chapter, Probe, Stream, StreamKind};
use crate::text::language;

/// Maximum length of a title or language, in characters.
const TEXT_LIMIT: usize = 500;

#[derive(Deserialize)]
struct Answer {
    format: Format,
    #[serde(default)]
    streams: Vec<StreamAnswer>,
    #[serde(default)]
    chapters: Vec<ChapterAnswer>,
}

#[derive(Deserialize)]
struct Format {
    #[serde(default)]
    format_name: String,
    duration: Option<Value>,
}

#[derive(Deserialize)]
struct StreamAnswer {
    /// `None` for data and attachments such as fonts, which cannot be played.
    #[serde(default, deserialize_with = "played")]
    codec_type: Option<StreamKind>,
    codec_name: Option<String>,
    width: Option<i64>,
    height: Option<i64>,
    duration: Option<Value>,
    #[serde(default)]
    disposition: BTreeMap<String, i64>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct ChapterAnswer {
    start_time: Option<Value>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
}

/// Parses ffprobe's output.
pub(super) fn read(json: &[u8]) -> Result<Probe, ReadError> {
    let answer: Answer = serde_json::from_slice(json)
        .map_err(|_| ReadError::Damaged("the probe's answer cannot be read".to_owned()))?;
    // An embedded cover is a video stream with one picture, but does not make the file a video.
    let streams: Vec<StreamAnswer> = answer
        .streams
        .into_iter()
        .filter(|stream| !stream.is("attached_pic"))
        .collect();
    let first = |kind| {
        streams
            .iter()
            .find(|stream| stream.codec_type == Some(kind))
    };
    let video = first(StreamKind::Video);
    Ok(Probe {
        container: Some(container::word(&answer.format.format_name)),
        vcodec: video.map(StreamAnswer::codec_or_unknown),
        acodec: first(StreamKind::Audio).map(StreamAnswer::codec_or_unknown),
        width: video.and_then(|stream| positive(stream.width)),
        height: video.and_then(|stream| positive(stream.height)),
        duration: seconds(answer.format.duration.as_ref()).or_else(|| longest(&streams)),
        streams: streams.iter().filter_map(StreamAnswer::stream).collect(),
        chapters: answer.chapters.iter().map(ChapterAnswer::chapter).collect(),
    })
}

/// Deserializes the stream type. An unknown type becomes `None`.
fn played<'de, D: serde::Deserializer<'de>>(answer: D) -> Result<Option<StreamKind>, D::Error> {
    let word = Value::deserialize(answer)?;
    Ok(serde_json::from_value(word).ok())
}

impl StreamAnswer {
    fn is(&self, disposition: &str) -> bool {
        self.disposition
            .get(disposition)
            .is_some_and(|set| *set != 0)
    }

    fn codec(&self) -> Option<String> {
        self.codec_name
            .as_deref()
            .filter(|name| !matches!(*name, "" | "none" | "unknown"))
            .map(text)
    }

    /// Returns the codec, or `unknown`, because a stream with an unknown codec still exists.
    fn codec_or_unknown(&self) -> String {
        self.codec().unwrap_or_else(|| UNKNOWN_CODEC.to_owned())
    }

    fn stream(&self) -> Option<Stream> {
        Some(Stream {
            kind: self.codec_type?,
            codec: self.codec(),
            language: tag(&self.tags, "language").and_then(|text| language::tag(&text)),
            title: tag(&self.tags, "title"),
            forced: self.is("forced"),
            default: self.is("default"),
        })
    }
}

impl ChapterAnswer {
    fn chapter(&self) -> Chapter {
        Chapter {
            title: tag(&self.tags, "title").unwrap_or_default(),
            start: seconds(self.start_time.as_ref()).unwrap_or(0.0),
        }
    }
}

/// Returns a tag. Ignores the case of its name, which depends on the container.
fn tag(tags: &BTreeMap<String, String>, name: &str) -> Option<String> {
    tags.iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| text(value))
        .filter(|value| !value.is_empty())
}

fn text(value: &str) -> String {
    let clean: String = value
        .chars()
        .take(TEXT_LIMIT)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    clean.trim().to_owned()
}

fn longest(streams: &[StreamAnswer]) -> Option<f64> {
    streams
        .iter()
        .filter_map(|stream| seconds(stream.duration.as_ref()))
        .reduce(f64::max)
}

fn seconds(value: Option<&Value>) -> Option<f64> {
    let number = match value? {
        Value::String(text) => text.parse().ok()?,
        other => other.as_f64()?,
    };
    (number.is_finite() && number >= 0.0).then_some(number)
}

fn positive(value: Option<i64>) -> Option<i64> {
    value.filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attached_picture_is_not_a_video_stream() {
        let json = br#"{"format": {"format_name": "mp3", "duration": "2.5"}, "streams": [
            {"codec_type": "video", "codec_name": "mjpeg", "width": 9, "height": 9,
             "disposition": {"attached_pic": 1}},
            {"codec_type": "audio", "codec_name": "mp3"}]}"#;
        let probe = read(json).expect("well-formed");
        assert_eq!((probe.vcodec, probe.width), (None, None));
        assert_eq!(probe.acodec.as_deref(), Some("mp3"));
        assert_eq!(probe.duration, Some(2.5));
        assert_eq!(probe.streams.len(), 1);
    }

    #[test]
    fn invalid_numbers_are_absent() {
        let json = br#"{"format": {"format_name": "avi", "duration": "N/A"}, "streams": [
            {"codec_type": "video", "codec_name": "unknown", "width": 0, "duration": "-3"},
            {"codec_type": "audio", "codec_name": "mp3", "duration": "inf"}]}"#;
        let probe = read(json).expect("well-formed");
        assert_eq!((probe.duration, probe.width), (None, None));
    }

    #[test]
    fn streams_with_unknown_codec_are_reported() {
        let json = br#"{"format": {"format_name": "avi"}, "streams": [
            {"codec_type": "video", "codec_name": "unknown"}, {"codec_type": "audio"}]}"#;
        let probe = read(json).expect("well-formed");
        assert_eq!(probe.vcodec.as_deref(), Some(UNKNOWN_CODEC));
        assert_eq!(probe.acodec.as_deref(), Some(UNKNOWN_CODEC));
    }

    #[test]
    fn output_without_format_is_an_error() {
        for json in ["", "{}", "[1]", "{\"format\": 3}", "not json"] {
            assert!(
                matches!(read(json.as_bytes()), Err(ReadError::Damaged(_))),
                "{json}"
            );
        }
    }
}
