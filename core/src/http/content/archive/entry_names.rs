//! Names of the entries of an archive. They are relative, and contain neither `..` nor a backslash.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path};

use crate::store::file::location::FileLocation;

/// Limit of a name in bytes. ZIP allows 65,535.
const MAX_NAME: usize = 32 << 10;

/// Names of the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Paths below the folder that contains all files.
    Paths,
    /// Names of the files after their numbers: `0001 Name.ext`.
    Numbers,
}

impl Naming {
    /// Returns the names of these files. Equal names get a number: `Name (2).ext`.
    pub(super) fn of<'a>(
        self,
        files: impl Iterator<Item = &'a FileLocation> + Clone,
    ) -> Vec<String> {
        let names: Vec<String> = match self {
            Self::Paths => {
                let common = common_folder(files.clone());
                files.map(|file| path_below(common, file)).collect()
            }
            Self::Numbers => (1..)
                .zip(files)
                .map(|(n, file)| format!("{n:04} {}", part(&file.name_text())))
                .collect(),
        };
        distinct(names)
    }
}

/// Returns the deepest folder that contains all files.
fn common_folder<'a>(mut files: impl Iterator<Item = &'a FileLocation>) -> &'a Path {
    let Some(first) = files.next() else {
        return Path::new("");
    };
    files.fold(&first.folder, |common: &Path, file| {
        let mut folders = common.ancestors();
        let common = folders.find(|folder| file.folder.starts_with(folder));
        common.unwrap_or(Path::new(""))
    })
}

fn path_below(common: &Path, file: &FileLocation) -> String {
    let folder = file.folder.strip_prefix(common).unwrap_or(&file.folder);
    let folders = folder.components().filter_map(|component| match component {
        Component::Normal(name) => Some(part(&name.to_string_lossy())),
        _ => None,
    });
    let parts: Vec<String> = folders.chain([part(&file.name_text())]).collect();
    let mut path = parts.join("/");
    // Windows reads `C:name` as a path on another drive.
    if path.as_bytes().get(1) == Some(&b':') {
        path.replace_range(1..2, "_");
    }
    path.truncate(path.floor_char_boundary(MAX_NAME));
    path
}

/// Returns a name that is one part of a path on every system.
fn part(name: &str) -> String {
    let replaced = |c: char| {
        if c == '/' || c == '\\' || c.is_control() {
            '_'
        } else {
            c
        }
    };
    match name {
        "" | "." | ".." => "_".to_owned(),
        name => name.chars().map(replaced).collect(),
    }
}

/// Adds a number to each name that occurs earlier in the list.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut used = HashSet::with_capacity(names.len());
    // The next number of each name, so that many equal names take linear time.
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let numbered = names.into_iter().map(|name| {
        let mut free = name.clone();
        while used.contains(&free) {
            let number = numbers.entry(name.clone()).or_insert(2);
            free = with_number(&name, *number);
            *number += 1;
        }
        used.insert(free.clone());
        free
    });
    numbered.collect()
}

fn with_number(name: &str, n: u32) -> String {
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    match name.rfind('.').filter(|dot| *dot > file) {
        Some(dot) => {
            let (stem, extension) = name.split_at(dot);
            format!("{stem} ({n}){extension}")
        }
        None => format!("{name} ({n})"),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;

    use super::*;
    use crate::id::FileId;

    fn names(naming: Naming, paths: &[&[u8]]) -> Vec<String> {
        let location = |path: &&[u8]| {
            let path = PathBuf::from(OsString::from_vec(path.to_vec()));
            FileLocation {
                id: FileId(1),
                kind: "paper".to_owned(),
                root: PathBuf::from("/media"),
                folder: path.parent().expect("a folder").to_owned(),
                name: path.file_name().expect("a name").to_owned(),
            }
        };
        let files: Vec<FileLocation> = paths.iter().map(location).collect();
        naming.of(files.iter())
    }

    #[test]
    fn paths_are_below_the_common_folder() {
        let paths: [&[u8]; 3] = [b"A/Box/1/one.x", b"A/Box/2/two.x", b"A/Box/three.x"];
        assert_eq!(
            names(Naming::Paths, &paths),
            ["1/one.x", "2/two.x", "three.x"]
        );
        assert_eq!(names(Naming::Paths, &[b"A/Box/one.x"]), ["one.x"]);
        assert_eq!(
            names(Naming::Paths, &[b"AB/one.x", b"A/two.x"]),
            ["AB/one.x", "A/two.x"]
        );
        assert_eq!(names(Naming::Paths, &[]), [] as [&str; 0]);
    }

    #[test]
    fn numbers_precede_names_of_files() {
        let paths: [&[u8]; 2] = [b"A/one.x", b"B/one.x"];
        assert_eq!(names(Naming::Numbers, &paths), ["0001 one.x", "0002 one.x"]);
    }

    #[test]
    fn names_contain_nothing_that_leads_elsewhere() {
        let paths: [&[u8]; 4] = [b"a\\b\n.x", b"C:x", b"\xff/1.x", b"..x/..."];
        assert_eq!(
            names(Naming::Paths, &paths),
            ["a_b_.x", "C_x", "\u{fffd}/1.x", "..x/..."]
        );
        for name in ["", ".", ".."] {
            assert_eq!(part(name), "_");
        }
    }

    #[test]
    fn equal_names_get_a_free_number() {
        let paths: [&[u8]; 5] = [
            b"a/\xfe.x",
            b"a/\xff.x",
            b"a/\xff",
            b"a/\xfe",
            b"a/\xfd (2).x",
        ];
        assert_eq!(
            names(Naming::Paths, &paths),
            [
                "\u{fffd}.x",
                "\u{fffd} (2).x",
                "\u{fffd}",
                "\u{fffd} (2)",
                "\u{fffd} (2) (2).x"
            ]
        );
        assert_eq!(with_number("a.b/c", 3), "a.b/c (3)");
        assert_eq!(with_number("a/.b", 3), "a/.b (3)");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let long = "é".repeat(MAX_NAME);
        let name = &names(Naming::Paths, &[long.as_bytes()])[0];
        assert!(name.len() <= MAX_NAME && name.len() > MAX_NAME - 2);
    }
}
