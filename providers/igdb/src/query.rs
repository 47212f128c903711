//! Queries in IGDB's language.

use ledge_core::names::articles;

use crate::platforms;

/// What is asked for of every game.
const FIELDS: &str = "fields name,alternative_names.name,first_release_date,release_dates.date,\
                      release_dates.platform,summary,cover.image_id,cover.url,platforms,\
                      involved_companies.developer,involved_companies.company.name;";

/// Longest title that is sent, in characters.
const LONGEST: usize = 120;

/// The games that a search for a title finds, on one platform where one is known. Special
/// editions stand below the game they are editions of.
pub(crate) fn search(title: &str, platform: Option<&str>) -> String {
    let condition = condition(platform, None);
    format!(
        "search \"{}\"; {FIELDS} where {condition}; limit 20;",
        quoted(&spoken(title))
    )
}

/// The games whose name, in some region, holds the title as it is; the search misses some.
pub(crate) fn named(title: &str, platform: Option<&str>) -> String {
    let title = quoted(&title_of(title).replace(" - ", ": "));
    let name = format!("(name ~ *\"{title}\"* | alternative_names.name ~ *\"{title}\"*)");
    let condition = condition(platform, Some(&name));
    format!("{FIELDS} where {condition}; limit 20;")
}

/// One game.
pub(crate) fn by_id(id: u64) -> String {
    format!("{FIELDS} where id = {id}; limit 1;")
}

fn condition(platform: Option<&str>, further: Option<&str>) -> String {
    let mut conditions = vec!["version_parent = null".to_owned()];
    let numbers = platform.map(platforms::numbers).unwrap_or_default();
    if !numbers.is_empty() {
        let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
        conditions.push(format!("platforms = ({})", numbers.join(",")));
    }
    conditions.extend(further.map(str::to_owned));
    conditions.join(" & ")
}

/// The title as it is read, on one line and not endless.
fn title_of(title: &str) -> String {
    let title: String = articles::restore(title).chars().take(LONGEST).collect();
    let plain = title.replace(char::is_control, " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a title: dashes between its parts are no words there.
fn spoken(title: &str) -> String {
    title_of(title).replace(" - ", " ")
}

/// A text inside the quotes of a query; it cannot end them.
fn quoted(text: &str) -> String {
    let plain = text.replace(['\\', '"'], " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_searched_on_its_platform() {
        let query = search("Legend of Zelda, The - A Link to the Past", Some("snes"));
        assert!(
            query.starts_with("search \"The Legend of Zelda A Link to the Past\"; fields name,")
        );
        assert!(query.ends_with("where version_parent = null & platforms = (19,58); limit 20;"));
        let query = search("Tetris", Some("no such platform"));
        assert!(
            query.ends_with("where version_parent = null; limit 20;"),
            "{query}"
        );
        let query = named("Rockman 2 - Dr. Wily no Nazo", Some("nes"));
        assert!(query.contains("alternative_names.name ~ *\"Rockman 2: Dr. Wily no Nazo\"*"));
        assert!(query.contains("platforms = (18,99)"));
    }

    #[test]
    fn a_title_cannot_end_its_quotes() {
        let query = search("a\"; where id = 1; \\\" \n b", None);
        assert!(
            query.starts_with("search \"a ; where id = 1; b\"; fields"),
            "{query}"
        );
        let long = search(&"x".repeat(10_000), None);
        assert!(long.len() < 1000);
    }
}
