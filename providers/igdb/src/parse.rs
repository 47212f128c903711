//! Parser for IGDB's games.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{AskError, Base, Candidate, Cover};
use serde_json::Value;

use crate::platforms;

/// Most candidates of a response.
const MAX_CANDIDATES: usize = 20;

/// Parses the games of a response. The year is that of the release on `platform`, if IGDB has one.
pub(crate) fn games(
    answer: &Value,
    platform: Option<&str>,
    images: &Base,
) -> Result<Vec<Candidate>, AskError> {
    let games = shape::entries(answer)?;
    shape::read_entries(games, MAX_CANDIDATES, |one| {
        game(one, platform, images).map(Some)
    })
}

/// Parses one game. The id and the name are required, because every query requests them.
fn game(game: &Value, platform: Option<&str>, images: &Base) -> Result<Candidate, AskError> {
    let id = shape::object(game)?
        .get("id")
        .and_then(lenient_json::as_integer);
    let id = id
        .filter(|id| *id > 0)
        .ok_or_else(|| shape::unexpected("`id` is not a game identifier"))?;
    let title =
        shape::text(game, "name")?.ok_or_else(|| shape::unexpected("a game has no `name`"))?;
    let mut platform_ids: Vec<String> = Vec::new();
    for number in lenient_json::list(game, "platforms").filter_map(platform_number) {
        if let Some(name) = platforms::by_number(number)
            && !platform_ids.iter().any(|known| known == name)
        {
            platform_ids.push(name.to_owned());
        }
    }
    let names = lenient_json::list(game, "alternative_names");
    Ok(Candidate {
        provider_id: id.to_string(),
        title,
        other_titles: names
            .filter_map(|name| lenient_json::line(name, "name"))
            .collect(),
        authors: developers(game),
        year: release_year(game, platform)
            .or_else(|| lenient_json::integer(game, "first_release_date").and_then(year)),
        description: lenient_json::long(game, "summary"),
        platforms: platform_ids,
        cover: game.get("cover").and_then(|found| cover(found, images)),
        ..Candidate::default()
    })
}

/// Returns a platform's number from a plain or an expanded reference.
fn platform_number(value: &Value) -> Option<i64> {
    lenient_json::as_integer(value).or_else(|| lenient_json::integer(value, "id"))
}

fn developers(game: &Value) -> Vec<Credit> {
    let developed = lenient_json::list(game, "involved_companies")
        .filter(|involved| involved.get("developer").and_then(Value::as_bool) == Some(true));
    let names =
        developed.filter_map(|involved| lenient_json::line(involved.get("company")?, "name"));
    names.map(Credit::author).collect()
}

/// Returns the year of the first release on a platform.
fn release_year(game: &Value, platform: Option<&str>) -> Option<i32> {
    let numbers = platforms::numbers(platform?);
    lenient_json::list(game, "release_dates")
        .filter(|release| {
            let number = release.get("platform").and_then(platform_number);
            number.is_some_and(|number| numbers.contains(&number))
        })
        .filter_map(|release| lenient_json::integer(release, "date").and_then(year))
        .min()
}

/// Returns the UTC year of a Unix time in seconds. Years outside of 1950 to 2999 are rejected.
fn year(seconds: i64) -> Option<i32> {
    let moment = Timestamp::from_second(seconds).ok()?;
    let year = i32::from(moment.to_zoned(TimeZone::UTC).year());
    (1950..=2999).contains(&year).then_some(year)
}

/// Returns the large cover over `https`, from the image identifier or from the address of a small
/// image.
fn cover(found: &Value, images: &Base) -> Option<Cover> {
    let in_address = || {
        let address = lenient_json::line(found, "url")?;
        let name = address.split('?').next()?.rsplit('/').next()?;
        Some(name.split('.').next()?.to_owned())
    };
    let id = lenient_json::line(found, "image_id").or_else(in_address)?;
    let sound = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let is_id = (1..=64).contains(&id.len()) && id.bytes().all(sound);
    is_id.then(|| Cover::Address(images.join(&format!("igdb/image/upload/t_cover_big/{id}.jpg"))))
}
