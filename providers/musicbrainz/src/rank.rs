//! Likeness of releases to an album, by counts, years and lengths.

use ledge_core::registry::provider::Query;

use crate::parse::Release;

/// Parts of an item beyond which its number of tracks is unknown.
const MAX_PARTS: usize = 500;
/// Difference of lengths in seconds within which two releases are equally like the album.
const LENGTH_STEP: f64 = 3.0;
/// Words in titles of live albums.
const LIVE_WORDS: &[&str] = &["live", "unplugged", "concert", "bootleg"];

/// Known properties of an album.
#[derive(Debug, Default)]
pub(crate) struct KnownAlbum {
    title: String,
    is_live: bool,
    /// Number of tracks.
    pub(crate) tracks: Option<usize>,
    year: Option<i32>,
    /// Lengths of all tracks in seconds, in order. Empty if one is unknown.
    lengths: Vec<f64>,
}

impl KnownAlbum {
    pub(crate) fn of(question: &Query) -> Self {
        let parts = &question.parts;
        let mut numbers: Vec<_> = parts
            .iter()
            .map(|part| (part.season, part.number))
            .collect();
        numbers.sort_unstable();
        let is_numbered = numbers.iter().all(|(_, number)| number.is_some());
        numbers.dedup();
        // Files with one number are copies of one track in several formats.
        let has_copies = is_numbered && numbers.len() < parts.len();
        let count = if is_numbered {
            numbers.len()
        } else {
            parts.len()
        };
        let lengths = parts.iter().map(|part| part.seconds);
        let lengths: Option<Vec<f64>> = lengths.collect();
        Self {
            title: folded(&question.title),
            is_live: has_live_word(&question.title),
            tracks: Some(count).filter(|_| (1..MAX_PARTS).contains(&parts.len())),
            year: question.year,
            lengths: lengths.filter(|_| !has_copies).unwrap_or_default(),
        }
    }

    fn score(&self, release: &Release) -> i32 {
        let title = &release.candidate.title;
        let mut score = 0;
        if folded(title) == self.title {
            score += 4;
        }
        if (release.is_live || has_live_word(title)) != self.is_live {
            score -= 4;
        }
        if let (Some(wanted), Some(tracks)) = (self.tracks, release.tracks) {
            score += match wanted.abs_diff(tracks) {
                0 => 4,
                1..=2 => 0,
                _ => -3,
            };
        }
        if self.year.is_some() && self.year == release.year {
            score += 2;
        }
        if release.is_official {
            score += 1;
        }
        score
    }

    /// Returns the average difference of the lengths of the tracks in seconds, or `None` if the
    /// tracks cannot be compared.
    fn length_difference(&self, release: &Release) -> Option<f64> {
        let offered = &release.candidate.details.track_seconds;
        if offered.is_empty() || offered.len() != self.lengths.len() {
            return None;
        }
        let pairs = self.lengths.iter().zip(offered);
        let total: f64 = pairs
            .map(|(wanted, offered)| (wanted - offered).abs())
            .sum();
        let count = u32::try_from(offered.len()).ok()?;
        Some(total / f64::from(count))
    }
}

/// Sorts releases, the most likely first. MusicBrainz's order decides among equal ones.
pub(crate) fn sorted(found: Vec<Release>, album: &KnownAlbum) -> Vec<Release> {
    let mut scored: Vec<(i32, Release)> = found
        .into_iter()
        .map(|release| (album.score(&release), release))
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, release)| release).collect()
}

/// Sorts releases by the lengths of their tracks. Releases without comparable lengths come last.
pub(crate) fn by_lengths(mut found: Vec<Release>, album: &KnownAlbum) -> Vec<Release> {
    let step = |release: &Release| {
        let difference = album.length_difference(release);
        difference.map_or(f64::INFINITY, |seconds| (seconds / LENGTH_STEP).floor())
    };
    found.sort_by(|one, other| step(one).total_cmp(&step(other)));
    found
}

/// Sets the year of all releases of a group to its first year, where a detailed release contains
/// it. A later edition would otherwise match better by its own year.
pub(crate) fn share_first_year(found: &mut [Release]) {
    let known: Vec<(String, i32)> = found
        .iter()
        .filter_map(|release| Some((release.group.clone()?, release.first_year?)))
        .collect();
    for release in found {
        let year = known
            .iter()
            .find(|(group, _)| release.group.as_ref() == Some(group));
        if let Some((_, year)) = year {
            release.candidate.year = Some(*year);
        }
    }
}

fn has_live_word(title: &str) -> bool {
    let title = title.to_lowercase();
    let mut words = title.split(|c: char| !c.is_alphanumeric());
    words.any(|word| LIVE_WORDS.contains(&word))
}

fn folded(title: &str) -> String {
    let letters = title.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
