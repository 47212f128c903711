//! Comparison of a provider's candidates with the wanted work by ISBNs, titles, people, years and
//! platforms. The result is a score. A wrong match is worse than none, so an ambiguous comparison
//! has no match.

mod edition_words;
mod marks;
mod near;
#[cfg(test)]
mod pairs;
mod parts;
mod people;
mod rules;
mod thresholds;
mod title;
mod words;

use parts::Parts;
use people::People;
use title::{Evidence, Title};
use words::words;

use crate::registry::MatchRules;
use crate::registry::provider::{EpisodeDetails, KnownPart};

/// Maximum number of candidates that are compared.
const MOST: usize = 50;

/// Wanted work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Title, as the kind prepares it for queries.
    pub title: &'a str,
    /// Subtitle, if it is stored separately.
    pub subtitle: Option<&'a str>,
    /// Names of the authors, as written in files.
    pub authors: &'a [String],
    /// Year of this edition or of the work.
    pub year: Option<i32>,
    /// ISBN-10s or ISBN-13s, with or without hyphens.
    pub isbns: &'a [String],
    /// Series and the number in it.
    pub series: Option<(&'a str, Option<f64>)>,
    /// Platform of a game.
    pub platform: Option<&'a str>,
    /// Episodes or tracks in order.
    pub parts: &'a [KnownPart],
    /// Rules of the kind.
    pub rules: MatchRules,
}

/// Candidate of a provider.
#[derive(Debug, Clone, Default)]
pub struct Offered<'a> {
    /// Id at the provider. Candidates with equal ids are one work.
    pub id: &'a str,
    /// Main title.
    pub title: &'a str,
    /// Subtitle, if the provider separates it.
    pub subtitle: Option<&'a str>,
    /// Alternative titles: of other regions and editions.
    pub other_titles: &'a [String],
    /// Names of the authors.
    pub authors: Vec<&'a str>,
    /// Year of first publication, or of an edition.
    pub year: Option<i32>,
    /// ISBNs of the editions.
    pub isbns: &'a [String],
    /// Series and the number in it.
    pub series: Option<(&'a str, Option<f64>)>,
    /// Platforms of a game.
    pub platforms: &'a [String],
    /// Episodes of a series. Empty if unknown.
    pub episodes: &'a [EpisodeDetails],
    /// Lengths of the tracks in seconds. Empty if unknown.
    pub track_seconds: &'a [f64],
}

/// Result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    /// One candidate matches.
    Match {
        /// Index of the candidate in the input.
        index: usize,
        /// Confidence from `thresholds::FLOOR` to 1.
        score: f64,
        /// Index of the alternative title that matched. The displayed title then need not be the
        /// wanted one.
        other_title: Option<usize>,
    },
    /// No candidate matches reliably.
    Notfound {
        /// Index and score of the best candidate, if any has a score.
        best: Option<(usize, f64)>,
        /// `true` if two different works are equally good.
        ambiguous: bool,
    },
}

/// Chooses the candidate that is the wanted work.
pub fn choose(wanted: &Wanted<'_>, offered: &[Offered<'_>]) -> Choice {
    let asked = ParsedWork::of(wanted);
    let mut graded: Vec<(usize, Grade)> = offered
        .iter()
        .take(MOST)
        .enumerate()
        .filter_map(|(index, one)| Some((index, asked.grade(one)?)))
        .collect();
    // The sort is stable, so that the provider's order decides among equal scores.
    graded.sort_by(|(_, one), (_, other)| other.score.total_cmp(&one.score));
    let Some((index, best)) = graded.first() else {
        return Choice::Notfound {
            best: None,
            ambiguous: false,
        };
    };
    let rivals = |other: &&(usize, Grade)| {
        let (place, grade) = other;
        best.score - grade.score <= thresholds::MARGIN
            && !same_work(offered.get(*index), offered.get(*place))
    };
    let ambiguous = graded.iter().skip(1).any(|other| rivals(&other));
    if ambiguous || best.score < thresholds::FLOOR {
        return Choice::Notfound {
            best: Some((*index, best.score.min(1.0))),
            ambiguous,
        };
    }
    Choice::Match {
        index: *index,
        score: best.score.min(1.0),
        other_title: best.other_title,
    }
}

/// Returns the score of each candidate; `None` if a fact rules it out.
pub fn scores(wanted: &Wanted<'_>, offered: &[Offered<'_>]) -> Vec<Option<f64>> {
    let asked = ParsedWork::of(wanted);
    let grade = |one: &Offered<'_>| asked.grade(one).map(|grade| grade.score.min(1.0));
    offered.iter().map(grade).collect()
}

/// Score of a candidate.
#[derive(Debug, Clone, Copy)]
struct Grade {
    score: f64,
    other_title: Option<usize>,
}

/// Wanted work, parsed once for all comparisons.
struct ParsedWork<'a> {
    wanted: &'a Wanted<'a>,
    title: Title,
    isbns: Vec<String>,
}

impl<'a> ParsedWork<'a> {
    fn of(wanted: &'a Wanted<'a>) -> Self {
        let title = if wanted.rules.compares_brackets {
            rules::without_editions(wanted.title)
        } else {
            wanted.title.to_owned()
        };
        Self {
            wanted,
            title: Title::read(&title, wanted.subtitle, wanted.series),
            isbns: isbn13s(wanted.isbns),
        }
    }

    fn grade(&self, offered: &Offered<'_>) -> Option<Grade> {
        let wanted = self.wanted;
        if !platforms_agree(wanted.platform, offered.platforms) {
            return None;
        }
        let title = Title::read(offered.title, offered.subtitle, offered.series);
        let people = people::compare(
            wanted.authors.iter().map(String::as_str),
            offered.authors.iter().copied(),
        );
        if rules::rule_out(&wanted.rules, wanted, offered, people) {
            return None;
        }
        let titles = self.titles(&title, offered, people);
        let has_isbn = isbn13s(offered.isbns)
            .iter()
            .any(|isbn| self.isbns.contains(isbn));
        if has_isbn {
            return self.by_isbn(&title, titles, people);
        }
        let (like, other_title) = titles?;
        let year = offered.year.or(title.year);
        let near_year = years_apart(wanted.year.or(self.title.year), year);
        let parts = parts::compare(wanted.parts, offered.episodes, offered.track_seconds);
        let sure = match parts {
            Parts::Differ => return None,
            Parts::Agree if people != People::Differ && is_close(like) => 1.0,
            Parts::Agree | Parts::Unknown => self.sure(people, like, near_year, offered)?,
        };
        let mut bonus = 0.0;
        if near_year.is_some_and(|apart| apart <= thresholds::NEAR_YEARS) {
            bonus += thresholds::YEAR_BONUS;
        }
        if parts == Parts::Agree {
            bonus += thresholds::PARTS_BONUS;
        }
        Some(Grade {
            score: like * sure + bonus,
            other_title,
        })
    }

    /// Returns the similarity of the titles, and the index of the alternative title that matched.
    fn titles(
        &self,
        title: &Title,
        offered: &Offered<'_>,
        people: People,
    ) -> Option<(f64, Option<usize>)> {
        let mut names: Vec<Vec<String>> = Vec::new();
        names.extend(self.wanted.authors.iter().take(5).map(|name| words(name)));
        names.extend(offered.authors.iter().take(5).map(|name| words(name)));
        let evidence = Evidence {
            same_people: matches!(people, People::Agree(like) if like > thresholds::SAME_PERSON),
            names: &names,
        };
        let main = self.title.like(title, evidence).map(|like| (like, None));
        // Regional and translated titles count only if they are equal and other evidence supports
        // the match.
        let mut others = offered.other_titles.iter().take(MOST).enumerate();
        let other = others.find_map(|(place, other)| {
            let other = Title::read(other, None, None);
            let like = self.title.like(
                &other,
                Evidence {
                    same_people: false,
                    ..evidence
                },
            )?;
            (like >= thresholds::SAME).then_some((thresholds::ALTERNATIVE, Some(place)))
        });
        match (main, other) {
            (Some(main), Some(other)) if main.0 >= other.0 => Some(main),
            (main, other) => other.or(main),
        }
    }

    /// Scores a candidate with the same ISBN. The ISBN alone is not sufficient if title and people
    /// contradict it: files contain ISBNs of other books, or of a box set.
    fn by_isbn(
        &self,
        title: &Title,
        titles: Option<(f64, Option<usize>)>,
        people: People,
    ) -> Option<Grade> {
        if titles.is_none() && (people == People::Differ || self.title.is_different_product(title))
        {
            return None;
        }
        let (like, other_title) = titles.unwrap_or((0.0, None));
        Some(Grade {
            score: thresholds::ISBN + thresholds::ISBN_TITLE * like,
            other_title,
        })
    }

    /// Returns the confidence that two works with one title are the same. The evidence is people,
    /// platform, year, or a title so specific that it is unique.
    fn sure(
        &self,
        people: People,
        like: f64,
        years_apart: Option<u32>,
        offered: &Offered<'_>,
    ) -> Option<f64> {
        match people {
            People::Differ => None,
            People::Agree(like) => Some(like),
            People::Unknown => {
                let same_platform = self.wanted.platform.is_some() && !offered.platforms.is_empty();
                let same_year = years_apart.is_some_and(|apart| apart <= thresholds::NEAR_YEARS);
                let other_year =
                    years_apart.is_some_and(|apart| apart > thresholds::DISTINCTIVE_YEARS);
                if !is_close(like) {
                    None
                } else if same_platform {
                    Some(thresholds::PLATFORM)
                } else if same_year {
                    Some(thresholds::YEAR)
                } else if self.title.is_distinctive() && !other_year {
                    Some(thresholds::DISTINCTIVE)
                } else {
                    None
                }
            }
        }
    }
}

/// Returns `true` if the titles are similar enough without evidence by people.
fn is_close(like: f64) -> bool {
    like >= thresholds::TITLE_WITHOUT_PEOPLE
}

/// Returns `true` if the known platforms do not contradict each other.
fn platforms_agree(wanted: Option<&str>, offered: &[String]) -> bool {
    wanted.is_none_or(|wanted| offered.is_empty() || offered.iter().any(|one| one == wanted))
}

fn years_apart(one: Option<i32>, other: Option<i32>) -> Option<u32> {
    Some(one?.abs_diff(other?))
}

fn isbn13s(isbns: &[String]) -> Vec<String> {
    let isbns = isbns.iter().take(200);
    isbns
        .filter_map(|isbn| crate::text::isbn::to_isbn13(isbn))
        .collect()
}

/// Returns `true` if two candidates are records of one work.
fn same_work(one: Option<&Offered<'_>>, other: Option<&Offered<'_>>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return false;
    };
    if one.id == other.id {
        return true;
    }
    let people = people::compare(one.authors.iter().copied(), other.authors.iter().copied());
    let People::Agree(_) = people else {
        return false;
    };
    let read = |one: &Offered<'_>| Title::read(one.title, one.subtitle, one.series);
    let evidence = Evidence {
        same_people: true,
        names: &[],
    };
    read(one).like(&read(other), evidence).is_some()
}
