//! What the readers of all containers find, and what becomes of it in a catalogue.

use std::collections::BTreeMap;

use ledge_core::playback::UNKNOWN;
use ledge_core::registry::reading::{Chapter, Probe, Stream, StreamKind};
use serde_json::{Value, json};

/// Most streams of a file.
pub const MOST_TRACKS: usize = 1_000;
/// Most chapters of a file.
pub const MOST_CHAPTERS: usize = 10_000;
/// A picture is no wider and no higher than this.
const WIDEST: u32 = 65_535;

/// What a file holds.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Media {
    /// The container's word.
    pub container: &'static str,
    /// Streams in the file's order.
    pub tracks: Vec<Track>,
    /// Length in seconds.
    pub duration: Option<f64>,
    /// What the file says about what it shows.
    pub tags: Tags,
    /// Chapters in order.
    pub chapters: Vec<Chapter>,
    /// Where the picture of its cover lies: from where, and how many bytes.
    pub cover: Option<(u64, u64)>,
}

/// What a file says about what it shows.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tags {
    /// Title.
    pub title: Option<String>,
    /// Date, or year only.
    pub date: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// Genres.
    pub genres: Vec<String>,
    /// Who made it.
    pub directors: Vec<String>,
    /// Who plays in it.
    pub actors: Vec<String>,
}

/// A stream.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Track {
    /// The container's number for it.
    pub number: u64,
    /// What it carries; `None` for what nobody plays.
    pub kind: Option<StreamKind>,
    /// Codec in ffprobe's name.
    pub codec: Option<String>,
    /// Language tag.
    pub language: Option<String>,
    /// The stream's title.
    pub title: Option<String>,
    /// Chosen where nothing else is.
    pub is_default: bool,
    /// Meant to be shown whatever the language.
    pub is_forced: bool,
    /// A still picture: a cover, no video.
    pub is_still: bool,
    /// Size in pixels, as coded.
    pub size: Option<(u32, u32)>,
    /// Size to show it at, where that is another: turned and stretched.
    pub shown: Option<(u32, u32)>,
    /// Degrees to turn it clockwise.
    pub rotation: u32,
    /// Its codec's profile.
    pub profile: Option<&'static str>,
    /// Bits of a sample.
    pub bit_depth: Option<u8>,
    /// The word for its high dynamic range.
    pub hdr: Option<&'static str>,
    /// Channels of sound.
    pub channels: Option<u16>,
    /// Length in seconds.
    pub duration: Option<f64>,
}

impl Track {
    /// A stream of a kind.
    pub fn of(kind: StreamKind) -> Self {
        Self {
            kind: Some(kind),
            ..Self::default()
        }
    }

    fn is(&self, kind: StreamKind) -> bool {
        self.kind == Some(kind) && !self.is_still
    }

    /// Pictures or sound of an unknown codec are there all the same.
    fn codec_or_unknown(&self) -> String {
        self.codec.clone().unwrap_or_else(|| UNKNOWN.to_owned())
    }

    fn stream(&self) -> Option<Stream> {
        Some(Stream {
            kind: self.kind?,
            codec: self.codec.clone(),
            language: self.language.clone(),
            title: self.title.clone(),
            forced: self.is_forced,
            default: self.is_default,
        })
    }
}

impl Media {
    /// A file of a container.
    pub fn of(container: &'static str) -> Self {
        Self {
            container,
            ..Self::default()
        }
    }

    /// The first stream of a kind.
    pub fn first(&self, kind: StreamKind) -> Option<&Track> {
        self.tracks.iter().find(|track| track.is(kind))
    }

    /// The streams that are listed: all but covers and data.
    pub fn streams(&self) -> impl Iterator<Item = &Track> {
        self.tracks
            .iter()
            .filter(|track| track.kind.is_some() && !track.is_still)
            .take(MOST_TRACKS)
    }

    /// Container, codecs, streams.
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
        let sound = self
            .chapters
            .iter()
            .filter(|chapter| chapter.start.is_finite() && chapter.start >= 0.0);
        let mut chapters: Vec<Chapter> = sound.take(MOST_CHAPTERS).cloned().collect();
        chapters.sort_by(|a, b| a.start.total_cmp(&b.start));
        chapters
    }

    /// What is known of its pictures and sound beyond codecs.
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
            let shown = video.shown.filter(|size| is_plausible(*size));
            let shown = shown.filter(|shown| Some(*shown) != video.size);
            put(
                "display_size",
                shown.map(|(width, height)| json!(format!("{width}×{height}"))),
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
    (1..=WIDEST).contains(&width) && (1..=WIDEST).contains(&height)
}

/// No recording takes a hundred years.
fn is_length(seconds: f64) -> bool {
    seconds.is_finite() && seconds > 0.0 && seconds < 3.2e9
}

/// The size to show pictures at, that are stretched by a pixel's shape and turned.
pub fn shown((width, height): (u32, u32), (across, down): (u32, u32), rotation: u32) -> (u32, u32) {
    let stretched = u64::from(width) * u64::from(across.max(1));
    let half = u64::from(down.max(1)) / 2;
    let width = u32::try_from((stretched + half) / u64::from(down.max(1))).unwrap_or(u32::MAX);
    if rotation % 180 == 90 {
        (height, width)
    } else {
        (width, height)
    }
}

/// The word for a transfer of light, by its number in ITU-T H.273.
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
    fn a_cover_is_no_video() {
        let media = Media {
            tracks: vec![
                Track {
                    is_still: true,
                    size: Some((9, 9)),
                    ..Track::of(StreamKind::Video)
                },
                Track {
                    duration: Some(2.5),
                    ..Track::of(StreamKind::Audio)
                },
                Track::default(),
            ],
            ..Media::of("mp4")
        };
        let probe = media.probe();
        assert_eq!((probe.vcodec, probe.width), (None, None));
        assert_eq!(probe.acodec.as_deref(), Some(UNKNOWN));
        assert_eq!(probe.duration, Some(2.5));
        assert_eq!(probe.streams.len(), 1);
    }

    #[test]
    fn absurd_sizes_and_lengths_are_none() {
        let media = Media {
            tracks: vec![Track {
                size: Some((2_147_483_647, 1)),
                ..Track::of(StreamKind::Video)
            }],
            duration: Some(f64::INFINITY),
            ..Media::of("matroska")
        };
        let probe = media.probe();
        assert_eq!(
            (probe.width, probe.height, probe.duration),
            (None, None, None)
        );
    }

    #[test]
    fn pictures_are_stretched_and_turned() {
        assert_eq!(shown((720, 576), (16, 15), 0), (768, 576));
        assert_eq!(shown((1920, 1080), (1, 1), 90), (1080, 1920));
        assert_eq!(shown((8, 8), (0, 0), 0), (8, 8));
    }
}
