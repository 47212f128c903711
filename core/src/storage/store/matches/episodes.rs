//! Episodes that a provider knows, and their assignment to the files of an item.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use rusqlite::{Connection, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::ItemId;
use crate::registry::provider::EpisodeDetails;
use crate::text;

/// Lowest season that is a year: the number is then `100 * month + day`.
const FIRST_YEAR: i64 = 1000;

/// Returns the episodes of an item that its provider knows, in order and without pictures.
pub fn known(conn: &Connection, item: ItemId) -> StoreResult<Vec<EpisodeDetails>> {
    let mut statement = conn.prepare_cached(
        "SELECT season, number, absolute, title, description, aired
           FROM episode_detail
          WHERE item_id = :item
          ORDER BY season, number",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok(EpisodeDetails {
            season: row.get(0)?,
            number: row.get(1)?,
            absolute: row.get(2)?,
            title: row.get(3)?,
            description: row.get(4)?,
            aired: row.get(5)?,
            still: None,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Replaces the episodes that the provider of an item knows.
pub(super) fn set(
    tx: &Transaction<'_>,
    item: ItemId,
    episodes: &[EpisodeDetails],
) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM episode_detail WHERE item_id = :item")?
        .execute(named_params! { ":item": item })?;
    let mut insert = tx.prepare_cached(
        "INSERT OR IGNORE INTO episode_detail
                (item_id, season, number, absolute, title, description, aired)
         VALUES (:item, :season, :number, :absolute, :title, :description, :aired)",
    )?;
    for episode in episodes {
        insert.execute(named_params! {
            ":item": item,
            ":season": episode.season,
            ":number": episode.number,
            ":absolute": episode.absolute,
            ":title": episode.title,
            ":description": episode.description,
            ":aired": episode.aired,
        })?;
    }
    Ok(())
}

/// Episode of an item, from the numbers and the title of its file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnEpisode {
    /// Season, or the year of a dated episode.
    pub season: i64,
    /// Number within the season, or month and day of a dated episode.
    pub number: i64,
    /// Last number of a file with several episodes.
    pub last: Option<i64>,
    /// Title of the file.
    pub title: Option<String>,
    /// Date of the first broadcast from metadata of the file, as `YYYY-MM-DD`.
    pub aired: Option<String>,
}

impl OwnEpisode {
    /// Returns the date of the first broadcast, from the metadata or from the numbers.
    fn date(&self) -> Option<String> {
        let from_numbers = || {
            let (month, day) = (self.number / 100, self.number % 100);
            let date = format!("{:04}-{month:02}-{day:02}", self.season);
            (self.season >= FIRST_YEAR).then_some(date)
        };
        self.aired.clone().or_else(from_numbers)
    }
}

/// Returns the numbered episodes with a file.
pub(super) fn own(tx: &Transaction<'_>, item: ItemId) -> StoreResult<Vec<OwnEpisode>> {
    let mut statement = tx.prepare_cached(
        "SELECT season, episode, last_episode, title
           FROM file
          WHERE item_id = :item AND season IS NOT NULL AND episode IS NOT NULL",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok(OwnEpisode {
            season: row.get(0)?,
            number: row.get(1)?,
            last: row.get(2)?,
            title: row.get(3)?,
            aired: None,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the seasons with a file.
pub(super) fn own_seasons(tx: &Transaction<'_>, item: ItemId) -> StoreResult<BTreeSet<i64>> {
    let mut statement = tx.prepare_cached(
        "SELECT season
           FROM file
          WHERE item_id = :item AND season IS NOT NULL",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Known episodes by everything that can identify them. A value that several episodes have
/// identifies none of them.
#[derive(Debug)]
pub struct KnownEpisodes<'a> {
    numbers: HashMap<(i64, i64), Option<&'a EpisodeDetails>>,
    absolutes: HashMap<i64, Option<&'a EpisodeDetails>>,
    dates: HashMap<&'a str, Option<&'a EpisodeDetails>>,
    titles: HashMap<String, Option<&'a EpisodeDetails>>,
}

impl<'a> KnownEpisodes<'a> {
    /// Indexes episodes.
    pub fn new(known: &'a [EpisodeDetails]) -> Self {
        let regular = || known.iter().filter(|episode| episode.season > 0);
        Self {
            numbers: unique(known, |episode| Some((episode.season, episode.number))),
            absolutes: unique(regular(), |episode| episode.absolute),
            dates: unique(regular(), |episode| episode.aired.as_deref()),
            titles: unique(known, |episode| {
                episode
                    .title
                    .as_deref()
                    .map(text::fold)
                    .filter(|title| !title.is_empty())
            }),
        }
    }

    /// Returns the episode of a file: by season and number, by the number in the whole series if the
    /// file has no later season, by date, then by title.
    pub fn find(&self, own: &OwnEpisode) -> Option<&'a EpisodeDetails> {
        let date = || self.dates.get(own.date()?.as_str()).copied().flatten();
        let title = || {
            let title = text::fold(own.title.as_deref()?);
            self.titles.get(&title).copied().flatten()
        };
        self.numbered(own.season, own.number)
            .or_else(date)
            .or_else(title)
    }

    /// Returns the known episodes of a file in order: the episode that [`find`](Self::find) returns,
    /// then those of the further numbers.
    pub fn all(&self, own: &OwnEpisode) -> Vec<&'a EpisodeDetails> {
        let mut all: Vec<_> = self.find(own).into_iter().collect();
        for number in own.last.into_iter().flat_map(|last| own.number + 1..=last) {
            let found = self.numbered(own.season, number);
            let key = |episode: &EpisodeDetails| (episode.season, episode.number);
            all.extend(found.filter(|one| all.iter().all(|known| key(known) != key(one))));
        }
        all
    }

    /// Returns the episode with a number of a season, or with a number in the whole series.
    fn numbered(&self, season: i64, number: i64) -> Option<&'a EpisodeDetails> {
        let absolute = || self.absolutes.get(&number).filter(|_| season == 1);
        let found = self.numbers.get(&(season, number)).copied().flatten();
        found.or_else(|| absolute().copied().flatten())
    }

    /// Returns season and number of the known episodes that have a file.
    pub fn with_file<'own>(
        &self,
        own: impl Iterator<Item = &'own OwnEpisode>,
    ) -> BTreeSet<(i64, i64)> {
        let found = own.flat_map(|own| self.all(own));
        found
            .map(|episode| (episode.season, episode.number))
            .collect()
    }
}

fn unique<'a, K: Eq + Hash>(
    episodes: impl IntoIterator<Item = &'a EpisodeDetails>,
    key: impl Fn(&'a EpisodeDetails) -> Option<K>,
) -> HashMap<K, Option<&'a EpisodeDetails>> {
    let mut by_key = HashMap::new();
    for episode in episodes {
        if let Some(key) = key(episode) {
            by_key
                .entry(key)
                .and_modify(|known| *known = None)
                .or_insert(Some(episode));
        }
    }
    by_key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode(
        season: i64,
        number: i64,
        absolute: i64,
        title: &str,
        aired: &str,
    ) -> EpisodeDetails {
        EpisodeDetails {
            season,
            number,
            absolute: Some(absolute),
            title: Some(title.to_owned()),
            aired: Some(aired.to_owned()),
            ..EpisodeDetails::default()
        }
    }

    fn own(season: i64, number: i64, title: &str) -> OwnEpisode {
        OwnEpisode {
            season,
            number,
            title: Some(title.to_owned()),
            ..OwnEpisode::default()
        }
    }

    #[test]
    fn file_finds_its_episode_by_number_then_absolute_then_date_then_title() {
        let known = [
            episode(1, 1, 1, "Pilot", "2020-01-01"),
            episode(1, 2, 2, "Two", "2020-01-08"),
            episode(2, 1, 3, "Return", "2021-03-04"),
            episode(2, 2, 4, "Finale", "2021-03-04"),
        ];
        let known = KnownEpisodes::new(&known);
        let found = |own: &OwnEpisode| known.find(own).map(|one| (one.season, one.number));
        assert_eq!(found(&own(2, 1, "Pilot")), Some((2, 1)));
        assert_eq!(found(&own(1, 3, "")), Some((2, 1)));
        // A number of a later season never counts in the whole series.
        assert_eq!(found(&own(2, 4, "")), None);
        assert_eq!(found(&own(2020, 108, "")), Some((1, 2)));
        // Two episodes have this date.
        assert_eq!(found(&own(2021, 304, "")), None);
        assert_eq!(found(&own(2021, 304, "finale")), Some((2, 2)));
        assert_eq!(found(&own(7, 9, "other")), None);
        let aired = OwnEpisode {
            aired: Some("2020-01-08".to_owned()),
            ..own(5, 5, "")
        };
        assert_eq!(found(&aired), Some((1, 2)));
    }

    #[test]
    fn file_of_several_numbers_has_each_known_episode() {
        let known = [
            episode(1, 1, 1, "Pilot", "2020-01-01"),
            episode(1, 2, 2, "Two", "2020-01-08"),
            episode(1, 4, 4, "Four", "2020-01-22"),
            episode(2, 1, 5, "Return", "2021-03-04"),
        ];
        let known = KnownEpisodes::new(&known);
        let double = OwnEpisode {
            last: Some(4),
            ..own(1, 1, "Title of the file")
        };
        let numbers = |own: &OwnEpisode| -> Vec<i64> {
            let all = known.all(own);
            all.iter().map(|one| one.number).collect()
        };
        assert_eq!(numbers(&double), [1, 2, 4]);
        assert_eq!(numbers(&own(1, 2, "")), [2]);
        let unknown = OwnEpisode {
            last: Some(2),
            ..own(3, 1, "")
        };
        assert_eq!(numbers(&unknown), [0; 0]);
        // The title finds the third number, which is listed once.
        let titled = OwnEpisode {
            last: Some(4),
            ..own(1, 3, "Four")
        };
        assert_eq!(numbers(&titled), [4]);
        let with_file = known.with_file([double].iter());
        assert_eq!(with_file, [(1, 1), (1, 2), (1, 4)].into());
    }
}
