//! Difficult pairs of file titles and provider titles. Each pair states if both are one work. The
//! test prints precision and recall, and requires a precision of 1.

mod choices;
mod lists;

mod other;
mod same;
mod table;

use super::{Choice, Offered, Wanted, choose};
use choices::CHOICES;
use other::OTHER;
use same::SAME;

/// One side of a pair.
#[derive(Debug, Clone, Copy)]
struct Work {
    title: &'static str,
    subtitle: Option<&'static str>,
    authors: &'static [&'static str],
    year: Option<i32>,
    isbns: &'static [&'static str],
    series: Option<(&'static str, f64)>,
    platforms: &'static [&'static str],
    others: &'static [&'static str],
}

const fn work(title: &'static str) -> Work {
    Work {
        title,
        subtitle: None,
        authors: &[],
        year: None,
        isbns: &[],
        series: None,
        platforms: &[],
        others: &[],
    }
}

impl Work {
    const fn by(self, authors: &'static [&'static str]) -> Self {
        Self { authors, ..self }
    }
    const fn sub(self, subtitle: &'static str) -> Self {
        Self {
            subtitle: Some(subtitle),
            ..self
        }
    }
    const fn in_year(self, year: i32) -> Self {
        Self {
            year: Some(year),
            ..self
        }
    }
    const fn isbn(self, isbns: &'static [&'static str]) -> Self {
        Self { isbns, ..self }
    }
    const fn of(self, series: &'static str, number: f64) -> Self {
        Self {
            series: Some((series, number)),
            ..self
        }
    }
    const fn on(self, platforms: &'static [&'static str]) -> Self {
        Self { platforms, ..self }
    }
    const fn also(self, others: &'static [&'static str]) -> Self {
        Self { others, ..self }
    }
}

const AUSTEN: &[&str] = &["Jane Austen"];
const TOLKIEN: &[&str] = &["J. R. R. Tolkien"];
const HERBERT: &[&str] = &["Frank Herbert"];
const KING: &[&str] = &["Stephen King"];
const KISHIMOTO: &[&str] = &["Masashi Kishimoto"];

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn chosen(wanted: &Work, offered: &[Work]) -> Choice {
    let lists: Vec<_> = offered
        .iter()
        .map(|one| (texts(one.others), texts(one.isbns), texts(one.platforms)))
        .collect();
    let ids: Vec<String> = (0..offered.len()).map(|id| format!("id{id}")).collect();
    let all: Vec<Offered<'_>> = offered
        .iter()
        .zip(&lists)
        .zip(&ids)
        .map(|((one, (others, isbns, platforms)), id)| Offered {
            id,
            title: one.title,
            subtitle: one.subtitle,
            other_titles: others,
            authors: one.authors.to_vec(),
            year: one.year,
            isbns,
            series: one.series.map(|(name, number)| (name, Some(number))),
            platforms,
            ..Offered::default()
        })
        .collect();
    let (authors, isbns) = (texts(wanted.authors), texts(wanted.isbns));
    choose(
        &Wanted {
            title: wanted.title,
            subtitle: wanted.subtitle,
            authors: &authors,
            year: wanted.year,
            isbns: &isbns,
            series: wanted.series.map(|(name, number)| (name, Some(number))),
            platform: wanted.platforms.first().copied(),
            ..Wanted::default()
        },
        &all,
    )
}

fn is_match(wanted: &Work, offered: &Work) -> bool {
    matches!(chosen(wanted, &[*offered]), Choice::Match { .. })
}

#[test]
fn pairs_are_matched_without_wrong_match() {
    assert!(SAME.len() + OTHER.len() >= 60);
    let missed: Vec<_> = SAME.iter().filter(|(w, o)| !is_match(w, o)).collect();
    let wrong: Vec<_> = OTHER.iter().filter(|(w, o)| is_match(w, o)).collect();
    let found = SAME.len() - missed.len();
    for (wanted, offered) in &missed {
        println!("missed: {} / {}", wanted.title, offered.title);
    }
    for (wanted, offered) in &wrong {
        println!("wrong: {} / {}", wanted.title, offered.title);
    }
    println!(
        "{} pairs: precision {found}/{}, recall {found}/{}",
        SAME.len() + OTHER.len(),
        found + wrong.len(),
        SAME.len()
    );
    assert!(wrong.is_empty(), "{} wrong matches", wrong.len());
    // Only an ISBN could identify the last three rows of the table.
    assert!(missed.len() <= 3, "{} are missed", missed.len());
}

#[test]
fn choice_among_several_is_right_or_none() {
    for (wanted, offered, right) in CHOICES {
        let index = match chosen(wanted, offered) {
            Choice::Match { index, .. } => Some(index),
            Choice::Notfound { .. } => None,
        };
        assert_eq!(index, *right, "{}", wanted.title);
    }
}

#[test]
fn match_by_alternative_title_returns_its_index() {
    let wanted = work("Probotector").on(&["nes"]);
    let offered = work("Contra").on(&["nes"]).also(&["Gryzor", "Probotector"]);
    let found = chosen(&wanted, &[offered]);
    assert!(
        matches!(
            found,
            Choice::Match {
                other_title: Some(1),
                ..
            }
        ),
        "{found:?}"
    );
}

#[test]
fn equally_good_works_are_ambiguous() {
    let one = work("The Gift").by(&["Vladimir Nabokov"]).in_year(1990);
    let other = work("The Gift").by(&["Danielle Steel"]).in_year(1990);
    let found = chosen(&work("The Gift").in_year(1990), &[one, other]);
    assert!(
        matches!(
            found,
            Choice::Notfound {
                ambiguous: true,
                ..
            }
        ),
        "{found:?}"
    );
}

proptest::proptest! {
    #[test]
    fn arbitrary_text_is_compared_without_panic(
        one in ".{0,80}",
        other in ".{0,80}",
        name in ".{0,40}",
        isbn in "[0-9Xx-]{0,20}",
        index in proptest::option::of(-3.0..2000.0f64),
    ) {
        let (names, isbns) = (vec![name], vec![isbn]);
        let wanted = Wanted {
            title: &one,
            authors: &names,
            isbns: &isbns,
            series: Some((&other, index)),
            ..Wanted::default()
        };
        let offered = Offered {
            title: &other,
            subtitle: Some(&one),
            authors: vec![&names[0]],
            isbns: &isbns,
            ..Offered::default()
        };
        let _ = choose(&wanted, &[offered.clone(), offered]);
    }

    #[test]
    fn work_matches_itself(title in "[A-Za-z]{3,9}( [a-z]{2,9}){1,4}", name in "[A-Z][a-z]{3,8} [A-Z][a-z]{3,8}") {
        let names = vec![name];
        let wanted = Wanted { title: &title, authors: &names, ..Wanted::default() };
        let offered = Offered { title: &title, authors: vec![&names[0]], ..Offered::default() };
        let found = choose(&wanted, &[offered]);
        proptest::prop_assert!(matches!(found, Choice::Match { .. }), "{:?}", found);
    }
}
