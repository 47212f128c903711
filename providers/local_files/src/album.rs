//! Parser for `album.nfo` files, as Kodi and Jellyfin write them next to music.
//!
//! Format: <https://kodi.wiki/view/NFO_files/Albums>.

use ledge_core::enrich::lenient_json;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{Candidate, Details, ExternalId, PersonCredit};
use ledge_core::text::markup::xml;

use crate::node::{self, Node};

/// Most values of a list.
const MAX_VALUES: usize = 50;

/// Parses the file. Returns `None` if it contains no title.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<Candidate>, String> {
    let text = xml::decode(bytes);
    let root = node::root(&text, &["album"]);
    let root = root.ok_or_else(|| "it describes no album".to_owned())?;
    Ok(candidate(&root))
}

fn candidate(root: &Node) -> Option<Candidate> {
    let title = root.child("title")?;
    let date = |name: &str| node::date(&root.child(name)?);
    let edition = date("releasedate");
    let released = date("originalreleasedate").or_else(|| edition.clone());
    let year = released.clone().or_else(|| root.child("year"));
    let list = |names: &[&str]| root.list(names, &[" / "], MAX_VALUES);
    let people = artists(root);
    Some(Candidate {
        title,
        authors: people
            .iter()
            .map(|person| Credit::author(&person.name))
            .collect(),
        year: year.as_deref().and_then(lenient_json::year_in),
        description: root.all(&["review"]).find_map(Node::long),
        external_ids: [
            ("musicbrainz_release", "musicbrainzalbumid"),
            ("musicbrainz_release_group", "musicbrainzreleasegroupid"),
        ]
        .into_iter()
        .filter_map(|(database, element)| Some(ExternalId::new(database, root.child(element)?)))
        .collect(),
        details: Details {
            edition_released: edition.filter(|date| released.as_ref() != Some(date)),
            released,
            genres: list(&["genre"]),
            studios: list(&["label"]),
            form: root.child("type").map(|form| form.to_lowercase()),
            people,
            ..Details::default()
        },
        ..Candidate::default()
    })
}

/// Returns the credited artists with their ids. Older files contain only names.
fn artists(root: &Node) -> Vec<PersonCredit> {
    let credited = root.all(&["albumartistcredits"]).take(MAX_VALUES);
    let credited: Vec<PersonCredit> = credited
        .filter_map(|credit| {
            let id = credit.child("musicbrainzartistid");
            let id = id.map(|id| ExternalId::new("musicbrainz", id));
            Some(artist(credit.child("artist")?, id))
        })
        .collect();
    if !credited.is_empty() {
        return credited;
    }
    let names = root.list(&["albumartist"], &[" / "], MAX_VALUES);
    let names = match names {
        names if names.is_empty() => root.list(&["artist"], &[" / "], MAX_VALUES),
        names => names,
    };
    names.into_iter().map(|name| artist(name, None)).collect()
}

fn artist(name: String, id: Option<ExternalId>) -> PersonCredit {
    PersonCredit {
        name,
        role: "author".to_owned(),
        ids: id.into_iter().collect(),
        ..PersonCredit::default()
    }
}
