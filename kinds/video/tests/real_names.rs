//! Names from real collections with their expected fields.

use ledge_core::registry::naming::{FileName, FolderListing, Group, Member};
use ledge_kind_video::KIND;

fn groups(folder: &str, files: &[&str]) -> Vec<Group> {
    let files: Vec<FileName> = files.iter().map(|name| FileName::new(name)).collect();
    let listing = FolderListing {
        library: "Screen",
        path: folder,
        files: &files,
        folders: &[],
    };
    (KIND.group)(&listing)
}

fn one(folder: &str, file: &str) -> (Group, Member) {
    let mut groups = groups(folder, &[file]);
    assert_eq!(groups.len(), 1, "{folder}/{file}");
    let group = groups.remove(0);
    let member = group.members.first().cloned().expect("one file");
    (group, member)
}

/// Folders and files of films with title and year.
#[rustfmt::skip]
const FILMS: &[(&str, &str, &str, Option<i32>)] = &[
        ("Movies/The Matrix (1999)", "The Matrix (1999).mkv", "The Matrix", Some(1999)),
        ("Movies", "The.Matrix.1999.1080p.BluRay.x264-GROUP.mkv", "The Matrix", Some(1999)),
        ("", "The.Matrix.1999.2160p.UHD.BluRay.REMUX.HDR.HEVC.Atmos-GRP.mkv", "The Matrix", Some(1999)),
        ("", "The_Matrix_1999_DVDRip_XviD.avi", "The Matrix", Some(1999)),
        ("", "the matrix 1999.mp4", "the matrix", Some(1999)),
        ("", "Matrix, The (1999).mkv", "The Matrix", Some(1999)),
        ("", "The Matrix [1999].mkv", "The Matrix", Some(1999)),
        ("", "The Matrix (1999) [1080p] [YTS.MX].mp4", "The Matrix", Some(1999)),
        ("", "The Matrix (1999) {imdb-tt0133093}.mkv", "The Matrix", Some(1999)),
        ("", "The Matrix (1999) [tmdbid-603].mkv", "The Matrix", Some(1999)),
        ("", "The Matrix.mkv", "The Matrix", None),
        ("", "The.Matrix.1080p.mkv", "The Matrix", None),
        ("", "2001 A Space Odyssey (1968).mkv", "2001 A Space Odyssey", Some(1968)),
        ("", "2001.A.Space.Odyssey.1968.1080p.BluRay.mkv", "2001 A Space Odyssey", Some(1968)),
        ("Movies/1917 (2019)", "1917 (2019).mkv", "1917", Some(2019)),
        ("", "1917.2019.1080p.WEB-DL.mkv", "1917", Some(2019)),
        ("", "Blade Runner 2049 (2017).mkv", "Blade Runner 2049", Some(2017)),
        ("", "Blade.Runner.2049.2017.2160p.mkv", "Blade Runner 2049", Some(2017)),
        ("", "Blade Runner 2049.mkv", "Blade Runner 2049", None),
        ("", "2012.mkv", "2012", None),
        ("", "2012 (2009).mkv", "2012", Some(2009)),
        ("", "1984.mkv", "1984", None),
        ("", "Wonder.Woman.1984.2020.1080p.mkv", "Wonder Woman 1984", Some(2020)),
        ("", "300 (2006).mkv", "300", Some(2006)),
        ("", "(500) Days of Summer (2009).mkv", "(500) Days of Summer", Some(2009)),
        ("", "[REC] (2007).mkv", "[REC]", Some(2007)),
        ("", "Se7en (1995).mkv", "Se7en", Some(1995)),
        ("", "Ocean's Eleven (2001).mkv", "Ocean's Eleven", Some(2001)),
        ("", "12 Angry Men (1957).mp4", "12 Angry Men", Some(1957)),
        ("", "8½ (1963).mkv", "8½", Some(1963)),
        ("", "U-571 (2000).mkv", "U-571", Some(2000)),
        ("", "Mission Impossible - Fallout (2018).mkv", "Mission Impossible - Fallout", Some(2018)),
        ("", "Star Wars Episode 4 - A New Hope (1977).mkv", "Star Wars Episode 4 - A New Hope", Some(1977)),
        ("", "Dune Part 2 (2024).mkv", "Dune Part 2", Some(2024)),
        ("", "Dr. Strangelove (1964).mkv", "Dr. Strangelove", Some(1964)),
        ("", "[SubGroup] Your Name [BD 1080p][ABCDEF01].mkv", "Your Name", None),
        ("", "Amélie (2001).mkv", "Amélie", Some(2001)),
        ("", "七人の侍 (1954).mkv", "七人の侍", Some(1954)),
        ("", "Иди и смотри (1985).avi", "Иди и смотри", Some(1985)),
        ("", "1080p.mkv", "1080p", None),
        ("", "VID_20200101_120000.mp4", "VID 20200101 120000", None),
        ("Home Videos", "2019-07-04 Beach.mp4", "2019-07-04 Beach", None),
        ("Home Videos", "trailer.mp4", "trailer", None),
        ("", "two\nlines (2000).mp4", "two lines", Some(2000)),
        ("", "-i.mp4", "i", None),
        ("", "....mkv", "...", None),
        ("Movies/Alien (1979) {tmdb-348}", "alien.theatrical.mkv", "Alien", Some(1979)),
        ("Movies/The.Matrix.1999.1080p.BluRay.x264-GRP", "grp-matrix.mkv", "The Matrix", Some(1999)),
        ("Movies/Heat (1995)", "Heat.mkv", "Heat", Some(1995)),
        ("Movies/With Attached Picture", "film.mkv", "film", None),
];

#[test]
fn film_names_are_parsed() {
    for (folder, file, title, year) in FILMS {
        let (group, member) = one(folder, file);
        assert_eq!(
            (group.names.title.as_str(), group.names.year),
            (*title, *year),
            "{file}"
        );
        assert_eq!((member.season, member.episode), (None, None), "{file}");
        assert!(group.key.starts_with(folder), "{file}: {}", group.key);
    }
}

#[test]
fn editions_and_identifiers_are_facts() {
    for (file, edition) in [
        (
            "Alien (1979) {edition-Director's Cut}.mkv",
            Some("Director's Cut"),
        ),
        (
            "Alien (1979) - Extended Edition.mkv",
            Some("Extended Edition"),
        ),
        (
            "Aliens.1986.Directors.Cut.1080p.BluRay.mkv",
            Some("Directors Cut"),
        ),
        (
            "The Abyss (Special Edition) (1989).mkv",
            Some("Special Edition"),
        ),
        ("Alien (1979).mkv", None),
        ("Unrated (2009).mkv", None),
    ] {
        let (group, _) = one("", file);
        let found = group
            .names
            .facts
            .get("edition")
            .and_then(|fact| fact.as_str());
        assert_eq!(found, edition, "{file}");
    }
    let (group, _) = one("", "The Matrix (1999) {imdb-tt0133093}.mkv");
    assert_eq!(group.names.facts.get("imdb"), Some(&"tt0133093".into()));
    let (group, _) = one("", "The Abyss (Special Edition) (1989).mkv");
    assert_eq!(group.names.title, "The Abyss");
}

#[test]
fn episode_names_are_parsed() {
    #[rustfmt::skip]
    let rows: &[(&str, &str, &str, Option<i32>, i64, i64, Option<&str>)] = &[
        ("Shows/Test Pattern/Season 01", "Test Pattern - S01E01 - Bars.mkv", "Test Pattern", None, 1, 1, Some("Bars")),
        ("Shows/Test Pattern/Specials", "Test Pattern - S00E01 - Pilot.avi", "Test Pattern", None, 0, 1, Some("Pilot")),
        ("video/Shows/Silent Valley (1987)/Season 02", "Silent Valley - S02E10 - End.mkv", "Silent Valley", Some(1987), 2, 10, Some("End")),
        ("TV/Fargo (2014)/S01", "01.mkv", "Fargo", Some(2014), 1, 1, None),
        ("TV/Fargo (2014)/Season 1", "105 - The Six.mkv", "Fargo", Some(2014), 1, 5, Some("The Six")),
        ("TV/Fargo (2014)/Season 1", "Episode 5.mkv", "Fargo", Some(2014), 1, 5, None),
        ("TV/Fargo/Staffel 2", "Fargo Folge 3.mkv", "Fargo", None, 2, 3, None),
        ("TV", "Fargo.S01E02.1080p.BluRay.x264-GRP.mkv", "Fargo", None, 1, 2, None),
        ("", "Fargo.2014.S01E02.1080p.mkv", "Fargo", Some(2014), 1, 2, None),
        ("", "fargo - 1x02 - the rooster prince.avi", "fargo", None, 1, 2, Some("the rooster prince")),
        ("", "Fargo S01E01E02.mkv", "Fargo", None, 1, 1, None),
        ("", "Fargo - S01E01-E03 - Long.mkv", "Fargo", None, 1, 1, Some("Long")),
        ("", "S.W.A.T. S01E01.mkv", "S.W.A.T.", None, 1, 1, None),
        ("", "Mr. Robot - S01E01 - eps1.0_hellofriend.mov.mkv", "Mr. Robot", None, 1, 1, Some("eps1.0 hellofriend.mov")),
        ("", "24 - S01E01 - 12-00 A.M.mkv", "24", None, 1, 1, Some("12-00 A.M")),
        ("TV/1923 (2022)/Season 1", "1923 S01E01.mkv", "1923", Some(2022), 1, 1, None),
        ("TV/The 100/Season 2", "The 100 - 2x03.mkv", "The 100", None, 2, 3, None),
        ("TV/The Daily Show", "The Daily Show - 2021-03-04 - Guest.mkv", "The Daily Show", None, 2021, 304, Some("Guest")),
        ("TV/The Daily Show/Season 2021", "The.Daily.Show.2021.03.04.720p.mkv", "The Daily Show", None, 2021, 304, None),
        ("Anime", "[Group] Cowboy Bebop - 12 [1080p].mkv", "Cowboy Bebop", None, 1, 12, None),
        ("Anime/Cowboy Bebop", "[Group] Cowboy Bebop - 26v2 (720p) [ABCD1234].mkv", "Cowboy Bebop", None, 1, 26, None),
        ("Anime/One Piece/Season 20", "One Piece - 1071 - Luffy.mkv", "One Piece", None, 20, 1071, None),
        ("TV/Doctor Who (2005)/Series 4", "Doctor Who - 4x08 - Silence.mkv", "Doctor Who", Some(2005), 4, 8, Some("Silence")),
        ("TV/Band of Brothers (2001) {tvdb-74205}/Season 1", "Part 3.mkv", "Band of Brothers", Some(2001), 1, 3, None),
        ("TV/Lost.S03.1080p.BluRay", "lost.s03e01.mkv", "Lost", None, 3, 1, None),
        ("TV/Lost Season 3", "Lost 3x01.mkv", "Lost", None, 3, 1, None),
        ("Season 01", "S01E01.mkv", "Screen", None, 1, 1, None),
        ("TV/Show/Season 1/Show.S01E02.1080p-GRP", "show.s01e02.mkv", "Show", None, 1, 2, None),
    ];
    for (folder, file, title, year, season, episode, part) in rows {
        let (group, member) = one(folder, file);
        assert_eq!(
            (group.names.title.as_str(), group.names.year),
            (*title, *year),
            "{folder}/{file}"
        );
        assert_eq!(
            (member.season, member.episode),
            (Some(*season), Some(*episode)),
            "{folder}/{file}"
        );
        if folder.ends_with("Season 20") {
            continue;
        }
        assert_eq!(member.title.as_deref(), *part, "{folder}/{file}");
        assert!(member.sequence.is_some(), "{folder}/{file}");
    }
}

#[test]
fn numbered_files_in_one_folder_are_episodes() {
    let mini = groups(
        "TV/Chernobyl (2019)",
        &["Episode 1.mkv", "Episode 2.mkv", "Episode 3.mkv"],
    );
    assert_eq!(mini.len(), 1);
    assert_eq!(
        (mini[0].names.title.as_str(), mini[0].names.year),
        ("Chernobyl", Some(2019))
    );
    let anime = groups("Anime/Bleach", &["Bleach - 001.mkv", "Bleach - 002.mkv"]);
    assert_eq!(anime.len(), 1);
    assert_eq!(anime[0].members[1].episode, Some(2));
    let saga = [
        "Star Wars Episode 4 (1977).mkv",
        "Star Wars Episode 5 (1980).mkv",
    ];
    assert_eq!(groups("Movies/Star Wars", &saga).len(), 2);
}
