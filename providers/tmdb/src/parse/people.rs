//! Cast and crew of an entry.

use ledge_core::enrich::lenient_json;
use ledge_core::registry::provider::{Base, ExternalId, PersonCredit};
use serde_json::Value;

use super::picture;

/// Most members of the cast.
const MAX_CAST: usize = 60;
/// Most credits of the crew.
const MAX_CREW: usize = 40;
/// Most entries of a list that are read. A long series has thousands of people.
const MAX_READ: usize = 5000;
/// Size of portraits: 632 pixels high.
pub(super) const PORTRAIT: &str = "h632";

/// Jobs of the crew with the roles that they map to. Directors are in the author line, as in files.
const JOBS: &[(&str, &str)] = &[
    ("Director", "author"),
    ("Series Director", "author"),
    ("Co-Director", "author"),
    ("Screenplay", "writer"),
    ("Writer", "writer"),
    ("Teleplay", "writer"),
    ("Story", "writer"),
    ("Original Music Composer", "composer"),
    ("Music", "composer"),
    ("Producer", "producer"),
    ("Director of Photography", "cinematographer"),
    ("Editor", "editor"),
];

/// Returns the people of an entry: the author line, the cast in billing order, then the crew. The
/// creators of a series are its authors.
pub(super) fn read(entry: &Value, images: &Base) -> Vec<PersonCredit> {
    let credits = ["aggregate_credits", "credits"];
    let credits = credits.into_iter().find_map(|field| entry.get(field));
    let mut crew: Vec<PersonCredit> = Vec::new();
    for creator in array(entry, "created_by") {
        add(&mut crew, person(creator, "author", images));
    }
    let has_creators = !crew.is_empty();
    for member in credits.iter().flat_map(|credits| array(credits, "crew")) {
        let several = array(member, "jobs").take(20);
        for job in several.chain([member]) {
            let job = lenient_json::line(job, "job");
            let role = JOBS
                .iter()
                .find(|(known, _)| job.as_deref() == Some(*known));
            // Each episode of a series has a director of its own.
            let role = role.filter(|(_, role)| !has_creators || *role != "author");
            if let Some((_, role)) = role {
                add(&mut crew, person(member, role, images));
            }
        }
    }
    let cast = credits.iter().flat_map(|credits| array(credits, "cast"));
    let cast = cast.filter_map(|member| {
        let played = array(member, "roles").find_map(|role| lenient_json::line(role, "character"));
        Some(PersonCredit {
            character: lenient_json::line(member, "character").or(played),
            ..person(member, "actor", images)?
        })
    });
    let (mut people, others): (Vec<_>, Vec<_>) =
        crew.into_iter().partition(|one| one.role == "author");
    people.extend(cast.take(MAX_CAST));
    people.extend(others);
    people
}

fn add(crew: &mut Vec<PersonCredit>, person: Option<PersonCredit>) {
    if let Some(person) = person
        && crew.len() < MAX_CREW
        && !crew.contains(&person)
    {
        crew.push(person);
    }
}

fn person(value: &Value, role: &str, images: &Base) -> Option<PersonCredit> {
    let number = value.get("id").and_then(Value::as_u64);
    let number = number.filter(|number| *number > 0);
    let ids = number.map(|number| ExternalId::new("tmdb", number.to_string()));
    let path = value.get("profile_path");
    Some(PersonCredit {
        name: lenient_json::line(value, "name")?,
        role: role.to_owned(),
        character: None,
        ids: ids.into_iter().collect(),
        picture: path.and_then(|path| picture(path, PORTRAIT, images)),
    })
}

fn array<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    let entries = value.get(field).and_then(Value::as_array);
    entries.into_iter().flatten().take(MAX_READ)
}
