//! Who made a recording: the album's artist before the tracks', many as Various Artists; of a book
//! its authors and narrators.

use ledge_core::names::people;
use ledge_core::registry::naming::{Credit, Group};

use super::{Form, most_common};
use crate::said::Said;
use crate::words::{VARIOUS_ARTISTS, is_everybody};

pub(super) const NARRATOR: &str = "narrator";
/// Most people beside the authors.
const MOST: usize = 60;

/// The people of an item in order, authors first.
pub(super) fn credits(form: Form, group: &Group, said: &[Said]) -> Vec<Credit> {
    if form == Form::Audiobook {
        return book(said);
    }
    let is_alone = group.members.len() == 1;
    let authors = if form == Form::Track && is_alone {
        said.first().map(track_artists).unwrap_or_default()
    } else {
        album_artists(said)
    };
    let mut credits: Vec<Credit> = authors.into_iter().map(Credit::author).collect();
    let roles: [(&str, fn(&Said) -> &[String]); 4] = [
        ("performer", |said| &said.artists),
        ("composer", |said| &said.composers),
        ("conductor", |said| &said.conductors),
        ("lyricist", |said| &said.lyricists),
    ];
    for (role, of) in roles {
        add(&mut credits, role, said.iter().flat_map(of).cloned());
    }
    credits
}

/// Adds people who do not stand there as authors or in the same role already.
fn add(credits: &mut Vec<Credit>, role: &str, names: impl Iterator<Item = String>) {
    for name in names {
        let is_known = credits.iter().any(|credit| {
            credit.name == name
                && (credit.role == role || (role == "performer" && credit.role == "author"))
        });
        if !is_known && !is_everybody(&name) && credits.len() < MOST {
            credits.push(Credit {
                name,
                role: role.to_owned(),
            });
        }
    }
}

fn track_artists(said: &Said) -> Vec<String> {
    let named = if said.artists.is_empty() {
        &said.album_artists
    } else {
        &said.artists
    };
    named.iter().map(|name| spelt(name)).collect()
}

/// The album's artist where one is named, else the artist of most tracks, else many.
fn album_artists(said: &[Said]) -> Vec<String> {
    let named = most_common(
        said.iter()
            .map(|said| &said.album_artists)
            .filter(|names| !names.is_empty()),
    );
    if let Some(names) = named {
        return names.iter().map(|name| spelt(name)).collect();
    }
    let with_artists: Vec<&Vec<String>> = said
        .iter()
        .map(|said| &said.artists)
        .filter(|names| !names.is_empty())
        .collect();
    let Some(common) = most_common(with_artists.iter().map(|names| leads(names))) else {
        return Vec::new();
    };
    let share = with_artists
        .iter()
        .filter(|names| leads(names) == common)
        .count();
    let is_compilation = said.iter().any(|said| said.is_compilation);
    if share * 2 > with_artists.len() && !(is_compilation && share < with_artists.len()) {
        // All of the first, where all tracks agree; else the one they have in common.
        let all = most_common(with_artists.iter().copied());
        let agree = with_artists.iter().all(|names| Some(*names) == all);
        return match all.filter(|_| agree) {
            Some(everyone) => everyone.iter().map(|artist| spelt(artist)).collect(),
            None => vec![spelt(&common)],
        };
    }
    vec![VARIOUS_ARTISTS.to_owned()]
}

/// Whoever a track is by, without guests.
fn leads(names: &[String]) -> String {
    let first = names.first().map_or("", String::as_str);
    let lower = first.to_lowercase();
    let guest = [" feat. ", " feat ", " ft. ", " featuring ", " (feat"]
        .iter()
        .filter_map(|mark| lower.find(mark))
        .min();
    match guest.and_then(|at| first.get(..at)) {
        Some(lead) => lead.trim().to_owned(),
        None => first.to_owned(),
    }
}

fn spelt(name: &str) -> String {
    if is_everybody(name) {
        VARIOUS_ARTISTS.to_owned()
    } else {
        name.to_owned()
    }
}

/// A book's authors, narrators and translators. Books have no fields of their own in most tags:
/// whoever wrote it stands as the artist, whoever reads it as the composer.
fn book(said: &[Said]) -> Vec<Credit> {
    let authors = authors(said);
    let mut credits: Vec<Credit> = authors.iter().map(Credit::author).collect();
    add(
        &mut credits,
        NARRATOR,
        narrators(said, &authors).into_iter(),
    );
    add(
        &mut credits,
        "translator",
        named(said, |said| &said.translators).into_iter(),
    );
    credits
}

fn authors(said: &[Said]) -> Vec<String> {
    let fields: [fn(&Said) -> &Vec<String>; 3] = [
        |said| &said.authors,
        |said| &said.album_artists,
        |said| &said.artists,
    ];
    let field = fields
        .iter()
        .find_map(|of| most_common(said.iter().map(of).filter(|names| !names.is_empty())));
    let names = field.map(|names| each(names)).unwrap_or_default();
    let narrators = named(said, |said| &said.narrators);
    // `Author, Narrator` stands in one field where a shop's data were taken over.
    if names.len() > 1 && narrators.iter().any(|name| names.contains(name)) {
        let rest: Vec<String> = names
            .iter()
            .filter(|name| !narrators.contains(name))
            .cloned()
            .collect();
        if !rest.is_empty() {
            return rest;
        }
    }
    names
}

fn narrators(said: &[Said], authors: &[String]) -> Vec<String> {
    let others = |names: Vec<String>| -> Vec<String> {
        names
            .into_iter()
            .filter(|name| !authors.contains(name))
            .collect()
    };
    let told = named(said, |said| &said.narrators);
    if !told.is_empty() {
        // Authors read their own books, too.
        return told;
    }
    let composers = others(named(said, |said| &said.composers));
    if !composers.is_empty() {
        return composers;
    }
    let has_album_artist = said.iter().any(|said| !said.album_artists.is_empty());
    if !has_album_artist {
        return Vec::new();
    }
    others(named(said, |said| &said.artists))
}

/// The people of a field in all files, in order.
fn named(said: &[Said], of: fn(&Said) -> &Vec<String>) -> Vec<String> {
    let mut names = Vec::new();
    for name in said.iter().flat_map(|said| each(of(said))) {
        if !names.contains(&name) && names.len() < MOST {
            names.push(name);
        }
    }
    names
}

/// People one by one: `A & B` and `A, B` are two, where they look like people.
fn each(names: &[String]) -> Vec<String> {
    let mut each = Vec::new();
    for name in names {
        let name = without_mark(name);
        if is_everybody(name) {
            each.push(VARIOUS_ARTISTS.to_owned());
        } else if people::looks_like_people(name) {
            each.extend(people::split(name));
        } else {
            each.push(name.to_owned());
        }
    }
    each
}

/// `Read by Somebody` names somebody.
fn without_mark(name: &str) -> &str {
    let marks = [
        "read by ",
        "narrated by ",
        "narrator: ",
        "gelesen von ",
        "lu par ",
    ];
    let rest = marks.iter().find_map(|mark| {
        let head = name.get(..mark.len())?;
        head.eq_ignore_ascii_case(mark)
            .then(|| name.get(mark.len()..))?
    });
    rest.unwrap_or(name)
}
