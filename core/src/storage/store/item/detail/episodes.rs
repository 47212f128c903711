//! Seasons and episodes of an item, from the numbers of its files.

use rusqlite::{Connection, Row, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::page_order;
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId};
use crate::path;
use crate::registry::naming::join;
use crate::registry::{Registry, Unit};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::cover::picture;
use crate::store::file::totals;
use crate::store::item::Cover;
use crate::store::matches;
use crate::store::matches::episodes::{KnownEpisodes, OwnEpisode};
use crate::store::user_data::progress::{FilePlace, fraction};

/// Season of an item.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Season {
    /// Number of the season; 0 for specials.
    pub season: i64,
    /// Poster of the season; null if it has none.
    pub poster: Option<Cover>,
    /// Number of episodes. Versions of one episode count once, and a file of several episodes counts
    /// each of them.
    pub episodes: usize,
    /// Number of episodes that the viewer has finished.
    pub finished: usize,
    /// Sum of the known lengths in seconds; null if none is known.
    pub duration: Option<i64>,
}

/// Episode of an item.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Episode {
    /// Id of the file. If the episode has several versions, a present one and a started one
    /// precede.
    pub file_id: FileId,
    /// Number of the season; 0 for specials.
    pub season: i64,
    /// Number of the episode; null if the name of its file contains none.
    pub episode: Option<i64>,
    /// Number of the last episode, if a version has several.
    pub last_episode: Option<i64>,
    /// Title of the episode. A file of several episodes has their titles with ` / ` between them,
    /// unless its name contains a title.
    pub title: Option<String>,
    /// Date of the first broadcast, as `YYYY-MM-DD`; null if it is unknown.
    pub air_date: Option<String>,
    /// Summary of the episode; null if it is unknown.
    pub description: Option<String>,
    /// Picture of the episode; null if it has none.
    pub still: Option<Cover>,
    /// Length in seconds; null if it is unknown.
    pub duration: Option<i64>,
    /// `true` if the last scan found no version of the episode.
    pub missing: bool,
    /// Progress of the viewer in the file, or in another version that is finished.
    pub progress: Option<FilePlace>,
}

impl Episode {
    /// Returns numbers, title and date of the file; `None` if the file has no number.
    fn own(&self) -> Option<OwnEpisode> {
        Some(OwnEpisode {
            season: self.season,
            number: self.episode?,
            last: self.last_episode,
            title: self.title.clone(),
            aired: self.air_date.clone(),
        })
    }

    fn is_finished(&self) -> bool {
        self.progress.as_ref().is_some_and(|place| place.finished)
    }

    /// Returns the first and the last number; `None` if the file has no number.
    fn numbers(&self) -> Option<(i64, i64)> {
        let first = self.episode?;
        Some((first, self.last_episode.unwrap_or(first).max(first)))
    }
}

/// Counts episodes. Those in several files count once.
fn count<'a>(episodes: impl Iterator<Item = &'a Episode>) -> usize {
    let mut ranges = Vec::new();
    let mut count = 0_usize;
    for episode in episodes {
        match episode.numbers() {
            Some(range) => ranges.push(range),
            None => count += 1,
        }
    }
    ranges.sort_unstable();
    let mut counted = i64::MIN;
    for (first, last) in ranges {
        let new = last.saturating_sub(first.max(counted.saturating_add(1)));
        count += usize::try_from(new.saturating_add(1)).unwrap_or(0);
        counted = counted.max(last);
    }
    count
}

/// Returns the seasons of an item in order, with the specials last. An item without seasons has
/// none.
pub fn seasons(
    conn: &Connection,
    registry: &Registry,
    item: VisibleItem,
) -> StoreResult<Vec<Season>> {
    let mut posters = picture::season_posters(conn, item.id())?;
    let mut season = |episodes: &[Episode]| {
        let season = episodes.first()?.season;
        let lengths = episodes.iter().filter_map(|episode| episode.duration);
        Some(Season {
            season,
            poster: posters.remove(&season),
            episodes: count(episodes.iter()),
            finished: count(episodes.iter().filter(|episode| episode.is_finished())),
            duration: lengths.reduce(i64::saturating_add),
        })
    };
    let episodes = episodes(conn, registry, item)?;
    let seasons = episodes.chunk_by(|one, other| one.season == other.season);
    Ok(seasons.filter_map(&mut season).collect())
}

/// Returns the episodes of an item in order, with the specials last. An item without seasons has
/// none.
pub fn episodes(
    conn: &Connection,
    registry: &Registry,
    item: VisibleItem,
) -> StoreResult<Vec<Episode>> {
    let mut statement = conn.prepare_cached(FILES)?;
    let of = named_params! { ":item": item.id(), ":viewer": item.viewer() };
    let rows = statement.query_map(of, |row| version(row, registry))?;
    let mut versions: Vec<Version> = rows.collect::<Result<_, _>>()?;
    versions.sort_by_cached_key(|version| {
        let season = version.episode.season;
        let file = version.episode.file_id;
        let order = page_order(version.sequence, &version.path, file);
        (season == 0, season, order)
    });
    let slots = versions.chunk_by(Version::is_same_episode);
    let mut episodes: Vec<Episode> = slots.filter_map(merge).collect();
    add_details(conn, item.id(), &mut episodes)?;
    Ok(episodes)
}

/// Episode that has been broadcast and of which the item has no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AbsentEpisode {
    /// Number of the season.
    pub season: i64,
    /// Number of the episode within its season.
    pub episode: i64,
    /// Title of the episode; null if it is unknown.
    pub title: Option<String>,
    /// Date of the first broadcast, as `YYYY-MM-DD`.
    pub air_date: String,
}

/// Returns the episodes without a file that the provider of the item's match knows, in order.
/// Specials and episodes after `today` (`YYYY-MM-DD`) are left out.
pub fn absent(
    conn: &Connection,
    registry: &Registry,
    item: VisibleItem,
    today: &str,
) -> StoreResult<Vec<AbsentEpisode>> {
    let known = matches::episodes::known(conn, item.id())?;
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let own: Vec<OwnEpisode> = episodes(conn, registry, item)?
        .iter()
        .filter_map(Episode::own)
        .collect();
    let with_file = KnownEpisodes::new(&known).with_file(own.iter());
    let absent = known.into_iter().filter_map(|known| {
        let air_date = known.aired.filter(|aired| aired.as_str() <= today)?;
        let is_absent = known.season > 0 && !with_file.contains(&(known.season, known.number));
        is_absent.then_some(AbsentEpisode {
            season: known.season,
            episode: known.number,
            title: known.title,
            air_date,
        })
    });
    Ok(absent.collect())
}

/// Adds the details that the provider of the item's match knows. Titles from names and files stay.
fn add_details(conn: &Connection, item: ItemId, episodes: &mut [Episode]) -> StoreResult<()> {
    let known = matches::episodes::known(conn, item)?;
    let known = KnownEpisodes::new(&known);
    let mut stills = picture::stills(conn, item)?;
    for episode in episodes {
        let Some(own) = episode.own() else {
            continue;
        };
        episode.still = stills.remove(&(own.season, own.number));
        let known = known.all(&own);
        let joined = |texts: Vec<&str>, between| (!texts.is_empty()).then(|| texts.join(between));
        let titles = known.iter().filter_map(|one| one.title.as_deref());
        let descriptions = known.iter().filter_map(|one| one.description.as_deref());
        episode.title = own.title.or_else(|| joined(titles.collect(), " / "));
        episode.description = joined(descriptions.collect(), "\n\n");
        let aired = known.iter().find_map(|one| one.aired.clone());
        episode.air_date = own.aired.or(aired);
    }
    Ok(())
}

/// Version of an episode.
struct Version {
    sequence: Option<i64>,
    /// Path below the library's root.
    path: String,
    episode: Episode,
}

impl Version {
    fn is_same_episode(&self, other: &Self) -> bool {
        let key = |version: &Self| {
            let Episode {
                season, episode, ..
            } = version.episode;
            (version.sequence, season, episode)
        };
        self.episode.episode.is_some() && key(self) == key(other)
    }

    /// Returns the rank of a version among the versions of its episode. The lowest one represents
    /// the episode.
    fn rank(&self) -> (bool, bool, bool) {
        let is_unstarted = self.episode.progress.is_none();
        (
            self.episode.missing,
            !self.episode.is_finished(),
            is_unstarted,
        )
    }
}

/// Returns the episode of these versions.
fn merge(versions: &[Version]) -> Option<Episode> {
    let first = versions.iter().min_by_key(|version| version.rank())?;
    let finished = versions
        .iter()
        .find(|version| version.episode.is_finished());
    let known = versions.iter().find_map(|version| version.episode.duration);
    let air_date = versions
        .iter()
        .find_map(|version| version.episode.air_date.clone());
    let last_episode = versions.iter().filter_map(|one| one.episode.last_episode);
    let progress = finished.unwrap_or(first).episode.progress.clone();
    Some(Episode {
        progress,
        last_episode: last_episode.max(),
        air_date: first.episode.air_date.clone().or(air_date),
        duration: first.episode.duration.or(known),
        ..first.episode.clone()
    })
}

const FILES: &str = "
    SELECT file.sequence, folder.path, file.name, item.kind, file.id, file.season, file.episode,
           file.last_episode, file.title, file.extent, file.missing, file.kind_data,
           place.position, place.finished, place.locator, place.updated_at, place.within
      FROM item
      JOIN file ON file.item_id = item.id
      JOIN folder ON folder.id = file.folder_id
      LEFT JOIN progress AS place ON place.user_id = :viewer AND place.file_id = file.id
     WHERE item.id = :item AND file.season IS NOT NULL";

fn version(row: &Row<'_>, registry: &Registry) -> rusqlite::Result<Version> {
    let mut row = ColumnReader::of(row);
    let sequence = row.take()?;
    let (folder, name): (Vec<u8>, Vec<u8>) = (row.take()?, row.take()?);
    let kind: String = row.take()?;
    let kind = registry.kind(&kind);
    let unit = totals::unit(kind, &name);
    let file_id = row.take()?;
    let (season, episode, last_episode) = (row.take()?, row.take()?, row.take()?);
    let title = row.take()?;
    let extent: Option<i64> = row.take()?;
    let missing = row.take()?;
    let kind_data: Option<String> = row.take()?;
    let part_date = kind.and_then(|kind| kind.part_date).zip(kind_data);
    Ok(Version {
        sequence,
        path: join(&path::display(&folder), &path::display(&name)),
        episode: Episode {
            file_id,
            season,
            episode,
            last_episode,
            title,
            air_date: part_date.and_then(|(part_date, data)| part_date(&data)),
            description: None,
            still: None,
            duration: extent.filter(|_| unit == Unit::Second),
            missing,
            progress: place(&mut row, (file_id, extent))?,
        },
    })
}

/// Reads the viewer's progress in a file.
fn place(
    row: &mut ColumnReader<'_, '_>,
    (file_id, extent): (FileId, Option<i64>),
) -> rusqlite::Result<Option<FilePlace>> {
    let Some(position) = row.take()? else {
        return Ok(None);
    };
    let finished = row.take()?;
    Ok(Some(FilePlace {
        file_id,
        position,
        extent,
        fraction: fraction(position, extent, finished),
        finished,
        locator: row.take()?,
        updated_at: row.take()?,
        within: row.take()?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::progress::tests::assert_searches;

    #[test]
    fn episode_statement_uses_keys_only() {
        assert_searches(FILES);
    }
}
