//! Staff and voice actors of an entry.

use ledge_core::enrich::lenient_json;
use ledge_core::registry::provider::{Base, ExternalId, PersonCredit};
use serde_json::Value;

use crate::parse::picture;

/// Most people of an entry.
const MAX_PEOPLE: usize = 60;

/// Roles of the staff of anime with the roles that they map to. Directors are in the author line.
const ANIME: &[(&str, &str)] = &[
    ("Director", "author"),
    ("Original Creator", "writer"),
    ("Original Story", "writer"),
    ("Series Composition", "writer"),
    ("Script", "writer"),
    ("Screenplay", "writer"),
    ("Music", "composer"),
    ("Producer", "producer"),
];

/// Roles of the staff of manga with the roles that they map to. Writers are the authors.
const MANGA: &[(&str, &str)] = &[
    ("Story & Art", "author"),
    ("Story", "author"),
    ("Original Creator", "author"),
    ("Original Story", "author"),
    ("Art", "artist"),
    ("Illustration", "artist"),
];

/// Returns the people of an entry: the author line, the voice actors, then the other staff.
pub(crate) fn read(entry: &Value, images: &Base) -> Vec<PersonCredit> {
    let is_manga = entry.get("type").and_then(Value::as_str) == Some("MANGA");
    let roles = if is_manga { MANGA } else { ANIME };
    let mut staff: Vec<PersonCredit> = Vec::new();
    for edge in edges(entry, "staff") {
        // Episodes are in brackets: `Script (eps 1, 3)`. Translators and others have long roles.
        let role = lenient_json::line(edge, "role").unwrap_or_default();
        let role = role.split(" (").next().unwrap_or_default();
        let role = roles.iter().find(|(known, _)| *known == role);
        let found = role.and_then(|(_, role)| person(edge.get("node")?, role, images));
        staff.extend(found.filter(|found| !staff.contains(found)));
    }
    let voices = edges(entry, "characters").filter_map(|edge| {
        let actor = lenient_json::list(edge, "voiceActors").next()?;
        let character = edge.get("node").and_then(full_name);
        Some(PersonCredit {
            character,
            ..person(actor, "actor", images)?
        })
    });
    let (mut people, others): (Vec<_>, Vec<_>) =
        staff.into_iter().partition(|one| one.role == "author");
    people.extend(voices);
    people.extend(others);
    people.truncate(MAX_PEOPLE);
    people
}

fn edges<'a>(entry: &'a Value, connection: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    let connection = entry.get(connection).unwrap_or(&Value::Null);
    lenient_json::list(connection, "edges")
}

fn full_name(node: &Value) -> Option<String> {
    lenient_json::line(node.get("name")?, "full")
}

fn person(node: &Value, role: &str, images: &Base) -> Option<PersonCredit> {
    let number = node
        .get("id")
        .and_then(Value::as_u64)
        .filter(|number| *number > 0);
    let id = number.map(|number| ExternalId::new("anilist", number.to_string()));
    Some(PersonCredit {
        name: full_name(node)?,
        role: role.to_owned(),
        character: None,
        ids: id.into_iter().collect(),
        picture: node
            .get("image")
            .and_then(|found| picture(found, "large", images)),
    })
}
