//! Checks the order of the core's modules: a module imports only from modules above it. The order
//! rules out import cycles.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that only group modules by layer.
const LAYERS: &[&str] = &["ground", "storage", "services"];

/// Modules of the core in dependency order, one layer per group.
const ORDER: &[&[&str]] = &[
    // Ground: definitions without a database.
    &[
        "error", "id", "rng", "time", "text", "path", "fs", "paging", "job_kind", "image",
        "registry", "process",
    ],
    // Storage.
    &[
        "background",
        "version",
        "access",
        "db",
        "playback",
        "search",
        "store",
    ],
    // Services.
    &[
        "events", "net", "app", "jobs", "scan", "cover", "enrich", "home", "backup", "transfer",
    ],
    // Edge.
    &["http"],
];

/// Services that work independently. None of them may import another one.
const INDEPENDENT: &[&str] = &["scan", "cover", "enrich", "home", "backup", "transfer"];

/// Import that is still upward, with its reason: a migration computes a summary that the store
/// defines.
const EXCEPTION: (&str, &str) = ("db/migrate.rs", "store");

/// Items that `lib.rs` exports under a shorter path, with their modules.
const EXPORTS: &[(&str, &str)] = &[
    ("App", "app"),
    ("Context", "app"),
    ("Settings", "app"),
    ("Timestamp", "time"),
    ("available_parallelism", "process"),
];

#[test]
fn every_module_imports_only_from_modules_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rank = |name: &str| {
        ORDER
            .iter()
            .copied()
            .flatten()
            .position(|module| *module == name)
    };
    let mut upward = Vec::new();
    for file in sources(&root) {
        let path = file
            .strip_prefix(&root)
            .expect("a path below the root")
            .with_extension("");
        let names = path.iter().map(|name| name.to_str().expect("text"));
        let names: Vec<_> = names.filter(|name| !LAYERS.contains(name)).collect();
        let Some(module) = names.first().copied() else {
            continue;
        };
        let own = rank(module).unwrap_or_else(|| panic!("`{module}` is not in the list"));
        let text = fs::read_to_string(&file).expect("a source file");
        for (line, name) in imports(&text, names.len()) {
            let export = EXPORTS.iter().find(|(item, _)| *item == name);
            let imported = export.map_or(name.as_str(), |(_, module)| module);
            let both = [module, imported];
            let is_independent = both.iter().all(|module| INDEPENDENT.contains(module));
            let is_exception = file.ends_with(EXCEPTION.0) && imported == EXCEPTION.1;
            let is_upward = rank(imported).is_none_or(|imported| imported > own);
            if (is_upward || is_independent && imported != module) && !is_exception {
                upward.push(format!(
                    "{}:{line}: {module} imports {imported}",
                    file.display()
                ));
            }
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn every_form_of_import_is_recognised() {
    let text = "use crate::a;\nuse crate::{b, c::{x, y}};\nfn f() { crate::d::g() }\n\
                // crate::comment\nuse super::super::e::z;\nuse super::inner;\nuse crate::{\n    f::{g},\n    h,\n};\n";
    let names: Vec<_> = imports(text, 2).into_iter().collect();
    let expected = [
        (1, "a"),
        (2, "b"),
        (2, "c"),
        (3, "d"),
        (7, "f"),
        (7, "h"),
        (5, "e"),
    ];
    assert_eq!(names, expected.map(|(line, name)| (line, name.to_owned())));
}

/// Returns the source files of a folder, without `lib.rs` and without files of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let kept = paths.filter(|path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        !stem.is_some_and(|stem| ["lib", "tests"].contains(&stem))
    });
    kept.flat_map(|path| match path.extension() {
        Some(extension) if extension == "rs" => vec![path],
        _ if path.is_dir() => sources(&path),
        _ => Vec::new(),
    })
    .collect()
}

/// Returns the imported names at the root of the crate with their lines, without those of unit
/// tests. `depth` is the number of names in the path of the file's module.
fn imports(text: &str, depth: usize) -> Vec<(usize, String)> {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next();
    let code: Vec<&str> = code
        .unwrap_or_default()
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for prefix in ["crate::".to_owned(), "super::".repeat(depth)] {
        for (at, _) in code.match_indices(&prefix) {
            let (before, rest) = code.split_at(at);
            let rest = rest.strip_prefix(&prefix).unwrap_or_default();
            let is_inside_path = |c: char| c.is_alphanumeric() || "_:$".contains(c);
            if !before.ends_with(is_inside_path) && !before.ends_with("pub(in ") {
                let line = before.matches('\n').count() + 1;
                found.extend(
                    heads(rest)
                        .into_iter()
                        .filter(|name| !name.is_empty())
                        .map(|name| (line, name)),
                );
            }
        }
    }
    found
}

/// Returns the first name of each path at the start of `rest`: one name, or a list in braces.
fn heads(rest: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let Some(list) = rest.strip_prefix('{') else {
        return vec![rest.chars().take_while(|c| is_name(*c)).collect()];
    };
    let (mut level, mut heads, mut path) = (0, Vec::new(), String::new());
    for c in list.chars() {
        match c {
            '{' => level += 1,
            '}' if level == 0 => break,
            '}' => level -= 1,
            ',' if level == 0 => heads.push(std::mem::take(&mut path)),
            c if level == 0 => path.push(c),
            _ => {}
        }
    }
    heads.push(path);
    let names = heads
        .iter()
        .map(|path| path.trim().split("::").next().unwrap_or_default());
    names.map(str::to_owned).collect()
}
