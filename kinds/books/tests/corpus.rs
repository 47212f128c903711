//! Comparison of real books with the results of other readers, and checks with hostile books.
//!
//! Reads `manifest.json` in the folder `LEDGE_TEST_CORPUS`. Without that variable, the tests print
//! that they were skipped.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use ledge_core::registry::reading::Inspection;
use ledge_core::text::language;
use ledge_kind_books::archive::Archive;
use ledge_kind_books::formats::comic::{pages, sizes};
use ledge_kind_books::formats::pdf::cover::render;
use ledge_kind_books::formats::pdf::worker;
use ledge_kind_books::inspect::{cover, inspect};
use ledge_proving::{Corpus, READ_TOOLS, Tally, in_time};
use serde_json::Value;

/// Kinds of books that are compared.
const READ: &[&str] = &["epub", "comic", "mobi", "azw3", "fb2", "pdf"];

/// Facts that intentionally differ from those of the manifest, with the reasons.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "books/pdf/own-xmp-only.pdf: authors",
        "The XMP metadata names them; the other reader reads the Info dictionary alone.",
    ),
    (
        "books/pdf/own-xmp-only.pdf: title",
        "The XMP metadata has it; the other reader reads the Info dictionary alone.",
    ),
];

#[test]
fn real_books_match_results_of_other_readers() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    let mut tally = Tally::default();
    let mut times: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    for (path, row) in corpus.below("books/") {
        let file = corpus.root.join(path);
        let facts = &row["facts"];
        if !facts["kind"]
            .as_str()
            .is_some_and(|kind| READ.contains(&kind))
        {
            continue;
        }
        // Reading the file is not part of the measured time.
        let _ = inspect(&file, &READ_TOOLS);
        let start = Instant::now();
        let result = inspect(&file, &READ_TOOLS);
        let kind = facts["kind"].as_str().unwrap_or_default();
        times.entry(kind).or_default().push(start.elapsed());
        let is_sufficient =
            |found: &Inspection| found.extent.is_some() && !found.facts.contains_key("encrypted");
        let result = match result {
            // No subprocess can be started here, so its work is done in this process.
            result if kind == "pdf" && !result.as_ref().is_ok_and(is_sufficient) => {
                let output = worker::metadata(std::fs::read(&file).expect("a file"));
                let found = output.and_then(|output| worker::inspection_of(&output));
                found.map(|mut found| {
                    found.facts.extend(result.unwrap_or_default().facts);
                    found
                })
            }
            result => result,
        };
        match result {
            Ok(found) => compare(&mut tally, path, facts, &found),
            Err(error) => tally.miss(path, &error),
        }
        if let Some(has_cover) = expected_cover(facts) {
            let found = if facts["kind"] == "pdf" {
                // No subprocess can be started here, so the page is rendered in this process.
                render(std::fs::read(&file).expect("a file")).is_ok()
            } else {
                cover(&file, &READ_TOOLS).ok().flatten().is_some()
            };
            tally.hold(path, "cover", &has_cover.into(), &found.into());
        }
    }
    for (kind, times) in &times {
        let mean = times.iter().sum::<Duration>() / u32::try_from(times.len()).expect("few");
        let most = times.iter().max().expect("one");
        eprintln!(
            "{kind}: {} files, {mean:?} each, {most:?} at most",
            times.len()
        );
    }
    tally.end(100, EXCEPTIONS);
}

fn compare(tally: &mut Tally, path: &str, facts: &Value, found: &Inspection) {
    let kind = facts["kind"].as_str().unwrap_or_default();
    let found_series = found.series.as_ref();
    let expected = expected(kind, facts);
    let shown: [(&str, Value); 11] = [
        ("title", found.title.clone().into()),
        ("authors", authors(found)),
        ("year", found.year.into()),
        (
            "series",
            found_series.map(|series| series.name.clone()).into(),
        ),
        (
            "series_index",
            found_series.and_then(|series| series.index).into(),
        ),
        ("extent", found.extent.into()),
        ("language", fact(found, "language")),
        ("publisher", fact(found, "publisher")),
        ("direction", fact(found, "direction")),
        ("fixed_layout", fact(found, "fixed_layout")),
        ("encrypted", fact(found, "encrypted")),
    ];
    for (name, mut value) in expected {
        if name == "language" {
            value = value.as_str().and_then(language::tag).into();
        }
        let found = shown.iter().find(|(shown, _)| *shown == name);
        tally.hold(path, name, &value, &found.expect("a known fact").1);
    }
}

/// Returns the expected facts of a file, by the kind in the manifest.
fn expected(kind: &str, facts: &Value) -> Vec<(&'static str, Value)> {
    let as_is = |names: &[&'static str]| -> Vec<(&'static str, Value)> {
        names
            .iter()
            .map(|name| (*name, facts[name].clone()))
            .collect()
    };
    match kind {
        "epub" => {
            let mut expected = as_is(&["title", "authors", "year", "language"]);
            if facts["untyped_collection"].is_null() {
                expected.extend(as_is(&["series", "series_index"]));
            }
            expected.push(("extent", facts["spine_items"].clone()));
            let direction = facts["page_progression"].clone();
            expected.push((
                "direction",
                if direction == "rtl" {
                    direction
                } else {
                    Value::Null
                },
            ));
            expected.push(("fixed_layout", facts["fixed_layout"].clone()));
            expected
        }
        "comic" => {
            let info = &facts["comicinfo"];
            let mut expected = vec![("extent", facts["pages"].clone())];
            if info.is_object() {
                let year = info["Year"]
                    .as_str()
                    .and_then(|year| year.parse::<i64>().ok());
                let index = info["Number"]
                    .as_str()
                    .and_then(|number| number.parse::<f64>().ok());
                let writers = info["Writer"].as_str().unwrap_or_default();
                let writers: Vec<&str> = writers.split(", ").collect();
                let manga = info["Manga"] == "YesAndRightToLeft";
                expected.extend([
                    ("title", info["Title"].clone()),
                    ("authors", writers.into()),
                    ("year", year.into()),
                    ("series", info["Series"].clone()),
                    ("language", info["LanguageISO"].clone()),
                    ("publisher", info["Publisher"].clone()),
                    ("direction", manga.then_some("rtl").into()),
                ]);
                if index.is_some() {
                    expected.push(("series_index", index.into()));
                }
            }
            expected
        }
        "pdf" => {
            let authors: Vec<&Value> = facts
                .get("author")
                .into_iter()
                .filter(|a| !a.is_null())
                .collect();
            vec![
                ("title", facts["title"].clone()),
                ("authors", serde_json::to_value(authors).expect("JSON")),
                ("extent", facts["pages"].clone()),
                (
                    "encrypted",
                    facts["encrypted"].as_bool().filter(|is| *is).into(),
                ),
            ]
        }
        _ => {
            let year = facts["published"]
                .as_str()
                .and_then(|date| date.get(..4)?.parse::<i64>().ok());
            let mut expected = as_is(&["title", "authors"]);
            if facts.get("published").is_some() {
                expected.push(("year", year.into()));
            }
            expected
        }
    }
}

fn expected_cover(facts: &Value) -> Option<bool> {
    let has_pages = facts["pages"].as_i64().map(|pages| pages > 0);
    facts["has_cover"].as_bool().or(has_pages)
}

fn authors(found: &Inspection) -> Value {
    let authors = found
        .credits
        .iter()
        .filter(|credit| credit.role == "author");
    authors.map(|credit| credit.name.clone()).collect()
}

fn fact(found: &Inspection, name: &str) -> Value {
    found.facts.get(name).cloned().unwrap_or_default()
}

#[test]
fn pages_of_packed_comics_are_measured() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    for (name, expected) in [
        ("komga-rar4.cbr", [(48, 48); 3].as_slice()),
        ("komga-rar5.cbr", &[(48, 48)]),
        ("Seven Up 01.cb7", &[(480, 720); 3]),
    ] {
        let path = corpus.root.join("books/comics").join(name);
        let file = std::fs::File::open(&path).expect("a file");
        let mut archive = Archive::open(file).expect("an archive");
        let pages = pages::indexes(&archive.index().members());
        let sizes = in_time(name, || sizes::measure(&mut archive, &pages));
        let sizes: Option<Vec<_>> = sizes.into_iter().collect();
        assert_eq!(sizes.as_deref(), Some(expected), "{name}");
    }
}

#[test]
fn hostile_books_are_parsed_or_rejected_quickly() {
    let Some(corpus) = Corpus::open() else {
        return;
    };
    let secret = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let secret = secret.lines().next().unwrap_or("root:x:0:0");
    let mut read = 0;
    for (path, _) in corpus.below("hostile/") {
        let file = corpus.root.join(path);
        if !is_book(&file) {
            continue;
        }
        let (result, cover) = in_time(path, || {
            measure(&file);
            (inspect(&file, &READ_TOOLS), cover(&file, &READ_TOOLS))
        });
        let shown = format!("{result:?}");
        assert!(!shown.contains(secret), "{path} tells a secret");
        if let Ok(Some(cover)) = &cover {
            assert!(
                !cover
                    .windows(secret.len())
                    .any(|part| part == secret.as_bytes())
            );
        }
        if let Ok(result) = &result {
            let title = result.title.as_deref().unwrap_or_default();
            assert!(title.chars().count() <= 1_000, "{path}");
        }
        eprintln!("{path}: {}", outcome(&result));
        read += 1;
    }
    assert!(read > 40, "only {read} hostile books");
}

/// Measures the pages of a file that may be an archive.
fn measure(path: &Path) {
    let file = std::fs::File::open(path).expect("a file");
    if let Ok(mut archive) = Archive::open(file) {
        let pages = pages::indexes(&archive.index().members());
        sizes::measure(&mut archive, &pages);
    }
}

fn outcome(result: &Result<Inspection, ledge_core::error::ReadError>) -> String {
    match result {
        Ok(result) => format!(
            "{:.40?}, {:?}",
            result.title.as_deref().unwrap_or("-"),
            result.extent
        ),
        Err(error) => error.to_string(),
    }
}

fn is_book(path: &Path) -> bool {
    let extension = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    ledge_kind_books::formats::FORMATS
        .iter()
        .any(|format| format.extension == extension)
}
