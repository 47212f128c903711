//! Whether what a provider offers is the work that was asked for: ISBNs, titles, people, years and
//! platforms, scored. A wrong match is worse than none: what is ambiguous matches nothing.

mod isbn;
mod marks;
mod near;
#[cfg(test)]
mod pairs;
mod people;
mod title;
mod words;

use people::People;
use title::{Beside, Title};
use words::words;

/// Scores below it match nothing.
pub const FLOOR: f64 = 0.8;

/// Two works whose scores are no further apart than this are both as good.
const MARGIN: f64 = 0.02;

/// Where the scores of those begin that bear an ISBN of the question: above all others.
const ISBN: f64 = 2.0;

/// What equal years are worth.
const YEAR: f64 = 0.04;

/// Most candidates that are looked at.
const MOST: usize = 50;

/// The work that is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Its title as the kind asks for it.
    pub title: &'a str,
    /// A subtitle that is kept apart.
    pub subtitle: Option<&'a str>,
    /// Names of its authors, as they stand in files.
    pub authors: &'a [String],
    /// Year of this edition or of the work.
    pub year: Option<i32>,
    /// ISBNs of either length, with or without hyphens.
    pub isbns: &'a [String],
    /// Series and number in it.
    pub series: Option<(&'a str, Option<f64>)>,
    /// Platform a game is for.
    pub platform: Option<&'a str>,
}

/// What a provider offers.
#[derive(Debug, Clone, Default)]
pub struct Offered<'a> {
    /// Its id at the provider; equal ids are one work.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// A subtitle that is kept apart.
    pub subtitle: Option<&'a str>,
    /// Its titles elsewhere: in other regions, of other editions.
    pub other_titles: &'a [String],
    /// Names of its authors.
    pub authors: Vec<&'a str>,
    /// Year of first publication, or of an edition.
    pub year: Option<i32>,
    /// ISBNs of its editions.
    pub isbns: &'a [String],
    /// Series and number in it.
    pub series: Option<(&'a str, Option<f64>)>,
    /// Platforms it came out for.
    pub platforms: &'a [String],
}

/// What came of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    /// This one is it.
    Match {
        /// Its place among those offered.
        index: usize,
        /// How sure that is, from [`FLOOR`] to 1.
        score: f64,
        /// It agreed by this one of its other titles: the title shown need not be the one asked for.
        other_title: Option<usize>,
    },
    /// None of them is it, as far as one can tell.
    Notfound {
        /// The best of them and its score, where one had any.
        best: Option<(usize, f64)>,
        /// Two different works were equally good.
        ambiguous: bool,
    },
}

/// Chooses the one that was asked for.
pub fn choose(wanted: &Wanted<'_>, offered: &[Offered<'_>]) -> Choice {
    let asked = Asked::of(wanted);
    let mut graded: Vec<(usize, Grade)> = offered
        .iter()
        .take(MOST)
        .enumerate()
        .filter_map(|(index, one)| Some((index, asked.grade(one)?)))
        .collect();
    // Stable: of equals the provider's first guess stays first.
    graded.sort_by(|(_, one), (_, other)| other.score.total_cmp(&one.score));
    let Some((index, best)) = graded.first() else {
        return Choice::Notfound {
            best: None,
            ambiguous: false,
        };
    };
    let rivals = |other: &&(usize, Grade)| {
        let (place, grade) = other;
        best.score - grade.score <= MARGIN && !same_work(offered.get(*index), offered.get(*place))
    };
    let ambiguous = graded.iter().skip(1).any(|other| rivals(&other));
    if ambiguous || best.score < FLOOR {
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

/// How good one candidate is.
#[derive(Debug, Clone, Copy)]
struct Grade {
    score: f64,
    other_title: Option<usize>,
}

/// The question, read once.
struct Asked<'a> {
    wanted: &'a Wanted<'a>,
    title: Title,
    isbns: Vec<String>,
}

impl<'a> Asked<'a> {
    fn of(wanted: &'a Wanted<'a>) -> Self {
        Self {
            wanted,
            title: Title::read(wanted.title, wanted.subtitle, wanted.series),
            isbns: thirteen(wanted.isbns),
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
        let titles = self.titles(&title, offered, people);
        let has_isbn = thirteen(offered.isbns)
            .iter()
            .any(|isbn| self.isbns.contains(isbn));
        if has_isbn {
            return self.by_isbn(&title, titles, people);
        }
        let (like, other_title) = titles?;
        let year = offered.year.or(title.year);
        let near_year = years_apart(wanted.year.or(self.title.year), year);
        let sure = self.sure(people, like, near_year, offered)?;
        let bonus = if near_year.is_some_and(|apart| apart <= 1) {
            YEAR
        } else {
            0.0
        };
        Some(Grade {
            score: like * sure + bonus,
            other_title,
        })
    }

    /// How alike the titles are, and by which of the other titles.
    fn titles(
        &self,
        title: &Title,
        offered: &Offered<'_>,
        people: People,
    ) -> Option<(f64, Option<usize>)> {
        let mut names: Vec<Vec<String>> = Vec::new();
        names.extend(self.wanted.authors.iter().take(5).map(|name| words(name)));
        names.extend(offered.authors.iter().take(5).map(|name| words(name)));
        let beside = Beside {
            same_people: matches!(people, People::Agree(like) if like > 0.9),
            names: &names,
        };
        let main = self.title.like(title, beside).map(|like| (like, None));
        // Regional and translated titles count where they are the same and something else agrees.
        let mut others = offered.other_titles.iter().take(MOST).enumerate();
        let other = others.find_map(|(place, other)| {
            let other = Title::read(other, None, None);
            let like = self.title.like(
                &other,
                Beside {
                    same_people: false,
                    ..beside
                },
            )?;
            (like > 0.99).then_some((0.98, Some(place)))
        });
        match (main, other) {
            (Some(main), Some(other)) if main.0 >= other.0 => Some(main),
            (main, other) => other.or(main),
        }
    }

    /// The same ISBN is the same edition, unless nothing else speaks for it: files carry ISBNs of
    /// other books, or of the box they were sold in.
    fn by_isbn(
        &self,
        title: &Title,
        titles: Option<(f64, Option<usize>)>,
        people: People,
    ) -> Option<Grade> {
        if titles.is_none() && (people == People::Differ || self.title.is_other_thing(title)) {
            return None;
        }
        let (like, other_title) = titles.unwrap_or((0.0, None));
        Some(Grade {
            score: ISBN + 0.05 * like,
            other_title,
        })
    }

    /// What speaks for two works of one title being the same: their people, platform, year, or
    /// that the title is one that nobody gives twice.
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
                let same_year = years_apart.is_some_and(|apart| apart <= 1);
                let other_year = years_apart.is_some_and(|apart| apart > 3);
                if like < 0.9 {
                    None
                } else if same_platform {
                    Some(0.95)
                } else if same_year {
                    Some(0.9)
                } else if self.title.is_telling() && !other_year {
                    Some(0.85)
                } else {
                    None
                }
            }
        }
    }
}

/// Whether what is known of platforms allows for one work.
fn platforms_agree(wanted: Option<&str>, offered: &[String]) -> bool {
    wanted.is_none_or(|wanted| offered.is_empty() || offered.iter().any(|one| one == wanted))
}

fn years_apart(one: Option<i32>, other: Option<i32>) -> Option<u32> {
    Some(one?.abs_diff(other?))
}

fn thirteen(isbns: &[String]) -> Vec<String> {
    let isbns = isbns.iter().take(200);
    isbns.filter_map(|isbn| isbn::thirteen(isbn)).collect()
}

/// Whether two candidates are records of one work.
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
    let beside = Beside {
        same_people: true,
        names: &[],
    };
    read(one).like(&read(other), beside).is_some()
}
