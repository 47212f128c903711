//! Title and badges of a game: release marks leave the title and become badges.

use ledge_core::registry::{Badge, DisplayTitle};
use ledge_core::text::names::brackets::{self, Part, Tag};
use ledge_core::text::names::clean;

use super::names::without_version;
use super::release::{self, Release};

/// Returns the title without release marks, and the marks as badges. Brackets before the first
/// mark belong to the title, such as `Lantern (and other games) (USA)`. A title that consists only
/// of brackets is kept.
pub fn display_title(stored: &str) -> DisplayTitle {
    let release = Release::parse(stored);
    let (text, others) = outside_marks(stored, &release);
    let plain = clean::plain(&text);
    let title = without_version(clean::trimmed(&plain));
    if title.is_empty() {
        return DisplayTitle::stored(stored);
    }
    DisplayTitle {
        title: title.to_owned(),
        badges: badges(&release, others),
    }
}

/// Returns the text without marks, and the tags in round brackets that follow the first mark.
fn outside_marks<'a>(stored: &'a str, release: &Release) -> (String, Vec<&'a str>) {
    let (mut text, mut others) = (String::new(), Vec::new());
    let mut is_marked = false;
    for part in brackets::parts(stored) {
        match part {
            Part::Text(outside) => {
                text.push(' ');
                text.push_str(outside);
            }
            Part::Tag(tag) if tag.open == '[' || release::is_mark(&tag) => is_marked = true,
            Part::Tag(tag) if !is_marked => {
                text.push(' ');
                text.push_str(&bracketed(&tag));
            }
            // `-` is an unknown publisher in names of TOSEC.
            Part::Tag(tag) if tag.text == "-" => {}
            Part::Tag(tag) if release.publisher.as_deref() == Some(tag.text) => {}
            Part::Tag(tag) => others.push(tag.text),
        }
    }
    (text, others)
}

fn bracketed(tag: &Tag<'_>) -> String {
    let close = if tag.open == '(' { ')' } else { '}' };
    format!("{}{}{close}", tag.open, tag.text)
}

fn badges(release: &Release, others: Vec<&str>) -> Vec<Badge> {
    let badge = |kind| move |label: String| Badge { kind, label };
    let regions = release.regions.iter().map(|region| (*region).to_owned());
    let languages = (!release.languages.is_empty()).then(|| release.languages.join(", "));
    let revision = release
        .revision
        .iter()
        .map(|number| format!("Rev {number}"));
    let version = release.version.iter().map(|number| format!("v{number}"));
    let marks = release.marks.iter().map(|mark| (*mark).to_owned());
    let others = others.into_iter().map(str::to_owned);
    regions
        .map(badge("region"))
        .chain(languages.map(badge("language")))
        .chain(revision.map(badge("revision")))
        .chain(version.map(badge("version")))
        .chain(marks.chain(others).map(badge("mark")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shows(stored: &str, title: &str, badges: &[(&str, &str)]) {
        let shown = display_title(stored);
        let found: Vec<(&str, &str)> = shown
            .badges
            .iter()
            .map(|badge| (badge.kind, badge.label.as_str()))
            .collect();
        assert_eq!((shown.title.as_str(), found.as_slice()), (title, badges));
    }

    #[test]
    fn marks_become_badges() {
        shows("Nova the Squirrel", "Nova the Squirrel", &[]);
        shows(
            "Super Mario Bros. 3 (USA) (Rev 1) [!]",
            "Super Mario Bros. 3",
            &[
                ("region", "USA"),
                ("revision", "Rev 1"),
                ("mark", "verified"),
            ],
        );
        shows(
            "Lantern Drift (USA, Europe) (En,Fr) (Unl)",
            "Lantern Drift",
            &[
                ("region", "USA"),
                ("region", "Europe"),
                ("language", "en, fr"),
                ("mark", "unlicensed"),
            ],
        );
        shows(
            "Legend v1.2 (1989)(Publisher)(US)[cr]",
            "Legend",
            &[("region", "USA"), ("version", "v1.2"), ("mark", "cracked")],
        );
    }

    #[test]
    fn unknown_tags_after_a_mark_are_badges_and_before_it_title() {
        shows(
            "Lantern (and other games) (Japan) (SGB Enhanced)",
            "Lantern (and other games)",
            &[("region", "Japan"), ("mark", "SGB Enhanced")],
        );
        shows("Lantern [q9z]", "Lantern", &[]);
        shows("Lantern {Box}", "Lantern {Box}", &[]);
    }

    #[test]
    fn title_of_brackets_is_kept() {
        shows("(USA)", "(USA)", &[]);
        shows("[!]", "[!]", &[]);
    }
}
