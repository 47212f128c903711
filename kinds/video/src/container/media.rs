//! Common result of all container readers, and its conversion to catalogue fields.

use std::collections::BTreeMap;

use ledge_core::registry::UNKNOWN_CODEC;
use ledge_core::registry::reading::{Chapter, Probe, Stream, StreamKind};
use serde_json::{Value, json};

use crate::reading::codec::config::Picture;

/// Maximum number of streams per file.
pub const MAX_TRACKS: usize = 1_000;
/// Maximum number of chapters per file.
pub const MAX_CHAPTERS: usize = 10_000;
/// Maximum width and height of a picture, in pixels.
const MAX_SIDE: u32 = 65_535;

/// Content of a video file.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Media {
    /// Container name as in ffprobe.
    pub container: &'static str,
    /// Streams in file order.
    pub tracks: Vec<Track>,
    /// Duration in seconds.
    pub duration: Option<f64>,
    /// Tags about the film.
    pub tags: Tags,
    /// Chapters in order of their start.
    pub chapters: Vec<Chapter>,
    /// Offset and length of the cover picture in the file, in bytes.
    pub cover: Option<(u64, u64)>,
}

/// Tags about the film or episode.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tags {
    /// Title of the film or episode.
    pub title: Option<String>,
    /// Release date, or only its year.
    pub date: Option<String>,
    /// Synopsis as plain text.
    pub description: Option<String>,
    /// Genre names in file order.
    pub genres: Vec<String>,
    /// Names of directors.
    pub directors: Vec<String>,
    /// Names of actors.
    pub actors: Vec<String>,
}

/// Properties of a stream.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Track {
    /// Track number in the container.
    pub number: u64,
    /// Media type of the stream. `None` for streams that players ignore.
    pub kind: Option<StreamKind>,
    /// Codec name as in ffprobe.
    pub codec: Option<&'static str>,
    /// Language tag (BCP 47).
    pub language: Option<String>,
    /// Title of the stream.
    pub title: Option<String>,
    /// `true` if players should select this stream by default.
    pub is_default: bool,
    /// `true` if the stream should be shown for every language.
    pub is_forced: bool,
    /// `true` for a still picture, such as a cover.
    pub is_still: bool,
    /// Coded size in pixels.
    pub size: Option<(u32, u32)>,
    /// Display size in pixels after stretching and rotation, if the container states one.
    pub display_size: Option<(u32, u32)>,
    /// Clockwise rotation for display, in degrees.
    pub rotation: u32,
    /// Profile name of the codec.
    pub profile: Option<&'static str>,
    /// Bits per sample.
    pub bit_depth: Option<u8>,
    /// Name of the high dynamic range format. `None` for standard dynamic range.
    pub hdr: Option<&'static str>,
    /// Number of audio channels.
    pub channels: Option<u16>,
    /// Duration in seconds.
    pub duration: Option<f64>,
}

impl Track {
    /// Creates a stream of this kind.
    pub fn new(kind: StreamKind) -> Self {
        Self {
            kind: Some(kind),
            ..Self::default()
        }
    }

    /// Creates a stream with a codec.
    pub fn with_codec(kind: StreamKind, codec: Option<&'static str>) -> Self {
        Self {
            codec,
            ..Self::new(kind)
        }
    }

    /// Adds the properties of a decoder configuration. They override those of the container.
    pub fn apply(&mut self, picture: Option<Picture>) {
        let Some(picture) = picture else { return };
        self.size = picture.size.or(self.size);
        self.profile = picture.profile.or(self.profile);
        self.bit_depth = picture.bit_depth.or(self.bit_depth);
        self.hdr = self.hdr.or(picture.hdr);
    }

    fn is(&self, kind: StreamKind) -> bool {
        self.kind == Some(kind) && !self.is_still
    }

    /// Returns the codec. An unknown codec must not hide the existence of a stream.
    fn codec_or_unknown(&self) -> String {
        self.codec.unwrap_or(UNKNOWN_CODEC).to_owned()
    }

    fn stream(&self) -> Option<Stream> {
        Some(Stream {
            kind: self.kind?,
            codec: self.codec.map(str::to_owned),
            language: self.language.clone(),
            title: self.title.clone(),
            forced: self.is_forced,
            default: self.is_default,
        })
    }
}

impl Media {
    /// Creates the result for a container.
    pub fn new(container: &'static str) -> Self {
        Self {
            container,
            ..Self::default()
        }
    }

    /// Returns the first stream of a kind. Still pictures do not count.
    pub fn first(&self, kind: StreamKind) -> Option<&Track> {
        self.tracks.iter().find(|track| track.is(kind))
    }

    /// Iterates over the listed streams: all except covers and data.
    pub fn streams(&self) -> impl Iterator<Item = &Track> {
        self.tracks
            .iter()
            .filter(|track| track.kind.is_some() && !track.is_still)
            .take(MAX_TRACKS)
    }

    /// Converts container, codecs and streams to a [`Probe`].
    pub fn probe(&self) -> Probe {
        let video = self.first(StreamKind::Video);
        let audio = self.first(StreamKind::Audio);
        let size = video
            .and_then(|track| track.size)
            .filter(|size| is_plausible(*size));
        let longest = || {
            let lengths = self.streams().filter_map(|track| track.duration);
            lengths.reduce(f64::max)
        };
        Probe {
            container: Some(self.container.to_owned()),
            vcodec: video.map(Track::codec_or_unknown),
            acodec: audio.map(Track::codec_or_unknown),
            width: size.map(|(width, _)| width.into()),
            height: size.map(|(_, height)| height.into()),
            duration: self
                .duration
                .or_else(longest)
                .filter(|length| is_length(*length)),
            streams: self.streams().filter_map(Track::stream).collect(),
            chapters: self.chapters(),
        }
    }

    fn chapters(&self) -> Vec<Chapter> {
        let valid = self
            .chapters
            .iter()
            .filter(|chapter| chapter.start.is_finite() && chapter.start >= 0.0);
        let mut chapters: Vec<Chapter> = valid.take(MAX_CHAPTERS).cloned().collect();
        chapters.sort_by(|a, b| a.start.total_cmp(&b.start));
        chapters
    }

    /// Collects the properties of picture and sound that are not codecs.
    pub fn facts(&self) -> BTreeMap<String, Value> {
        let mut facts = BTreeMap::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                facts.insert(name.to_owned(), value);
            }
        };
        if let Some(video) = self.first(StreamKind::Video) {
            put("profile", video.profile.map(Into::into));
            put(
                "bit_depth",
                video.bit_depth.filter(|bits| *bits > 8).map(Into::into),
            );
            put("hdr", video.hdr.map(Into::into));
            let turned = Some(video.rotation).filter(|degrees| *degrees != 0);
            put("rotation", turned.map(Into::into));
            let display_size = video.display_size.filter(|size| is_plausible(*size));
            let display_size =
                display_size.filter(|display_size| Some(*display_size) != video.size);
            put(
                "display_size",
                display_size.map(|(width, height)| json!(format!("{width}×{height}"))),
            );
        }
        let audio = self.first(StreamKind::Audio);
        let channels = audio
            .and_then(|audio| audio.channels)
            .filter(|count| *count > 0);
        put("audio_channels", channels.map(Into::into));
        let genres = Some(&self.tags.genres).filter(|genres| !genres.is_empty());
        put("genres", genres.map(|genres| json!(genres)));
        facts
    }
}

fn is_plausible((width, height): (u32, u32)) -> bool {
    (1..=MAX_SIDE).contains(&width) && (1..=MAX_SIDE).contains(&height)
}

/// Returns `true` for durations below about 100 years. Others are damaged values.
fn is_length(seconds: f64) -> bool {
    seconds.is_finite() && seconds > 0.0 && seconds < 3.2e9
}

/// Returns the display size for a coded size, a pixel aspect ratio and a rotation in degrees.
pub fn display_size(
    (width, height): (u32, u32),
    (across, down): (u32, u32),
    rotation: u32,
) -> (u32, u32) {
    let stretched = u64::from(width) * u64::from(across.max(1));
    let half = u64::from(down.max(1)) / 2;
    let width = u32::try_from((stretched + half) / u64::from(down.max(1))).unwrap_or(u32::MAX);
    if rotation % 180 == 90 {
        (height, width)
    } else {
        (width, height)
    }
}

/// Returns the HDR name of a transfer characteristic (ITU-T H.273).
pub fn hdr(transfer: u64) -> Option<&'static str> {
    match transfer {
        16 => Some("HDR10"),
        18 => Some("HLG"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cover_is_not_a_video() {
        let media = Media {
            tracks: vec![
                Track {
                    is_still: true,
                    size: Some((9, 9)),
                    ..Track::new(StreamKind::Video)
                },
                Track {
                    duration: Some(2.5),
                    ..Track::new(StreamKind::Audio)
                },
                Track::default(),
            ],
            ..Media::new("mp4")
        };
        let probe = media.probe();
        assert_eq!((probe.vcodec, probe.width), (None, None));
        assert_eq!(probe.acodec.as_deref(), Some(UNKNOWN_CODEC));
        assert_eq!(probe.duration, Some(2.5));
        assert_eq!(probe.streams.len(), 1);
    }

    #[test]
    fn implausible_sizes_and_durations_are_none() {
        let media = Media {
            tracks: vec![Track {
                size: Some((2_147_483_647, 1)),
                ..Track::new(StreamKind::Video)
            }],
            duration: Some(f64::INFINITY),
            ..Media::new("matroska")
        };
        let probe = media.probe();
        assert_eq!(
            (probe.width, probe.height, probe.duration),
            (None, None, None)
        );
    }

    #[test]
    fn display_size_respects_stretching_and_rotation() {
        assert_eq!(display_size((720, 576), (16, 15), 0), (768, 576));
        assert_eq!(display_size((1920, 1080), (1, 1), 90), (1080, 1920));
        assert_eq!(display_size((8, 8), (0, 0), 0), (8, 8));
    }
}
