//! Sanitizes provider responses. They are untrusted input, so all values are bounded and cleaned
//! before use.

use std::ops::RangeInclusive;

use super::details;
use crate::registry::naming::Credit;
use crate::registry::provider::{Candidate, Cover};
use crate::store::catalogue::person;
use crate::text::markup::{self, text};

/// Maximum number of candidates.
const MOST: usize = 20;
/// Maximum number of values of one field.
const MOST_VALUES: usize = 200;
const LONGEST_TITLE: usize = 500;
const LONGEST_ID: usize = 200;
pub(super) const LONGEST_VALUE: usize = 200;
const LONGEST_DESCRIPTION: usize = 20_000;
pub(super) const LONGEST_ADDRESS: usize = 4096;
const YEARS: RangeInclusive<i32> = 1..=2999;

/// Returns the valid candidates, sanitized.
pub(in crate::services::enrich) fn candidates(found: Vec<Candidate>) -> Vec<Candidate> {
    found.into_iter().filter_map(candidate).take(MOST).collect()
}

/// Returns the sanitized candidate, or `None` if it has no id or no title.
pub(in crate::services::enrich) fn candidate(found: Candidate) -> Option<Candidate> {
    let provider_id = line(&found.provider_id, LONGEST_ID)?;
    if provider_id.chars().count() < found.provider_id.trim().chars().count() {
        // A truncated id could be the id of another entry.
        return None;
    }
    let series = found.series.and_then(|mut series| {
        series.name = line(&series.name, LONGEST_VALUE)?;
        series.index = series.index.filter(|index| index.is_finite());
        Some(series)
    });
    Some(Candidate {
        provider_id,
        title: line(&found.title, LONGEST_TITLE)?,
        subtitle: found.subtitle.and_then(|text| line(&text, LONGEST_TITLE)),
        other_titles: lines(&found.other_titles, LONGEST_TITLE),
        authors: credits(&found.authors),
        year: found.year.filter(|year| YEARS.contains(year)),
        description: found.description.and_then(|text| description(&text)),
        isbns: lines(&found.isbns, LONGEST_VALUE),
        languages: lines(&found.languages, LONGEST_VALUE),
        series,
        platforms: lines(&found.platforms, LONGEST_VALUE),
        cover: found.cover.filter(is_sound),
        external_ids: details::external_ids(&found.external_ids),
        details: details::details(found.details),
        is_certain: found.is_certain,
    })
}

pub(super) fn is_sound(cover: &Cover) -> bool {
    match cover {
        Cover::Address(url) => !url.is_empty() && url.len() <= LONGEST_ADDRESS,
        Cover::Bytes(bytes) => !bytes.is_empty(),
    }
}

fn credits(found: &[Credit]) -> Vec<Credit> {
    let named: Vec<Credit> = found
        .iter()
        .take(MOST_VALUES)
        .filter_map(|credit| {
            Some(Credit {
                name: line(&credit.name, LONGEST_VALUE)?,
                role: line(&credit.role, LONGEST_VALUE)?.to_lowercase(),
            })
        })
        .collect();
    person::sanitize(&named)
}

pub(super) fn lines(values: &[String], longest: usize) -> Vec<String> {
    let values = values.iter().take(MOST_VALUES);
    values.filter_map(|value| line(value, longest)).collect()
}

/// Returns the text as one line without control characters, or `None` if nothing is left.
pub(super) fn line(text: &str, longest: usize) -> Option<String> {
    let line = text::line(text)?;
    let line = text::first(&line, longest).trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Returns the text without markup. Markup blocks become paragraphs.
pub(super) fn description(text: &str) -> Option<String> {
    let plain: String = markup::plain(text)?
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .take(LONGEST_DESCRIPTION)
        .collect();
    let plain = plain.trim().to_owned();
    (!plain.is_empty()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(title: &str) -> Candidate {
        Candidate {
            provider_id: "1".to_owned(),
            title: title.to_owned(),
            ..Candidate::default()
        }
    }

    #[test]
    fn values_of_candidate_are_bounded() {
        let found = Candidate {
            authors: vec![
                Credit::author(" Ada\u{0}\nLovelace "),
                Credit::author("ada lovelace"),
                Credit::author(" "),
            ],
            year: Some(99_999),
            description: Some(format!(" \u{1}{}", "x".repeat(30_000))),
            cover: Some(Cover::Address("http://x/".repeat(4096))),
            ..titled(&format!("A\n\tvery\u{0} {}", "long ".repeat(1000)))
        };
        let sanitized = candidate(found).expect("a candidate");
        assert!(
            sanitized.title.starts_with("A very long") && sanitized.title.chars().count() <= 500
        );
        assert_eq!(sanitized.authors, [Credit::author("Ada Lovelace")]);
        assert_eq!((sanitized.year, sanitized.cover), (None, None));
        let length = sanitized.description.map(|text| text.chars().count());
        assert!(length.is_some_and(|length| (1..=20_000).contains(&length)));
        let marked = Candidate {
            description: Some("<p>One &amp; <b>all</b></p>".to_owned()),
            ..titled("Emma")
        };
        let marked = candidate(marked).expect("a candidate");
        assert_eq!(marked.description.as_deref(), Some("One & all"));
    }

    #[test]
    fn candidate_without_id_or_title_is_dropped() {
        let nameless = titled(" \n ");
        let stray = Candidate {
            provider_id: "x".repeat(201),
            ..titled("Emma")
        };
        let blank = Candidate {
            provider_id: " ".to_owned(),
            ..titled("Emma")
        };
        assert_eq!(candidates(vec![nameless, stray, blank]), []);
        assert_eq!(candidates(vec![titled("Emma"); 30]).len(), 20);
    }
}
