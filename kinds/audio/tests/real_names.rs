//! Names from real collections with their expected fields.

use ledge_core::registry::naming::{FileName, FolderListing, Group};
use ledge_kind_audio::KIND;

/// Returns the group of `file` in a folder of the given files.
fn group(folder: &str, files: &[&str], file: usize) -> Group {
    let files: Vec<FileName> = files.iter().map(|name| FileName::new(name)).collect();
    let listing = FolderListing {
        library: "Sound",
        path: folder,
        files: &files,
        folders: &[],
    };
    let mut groups = (KIND.group)(&listing);
    groups.retain(|group| group.members.iter().any(|member| member.file == file));
    groups.pop().expect("every file has a group")
}

/// Formats title, year, authors joined by `+`, narrators after `/`, and series with its index after
/// `#`.
fn summary_of(group: &Group) -> (String, Option<i32>, String, String) {
    let names = &group.names;
    let people = |role: &str| {
        let of_role = names.credits.iter().filter(|credit| credit.role == role);
        of_role
            .map(|credit| credit.name.as_str())
            .collect::<Vec<_>>()
            .join(" + ")
    };
    let narrators = people("narrator");
    let people = match narrators.as_str() {
        "" => people("author"),
        narrators => format!("{} / {narrators}", people("author")),
    };
    let series = names
        .series
        .as_ref()
        .map_or_else(String::new, |series| match series.index {
            Some(index) => format!("{} #{index}", series.name),
            None => series.name.clone(),
        });
    (names.title.clone(), names.year, people, series)
}

/// Folders of numbered tracks with title, year, people and series.
#[rustfmt::skip]
const NUMBERED_FOLDERS: &[(&str, &str, Option<i32>, &str, &str)] = &[
        ("Pink Floyd/The Wall", "The Wall", None, "Pink Floyd", ""),
        ("Pink Floyd/The Wall (1979)", "The Wall", Some(1979), "Pink Floyd", ""),
        ("Pink Floyd/(1979) The Wall", "The Wall", Some(1979), "Pink Floyd", ""),
        ("Pink Floyd/[1979] The Wall [FLAC 24-96]", "The Wall", Some(1979), "Pink Floyd", ""),
        ("Pink Floyd/1979 - The Wall", "The Wall", Some(1979), "Pink Floyd", ""),
        ("Pink Floyd/1979. The Wall", "The Wall", Some(1979), "Pink Floyd", ""),
        ("Pink Floyd - The Wall (1979) [FLAC]", "The Wall", Some(1979), "Pink Floyd", ""),
        ("Music/Pink Floyd - 1979 - The Wall", "The Wall", Some(1979), "Pink Floyd", ""),
        ("Pink Floyd/Pink Floyd - The Wall (1979)", "The Wall", Some(1979), "Pink Floyd", ""),
        ("Music/Pink Floyd/The Wall [320kbps]", "The Wall", None, "Pink Floyd", ""),
        ("Rock/P/Pink Floyd/The Wall (MP3 320)", "The Wall", None, "Pink Floyd", ""),
        ("Music/Earth, Wind & Fire/Faces (1980)", "Faces", Some(1980), "Earth, Wind & Fire", ""),
        ("Music/Simon & Garfunkel/Bookends", "Bookends", None, "Simon & Garfunkel", ""),
        ("AC_DC/Back in Black (1980)", "Back in Black", Some(1980), "AC DC", ""),
        ("Taylor Swift/1989 (2014)", "1989", Some(2014), "Taylor Swift", ""),
        ("Taylor Swift/1989", "1989", None, "Taylor Swift", ""),
        ("The Beatles/1 (2000)", "1", Some(2000), "The Beatles", ""),
        ("Adele/21", "21", None, "Adele", ""),
        ("Nirvana/Nevermind (Deluxe Edition) (1991)", "Nevermind (Deluxe Edition)", Some(1991), "Nirvana", ""),
        ("Nirvana/Nevermind_(1991)", "Nevermind", Some(1991), "Nirvana", ""),
        ("Various Artists/Now 42 (1999)", "Now 42", Some(1999), "", ""),
        ("Soundtracks/Hans Zimmer - Inception (2010) [WEB FLAC]", "Inception", Some(2010), "Hans Zimmer", ""),
        ("Beethoven, Ludwig van/Symphony No. 5", "Symphony No. 5", None, "Ludwig van Beethoven", ""),
        ("Terry Goodkind/Sword of Truth/Vol. 1 - 1994 - Wizards First Rule {Sam Tsoutsouvis}", "Wizards First Rule", Some(1994), "Terry Goodkind / Sam Tsoutsouvis", "Sword of Truth #1"),
        ("Terry Goodkind/Sword of Truth/1994 - Book 1 - Wizards First Rule", "Wizards First Rule", Some(1994), "Terry Goodkind", "Sword of Truth #1"),
        ("Terry Goodkind/Sword of Truth/Wizards First Rule (Book 1)", "Wizards First Rule", None, "Terry Goodkind", "Sword of Truth #1"),
        ("Audiobooks/Terry Pratchett/Discworld/08 - Guards! Guards!", "Guards! Guards!", None, "Terry Pratchett", "Discworld #8"),
        ("Audiobooks/Terry Pratchett/Discworld/Discworld 08 - Guards! Guards!", "Guards! Guards!", None, "Terry Pratchett", "Discworld #8"),
        ("Brandon Sanderson/Stormlight/Book 2.5 - Edgedancer (2016)", "Edgedancer", Some(2016), "Brandon Sanderson", "Stormlight #2.5"),
        ("Brandon Sanderson/Mistborn 01 - The Final Empire", "The Final Empire", None, "Brandon Sanderson", "Mistborn #1"),
        ("Robert Louis Stevenson/The Strange Case of Dr Jekyll and Mr Hyde (1886)", "The Strange Case of Dr Jekyll and Mr Hyde", Some(1886), "Robert Louis Stevenson", ""),
        ("Unknown Author - Untagged Book", "Untagged Book", None, "", ""),
        ("Frank Herbert - Dune (1965) {Scott Brick, Simon Vance}", "Dune", Some(1965), "Frank Herbert / Scott Brick + Simon Vance", ""),
        ("Herbert, Frank - Dune [B002V1OF70]", "Dune", None, "Frank Herbert", ""),
        ("Dune (Unabridged) by Frank Herbert", "Dune", None, "Frank Herbert", ""),
        ("Terry Pratchett & Neil Gaiman/Good Omens (read by Martin Jarvis)", "Good Omens", None, "Terry Pratchett + Neil Gaiman / Martin Jarvis", ""),
        ("George Orwell - 1984", "1984", None, "George Orwell", ""),
        ("George Orwell/1984 (1949) [64kbps MP3]", "1984", Some(1949), "George Orwell", ""),
        ("Arthur C. Clarke/2001 - A Space Odyssey (1968)", "2001 - A Space Odyssey", Some(1968), "Arthur C. Clarke", ""),
        ("Hörbücher/Michael Ende/Momo (gelesen von Gert Heidenreich)", "Momo", None, "Michael Ende / Gert Heidenreich", ""),
        ("Лев Толстой/Война и мир (1869)", "Война и мир", Some(1869), "Лев Толстой", ""),
        ("村上春樹/ノルウェイの森", "ノルウェイの森", None, "村上春樹", ""),
        ("The_Sines/Pure_Tones_(2020)", "Pure Tones", Some(2020), "The Sines", ""),
        ("[FLAC]", "[FLAC]", None, "", ""),
        ("\u{1b}[31m\nRed\t(1999)", "[31m Red", Some(1999), "", ""),
        ("Beatles, The/Help!", "Help!", None, "The Beatles", ""),
];

#[test]
fn names_of_numbered_folders_are_parsed() {
    let tracks = ["01 - One.mp3", "02 - Two.mp3", "03 - Three.mp3"];
    for (folder, title, year, people, series) in NUMBERED_FOLDERS {
        let group = group(folder, &tracks, 0);
        assert_eq!(group.members.len(), 3, "{folder}");
        assert!(group.key.starts_with(folder), "{folder}: {}", group.key);
        let expected = (
            (*title).to_owned(),
            *year,
            (*people).to_owned(),
            (*series).to_owned(),
        );
        assert_eq!(summary_of(&group), expected, "{folder}");
    }
}

#[test]
fn names_of_single_files_are_parsed() {
    #[rustfmt::skip]
    let rows: &[(&str, &str, &str, Option<i32>, &str, &str)] = &[
        ("", "Queen - One Vision.mp3", "One Vision", None, "Queen", ""),
        ("", "04 - One Vision.mp3", "One Vision", None, "", ""),
        ("", "Queen - One Vision (1985) [320].mp3", "One Vision", Some(1985), "Queen", ""),
        ("", "one_vision.flac", "one vision", None, "", ""),
        ("", "99 Luftballons.mp3", "99 Luftballons", None, "", ""),
        ("", "1979.mp3", "1979", None, "", ""),
        ("", ".mp3", "Untitled", None, "", ""),
        ("", "Frank Herbert - Dune.m4b", "Dune", None, "Frank Herbert", ""),
        ("", "Dune - Frank Herbert.m4b", "Dune", None, "Frank Herbert", ""),
        ("", "Dune [B002V1OF70].m4b", "Dune", None, "", ""),
        ("", "Dune by Frank Herbert (Unabridged).m4b", "Dune", None, "Frank Herbert", ""),
        ("Books/Frank Herbert", "Dune.m4b", "Dune", None, "Frank Herbert", ""),
        ("audio/Audiobooks/Ralph Burke", "The Silent Valley.m4b", "The Silent Valley", None, "Ralph Burke", ""),
        ("Frank Herbert/Dune", "01 - Dune.m4b", "Dune", None, "Frank Herbert", "Dune #1"),
        ("Frank Herbert/Dune (1965)", "Dune.m4b", "Dune", Some(1965), "Frank Herbert", ""),
        ("Frank Herbert/Dune (1965) {Scott Brick}", "dune.mp3", "Dune", Some(1965), "Frank Herbert / Scott Brick", ""),
        ("L. Frank Baum/Oz/02 - The Marvelous Land of Oz", "The Marvelous Land of Oz.m4b", "The Marvelous Land of Oz", None, "L. Frank Baum", "Oz #2"),
        ("Podcasts/News", "2021-03-04 Morning.mp3", "2021-03-04 Morning", None, "", ""),
        ("Mix", "Nena - 99 Luftballons.mp3", "99 Luftballons", None, "Nena", ""),
        ("Nena", "Nena - 99 Luftballons.mp3", "99 Luftballons", None, "Nena", ""),
    ];
    for (folder, file, title, year, people, series) in rows {
        let group = group(folder, &[file], 0);
        assert_eq!(group.members.len(), 1, "{folder}/{file}");
        assert!(group.key.ends_with(file), "{folder}/{file}: {}", group.key);
        let expected = (
            (*title).to_owned(),
            *year,
            (*people).to_owned(),
            (*series).to_owned(),
        );
        assert_eq!(summary_of(&group), expected, "{folder}/{file}");
    }
}

#[test]
fn part_titles_omit_the_numbers() {
    let rows: &[(&[&str], &[Option<&str>])] = &[
        (
            &["01 - Story of the Door.mp3", "02 - Search.mp3"],
            &[Some("Story of the Door"), Some("Search")],
        ),
        (&["Chapter 1.mp3", "Chapter 2.mp3"], &[None, None]),
        (
            &[
                "Dracula - Part 1 - Arrival.mp3",
                "Dracula - Part 2 - Ship.mp3",
            ],
            &[Some("Arrival"), Some("Ship")],
        ),
        (&["Dracula 01.mp3", "Dracula 02.mp3"], &[None, None]),
        (
            &["dracula_01_stoker_64kb.mp3", "dracula_02_stoker_64kb.mp3"],
            &[None, None],
        ),
        (
            &[
                "Queen - Hits - 01 - Bicycle.mp3",
                "Queen - Hits - 02 - Flash.mp3",
            ],
            &[Some("Bicycle"), Some("Flash")],
        ),
        (
            &["d1t01 Help.flac", "d1t02 Yesterday.flac"],
            &[Some("Help"), Some("Yesterday")],
        ),
        (&["01of02.mp3", "02of02.mp3"], &[None, None]),
    ];
    for (files, titles) in rows {
        let group = group("Author/Book", files, 0);
        let found: Vec<Option<&str>> = group.members.iter().map(|m| m.title.as_deref()).collect();
        assert_eq!(found, *titles, "{files:?}");
    }
}
