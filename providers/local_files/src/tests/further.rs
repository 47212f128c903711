//! Episodes of shows, and pictures of episodes and people.

use ledge_core::registry::provider::{
    Candidate, MAX_DELIVERED_PICTURES, PersonCredit, PictureSubject,
};
use ledge_recorded::damage;

use super::media::{Library, only, picture, query};
use crate::node;
use crate::pictures::{Budget, portraits};

const SHOW: &str = "<tvshow><title>Bars</title><plot>Of colours.</plot>\
    <actor><name>Cy Day</name></actor><actor><name>Di Eel</name></actor></tvshow>";

/// Returns an episode in the format of Kodi.
fn episode(season: u8, number: u8) -> String {
    format!(
        "<episodedetails><title>Number {number}</title><season>{season}</season>\
         <episode>{number}</episode><plot>Plot {number}.</plot><aired>1999-09-0{number}</aired>\
         </episodedetails>"
    )
}

fn show(library: &Library) -> Candidate {
    let folders = vec![library.folder("Bars/Season 1", "Bars S01E01", true)];
    only(&query("video", Some("series"), folders))
}

/// Returns the subjects of the pictures with their contents.
fn pictures(found: &Candidate) -> Vec<(PictureSubject, &[u8])> {
    let all = found.details.pictures.iter();
    all.map(|one| (one.of.clone(), picture(Some(&one.picture)).expect("bytes")))
        .collect()
}

fn person(name: &str) -> PictureSubject {
    PictureSubject::Person(name.to_owned())
}

#[test]
fn episodes_of_all_seasons_are_read_also_without_video() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    library.put("Bars/season.nfo", episode(9, 9));
    let double = format!(
        "<?xml version=\"1.0\"?>\n{}\n{}",
        episode(1, 1),
        episode(1, 2)
    );
    library.put("Bars/Season 1/Bars S01E01.nfo", double);
    library.put("Bars/Season 1/Bars S01E01-thumb.png", "first");
    library.put("Bars/Season 1/notes.nfo", "no XML");
    library.put("Bars/Season 2/Bars S02E03.NFO", episode(2, 3));
    library.put("Bars/.hidden/Bars S03E01.nfo", episode(3, 1));
    library.put("Other/Season 1/Other S01E04.nfo", episode(1, 4));
    let found = show(&library);
    let episodes: Vec<_> = found
        .details
        .episodes
        .iter()
        .map(|one| (one.season, one.number, one.title.as_deref()))
        .collect();
    assert_eq!(
        episodes,
        [
            (1, 1, Some("Number 1")),
            (1, 2, Some("Number 2")),
            (2, 3, Some("Number 3"))
        ]
    );
    let last = &found.details.episodes[2];
    assert_eq!(last.description.as_deref(), Some("Plot 3."));
    assert_eq!(last.aired.as_deref(), Some("1999-09-03"));
    let first = PictureSubject::Episode {
        season: 1,
        number: 1,
    };
    assert_eq!(pictures(&found), [(first, &b"first"[..])]);
}

#[test]
fn linked_folder_of_a_season_is_left_out() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    library.put("Bars/Season 1/Bars S01E01.nfo", episode(1, 1));
    library.put("Elsewhere/Bars S02E01.nfo", episode(2, 1));
    library.link("Season 1", "Bars/Season 01");
    library.link("../Elsewhere", "Bars/Season 2");
    library.link("..", "Bars/Season 3");
    let found = show(&library);
    let seasons = found.details.episodes.iter().map(|one| one.season);
    assert_eq!(seasons.collect::<Vec<_>>(), [1]);
}

#[test]
fn episode_without_numbers_is_ignored() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    let plain = "<episodedetails><title>Pilot</title><season>one</season></episodedetails>";
    library.put("Bars/Season 1/Bars S01E01.nfo", plain);
    assert!(show(&library).details.episodes.is_empty());
}

#[test]
fn portraits_are_next_to_films_and_shows() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    library.put("Bars/.actors/Cy_Day.jpg", "cy");
    library.put("Bars/.actors/Di Eel.png", "di");
    library.put("Bars/.actors/Ed_Fox.jpg", "not in the cast");
    let expected = [
        (person("Cy Day"), &b"cy"[..]),
        (person("Di Eel"), &b"di"[..]),
    ];
    assert_eq!(pictures(&show(&library)), expected);
    let film = "<movie><title>Film</title><director>Cy Day</director>\
        <actor><name>Cy Day</name></actor><actor><name>../secret</name></actor></movie>";
    library.put("Film/Film.nfo", film);
    library.put("Film/.actors/Cy_Day.jpg", "cy");
    library.put("Film/secret.jpg", "secret");
    let folders = vec![library.folder("Film", "Film", false)];
    let found = only(&query("video", Some("film"), folders));
    assert_eq!(pictures(&found), [(person("Cy Day"), &b"cy"[..])]);
}

/// Returns the posters of seasons with their contents.
fn posters(library: &Library) -> Vec<(i64, String)> {
    let found = show(library);
    let posters = pictures(&found).into_iter().filter_map(|(of, bytes)| {
        let PictureSubject::Season(season) = of else {
            return None;
        };
        Some((season, String::from_utf8_lossy(bytes).into_owned()))
    });
    posters.collect()
}

#[test]
fn posters_of_seasons_are_in_the_folder_of_the_show() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    for (name, content) in [
        ("season-specials-poster.jpg", "specials"),
        ("season00-poster.jpg", "the second of the specials"),
        ("season01-poster.jpg", ""),
        ("season1-Poster.PNG", "one"),
        ("season02-poster.webp", "two"),
        ("season2019-poster.jpg", "a year"),
        ("season-all-poster.jpg", "all"),
        ("season03-banner.jpg", "a banner"),
        ("season-poster.jpg", "no number"),
        ("season00005-poster.jpg", "a long number"),
        ("season04-poster.txt", "no picture"),
        ("poster.jpg", "the show"),
    ] {
        library.put(&format!("Bars/{name}"), content);
    }
    let expected = [(0, "specials"), (1, "one"), (2, "two"), (2019, "a year")];
    assert_eq!(
        posters(&library),
        expected.map(|(season, content)| (season, content.to_owned()))
    );
}

#[test]
fn poster_in_the_folder_of_one_season_counts() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    for (name, content) in [
        // The folder of the show precedes.
        ("season01-poster.jpg", "one"),
        ("Season 1/poster.jpg", "another one"),
        ("Season 1/Bars S01E01.mkv", "video"),
        ("Season 2/folder.png", "two"),
        ("Season 2/notes.txt", "no episode"),
        ("Staffel 3/Bars - s03e01.mkv", "video"),
        ("Staffel 3/poster.webp", "three"),
        ("Staffel 3/folder.jpg", "a folder"),
        ("Temporada 12/poster.jpg", "twelve"),
        ("Season 13 (2019)/poster.jpg", "thirteen"),
        ("Specials/poster.jpg", "specials"),
        // Names that contradict each other, several seasons, and no season.
        ("Season 4/poster.jpg", "four or five"),
        ("Season 4/Bars S05E01.mkv", "video"),
        ("Season 6-7/poster.jpg", "several"),
        ("Mixed/poster.jpg", "several"),
        ("Mixed/Bars S08E01.mkv", "video"),
        ("Mixed/Bars S09E01.mkv", "video"),
        ("Extras/poster.jpg", "none"),
        ("Extras/Bars10E01.mkv", "video"),
        ("Season 11/Disc 1/poster.jpg", "a deeper folder"),
    ] {
        library.put(&format!("Bars/{name}"), content);
    }
    let expected = [
        (0, "specials"),
        (1, "one"),
        (2, "two"),
        (3, "three"),
        (12, "twelve"),
        (13, "thirteen"),
    ];
    assert_eq!(
        posters(&library),
        expected.map(|(season, content)| (season, content.to_owned()))
    );
}

#[test]
fn posters_precede_pictures_of_episodes_and_follow_portraits() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    library.put("Bars/.actors/Cy_Day.jpg", "cy");
    for number in 1..=9 {
        let name = format!("Bars/Season 1/Bars S01E0{number}");
        library.put(&format!("{name}.nfo"), episode(1, number));
        library.put(&format!("{name}-thumb.jpg"), "still");
    }
    for season in 0..200 {
        library.put(&format!("Bars/season{season}-poster.jpg"), "poster");
    }
    let found = show(&library);
    let subjects: Vec<PictureSubject> = pictures(&found).into_iter().map(|(of, _)| of).collect();
    // Posters are limited, so that pictures of episodes follow.
    assert_eq!(subjects.len(), 1 + 100 + 9);
    assert_eq!(subjects[0], person("Cy Day"));
    let is_poster = |of: &PictureSubject| matches!(of, PictureSubject::Season(_));
    assert!(subjects[1..=100].iter().all(is_poster));
    assert!(!subjects[101..].iter().any(is_poster));
}

#[test]
fn linked_portraits_are_read_only_inside_the_library() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    library.put("People/cy.jpg", "cy");
    library.put("../secret.jpg", "secret");
    library.put("Bars/.actors/.keep", "");
    library.link("../../People/cy.jpg", "Bars/.actors/Cy_Day.jpg");
    library.link("../../../secret.jpg", "Bars/.actors/Di_Eel.jpg");
    assert_eq!(pictures(&show(&library)), [(person("Cy Day"), &b"cy"[..])]);
    // Links to a folder, to nothing, and in a circle.
    for target in ["..", "absent.jpg", "Cy_Day.jpg"] {
        library.remove("Bars/.actors/Cy_Day.jpg");
        library.link(target, "Bars/.actors/Cy_Day.jpg");
        assert!(pictures(&show(&library)).is_empty(), "{target}");
    }
}

#[test]
fn linked_folder_of_portraits_is_read_only_inside_the_library() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    library.put("People/Cy_Day.jpg", "cy");
    library.put("../Outside/Cy_Day.jpg", "outside");
    library.link("../People", "Bars/.actors");
    assert_eq!(pictures(&show(&library)), [(person("Cy Day"), &b"cy"[..])]);
    library.remove("Bars/.actors");
    library.link("../../Outside", "Bars/.actors");
    assert!(pictures(&show(&library)).is_empty());
}

#[test]
fn portraits_are_limited_in_size_and_number() {
    let library = Library::new();
    library.put("Bars/.actors/P_0.jpg", vec![b'x'; (4 << 20) + 1]);
    library.put("Bars/.actors/P_1.jpg", "");
    library.put("People/one.jpg", "one");
    let last = MAX_DELIVERED_PICTURES + 2;
    for number in 2..=last {
        let link = format!("Bars/.actors/P_{number}.jpg");
        library.link("../../People/one.jpg", &link);
    }
    let people = (0..=last).map(|number| PersonCredit {
        name: format!("P {number}"),
        ..PersonCredit::default()
    });
    let people: Vec<PersonCredit> = people.collect();
    let folder = library.folder("Bars", "Bars", true);
    let found = portraits(&folder, &people, &mut Budget::default());
    // The first file is too large, the second one is empty, and the last one exceeds the number.
    let subjects: Vec<PictureSubject> = found.into_iter().map(|one| one.of).collect();
    let expected: Vec<_> = (2..last)
        .map(|number| person(&format!("P {number}")))
        .collect();
    assert_eq!(subjects, expected);
}

#[test]
fn picture_of_artist_is_in_the_folder_of_the_album_or_of_the_artist() {
    let library = Library::new();
    let album = |folder: &str| {
        let folders = vec![library.folder(folder, "01", true)];
        only(&query("audio", Some("album"), folders))
    };
    let nfo = |artists: &str| format!("<album><title>A</title>{artists}</album>");
    library.put("The Band/A/album.nfo", nfo("<artist>The Band</artist>"));
    assert!(pictures(&album("The Band/A")).is_empty());
    library.put("The Band/folder.jpg", "folder");
    let band = || person("The Band");
    assert_eq!(pictures(&album("The Band/A")), [(band(), &b"folder"[..])]);
    library.put("The Band/artist.jpg", "artist");
    assert_eq!(pictures(&album("The Band/A")), [(band(), &b"artist"[..])]);
    library.put("The Band/A/artist.png", "own");
    assert_eq!(pictures(&album("The Band/A")), [(band(), &b"own"[..])]);
    // The folder above has another name, so that its picture can show another artist.
    library.put("Rock/B/album.nfo", nfo("<artist>The Band</artist>"));
    library.put("Rock/folder.jpg", "rock");
    assert!(pictures(&album("Rock/B")).is_empty());
    let two = "<artist>The Band</artist><artist>Others</artist>";
    library.put("The Band/C/album.nfo", nfo(two));
    assert!(pictures(&album("The Band/C")).is_empty());
}

#[test]
fn damaged_episodes_are_parsed_or_rejected() {
    damage::bytes(episode(1, 1).as_bytes(), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = node::roots(&text, "episodedetails", 5);
    });
}

#[test]
fn commented_episode_is_left_out_and_each_element_is_read_once() {
    let one = "<episodedetails><season>1</season><episode>1</episode></episodedetails>";
    let text = format!("https://example.org/1\n<!-- {one} -->{one}<x>{one}</x>");
    let roots = crate::node::roots(&text, "episodedetails", 50);
    assert_eq!(roots.len(), 2);
    let nested = "<episodedetails>".repeat(50);
    assert_eq!(crate::node::roots(&nested, "episodedetails", 50).len(), 1);
}
