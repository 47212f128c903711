//! Tags of one recording in the stored form.
//!
//! Grouping and item fields are computed from the stored tags, so unchanged files need not be read
//! again.

use ledge_core::text::language;
use serde::{Deserialize, Serialize};

use super::{Key, Tags, musicbrainz};
use crate::naming::vocabulary;
use crate::read::Recording;
use crate::text;

/// Maximum number of values per field.
const MAX_VALUES: usize = 40;

/// Tags of a recording. The JSON names are short because the database stores one such object per
/// file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredTags {
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(rename = "st", skip_serializing_if = "Option::is_none")]
    pub(crate) subtitle: Option<String>,
    #[serde(rename = "al", skip_serializing_if = "Option::is_none")]
    pub(crate) album: Option<String>,
    #[serde(rename = "ar", skip_serializing_if = "Vec::is_empty")]
    pub(crate) artists: Vec<String>,
    #[serde(rename = "aa", skip_serializing_if = "Vec::is_empty")]
    pub(crate) album_artists: Vec<String>,
    #[serde(rename = "au", skip_serializing_if = "Vec::is_empty")]
    pub(crate) authors: Vec<String>,
    #[serde(rename = "co", skip_serializing_if = "Vec::is_empty")]
    pub(crate) composers: Vec<String>,
    #[serde(rename = "cd", skip_serializing_if = "Vec::is_empty")]
    pub(crate) conductors: Vec<String>,
    #[serde(rename = "ly", skip_serializing_if = "Vec::is_empty")]
    pub(crate) lyricists: Vec<String>,
    #[serde(rename = "na", skip_serializing_if = "Vec::is_empty")]
    pub(crate) narrators: Vec<String>,
    #[serde(rename = "tl", skip_serializing_if = "Vec::is_empty")]
    pub(crate) translators: Vec<String>,
    #[serde(rename = "tr", skip_serializing_if = "Option::is_none")]
    pub(crate) track: Option<i64>,
    #[serde(rename = "di", skip_serializing_if = "Option::is_none")]
    pub(crate) disc: Option<i64>,
    #[serde(rename = "da", skip_serializing_if = "Option::is_none")]
    pub(crate) date: Option<String>,
    #[serde(rename = "ge", skip_serializing_if = "Vec::is_empty")]
    pub(crate) genres: Vec<String>,
    #[serde(rename = "pu", skip_serializing_if = "Option::is_none")]
    pub(crate) publisher: Option<String>,
    #[serde(rename = "la", skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<String>,
    #[serde(rename = "se", skip_serializing_if = "Option::is_none")]
    pub(crate) series: Option<String>,
    #[serde(rename = "sp", skip_serializing_if = "Option::is_none")]
    pub(crate) series_part: Option<f64>,
    #[serde(rename = "is", skip_serializing_if = "Option::is_none")]
    pub(crate) isbn: Option<String>,
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub(crate) asin: Option<String>,
    #[serde(rename = "mr", skip_serializing_if = "Option::is_none")]
    pub(crate) musicbrainz_release: Option<String>,
    #[serde(rename = "mg", skip_serializing_if = "Option::is_none")]
    pub(crate) musicbrainz_release_group: Option<String>,
    #[serde(rename = "mc", skip_serializing_if = "Option::is_none")]
    pub(crate) musicbrainz_recording: Option<String>,
    #[serde(rename = "ma", skip_serializing_if = "Option::is_none")]
    pub(crate) musicbrainz_artist: Option<String>,
    #[serde(rename = "cp", skip_serializing_if = "is_false")]
    pub(crate) is_compilation: bool,
    #[serde(rename = "bm", skip_serializing_if = "Option::is_none")]
    pub(crate) bpm: Option<i64>,
    #[serde(rename = "bk", skip_serializing_if = "is_false")]
    pub(crate) is_spoken: bool,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    pub(crate) codec: Option<String>,
    #[serde(rename = "sr", skip_serializing_if = "Option::is_none")]
    pub(crate) sample_rate: Option<u32>,
    #[serde(rename = "ch", skip_serializing_if = "Option::is_none")]
    pub(crate) channels: Option<u32>,
    #[serde(rename = "br", skip_serializing_if = "Option::is_none")]
    pub(crate) bitrate: Option<u64>,
    #[serde(rename = "bi", skip_serializing_if = "Option::is_none")]
    pub(crate) bits: Option<u32>,
    #[serde(rename = "ag", skip_serializing_if = "Option::is_none")]
    pub(crate) album_gain: Option<f64>,
    #[serde(rename = "ap", skip_serializing_if = "Option::is_none")]
    pub(crate) album_peak: Option<f64>,
    #[serde(rename = "tg", skip_serializing_if = "Option::is_none")]
    pub(crate) track_gain: Option<f64>,
    #[serde(rename = "tp", skip_serializing_if = "Option::is_none")]
    pub(crate) track_peak: Option<f64>,
}

/// Subset of the tags that grouping needs. It is small because a folder may contain very many
/// files.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AlbumTags {
    #[serde(rename = "al")]
    pub(crate) album: Option<String>,
    #[serde(rename = "aa")]
    pub(crate) album_artists: Vec<String>,
    #[serde(rename = "cp")]
    pub(crate) is_compilation: bool,
    #[serde(rename = "tr")]
    pub(crate) track: Option<i64>,
    #[serde(rename = "di")]
    pub(crate) disc: Option<i64>,
}

impl AlbumTags {
    /// Parses stored tags like [`StoredTags::parse`].
    pub(crate) fn parse(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}

impl StoredTags {
    /// Converts the tags and the sound properties of a recording.
    pub(crate) fn from_recording(recording: &Recording) -> Self {
        let tags = &recording.tags;
        let line = |key| tags.first(key).and_then(text::line);
        let track = line(Key::Track).as_deref().and_then(number);
        let sound = recording.sound.as_ref();
        let (series, series_part) = series(tags);
        Self {
            title: line(Key::Title).filter(|title| !vocabulary::is_placeholder_title(title, track)),
            subtitle: line(Key::Subtitle),
            album: line(Key::Album).filter(|album| !vocabulary::is_placeholder_name(album)),
            artists: people(tags, Key::Artist),
            album_artists: people(tags, Key::AlbumArtist),
            authors: people(tags, Key::Author),
            composers: people(tags, Key::Composer),
            conductors: people(tags, Key::Conductor),
            lyricists: people(tags, Key::Lyricist),
            narrators: people(tags, Key::Narrator),
            translators: people(tags, Key::Translator),
            track,
            disc: line(Key::Disc).as_deref().and_then(number),
            date: line(Key::Date)
                .or_else(|| line(Key::OriginalDate))
                .filter(|date| year(date).is_some()),
            genres: genres(tags),
            publisher: line(Key::Publisher),
            language: line(Key::Language).as_deref().and_then(language_tag),
            series,
            series_part,
            isbn: line(Key::Isbn),
            asin: line(Key::Asin),
            musicbrainz_release: musicbrainz::id(tags, Key::MusicBrainzRelease),
            musicbrainz_release_group: musicbrainz::id(tags, Key::MusicBrainzReleaseGroup),
            musicbrainz_recording: musicbrainz::id(tags, Key::MusicBrainzRecording),
            musicbrainz_artist: musicbrainz::id(tags, Key::MusicBrainzAlbumArtist),
            is_compilation: line(Key::Compilation).is_some_and(|value| is_true(&value)),
            bpm: line(Key::Bpm).as_deref().and_then(beats),
            is_spoken: is_spoken(tags),
            codec: sound
                .map(|sound| sound.codec.clone())
                .filter(|codec| codec != "unknown"),
            sample_rate: sound.and_then(|sound| sound.sample_rate),
            channels: sound.and_then(|sound| sound.channels),
            bitrate: sound.and_then(|sound| sound.bitrate),
            bits: sound.and_then(|sound| sound.bits),
            album_gain: gain(tags, Key::AlbumGain, Key::R128Album),
            album_peak: decibels(tags, Key::AlbumPeak),
            track_gain: gain(tags, Key::TrackGain, Key::R128Track),
            track_peak: decibels(tags, Key::TrackPeak),
        }
    }

    /// Parses stored tags. Returns `None` for an incompatible older format.
    pub(crate) fn parse(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// Serialises the tags. Returns `None` if all fields are empty.
    pub(crate) fn to_json(&self) -> Option<String> {
        let json = serde_json::to_string(self).ok()?;
        (json != "{}").then_some(json)
    }

    /// Returns the year of the date.
    pub(crate) fn year(&self) -> Option<i32> {
        self.date.as_deref().and_then(year)
    }
}

/// Returns the first language of a tag. ID3v2.3 writers concatenate several three-letter codes
/// without a separator.
fn language_tag(text: &str) -> Option<String> {
    let is_list = text.len() > 3
        && text.len().is_multiple_of(3)
        && text.bytes().all(|byte| byte.is_ascii_lowercase());
    let first = || text.get(..3).filter(|_| is_list).and_then(language::tag);
    language::tag(text).or_else(first)
}

/// Parses the first number of `3/12`, `03` or `Disc 2`.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let number: i64 = digits.get(..end)?.parse().ok()?;
    (1..100_000).contains(&number).then_some(number)
}

/// Parses beats per minute, rounded: `127.97`.
fn beats(text: &str) -> Option<i64> {
    let beats = text.trim().replace(',', ".").parse::<f64>().ok()?.round();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be a sensible number"
    )]
    (1.0..1_000.0).contains(&beats).then_some(beats as i64)
}

/// Returns the first year between 1000 and 2999 in a date.
fn year(date: &str) -> Option<i32> {
    let mut runs = date.split(|c: char| !c.is_ascii_digit());
    // Formats: `20040506` and `2004-05-06`.
    let year = |run: &str| match run.len() {
        4 | 8 => run.get(..4)?.parse().ok(),
        _ => None,
    };
    runs.find_map(|run| year(run).filter(|year| (1000..3000).contains(year)))
}

/// Returns the people of a field. A value may itself be a list.
fn people(tags: &Tags, key: Key) -> Vec<String> {
    let mut people: Vec<String> = Vec::new();
    let values = tags.all(key).flat_map(|value| value.split([';', '\0']));
    for name in values.filter_map(text::line) {
        let is_new = !people.contains(&name) && !vocabulary::is_placeholder_name(&name);
        if is_new && people.len() < MAX_VALUES {
            people.push(name);
        }
    }
    people
}

fn genres(tags: &Tags) -> Vec<String> {
    let mut genres: Vec<String> = Vec::new();
    for genre in tags
        .all(Key::Genre)
        .flat_map(|value| value.split(';'))
        .filter_map(text::line)
    {
        if !genres.contains(&genre) && genres.len() < MAX_VALUES {
            genres.push(genre);
        }
    }
    genres
}

/// Returns `true` if the genre, the iTunes media type or a field specific to books marks the
/// recording as spoken. Taggers of music also write the ASIN of a disc.
fn is_spoken(tags: &Tags) -> bool {
    let has = |key: &Key| tags.first(*key).is_some();
    tags.all(Key::Genre).any(vocabulary::is_spoken)
        || tags
            .first(Key::MediaType)
            .is_some_and(|kind| matches!(kind, "2" | "Audiobook"))
        || [Key::Narrator, Key::Isbn, Key::Series].iter().any(has)
        || (has(&Key::Asin) && !has(&Key::MusicBrainzRelease))
}

/// Returns series and index from series fields, or from the music fields that audiobooks use
/// instead.
fn series(tags: &Tags) -> (Option<String>, Option<f64>) {
    let line = |key| tags.first(key).and_then(text::line);
    let part = |key| line(key).as_deref().and_then(decimal);
    if let Some(series) = line(Key::Series) {
        // Format: `Discworld #8`.
        let (name, number) = split_index(&series);
        return (Some(name), part(Key::SeriesPart).or(number));
    }
    if let Some(movement) = line(Key::Movement) {
        return (Some(movement), part(Key::MovementNumber));
    }
    if let Some(group) = line(Key::Grouping)
        && let (name, Some(number)) = split_index(&group)
    {
        return (Some(name), Some(number));
    }
    (None, None)
}

/// Splits a number from the end of a series name: `Discworld #8`, `Discworld, Book 8`.
fn split_index(series: &str) -> (String, Option<f64>) {
    let cut = series.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    let number = series.get(cut.len()..).and_then(decimal);
    let before = cut.trim_end();
    let lower = before.to_lowercase();
    let mark = [
        "#", "book", "vol.", "vol", "volume", "part", "band", "teil", "tome", "nr.", "no.",
    ]
    .iter()
    .find(|mark| lower.ends_with(*mark));
    match (number, mark) {
        (Some(number), Some(mark)) => {
            let name = before.get(..before.len() - mark.len()).unwrap_or(before);
            let name = name.trim_end_matches([' ', ',', '-', '(', ':', ';']);
            if name.is_empty() {
                (series.to_owned(), None)
            } else {
                (name.to_owned(), Some(number))
            }
        }
        _ => (series.to_owned(), None),
    }
}

fn decimal(text: &str) -> Option<f64> {
    let text = text.trim().trim_start_matches('#').replace(',', ".");
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let number: f64 = text.get(..end)?.parse().ok()?;
    (0.0..1e6).contains(&number).then_some(number)
}

fn is_true(value: &str) -> bool {
    matches!(value.to_lowercase().as_str(), "1" | "true" | "yes")
}

/// Returns a gain in decibels. The R128 gain of Opus is in steps of 1/256 dB, and its reference
/// level is 5 dB lower.
fn gain(tags: &Tags, key: Key, r128: Key) -> Option<f64> {
    decibels(tags, key).or_else(|| {
        let steps: f64 = tags.first(r128)?.trim().parse().ok()?;
        let gain = steps / 256.0 + 5.0;
        (-200.0..200.0).contains(&gain).then_some(round(gain))
    })
}

fn decibels(tags: &Tags, key: Key) -> Option<f64> {
    let text = tags.first(key)?.trim();
    let text = text
        .strip_suffix("dB")
        .or_else(|| text.strip_suffix("DB"))
        .unwrap_or(text);
    let number: f64 = text
        .trim()
        .trim_start_matches('+')
        .replace(',', ".")
        .parse()
        .ok()?;
    (-200.0..200.0).contains(&number).then_some(round(number))
}

fn round(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_parsed_from_dates() {
        for (date, expected) in [
            ("1987-03-31", Some(1987)),
            ("2004-05-06T07:08:09", Some(2004)),
            ("20040506", Some(2004)),
            ("31.03.1987", Some(1987)),
            ("0000", None),
            ("12", None),
            ("", None),
        ] {
            assert_eq!(year(date), expected, "{date}");
        }
    }

    #[test]
    fn beats_are_rounded_and_plausible() {
        let parsed = ["127.97", " 90 ", "89,6", "0", "-1", "1e9", "NaN", "fast"].map(beats);
        let expected = [Some(128), Some(90), Some(90), None, None, None, None, None];
        assert_eq!(parsed, expected);
    }

    #[test]
    fn numbers_are_parsed_without_their_total() {
        assert_eq!(number("03/12"), Some(3));
        assert_eq!(number("A1"), Some(1));
        assert_eq!(number("0"), None);
        assert_eq!(number(""), None);
    }

    #[test]
    fn series_index_is_parsed_from_the_series_name() {
        assert_eq!(
            split_index("Discworld #8"),
            ("Discworld".to_owned(), Some(8.0))
        );
        assert_eq!(
            split_index("Discworld, Book 8.5"),
            ("Discworld".to_owned(), Some(8.5))
        );
        assert_eq!(split_index("Blink 182"), ("Blink 182".to_owned(), None));
        assert_eq!(split_index("#8"), ("#8".to_owned(), None));
    }

    #[test]
    fn opus_gains_are_converted_to_replaygain() {
        let mut tags = Tags::default();
        tags.add(Key::R128Track, "-1280");
        assert_eq!(gain(&tags, Key::TrackGain, Key::R128Track), Some(0.0));
        tags.add(Key::TrackGain, "-6,54 dB");
        assert_eq!(gain(&tags, Key::TrackGain, Key::R128Track), Some(-6.54));
    }

    #[test]
    fn tags_survive_serialisation() {
        let stored = StoredTags {
            title: Some("T".to_owned()),
            artists: vec!["A".to_owned()],
            series_part: Some(1.5),
            is_spoken: true,
            ..StoredTags::default()
        };
        let json = stored.to_json().expect("some tags");
        assert_eq!(StoredTags::parse(&json), Some(stored));
        assert_eq!(StoredTags::default().to_json(), None);
    }
}
