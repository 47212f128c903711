//! Fields that releases and recordings share: credits, genres, labels, types and links.

use ledge_core::enrich::lenient_json;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{DetailLink, ExternalId, PersonCredit};
use serde_json::Value;

use crate::id;

/// Most genres that are kept.
const MAX_GENRES: usize = 10;
/// Most people that are kept.
const MAX_PEOPLE: usize = 60;
/// Most links that are kept.
const MAX_LINKS: usize = 10;
/// Phrases before guests in a credit.
const GUEST_PHRASES: &[&str] = &["feat", "ft.", "featuring", "with guest"];
/// Types of links and their labels. Other types are not shown.
const LINK_TYPES: &[(&str, &str)] = &[
    ("allmusic", "AllMusic"),
    ("bandcamp", "Bandcamp"),
    ("discogs", "Discogs"),
    ("free streaming", "Stream"),
    ("official homepage", "Official site"),
    ("review", "Review"),
    ("wikidata", "Wikidata"),
];

/// Artists of an entry.
#[derive(Debug, Default)]
pub(super) struct Credits {
    /// Artists of the entry, then guests with the role `performer`.
    pub(super) authors: Vec<Credit>,
    /// The same people with their ids, then the other artists of the tracks.
    pub(super) people: Vec<PersonCredit>,
}

impl Credits {
    fn add(&mut self, person: PersonCredit, is_of_entry: bool) {
        let same = |known: &PersonCredit| match (known.ids.first(), person.ids.first()) {
            (Some(known), Some(id)) => known == id,
            _ => known.name == person.name,
        };
        if self.people.len() >= MAX_PEOPLE || self.people.iter().any(same) {
            return;
        }
        if is_of_entry {
            self.authors.push(Credit {
                name: person.name.clone(),
                role: person.role.clone(),
            });
        }
        self.people.push(person);
    }
}

/// Returns the artists of an entry and of its tracks. An artist after `feat.` is a guest.
pub(super) fn credits(entry: &Value, media: &[&Value]) -> Credits {
    let mut credits = Credits::default();
    for person in people(entry, "author") {
        credits.add(person, true);
    }
    let tracks = media
        .iter()
        .flat_map(|medium| lenient_json::list(medium, "tracks"));
    for person in tracks.flat_map(|track| people(track, "performer")) {
        credits.add(person, false);
    }
    credits
}

fn people(value: &Value, role: &str) -> Vec<PersonCredit> {
    let mut people = Vec::new();
    let mut is_guest = false;
    for part in lenient_json::list(value, "artist-credit") {
        let artist = part.get("artist").unwrap_or(&Value::Null);
        let name = lenient_json::line(part, "name").or_else(|| lenient_json::line(artist, "name"));
        if let Some(name) = name {
            let role = if is_guest { "performer" } else { role };
            let id = lenient_json::line(artist, "id").and_then(|id| id::uuid(&id));
            people.push(PersonCredit {
                name,
                role: role.to_owned(),
                ids: id
                    .map(|id| ExternalId::new("musicbrainz", id))
                    .into_iter()
                    .collect(),
                ..PersonCredit::default()
            });
        }
        let phrase = lenient_json::line(part, "joinphrase").unwrap_or_default();
        let phrase = phrase.to_lowercase();
        is_guest |= GUEST_PHRASES.iter().any(|guest| phrase.contains(guest));
    }
    people
}

/// Returns the genres, the most frequently assigned first.
pub(super) fn genres(value: &Value) -> Vec<String> {
    let mut genres: Vec<(i64, String)> = lenient_json::list(value, "genres")
        .filter_map(|genre| {
            let count = lenient_json::integer(genre, "count").unwrap_or_default();
            Some((count, lenient_json::line(genre, "name")?))
        })
        .collect();
    genres.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let names = genres.into_iter().map(|(_, name)| name);
    names.take(MAX_GENRES).collect()
}

/// Returns the labels of a release, each once. `[no label]` is a placeholder.
pub(super) fn labels(entry: &Value) -> Vec<String> {
    let mut labels = Vec::new();
    for info in lenient_json::list(entry, "label-info") {
        let name = info
            .get("label")
            .and_then(|label| lenient_json::line(label, "name"));
        if let Some(name) = name.filter(|name| !name.starts_with('['))
            && !labels.contains(&name)
        {
            labels.push(name);
        }
    }
    labels
}

/// Returns the types of a release group in lower case. The last one is the most specific one: an
/// album that is a compilation has the types `album` and `compilation`.
pub(super) fn group_types(group: &Value) -> Vec<String> {
    let primary = lenient_json::line(group, "primary-type");
    let mut secondary = lenient_json::lines(group, "secondary-types");
    // A live album is a live album first, even if it is also a compilation.
    secondary.sort_by_key(|kind| kind == "Live");
    let kinds = primary.into_iter().chain(secondary);
    kinds.map(|kind| kind.to_lowercase()).collect()
}

/// Returns the group of a recording's most typical release: an official album before others, the
/// earliest first.
pub(super) fn main_group(entry: &Value) -> Option<String> {
    let groups = lenient_json::list(entry, "releases").filter_map(|release| {
        let group = release.get("release-group")?;
        let id = lenient_json::line(group, "id").and_then(|id| id::uuid(&id))?;
        let kinds = group_types(group);
        let is_other = kinds != ["album"];
        let status = lenient_json::line(release, "status");
        let is_unofficial = status.is_some_and(|status| status != "Official");
        let date = date(release, "date").unwrap_or_else(|| "9999".to_owned());
        Some(((is_unofficial, is_other, date), id))
    });
    groups.min().map(|(_, id)| id)
}

/// Returns a date as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
pub(super) fn date(value: &Value, field: &str) -> Option<String> {
    let date = lenient_json::line(value, field)?;
    let is_part = |(part, len): (&str, usize)| {
        part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts = date.split('-').count();
    let is_date = parts <= 3 && date.split('-').zip([4, 2, 2]).all(is_part);
    is_date.then_some(date)
}

/// Returns links to the page of an entry and to other sites, and the ids in them. `entity` is the
/// type of the entry in addresses.
pub(super) fn links(entry: &Value, entity: &str, id: &str) -> (Vec<DetailLink>, Vec<ExternalId>) {
    let own = format!("https://musicbrainz.org/{entity}/{id}");
    let mut links = vec![DetailLink::new("MusicBrainz", own)];
    let mut ids = Vec::new();
    for relation in lenient_json::list(entry, "relations") {
        let kind = lenient_json::line(relation, "type").unwrap_or_default();
        let known = LINK_TYPES.iter().find(|(known, _)| *known == kind);
        let target = relation.get("url").unwrap_or(&Value::Null);
        let url = lenient_json::line(target, "resource");
        let url = url.filter(|url| url.starts_with("https://"));
        let has_ended = relation.get("ended").and_then(Value::as_bool) == Some(true);
        let (Some((_, label)), Some(url), false) = (known, url, has_ended) else {
            continue;
        };
        if kind == "wikidata" {
            ids.extend(wikidata_id(&url));
        }
        if links.len() < MAX_LINKS {
            links.push(DetailLink::new(*label, url));
        }
    }
    (links, ids)
}

fn wikidata_id(url: &str) -> Option<ExternalId> {
    let id = url.rsplit('/').next()?;
    let digits = id.strip_prefix('Q')?;
    let is_id =
        (1..=12).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_id.then(|| ExternalId::new("wikidata", id))
}
