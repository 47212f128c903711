//! Parser for MusicBrainz's responses: releases and recordings, as results of a search and as
//! entries with all their data, and artists.

mod fields;

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::provider::{
    AskError, Base, Candidate, Cover, Details, ExternalId, PersonDetails,
};
use serde_json::Value;

use crate::id::{self, Entity};

/// Results of a list that are parsed.
const MAX_ENTRIES: usize = 100;
/// Tracks of a release that are parsed.
const MAX_TRACKS: usize = 2_000;
/// Formats of discs with films. Files of an album are not their tracks.
const VIDEO_FORMATS: &[&str] = &[
    "blu-ray",
    "dvd",
    "dvd-video",
    "hd-dvd",
    "laserdisc",
    "svcd",
    "umd",
    "vcd",
    "vhs",
];

/// Words in comments of recordings that are another version of a song.
const VERSION_WORDS: &[&str] = &[
    "acoustic",
    "cover",
    "demo",
    "edit",
    "instrumental",
    "karaoke",
    "live",
    "mix",
    "rehearsal",
    "remix",
    "session",
    "take",
];

/// Release with the values that it is ranked by.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    pub(crate) candidate: Candidate,
    /// Id of the release group.
    pub(crate) group: Option<String>,
    /// Number of tracks.
    pub(crate) tracks: Option<usize>,
    /// Year of this release.
    pub(crate) year: Option<i32>,
    /// Year of the first release of the group.
    pub(crate) first_year: Option<i32>,
    pub(crate) is_live: bool,
    pub(crate) is_official: bool,
}

/// Recording with the values that it is ranked by.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    pub(crate) candidate: Candidate,
    /// Comment that distinguishes the version of the song: `live`, `remix`.
    pub(crate) version: Option<String>,
}

/// Returns the releases of a search, or of a release group.
pub(crate) fn releases(answer: &Value, covers: &Base) -> Result<Vec<Release>, AskError> {
    let entries = shape::list(answer, "releases")?;
    shape::read_entries(entries, MAX_ENTRIES, |entry| release(entry, covers))
}

/// Parses a release. Returns `None` if it has no title.
pub(crate) fn release(entry: &Value, covers: &Base) -> Result<Option<Release>, AskError> {
    let id = entry_id(entry)?;
    let Some(title) = shape::text(entry, "title")? else {
        return Ok(None);
    };
    let group = entry.get("release-group").unwrap_or(&Value::Null);
    let group_id = lenient_json::line(group, "id").and_then(|id| id::uuid(&id));
    let media: Vec<&Value> = lenient_json::list(entry, "media")
        .filter(|medium| !is_video(medium))
        .collect();
    let date = fields::date(entry, "date");
    let first = fields::date(group, "first-release-date");
    let kinds = fields::group_types(group);
    let year = |date: &Option<String>| date.as_deref().and_then(lenient_json::year_in);
    let (own_year, first_year) = (year(&date), year(&first));
    let credits = fields::credits(entry, &media);
    let (links, mut external_ids) = fields::links(entry, Entity::Release.name(), &id);
    external_ids.push(ExternalId::new("musicbrainz_release", &*id));
    external_ids.extend(
        group_id
            .as_deref()
            .map(|id| ExternalId::new("musicbrainz_release_group", id)),
    );
    let genres = match fields::genres(entry) {
        genres if genres.is_empty() => fields::genres(group),
        genres => genres,
    };
    let details = Details {
        released: first.clone().or_else(|| date.clone()),
        edition_released: date.filter(|date| first.as_ref().is_some_and(|first| first != date)),
        genres,
        studios: fields::labels(entry),
        form: kinds.last().cloned(),
        people: credits.people,
        track_seconds: track_seconds(&media),
        links,
        ..Details::default()
    };
    Ok(Some(Release {
        candidate: Candidate {
            title,
            authors: credits.authors,
            year: first_year.or(own_year),
            cover: cover_of_release(entry, &id, group_id.as_deref(), covers),
            external_ids,
            details,
            provider_id: id,
            ..Candidate::default()
        },
        group: group_id,
        tracks: track_count(&media),
        year: own_year,
        first_year,
        is_live: kinds.iter().any(|kind| kind == "live"),
        is_official: lenient_json::line(entry, "status").is_none_or(|status| status == "Official"),
    }))
}

/// Returns the recordings of a search.
pub(crate) fn recordings(answer: &Value, covers: &Base) -> Result<Vec<Recording>, AskError> {
    let entries = shape::list(answer, "recordings")?;
    shape::read_entries(entries, MAX_ENTRIES, |entry| recording(entry, covers))
}

/// Parses a recording. Returns `None` if it has no title.
pub(crate) fn recording(entry: &Value, covers: &Base) -> Result<Option<Recording>, AskError> {
    let id = entry_id(entry)?;
    let Some(title) = shape::text(entry, "title")? else {
        return Ok(None);
    };
    let released = fields::date(entry, "first-release-date");
    let credits = fields::credits(entry, &[]);
    let (links, mut external_ids) = fields::links(entry, Entity::Recording.name(), &id);
    external_ids.push(ExternalId::new("musicbrainz_recording", &*id));
    let group = fields::main_group(entry);
    let version = lenient_json::line(entry, "disambiguation").filter(|comment| {
        let comment = comment.to_lowercase();
        let mut words = comment.split(|c: char| !c.is_alphanumeric());
        words.any(|word| VERSION_WORDS.contains(&word))
    });
    let candidate = Candidate {
        title,
        authors: credits.authors,
        year: released.as_deref().and_then(lenient_json::year_in),
        cover: group.map(|group| front(covers, Entity::ReleaseGroup, &group)),
        external_ids,
        details: Details {
            released,
            genres: fields::genres(entry),
            people: credits.people,
            track_seconds: seconds(entry).into_iter().collect(),
            links,
            ..Details::default()
        },
        provider_id: id,
        ..Candidate::default()
    };
    Ok(Some(Recording { candidate, version }))
}

/// Types of artists that are several people.
const GROUP_TYPES: &[&str] = &["Choir", "Group", "Orchestra"];

/// Parses an artist.
pub(crate) fn artist(entry: &Value) -> Result<PersonDetails, AskError> {
    let id = entry_id(entry)?;
    let (links, external_ids) = fields::links(entry, id::ARTIST, &id);
    let span = entry.get("life-span").unwrap_or(&Value::Null);
    let place = entry.get("begin-area").unwrap_or(&Value::Null);
    let kind = lenient_json::line(entry, "type").unwrap_or_default();
    Ok(PersonDetails {
        born: fields::date(span, "begin"),
        died: fields::date(span, "end"),
        birthplace: lenient_json::line(place, "name"),
        is_group: GROUP_TYPES.contains(&kind.as_str()),
        links,
        external_ids,
        ..PersonDetails::default()
    })
}

/// Returns the required id of an entry.
fn entry_id(entry: &Value) -> Result<String, AskError> {
    let id = shape::text(entry, "id")?;
    id.and_then(|id| id::uuid(&id))
        .ok_or_else(|| shape::unexpected("`id` is not an identifier of MusicBrainz"))
}

fn is_video(medium: &Value) -> bool {
    let format = lenient_json::line(medium, "format").map(|format| format.to_lowercase());
    format.is_some_and(|format| VIDEO_FORMATS.contains(&format.as_str()))
}

fn track_count(media: &[&Value]) -> Option<usize> {
    let counts = media.iter().map(|medium| {
        let count = lenient_json::integer(medium, "track-count")?;
        usize::try_from(count)
            .ok()
            .filter(|count| *count <= MAX_TRACKS)
    });
    let total: Option<usize> = counts.sum();
    total.filter(|total| *total > 0)
}

/// Returns the lengths of all tracks, or nothing if one is unknown.
fn track_seconds(media: &[&Value]) -> Vec<f64> {
    let mut media = media.to_vec();
    media.sort_by_key(|medium| lenient_json::integer(medium, "position"));
    let tracks = media.iter().flat_map(|medium| {
        let tracks = medium.get("tracks").and_then(Value::as_array);
        tracks.into_iter().flatten()
    });
    let lengths = tracks.take(MAX_TRACKS).map(|track| {
        let of_recording = || seconds(track.get("recording")?);
        seconds(track).or_else(of_recording)
    });
    lengths.collect::<Option<Vec<f64>>>().unwrap_or_default()
}

/// Returns the length of a track or a recording, which MusicBrainz states in milliseconds.
fn seconds(value: &Value) -> Option<f64> {
    let milliseconds = lenient_json::integer(value, "length")?;
    let milliseconds = u32::try_from(milliseconds)
        .ok()
        .filter(|length| *length > 0)?;
    Some(f64::from(milliseconds) / 1000.0)
}

/// Returns the front cover of a release, or that of its group if the release has none.
fn cover_of_release(entry: &Value, id: &str, group: Option<&str>, covers: &Base) -> Option<Cover> {
    let archive = entry.get("cover-art-archive");
    let has_front = archive.and_then(|archive| archive.get("front")?.as_bool());
    match (has_front, group) {
        (Some(true), _) => Some(front(covers, Entity::Release, id)),
        (_, Some(group)) => Some(front(covers, Entity::ReleaseGroup, group)),
        (_, None) => None,
    }
}

fn front(covers: &Base, entity: Entity, id: &str) -> Cover {
    Cover::Address(covers.join(&format!("{}/{id}/front-500", entity.name())))
}
