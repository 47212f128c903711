//! Parser for `.nfo` files of films and shows, as Kodi, Jellyfin, Emby and similar programs write
//! them. The reader of the video kind reads the same files during scans; this one adds characters,
//! ids of people, and everything else that belongs to the details of an item.
//!
//! Format: <https://kodi.wiki/view/NFO_files/Movies>, <https://kodi.wiki/view/NFO_files/TV_shows>.
//! The ids of people are those of Emby's metadata.

use ledge_core::enrich::lenient_json;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{
    Candidate, Certificate, DetailLink, Details, ExternalId, PersonCredit,
};
use ledge_core::text::markup::{text, xml};

use crate::node::{self, Node};

/// Most values of a list.
const MAX_VALUES: usize = 50;
/// Most people.
const MAX_PEOPLE: usize = 100;
/// Longest length in minutes.
const MAX_RUNTIME: u32 = 100_000;
/// Databases whose ids are kept, and the elements that contain them.
const ID_ELEMENTS: &[(&str, &str)] = &[
    ("imdbid", "imdb"),
    ("imdb_id", "imdb"),
    ("tmdbid", "tmdb"),
    ("tvdbid", "tvdb"),
];
/// Types of `uniqueid` that are kept.
const DATABASES: &[&str] = &["anidb", "imdb", "tmdb", "tvdb"];

/// Parses the file of a film or a show. Returns `None` if it has no title, or neither a plot nor a
/// cast: such a file only leads to a database, and other providers know more.
pub(crate) fn read(bytes: &[u8], roots: &[&str]) -> Option<Candidate> {
    let text = xml::decode(bytes);
    // Such a file may also consist of the address of a page, or describe an episode.
    candidate(&node::root(&text, roots)?)
}

fn candidate(root: &Node) -> Option<Candidate> {
    let title = root.child("title")?;
    let people = people(root);
    let plot = root.all(&["plot"]).find_map(Node::long);
    let plot = plot.or_else(|| root.all(&["outline"]).find_map(Node::long));
    if plot.is_none() && people.iter().all(|person| person.role != "actor") {
        return None;
    }
    let dates = ["premiered", "releasedate", "aired"];
    let released = dates.iter().find_map(|name| node::date(&root.child(name)?));
    let year = root.child("year").or_else(|| released.clone());
    let list = |names: &[&str]| root.list(names, &[" / "], MAX_VALUES);
    Some(Candidate {
        authors: people
            .iter()
            .filter(|person| person.role != "actor")
            .map(|person| Credit {
                name: person.name.clone(),
                role: person.role.clone(),
            })
            .collect(),
        year: year.as_deref().and_then(lenient_json::year_in),
        description: plot,
        external_ids: ids(root),
        details: Details {
            original_title: root.child("originaltitle").filter(|other| *other != title),
            tagline: root.child("tagline"),
            released,
            runtime: root.child("runtime").as_deref().and_then(runtime),
            genres: list(&["genre"]),
            studios: list(&["studio"]),
            countries: list(&["country"]),
            collection: collection(root),
            certificates: certificates(root),
            form: root.child("status"),
            people,
            links: trailer(root).into_iter().collect(),
            ..Details::default()
        },
        title,
        ..Candidate::default()
    })
}

/// Returns directors as authors, as the video kind does, then writers and the cast.
fn people(root: &Node) -> Vec<PersonCredit> {
    let crew = [
        ("author", ["director", "director"]),
        ("writer", ["credits", "writer"]),
    ];
    let mut people: Vec<PersonCredit> = Vec::new();
    for (role, elements) in crew {
        let names = root.list(&elements, &[" / "], MAX_VALUES);
        people.extend(names.into_iter().map(|name| PersonCredit {
            name,
            role: role.to_owned(),
            ..PersonCredit::default()
        }));
    }
    people.extend(root.all(&["actor"]).take(MAX_PEOPLE).filter_map(actor));
    people.truncate(MAX_PEOPLE);
    people
}

fn actor(node: &Node) -> Option<PersonCredit> {
    let role = match node.child("type").as_deref() {
        None | Some("Actor" | "GuestStar") => "actor",
        Some("Writer") => "writer",
        Some("Composer") => "composer",
        Some("Producer") => "producer",
        Some(_) => return None,
    };
    Some(PersonCredit {
        name: node.child("name")?,
        role: role.to_owned(),
        character: node.child("role").filter(|_| role == "actor"),
        // An address of a picture is ignored: a file must not cause requests to its hosts.
        ids: ids(node),
        ..PersonCredit::default()
    })
}

fn ids(node: &Node) -> Vec<ExternalId> {
    let unique = node.all(&["uniqueid"]).filter_map(|unique| {
        let database = unique.kind.as_deref()?;
        let known = DATABASES.iter().find(|known| **known == database)?;
        Some((*known, unique.line()?))
    });
    let named = ID_ELEMENTS
        .iter()
        .filter_map(|(element, database)| Some((*database, node.child(element)?)));
    let mut ids: Vec<ExternalId> = Vec::new();
    for (database, id) in unique.chain(named) {
        let is_id = id.len() <= 40 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_new = ids.iter().all(|known| known.database != database);
        if is_id && is_new {
            ids.push(ExternalId::new(database, id));
        }
    }
    ids
}

/// Returns the minutes of `136` or `136 min`.
fn runtime(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
    let minutes = digits.parse().ok()?;
    (1..=MAX_RUNTIME).contains(&minutes).then_some(minutes)
}

/// Returns the name in `<set><name>Name</name></set>`, or in the older `<set>Name</set>`.
fn collection(root: &Node) -> Option<String> {
    let mut sets = root.all(&["set"]);
    sets.find_map(|set| set.child("name").or_else(|| set.line()))
}

/// Returns age ratings such as `DE:FSK 12 / US:PG-13`. Kodi writes American ratings as `Rated R`.
fn certificates(root: &Node) -> Vec<Certificate> {
    let ratings = root.list(&["mpaa", "certification"], &[" / "], MAX_VALUES);
    let rating = |text: String| {
        if let Some(rating) = text.strip_prefix("Rated ") {
            return Some(("US".to_owned(), text::line(rating)?));
        }
        let (country, rating) = text.split_once([':', '-'])?;
        let country = country.trim().to_ascii_uppercase();
        let is_code = country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase());
        Some((country, text::line(rating)?)).filter(|_| is_code)
    };
    ratings
        .into_iter()
        .filter_map(rating)
        .map(|(country, rating)| Certificate { country, rating })
        .collect()
}

/// Returns the page of the trailer. Kodi writes a command of its player for `YouTube`.
fn trailer(root: &Node) -> Option<DetailLink> {
    let address = root.child("trailer")?;
    let command = address.starts_with("plugin://plugin.video.youtube/");
    let video = address
        .rsplit_once("video_id=")
        .or_else(|| address.rsplit_once("videoid="));
    let url = match video.filter(|_| command) {
        Some((_, id)) => {
            let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            let is_video = id.len() == 11 && id.chars().all(is_id);
            is_video.then(|| format!("https://www.youtube.com/watch?v={id}"))?
        }
        None => address.starts_with("https://").then_some(address)?,
    };
    Some(DetailLink::new("Trailer", url))
}
