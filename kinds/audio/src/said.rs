//! What one recording says of itself, in the form in which it is kept beside the file: grouping
//! and the item's fields are made of it, whether or not the file is read again.

use ledge_core::language;
use serde::{Deserialize, Serialize};

use crate::read::Recording;
use crate::tags::{Key, Tags};
use crate::{text, words};

/// Most values of one field.
const MOST_VALUES: usize = 40;

/// A recording's own words. The names in the database are short: there is one of these per file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Said {
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
    #[serde(rename = "cp", skip_serializing_if = "is_false")]
    pub(crate) is_compilation: bool,
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

/// The part of those words that tells where it belongs: little, as a folder may hold very many.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Belonging {
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

impl Belonging {
    /// Reads what was kept, as [`Said::read`] does.
    pub(crate) fn read(kept: &str) -> Option<Self> {
        serde_json::from_str(kept).ok()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Said {
    /// What a recording says.
    pub(crate) fn of(recording: &Recording) -> Self {
        let tags = &recording.tags;
        let line = |key| tags.first(key).and_then(text::line);
        let track = line(Key::Track).as_deref().and_then(number);
        let sound = recording.sound.as_ref();
        let (series, series_part) = series(tags);
        Self {
            title: line(Key::Title).filter(|title| !words::is_no_title(title, track)),
            subtitle: line(Key::Subtitle),
            album: line(Key::Album).filter(|album| !words::is_nobody(album)),
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
            is_compilation: line(Key::Compilation).is_some_and(|said| is_yes(&said)),
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

    /// Reads what was kept; what an older version kept otherwise is silence.
    pub(crate) fn read(kept: &str) -> Option<Self> {
        serde_json::from_str(kept).ok()
    }

    /// The words to keep, if there are any.
    pub(crate) fn written(&self) -> Option<String> {
        let written = serde_json::to_string(self).ok()?;
        (written != "{}").then_some(written)
    }

    /// The year of its date.
    pub(crate) fn year(&self) -> Option<i32> {
        self.date.as_deref().and_then(year)
    }
}

/// Returns the first language of a tag. ID3 2.3 writes several codes of three letters without a
/// separator.
fn language_tag(text: &str) -> Option<String> {
    let is_list = text.len() > 3
        && text.len().is_multiple_of(3)
        && text.bytes().all(|byte| byte.is_ascii_lowercase());
    let first = || text.get(..3).filter(|_| is_list).and_then(language::tag);
    language::tag(text).or_else(first)
}

/// The leading number of `3/12`, `03`, `Disc 2`.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let number: i64 = digits.get(..end)?.parse().ok()?;
    (1..100_000).contains(&number).then_some(number)
}

/// The first four digits that are a year.
fn year(date: &str) -> Option<i32> {
    let mut runs = date.split(|c: char| !c.is_ascii_digit());
    // `20040506` and `2004-05-06`
    let year = |run: &str| match run.len() {
        4 | 8 => run.get(..4)?.parse().ok(),
        _ => None,
    };
    runs.find_map(|run| year(run).filter(|year| (1000..3000).contains(year)))
}

/// People of a field: its values, which may be lists themselves.
fn people(tags: &Tags, key: Key) -> Vec<String> {
    let mut people: Vec<String> = Vec::new();
    let values = tags.all(key).flat_map(|value| value.split([';', '\0']));
    for name in values.filter_map(text::line) {
        let is_new = !people.contains(&name) && !words::is_nobody(&name);
        if is_new && people.len() < MOST_VALUES {
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
        if !genres.contains(&genre) && genres.len() < MOST_VALUES {
            genres.push(genre);
        }
    }
    genres
}

/// Whether something other than its name says that it is spoken: the genre, iTunes' number for
/// audiobooks, or what only books have.
fn is_spoken(tags: &Tags) -> bool {
    tags.all(Key::Genre).any(words::is_spoken)
        || tags
            .first(Key::MediaType)
            .is_some_and(|kind| matches!(kind, "2" | "Audiobook"))
        || [Key::Narrator, Key::Asin, Key::Isbn, Key::Series]
            .iter()
            .any(|key| tags.first(*key).is_some())
}

/// Series and number: of their own, or as audiobooks have them in fields of music.
fn series(tags: &Tags) -> (Option<String>, Option<f64>) {
    let line = |key| tags.first(key).and_then(text::line);
    let part = |key| line(key).as_deref().and_then(decimal);
    if let Some(series) = line(Key::Series) {
        // `Discworld #8`
        let (name, number) = numbered(&series);
        return (Some(name), part(Key::SeriesPart).or(number));
    }
    if let Some(movement) = line(Key::Movement) {
        return (Some(movement), part(Key::MovementNumber));
    }
    if let Some(group) = line(Key::Grouping)
        && let (name, Some(number)) = numbered(&group)
    {
        return (Some(name), Some(number));
    }
    (None, None)
}

/// Takes a number from the end of a series' name: `Discworld #8`, `Discworld, Book 8`.
fn numbered(series: &str) -> (String, Option<f64>) {
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

fn is_yes(said: &str) -> bool {
    matches!(said.to_lowercase().as_str(), "1" | "true" | "yes")
}

/// A gain in decibels: ReplayGain's, or Opus' in 256ths, which aims five decibels lower.
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
    fn dates_have_a_year() {
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
    fn numbers_may_have_a_total_behind_them() {
        assert_eq!(number("03/12"), Some(3));
        assert_eq!(number("A1"), Some(1));
        assert_eq!(number("0"), None);
        assert_eq!(number(""), None);
    }

    #[test]
    fn a_series_may_have_its_number_in_its_name() {
        assert_eq!(
            numbered("Discworld #8"),
            ("Discworld".to_owned(), Some(8.0))
        );
        assert_eq!(
            numbered("Discworld, Book 8.5"),
            ("Discworld".to_owned(), Some(8.5))
        );
        assert_eq!(numbered("Blink 182"), ("Blink 182".to_owned(), None));
        assert_eq!(numbered("#8"), ("#8".to_owned(), None));
    }

    #[test]
    fn gains_of_opus_aim_lower() {
        let mut tags = Tags::default();
        tags.add(Key::R128Track, "-1280");
        assert_eq!(gain(&tags, Key::TrackGain, Key::R128Track), Some(0.0));
        tags.add(Key::TrackGain, "-6,54 dB");
        assert_eq!(gain(&tags, Key::TrackGain, Key::R128Track), Some(-6.54));
    }

    #[test]
    fn what_is_kept_is_what_was_said() {
        let said = Said {
            title: Some("T".to_owned()),
            artists: vec!["A".to_owned()],
            series_part: Some(1.5),
            is_spoken: true,
            ..Said::default()
        };
        let kept = said.written().expect("something");
        assert_eq!(Said::read(&kept), Some(said));
        assert_eq!(Said::default().written(), None);
    }
}
