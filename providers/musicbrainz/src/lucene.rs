//! Queries in Lucene's syntax, in which every text is escaped.
//!
//! Source: <https://lucene.apache.org/core/4_3_0/queryparser/org/apache/lucene/queryparser/classic/package-summary.html>.

use std::fmt::Write;

use ledge_core::enrich::query_text;
use ledge_core::registry::provider::Query;

use crate::id;

/// Characters with a meaning in queries.
const SPECIAL: &str = "+-&|!(){}[]^\"~*?:\\/";

/// Query of which every condition must be met.
#[derive(Debug, Clone, Default)]
pub(crate) struct All(String);

impl All {
    /// Adds a phrase that one of the fields must contain.
    #[must_use]
    pub(crate) fn phrase(mut self, fields: &[&str], text: &str) -> Self {
        let phrase = escaped(text);
        let conditions: Vec<String> = fields
            .iter()
            .map(|field| format!("{field}:\"{phrase}\""))
            .collect();
        let text = conditions.join(" OR ");
        let text = if conditions.len() > 1 {
            format!("({text})")
        } else {
            text
        };
        self.push(&text);
        self
    }

    /// Adds the artist: by the id in the tags, or by the name of the first author.
    #[must_use]
    pub(crate) fn artist(self, question: &Query) -> Self {
        let id = question
            .external_id("musicbrainz_artist")
            .and_then(id::uuid);
        match (id, question.authors.first()) {
            (Some(id), _) => self.phrase(&["arid"], &id),
            (None, Some(name)) => self.phrase(&["artist", "artistname"], &query_text::title(name)),
            (None, None) => self,
        }
    }

    /// Adds a number that a field must have.
    #[must_use]
    pub(crate) fn number(mut self, field: &str, number: usize) -> Self {
        self.push(&format!("{field}:{number}"));
        self
    }

    fn push(&mut self, condition: &str) {
        let and = if self.0.is_empty() { "" } else { " AND " };
        // Writing to a `String` cannot fail.
        let _ = write!(self.0, "{and}{condition}");
    }

    /// Returns the query.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_control()) {
        if SPECIAL.contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_change_the_query() {
        let query = All::default()
            .phrase(&["release"], "a\" OR tracks:1 \\")
            .phrase(&["artist", "creditname"], "AC/DC (live!)")
            .number("tracks", 9);
        assert_eq!(
            query.text(),
            r#"release:"a\" OR tracks\:1 \\" AND (artist:"AC\/DC \(live\!\)" OR creditname:"AC\/DC \(live\!\)") AND tracks:9"#
        );
    }
}
