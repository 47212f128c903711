//! Games as IGDB describes them.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ledge_core::enrich::{loose, shape};
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{AskError, Base, Candidate, Cover};
use serde_json::Value;

use crate::platforms;

/// Most candidates of an answer.
const MOST: usize = 20;

/// The games of an answer; the year is that of the asked platform, where it is told.
pub(crate) fn games(
    answer: &Value,
    platform: Option<&str>,
    images: &Base,
) -> Result<Vec<Candidate>, AskError> {
    let games = shape::entries(answer)?;
    shape::read_entries(games, MOST, |one| game(one, platform, images).map(Some))
}

/// One game. Its id and its name are in every answer, as every query asks for them.
fn game(game: &Value, platform: Option<&str>, images: &Base) -> Result<Candidate, AskError> {
    let id = shape::object(game)?.get("id").and_then(loose::as_integer);
    let id = id
        .filter(|id| *id > 0)
        .ok_or_else(|| shape::unexpected("`id` names no game"))?;
    let title =
        shape::text(game, "name")?.ok_or_else(|| shape::unexpected("a game has no `name`"))?;
    let mut on: Vec<String> = Vec::new();
    for number in loose::list(game, "platforms").filter_map(number_of) {
        if let Some(name) = platforms::named(number)
            && !on.iter().any(|known| known == name)
        {
            on.push(name.to_owned());
        }
    }
    let names = loose::list(game, "alternative_names");
    Ok(Candidate {
        provider_id: id.to_string(),
        title,
        other_titles: names.filter_map(|name| loose::line(name, "name")).collect(),
        authors: developers(game),
        year: year_on(game, platform)
            .or_else(|| loose::integer(game, "first_release_date").and_then(year)),
        description: loose::long(game, "summary"),
        platforms: on,
        cover: game.get("cover").and_then(|found| cover(found, images)),
        ..Candidate::default()
    })
}

/// A platform's number, whether it was expanded or not.
fn number_of(value: &Value) -> Option<i64> {
    loose::as_integer(value).or_else(|| loose::integer(value, "id"))
}

fn developers(game: &Value) -> Vec<Credit> {
    let developed = loose::list(game, "involved_companies")
        .filter(|involved| involved.get("developer").and_then(Value::as_bool) == Some(true));
    let names = developed.filter_map(|involved| loose::line(involved.get("company")?, "name"));
    names.map(Credit::author).collect()
}

/// The first year it came out on a platform.
fn year_on(game: &Value, platform: Option<&str>) -> Option<i32> {
    let numbers = platforms::numbers(platform?);
    loose::list(game, "release_dates")
        .filter(|release| {
            let number = release.get("platform").and_then(number_of);
            number.is_some_and(|number| numbers.contains(&number))
        })
        .filter_map(|release| loose::integer(release, "date").and_then(year))
        .min()
}

/// The year of a moment in seconds since 1970.
fn year(seconds: i64) -> Option<i32> {
    let moment = Timestamp::from_second(seconds).ok()?;
    let year = i32::from(moment.to_zoned(TimeZone::UTC).year());
    (1950..=2999).contains(&year).then_some(year)
}

/// The large cover, over https: from its identifier, or from the address of a small one.
fn cover(found: &Value, images: &Base) -> Option<Cover> {
    let in_address = || {
        let address = loose::line(found, "url")?;
        let name = address.split('?').next()?.rsplit('/').next()?;
        Some(name.split('.').next()?.to_owned())
    };
    let id = loose::line(found, "image_id").or_else(in_address)?;
    let sound = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let is_id = (1..=64).contains(&id.len()) && id.bytes().all(sound);
    is_id.then(|| Cover::Address(images.join(&format!("igdb/image/upload/t_cover_big/{id}.jpg"))))
}
