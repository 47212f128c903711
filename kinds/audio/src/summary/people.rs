//! Credits of an item.
//!
//! Music uses the album artist, then the common track artist, then Various Artists. Audiobooks use
//! authors and narrators.

use ledge_core::registry::naming::{Credit, Group};
use ledge_core::text::names::people;

use super::{ItemForm, most_common};
use crate::naming::vocabulary::{VARIOUS_ARTISTS, is_various_artists};
use crate::tags::stored::StoredTags;

pub(super) const NARRATOR: &str = "narrator";
/// Maximum number of credits that are not authors.
const MAX_CREDITS: usize = 60;

/// Returns the credits of an item in order, authors first.
pub(super) fn credits(form: ItemForm, group: &Group, stored: &[StoredTags]) -> Vec<Credit> {
    if form == ItemForm::Audiobook {
        return book(stored);
    }
    let is_alone = group.members.len() == 1;
    let authors = if form == ItemForm::Track && is_alone {
        stored.first().map(track_artists).unwrap_or_default()
    } else {
        album_artists(stored)
    };
    let mut credits: Vec<Credit> = authors.into_iter().map(Credit::author).collect();
    let roles: [(&str, fn(&StoredTags) -> &[String]); 4] = [
        ("performer", |tags| &tags.artists),
        ("composer", |tags| &tags.composers),
        ("conductor", |tags| &tags.conductors),
        ("lyricist", |tags| &tags.lyricists),
    ];
    for (role, field_of) in roles {
        add(
            &mut credits,
            role,
            stored.iter().flat_map(field_of).cloned(),
        );
    }
    credits
}

/// Adds people who are not yet credited as authors or in the same role.
fn add(credits: &mut Vec<Credit>, role: &str, names: impl Iterator<Item = String>) {
    for name in names {
        let is_known = credits.iter().any(|credit| {
            credit.name == name
                && (credit.role == role || (role == "performer" && credit.role == "author"))
        });
        if !is_known && !is_various_artists(&name) && credits.len() < MAX_CREDITS {
            credits.push(Credit {
                name,
                role: role.to_owned(),
            });
        }
    }
}

fn track_artists(tags: &StoredTags) -> Vec<String> {
    let named = if tags.artists.is_empty() {
        &tags.album_artists
    } else {
        &tags.artists
    };
    named.iter().map(|name| canonical_name(name)).collect()
}

/// Returns the album artist, otherwise the artist of most tracks, otherwise Various Artists.
fn album_artists(stored: &[StoredTags]) -> Vec<String> {
    let named = most_common(
        stored
            .iter()
            .map(|tags| &tags.album_artists)
            .filter(|names| !names.is_empty()),
    );
    if let Some(names) = named {
        return names.iter().map(|name| canonical_name(name)).collect();
    }
    let with_artists: Vec<&Vec<String>> = stored
        .iter()
        .map(|tags| &tags.artists)
        .filter(|names| !names.is_empty())
        .collect();
    let Some(common) = most_common(with_artists.iter().map(|names| lead_artist(names))) else {
        return Vec::new();
    };
    let share = with_artists
        .iter()
        .filter(|names| lead_artist(names) == common)
        .count();
    let is_compilation = stored.iter().any(|tags| tags.is_compilation);
    if share * 2 > with_artists.len() && !(is_compilation && share < with_artists.len()) {
        // All artists of a track count if every track has the same list. Otherwise only the common
        // lead counts.
        let all = most_common(with_artists.iter().copied());
        let agree = with_artists.iter().all(|names| Some(*names) == all);
        return match all.filter(|_| agree) {
            Some(everyone) => everyone
                .iter()
                .map(|artist| canonical_name(artist))
                .collect(),
            None => vec![canonical_name(&common)],
        };
    }
    vec![VARIOUS_ARTISTS.to_owned()]
}

/// Returns the lead artist of a track, without guests.
fn lead_artist(names: &[String]) -> String {
    let first = names.first().map_or("", String::as_str);
    let lower = first.to_lowercase();
    let guest = [" feat. ", " feat ", " ft. ", " featuring ", " (feat"]
        .iter()
        .filter_map(|phrase| lower.find(phrase))
        .min();
    match guest.and_then(|at| first.get(..at)) {
        Some(lead) => lead.trim().to_owned(),
        None => first.to_owned(),
    }
}

fn canonical_name(name: &str) -> String {
    if is_various_artists(name) {
        VARIOUS_ARTISTS.to_owned()
    } else {
        name.to_owned()
    }
}

/// Returns the authors, narrators and translators of a book. Most tag formats lack these fields, so
/// writers use artist for the author and composer for the narrator.
fn book(stored: &[StoredTags]) -> Vec<Credit> {
    let authors = authors(stored);
    let mut credits: Vec<Credit> = authors.iter().map(Credit::author).collect();
    add(
        &mut credits,
        NARRATOR,
        narrators(stored, &authors).into_iter(),
    );
    add(
        &mut credits,
        "translator",
        named(stored, |tags| &tags.translators).into_iter(),
    );
    credits
}

fn authors(stored: &[StoredTags]) -> Vec<String> {
    let fields: [fn(&StoredTags) -> &Vec<String>; 3] = [
        |tags| &tags.authors,
        |tags| &tags.album_artists,
        |tags| &tags.artists,
    ];
    let field = fields.iter().find_map(|field_of| {
        most_common(
            stored
                .iter()
                .map(field_of)
                .filter(|names| !names.is_empty()),
        )
    });
    let names = field.map(|names| split_people(names)).unwrap_or_default();
    let narrators = named(stored, |tags| &tags.narrators);
    // Some shops put `Author, Narrator` into one field.
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

fn narrators(stored: &[StoredTags], authors: &[String]) -> Vec<String> {
    let others = |names: Vec<String>| -> Vec<String> {
        names
            .into_iter()
            .filter(|name| !authors.contains(name))
            .collect()
    };
    let tagged = named(stored, |tags| &tags.narrators);
    if !tagged.is_empty() {
        // Authors may read their own books, so they are kept.
        return tagged;
    }
    let composers = others(named(stored, |tags| &tags.composers));
    if !composers.is_empty() {
        return composers;
    }
    let has_album_artist = stored.iter().any(|tags| !tags.album_artists.is_empty());
    if !has_album_artist {
        return Vec::new();
    }
    others(named(stored, |tags| &tags.artists))
}

/// Returns the distinct people of a field in all files, in order.
fn named(stored: &[StoredTags], field_of: fn(&StoredTags) -> &Vec<String>) -> Vec<String> {
    let mut names = Vec::new();
    for name in stored.iter().flat_map(|tags| split_people(field_of(tags))) {
        if !names.contains(&name) && names.len() < MAX_CREDITS {
            names.push(name);
        }
    }
    names
}

/// Splits `A & B` and `A, B` into two people if both look like personal names.
fn split_people(names: &[String]) -> Vec<String> {
    let mut split_people = Vec::new();
    for name in names {
        let name = without_phrase(name);
        if is_various_artists(name) {
            split_people.push(VARIOUS_ARTISTS.to_owned());
        } else if people::looks_like_people(name) {
            split_people.extend(people::split(name));
        } else {
            split_people.push(name.to_owned());
        }
    }
    split_people
}

/// Removes the phrase of `Read by Name`.
fn without_phrase(name: &str) -> &str {
    let phrases = [
        "read by ",
        "narrated by ",
        "narrator: ",
        "gelesen von ",
        "lu par ",
    ];
    let rest = phrases.iter().find_map(|phrase| {
        let head = name.get(..phrase.len())?;
        head.eq_ignore_ascii_case(phrase)
            .then(|| name.get(phrase.len()..))?
    });
    rest.unwrap_or(name)
}
