//! Selection of the best match for a query among a provider's candidates.

use super::matching::{self, Choice, Offered, Wanted};
use crate::registry::naming::Series;
use crate::registry::provider::{Candidate, Query};
use crate::store::catalogue::person;

/// Returns the best match if it is reliable. A candidate that was found by the location of the item
/// (`is_certain`) matches without a comparison.
pub fn best_match(question: &Query, candidates: &[Candidate]) -> Choice {
    if let Some(index) = candidates.iter().position(|found| found.is_certain) {
        return Choice::Match {
            index,
            score: 1.0,
            other_title: None,
        };
    }
    matching::choose(&wanted(question), &offered_list(candidates))
}

/// Returns the score of each candidate; `None` if a fact rules it out.
pub(super) fn scores(question: &Query, candidates: &[Candidate]) -> Vec<Option<f64>> {
    let found = matching::scores(&wanted(question), &offered_list(candidates)).into_iter();
    let pairs = found.zip(candidates);
    pairs
        .map(|(score, candidate)| {
            if candidate.is_certain {
                Some(1.0)
            } else {
                score
            }
        })
        .collect()
}

fn wanted(question: &Query) -> Wanted<'_> {
    Wanted {
        title: &question.title,
        subtitle: question.subtitle.as_deref(),
        authors: &question.authors,
        year: question.year,
        isbns: &question.isbns,
        series: question.series.as_ref().map(named),
        platform: question.platform.as_deref(),
        parts: &question.parts,
        rules: question.rules,
    }
}

fn offered_list(candidates: &[Candidate]) -> Vec<Offered<'_>> {
    candidates.iter().map(offered).collect()
}

fn offered(found: &Candidate) -> Offered<'_> {
    let authors = found
        .authors
        .iter()
        .filter(|credit| credit.role == person::AUTHOR);
    Offered {
        id: &found.provider_id,
        title: &found.title,
        subtitle: found.subtitle.as_deref(),
        other_titles: &found.other_titles,
        authors: authors.map(|credit| credit.name.as_str()).collect(),
        year: found.year,
        isbns: &found.isbns,
        series: found.series.as_ref().map(named),
        platforms: &found.platforms,
        episodes: &found.details.episodes,
        track_seconds: &found.details.track_seconds,
    }
}

fn named(series: &Series) -> (&str, Option<f64>) {
    (&series.name, series.index)
}
