//! Checks that the core contains no code for a single kind of media. Kinds register descriptors.

use std::fs;
use std::path::{Path, PathBuf};

/// Words of single kinds of media, in the singular.
const WORDS: &[&str] = &[
    "album",
    "audiobook",
    "comic",
    "ebook",
    "episode",
    "film",
    "game",
    "isbn",
    "manga",
    "movie",
    "narrator",
    "platform",
    "season",
    "song",
];

/// Places that may contain some of the words: the start of a path, the words, and the reason.
const ALLOWED: &[(&str, &[&str], &str)] = &[
    (
        "ground/fs/disk.rs",
        &["platform"],
        "operating system, in the reasons of lints",
    ),
    (
        "ground/registry",
        &["season", "episode", "isbn", "platform"],
        "numbers of an item's parts, and values of provider queries",
    ),
    (
        "ground/text",
        &["isbn"],
        "values of provider queries, and keys that link items",
    ),
    (
        "ground/text/names/people.rs",
        WORDS,
        "words that are never a person's name",
    ),
    (
        "http/publications.rs",
        &["comic"],
        "type of a publication in the catalogues of reading apps",
    ),
    (
        "http/recordings.rs",
        &["album"],
        "a form of items, which each kind with recordings assigns",
    ),
    (
        "services/enrich",
        &[
            "isbn",
            "platform",
            "comic",
            "manga",
            "season",
            "ebook",
            "movie",
            "audiobook",
            "episode",
            "game",
        ],
        "values of provider queries, and words in titles of any provider",
    ),
    (
        "services/enrich/matching/pairs",
        WORDS,
        "titles of test data",
    ),
    (
        "services/enrich/matching/rules.rs",
        &["album"],
        "a word in titles of editions",
    ),
    (
        "services/home/continue_file.rs",
        &["season", "episode"],
        "numbers of an item's parts in the API",
    ),
    (
        "services/scan/apply",
        &["season", "episode"],
        "numbers of an item's parts",
    ),
    (
        "storage/db/migrate",
        &["narrator", "game", "album", "season", "episode"],
        "table names, and rows of tests",
    ),
    (
        "storage/store",
        &["season", "episode"],
        "numbers of an item's parts, stored for every kind",
    ),
    (
        "storage/store/catalogue/work/link.rs",
        &["isbn"],
        "a key that links items",
    ),
    (
        "storage/store/matches/subject.rs",
        &["isbn", "platform"],
        "values of provider queries",
    ),
    (
        "storage/store/account/user_state.rs",
        &["game"],
        "name of the table of saves",
    ),
    (
        "storage/store/user_data/export.rs",
        &["isbn", "game"],
        "identifier of items in an export, and names of the tables of saves",
    ),
    (
        "storage/store/user_data/save",
        &["game"],
        "name of the table of saves",
    ),
];

#[test]
fn core_contains_words_of_single_kinds_in_few_places_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut unused: Vec<&str> = ALLOWED.iter().map(|(place, ..)| *place).collect();
    for file in sources(&root) {
        let text = fs::read_to_string(&file).expect("a source file");
        let path = file.strip_prefix(&root).expect("a path below the root");
        let path = path.to_str().expect("text");
        for (line, word) in words(&text) {
            let allowed = |place: &&(&str, &[&str], &str)| {
                path.starts_with(place.0) && place.1.contains(&word)
            };
            let places: Vec<_> = ALLOWED
                .iter()
                .filter(allowed)
                .map(|(place, ..)| place)
                .collect();
            unused.retain(|place| !places.contains(&place));
            if places.is_empty() {
                wrong.push(format!("{path}:{line}: {word}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(unused.is_empty(), "allowed but not needed: {unused:?}");
}

/// Returns the words of single kinds of media in the code, with their lines. Comments and unit
/// tests may contain any word.
fn words(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines().zip(1..);
    lines.flat_map(|(line, number)| {
        let line = line.split("//").next().unwrap_or_default().to_lowercase();
        let parts = line.split(|c: char| !c.is_ascii_lowercase());
        let found = parts.filter_map(|part| {
            let word = |word: &&&str| part == **word || part.strip_suffix('s') == Some(**word);
            WORDS.iter().find(word).copied()
        });
        found.map(|word| (number, word)).collect::<Vec<_>>()
    })
}

/// Returns the source files of a folder without files of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let kept = paths.filter(|path| path.file_stem().is_none_or(|stem| stem != "tests"));
    kept.flat_map(|path| {
        if path.is_dir() {
            sources(&path)
        } else {
            vec![path]
        }
    })
    .collect()
}
