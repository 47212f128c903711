//! Queries in IGDB's query language (Apicalypse).

use ledge_core::text::names::articles;

use crate::platforms;

/// Fields that are requested of every game.
const FIELDS: &str = "fields name,alternative_names.name,first_release_date,release_dates.date,\
                      release_dates.platform,summary,cover.image_id,cover.url,platforms,\
                      involved_companies.developer,involved_companies.company.name;";

/// Longest title that is sent, in characters.
const MAX_TITLE_CHARS: usize = 120;

/// Returns a search for a title, limited to the platform if it is known. Special editions are left
/// out, since they are listed below the game they belong to.
pub(crate) fn search(title: &str, platform: Option<&str>) -> String {
    let condition = condition(platform, None);
    format!(
        "search \"{}\"; {FIELDS} where {condition}; limit 20;",
        without_quotes(&search_words(title))
    )
}

/// Returns a query for games whose name in any region contains the title. The search does not find
/// all of them.
pub(crate) fn by_name(title: &str, platform: Option<&str>) -> String {
    let title = without_quotes(&normalized_title(title).replace(" - ", ": "));
    let name = format!("(name ~ *\"{title}\"* | alternative_names.name ~ *\"{title}\"*)");
    let condition = condition(platform, Some(&name));
    format!("{FIELDS} where {condition}; limit 20;")
}

/// Returns a query for one game.
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

/// Returns the title with its article in front, on one line and limited to [`MAX_TITLE_CHARS`]
/// characters.
fn normalized_title(title: &str) -> String {
    let title: String = articles::restore(title)
        .chars()
        .take(MAX_TITLE_CHARS)
        .collect();
    let plain = title.replace(char::is_control, " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the title's words. Dashes between its parts would not match in IGDB's search.
fn search_words(title: &str) -> String {
    normalized_title(title).replace(" - ", " ")
}

/// Removes backslashes and quotes, so that the text cannot end the quoted string of a query.
fn without_quotes(text: &str) -> String {
    let plain = text.replace(['\\', '"'], " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_query_contains_title_and_platform_numbers() {
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
        let query = by_name("Rockman 2 - Dr. Wily no Nazo", Some("nes"));
        assert!(query.contains("alternative_names.name ~ *\"Rockman 2: Dr. Wily no Nazo\"*"));
        assert!(query.contains("platforms = (18,99)"));
    }

    #[test]
    fn title_with_quotes_cannot_end_the_quoted_string() {
        let query = search("a\"; where id = 1; \\\" \n b", None);
        assert!(
            query.starts_with("search \"a ; where id = 1; b\"; fields"),
            "{query}"
        );
        let long = search(&"x".repeat(10_000), None);
        assert!(long.len() < 1000);
    }
}
