//! Comparison of an item's files with the episodes or the tracks of a candidate.

use std::collections::BTreeMap;

use super::thresholds;
use super::words::words;
use crate::registry::provider::{EpisodeDetails, KnownPart};

/// Result of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// The parts are the same.
    Agree,
    /// The parts contradict each other.
    Differ,
    /// The parts are unknown or not comparable.
    Unknown,
}

/// Compares files with the episodes and the track lengths of a candidate.
pub(super) fn compare(
    own: &[KnownPart],
    episodes: &[EpisodeDetails],
    track_seconds: &[f64],
) -> Parts {
    match by_title(own, episodes) {
        Parts::Unknown => by_length(own, track_seconds),
        decided => decided,
    }
}

/// Compares the titles of equal episode numbers. Titles without letters, such as `Episode 3`, say
/// nothing, because many series use them.
fn by_title(own: &[KnownPart], episodes: &[EpisodeDetails]) -> Parts {
    let titles: BTreeMap<(i64, i64), Vec<String>> = episodes
        .iter()
        .filter_map(|episode| {
            let title = telling(episode.title.as_deref()?)?;
            Some(((episode.season, episode.number), title))
        })
        .collect();
    let (mut equal, mut compared) = (0, 0);
    for part in own {
        let (Some(season), Some(number)) = (part.season, part.number) else {
            continue;
        };
        let title = part.title.as_deref().and_then(telling);
        if let (Some(title), Some(theirs)) = (title, titles.get(&(season, number))) {
            compared += 1;
            equal += usize::from(title == *theirs);
        }
    }
    if equal >= thresholds::EPISODES && equal * 100 >= compared * thresholds::EQUAL_EPISODES {
        Parts::Agree
    } else if compared > thresholds::EPISODES && equal == 0 {
        Parts::Differ
    } else {
        Parts::Unknown
    }
}

/// Returns the words of a title, unless it only counts.
fn telling(title: &str) -> Option<Vec<String>> {
    let words = words(title);
    let counts = |word: &String| {
        let is_number = word.bytes().all(|b| b.is_ascii_digit());
        is_number
            || matches!(
                word.as_str(),
                "episode" | "folge" | "part" | "chapter" | "teil"
            )
    };
    (!words.is_empty() && !words.iter().all(counts)).then_some(words)
}

/// Compares the lengths of tracks in order. A different number of tracks decides nothing, because
/// editions differ in their bonus tracks.
fn by_length(own: &[KnownPart], track_seconds: &[f64]) -> Parts {
    let lengths: Option<Vec<f64>> = own.iter().map(|part| part.seconds).collect();
    let Some(lengths) = lengths else {
        return Parts::Unknown;
    };
    if lengths.len() != track_seconds.len() || lengths.len() < thresholds::TRACKS {
        return Parts::Unknown;
    }
    let apart = |limit: f64| {
        let pairs = lengths.iter().zip(track_seconds);
        pairs
            .filter(|(one, other)| (*one - *other).abs() > limit)
            .count()
    };
    if apart(thresholds::SAME_LENGTH) * 100 <= lengths.len() * thresholds::UNEQUAL_TRACKS {
        Parts::Agree
    } else if apart(thresholds::OTHER_LENGTH) * 100 > lengths.len() * thresholds::OTHER_TRACKS {
        Parts::Differ
    } else {
        Parts::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode(number: i64, title: &str) -> EpisodeDetails {
        EpisodeDetails {
            season: 1,
            number,
            title: Some(title.to_owned()),
            ..EpisodeDetails::default()
        }
    }

    fn file(number: i64, title: &str) -> KnownPart {
        KnownPart {
            season: Some(1),
            number: Some(number),
            title: Some(title.to_owned()),
            seconds: None,
        }
    }

    fn tracks(lengths: &[f64]) -> Vec<KnownPart> {
        let part = |seconds: &f64| KnownPart {
            seconds: Some(*seconds),
            ..KnownPart::default()
        };
        lengths.iter().map(part).collect()
    }

    #[test]
    fn titles_of_equal_numbers_decide() {
        let own = [file(1, "Pilot"), file(2, "The Long Road"), file(3, "Ashes")];
        let same = [
            episode(1, "Pilot"),
            episode(2, "The Long Road!"),
            episode(3, "Embers"),
        ];
        let other = [
            episode(1, "Homecoming"),
            episode(2, "Storm"),
            episode(3, "Roots"),
        ];
        let counted = [
            episode(1, "Episode 1"),
            episode(2, "Episode 2"),
            episode(3, "Episode 3"),
        ];
        assert_eq!(compare(&own, &same, &[]), Parts::Agree);
        assert_eq!(compare(&own, &other, &[]), Parts::Differ);
        assert_eq!(compare(&own, &counted, &[]), Parts::Unknown);
        assert_eq!(compare(&own[..1], &same, &[]), Parts::Unknown);
    }

    #[test]
    fn lengths_tell_a_live_album_from_the_studio_album() {
        let own = tracks(&[201.0, 245.2, 187.0, 302.5]);
        assert_eq!(
            compare(&own, &[], &[200.0, 246.0, 188.5, 303.0]),
            Parts::Agree
        );
        assert_eq!(
            compare(&own, &[], &[260.0, 300.0, 240.0, 402.0]),
            Parts::Differ
        );
        assert_eq!(
            compare(&own, &[], &[201.0, 245.0, 187.0, 340.0]),
            Parts::Unknown
        );
        // Another number of tracks is another edition, not another album.
        assert_eq!(compare(&own, &[], &[201.0, 245.0, 187.0]), Parts::Unknown);
        assert_eq!(
            compare(&tracks(&[201.0, 180.0]), &[], &[201.0, 180.0]),
            Parts::Unknown
        );
    }
}
