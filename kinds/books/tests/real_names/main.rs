//! File names of real books and comics, with the values that are expected from them.

mod books;
mod comics;

use self::books::BOOKS;
use self::comics::COMICS;
use ledge_core::registry::naming::{FileName, FolderListing, Group};
use ledge_kind_books::KIND;

fn group(path: &str, names: &[&str]) -> Vec<Group> {
    let mut names = names.to_vec();
    names.sort_unstable();
    let files: Vec<FileName> = names.iter().map(|name| FileName::new(name)).collect();
    (KIND.group)(&FolderListing {
        library: "Library",
        path,
        files: &files,
        folders: &[],
    })
}

/// Path, title, authors, year, series with number
type Row = (
    &'static str,
    &'static str,
    &'static str,
    Option<i32>,
    &'static str,
);

#[test]
fn names_provide_title_authors_year_and_series() {
    let mut wrong = Vec::new();
    for (path, title, authors, year, series) in BOOKS.iter().chain(COMICS) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let groups = group(folder, &[name]);
        let names = &groups[0].names;
        let credits: Vec<&str> = names
            .credits
            .iter()
            .map(|credit| credit.name.as_str())
            .collect();
        let in_series = names.series.as_ref().map_or_else(String::new, |series| {
            let index = series
                .index
                .map_or_else(String::new, |index| format!(" {index}"));
            format!("{}{index}", series.name)
        });
        let found = (
            names.title.as_str(),
            credits.join(", "),
            names.year,
            in_series,
        );
        let expected = (*title, (*authors).to_owned(), *year, (*series).to_owned());
        if found != expected {
            wrong.push(format!(
                "{path}\n  found    {found:?}\n  expected {expected:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn formats_of_one_name_are_one_book() {
    let groups = group(
        "Ann Lee",
        &[
            "Dune.epub",
            "Dune.kepub.epub",
            "Dune.mobi",
            "Dune.pdf",
            "dune.epub",
        ],
    );
    let sizes: Vec<usize> = groups.iter().map(|group| group.members.len()).collect();
    assert_eq!(sizes, [4, 1]);
    assert_eq!(groups[0].key, "Ann Lee/Dune");
    assert!(
        groups[0]
            .members
            .iter()
            .all(|member| member.sequence.is_none())
    );
}

#[test]
fn facts_contain_isbn_language_and_numbers() {
    let facts = |name: &str| group("", &[name]).remove(0).names.facts;
    assert_eq!(
        facts("Dune [German] 978-0-306-40615-7.epub")["isbn"],
        "9780306406157"
    );
    assert_eq!(facts("Dune [German].epub")["language"], "de");
    let comic = facts("One Piece v001 c001-008 (of 9).cbz");
    assert_eq!(
        (&comic["volume"], &comic["chapter"]),
        (&"1".into(), &"1-8".into())
    );
    assert_eq!(comic["issue_count"], "9");
    assert_eq!(facts("Batman 001.cbz")["issue"], "1");
}

#[test]
fn search_title_has_no_brackets() {
    assert_eq!(
        (KIND.search_title)("Seveneves (and other stories)"),
        "Seveneves"
    );
    assert_eq!((KIND.search_title)("(1999)"), "(1999)");
}
