//! Checks of the documentation against the project.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of the project.
fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the project").to_owned()
}

/// Returns every page: at the top level, and below `docs`.
fn pages() -> Vec<PathBuf> {
    let folders = [root(), root().join("docs"), root().join("web")];
    let entries = folders.iter().flat_map(|folder| {
        let listing = fs::read_dir(folder).expect("a folder");
        listing.map(|entry| entry.expect("an entry").path())
    });
    let pages: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    assert!(pages.len() > 8, "{pages:?}");
    pages
}

/// Returns the targets between `](` and `)`, except URLs and anchors in the same page.
fn links(text: &str) -> Vec<&str> {
    let ends = text.split("](").skip(1);
    let links = ends.filter_map(|rest| Some(rest.split_once(')')?.0));
    let links = links.map(|link| link.split('#').next().unwrap_or_default());
    links
        .filter(|link| !link.is_empty() && !link.contains("://"))
        .collect()
}

#[test]
fn every_link_between_pages_has_target() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("its folder");
        for link in links(&text) {
            if !folder.join(link).exists() {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn upgrading_page_names_current_schema() {
    use ledge_core::db::migrate::LATEST;
    let page = root().join("docs/upgrading.md");
    let text = fs::read_to_string(page).expect("a page");
    for sentence in [
        format!("versions up to {LATEST}:"),
        format!("\"schema\": {LATEST}}}"),
    ] {
        assert!(text.contains(&sentence), "{sentence}");
    }
}

/// Returns the code blocks with a source path in a comment on their first line. Blocks of
/// `kinds/sheets` are left out, because the reader creates these files.
fn excerpts(text: &str) -> Vec<(&str, &str)> {
    let blocks = text.split("```").skip(1).step_by(2);
    let excerpts = blocks.filter_map(|block| {
        let (_language, code) = block.split_once('\n')?;
        let (first, rest) = code.split_once('\n')?;
        let path = first
            .strip_prefix("// ")
            .or_else(|| first.strip_prefix("# "))?;
        let is_path = path.contains('/') && !path.contains(' ');
        (is_path && !path.starts_with("kinds/sheets/")).then_some((path, rest))
    });
    excerpts.collect()
}

#[test]
fn quoted_code_is_in_named_file() {
    let mut quoted = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for (path, code) in excerpts(&text) {
            let source = fs::read_to_string(root().join(path)).unwrap_or_default();
            let is_there = source.contains(code.trim_end());
            assert!(is_there, "{}: not in {path}:\n{code}", page.display());
            quoted += 1;
        }
    }
    assert!(quoted >= 6, "only {quoted} excerpts were found");
}

/// Returns the lines that are not blank.
fn nonblank_lines(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .collect()
}

#[test]
fn kinds_page_contains_complete_example() {
    let page = fs::read_to_string(root().join("docs/adding-a-kind.md")).expect("the page");
    for file in [
        "Cargo.toml",
        "src/lib.rs",
        "src/header.rs",
        "src/picture.rs",
        "src/worker.rs",
    ] {
        let blocks = page.split("```").skip(1).step_by(2);
        let parts = blocks.filter_map(|block| {
            let (_language, code) = block.split_once('\n')?;
            let (first, rest) = code.split_once('\n')?;
            first
                .ends_with(&format!(" kinds/sheets/{file}"))
                .then_some(rest)
        });
        let page_code = parts.collect::<String>();
        let built = root().join("tests/example-kind").join(file);
        let built = fs::read_to_string(built).expect("a file of the example");
        let built = built.replace("ledge-kind-example", "ledge-kind-sheets");
        assert_eq!(nonblank_lines(&page_code), nonblank_lines(&built), "{file}");
    }
    let mut sources: Vec<_> = fs::read_dir(root().join("tests/example-kind/src"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    sources.sort();
    assert_eq!(sources, ["header.rs", "lib.rs", "picture.rs", "worker.rs"]);
}

#[test]
fn every_environment_variable_is_documented() {
    let help = std::process::Command::new(ledge_tests::server::program("ledge"))
        .args(["serve", "--help"])
        .output()
        .expect("the program");
    let help = String::from_utf8(help.stdout).expect("UTF-8");
    let page = fs::read_to_string(root().join("docs/configure.md")).expect("the page");
    let names = help
        .split(|c: char| !c.is_ascii_uppercase() && c != '_')
        .filter(|word| word.starts_with("LEDGE_"));
    let unknown: Vec<&str> = names.filter(|name| !page.contains(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
