//! Tests with files as Kodi, Jellyfin, comic managers and `EmulationStation` write them.

use std::fs;
use std::path::Path;

use ledge_core::registry::provider::{AskError, Candidate, Cover, ItemFolder, Query};
use ledge_recorded::{Recorded, damage, opened};

use crate::{PROVIDER, album, comic, gamelist, nfo};

const FILM: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<movie>
  <title>Colour &amp; Bars</title><originaltitle>Farbbalken</originaltitle>
  <tagline>All of them.</tagline><runtime>136 min</runtime>
  <plot>One.

Two.</plot>
  <mpaa>DE:FSK 12 / US:PG-13 / Rated R / none</mpaa>
  <premiered>1978-05-01</premiered>
  <genre>Drama / War</genre><genre>Comedy</genre><studio>Example</studio>
  <country>Norway</country>
  <uniqueid type="imdb" default="true">tt0000001</uniqueid>
  <uniqueid type="home">../../etc</uniqueid><tmdbid>77</tmdbid>
  <set><name>Bars Collection</name><overview>All</overview></set>
  <director>Ann Lee</director><credits>Bo Kim</credits>
  <actor><name>Cy Day</name><role>Herself</role><order>0</order><tmdbid>12</tmdbid>
    <imdbid>nm0000012</imdbid><thumb>https://192.0.2.1/a.jpg</thumb></actor>
  <actor><name>Di Eel</name><type>Producer</type><role>ignored</role></actor>
  <actor><role>Nobody</role></actor>
  <trailer>plugin://plugin.video.youtube/?action=play_video&amp;videoid=abcdefghi-_</trailer>
</movie>
https://www.themoviedb.org/movie/1"#;

const SHOW: &str = "<tvshow><title>Bars</title><plot>Of colours.</plot><status>Ended</status>\
    <premiered>1999-09-09</premiered><actor><name>Cy Day</name></actor></tvshow>";

const ALBUM: &str = r"<album><title>Some Album</title>
  <musicbrainzalbumid>0dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1</musicbrainzalbumid>
  <genre>Rock</genre><label>A Label</label><type>Live</type><review>Loud.</review>
  <originalreleasedate>1975-09-12</originalreleasedate><releasedate>2011-09-26</releasedate>
  <albumArtistCredits><artist>The Band</artist>
    <musicBrainzArtistID>6dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1</musicBrainzArtistID>
  </albumArtistCredits>
  <track><position>1</position><title>One</title></track></album>";

const COMIC: &str = r#"<?xml version="1.0"?>
<ComicInfo xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <Series>Some Comic</Series><Number>12.5</Number><Count>-1</Count><Year>2001</Year>
  <Month>3</Month><Day>-1</Day><Writer>Ann Lee, Bo Kim</Writer><CoverArtist>Cy Day</CoverArtist>
  <Publisher>Example</Publisher><Imprint>Ex</Imprint><Genre>Crime, Noir</Genre>
  <StoryArc>The Arc</StoryArc><Web>https://example.org/12 http://example.org/</Web>
  <LanguageISO>en</LanguageISO><Summary>Rain.</Summary>
  <Pages><Page Image="0" Type="FrontCover"/></Pages>
</ComicInfo>"#;

const GAMES: &str = r"<?xml version='1.0'?>
<gameList>
  <folder><path>./hacks</path><name>Hacks</name></folder>
  <game><path>./Other.zip</path><name>Other</name></game>
  <game><path>../Quiet Harbour.zip</path><name>Outside</name></game>
  <game id='1'><path>./hacks/Quiet Harbour (USA).zip</path><name>Quiet Harbour</name>
    <desc>Boats.
And more.</desc><image>./media/box.png</image><marquee>../../secret.png</marquee>
    <fanart>/etc/passwd</fanart><rating>0.7</rating><releasedate>19900102T000000</releasedate>
    <developer>Dev, Other Dev</developer><publisher>Pub</publisher><genre>Puzzle / Boats</genre>
  </game>
</gameList>";

pub(super) struct Library(tempfile::TempDir);

impl Library {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(super) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.path().join("root").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// Creates a symbolic link with this target.
    pub(super) fn link(&self, target: &str, name: &str) {
        let path = self.0.path().join("root").join(name);
        std::os::unix::fs::symlink(target, path).expect("a link");
    }

    /// Removes a file or a link.
    pub(super) fn remove(&self, name: &str) {
        fs::remove_file(self.0.path().join("root").join(name)).expect("a file");
    }

    pub(super) fn folder(&self, folder: &str, stem: &str, is_alone: bool) -> ItemFolder {
        let root = self.0.path().join("root");
        fs::create_dir_all(root.join(folder)).expect("a folder");
        ItemFolder {
            root,
            folder: folder.into(),
            stems: vec![stem.into()],
            is_alone,
        }
    }
}

pub(super) fn query(kind: &str, subkind: Option<&str>, folders: Vec<ItemFolder>) -> Query {
    Query {
        kind: kind.to_owned(),
        title: "anything".to_owned(),
        stored_title: "Stored".to_owned(),
        subkind: subkind.map(str::to_owned),
        folders,
        ..Query::default()
    }
}

fn search(query: &Query) -> Result<Vec<Candidate>, AskError> {
    let net = Recorded::new();
    let found = opened(&PROVIDER, &[]).search(query, &net);
    assert_eq!(net.asked().len(), 0, "nothing leaves the machine");
    found
}

#[track_caller]
pub(super) fn only(query: &Query) -> Candidate {
    let mut found = search(query).expect("candidates");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].is_certain);
    found.remove(0)
}

pub(super) fn picture(cover: Option<&Cover>) -> Option<&[u8]> {
    match cover {
        Some(Cover::Bytes(bytes)) => Some(bytes),
        _ => None,
    }
}

#[test]
fn nfo_of_film_has_cast_with_characters_and_ids() {
    let library = Library::new();
    library.put("Film/Film.nfo", FILM);
    let film = only(&query(
        "video",
        Some("film"),
        vec![library.folder("Film", "Film", false)],
    ));
    assert_eq!(
        (film.title.as_str(), film.year),
        ("Colour & Bars", Some(1978))
    );
    assert_eq!(film.description.as_deref(), Some("One.\n\nTwo."));
    let details = &film.details;
    let people: Vec<_> = details
        .people
        .iter()
        .map(|one| {
            (
                one.name.as_str(),
                one.role.as_str(),
                one.character.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        people,
        [
            ("Ann Lee", "author", None),
            ("Bo Kim", "writer", None),
            ("Cy Day", "actor", Some("Herself")),
            ("Di Eel", "producer", None)
        ]
    );
    let ids: Vec<_> = details.people[2]
        .ids
        .iter()
        .map(|id| (id.database.as_str(), id.id.as_str()))
        .collect();
    assert_eq!(ids, [("imdb", "nm0000012"), ("tmdb", "12")]);
    assert!(
        details.people.iter().all(|one| one.picture.is_none()),
        "a file causes no requests"
    );
    let ids: Vec<_> = film.external_ids.iter().map(|id| id.id.as_str()).collect();
    assert_eq!(ids, ["tt0000001", "77"]);
}

#[test]
fn nfo_of_film_has_details() {
    let film = nfo::read(FILM.as_bytes(), &["movie"]).expect("a film");
    let details = &film.details;
    assert_eq!(details.original_title.as_deref(), Some("Farbbalken"));
    assert_eq!(details.released.as_deref(), Some("1978-05-01"));
    assert_eq!(details.runtime, Some(136));
    assert_eq!(details.genres, ["Drama", "War", "Comedy"]);
    assert_eq!(details.collection.as_deref(), Some("Bars Collection"));
    let ratings: Vec<_> = details
        .certificates
        .iter()
        .map(|one| (one.country.as_str(), one.rating.as_str()))
        .collect();
    assert_eq!(ratings, [("DE", "FSK 12"), ("US", "PG-13"), ("US", "R")]);
    assert_eq!(
        details.links[0].url,
        "https://www.youtube.com/watch?v=abcdefghi-_"
    );
}

#[test]
fn pictures_of_item_precede_those_of_folder() {
    let library = Library::new();
    library.put("Film/Film.nfo", FILM);
    library.put("Film/fanart.jpg", "folder");
    library.put("Film/clearlogo.png", "logo");
    let film = |is_alone| {
        only(&query(
            "video",
            Some("film"),
            vec![library.folder("Film", "Film", is_alone)],
        ))
        .details
    };
    let details = film(true);
    assert_eq!(picture(details.backdrop.as_ref()), Some(&b"folder"[..]));
    assert_eq!(picture(details.logo.as_ref()), Some(&b"logo"[..]));
    // Pictures of a folder do not belong to one of several films.
    assert_eq!(film(false).backdrop, None);
    library.put("Film/Film-fanart.jpg", "own");
    assert_eq!(picture(film(true).backdrop.as_ref()), Some(&b"own"[..]));
    assert_eq!(picture(film(false).backdrop.as_ref()), Some(&b"own"[..]));
    // A link that leads out of the library is not followed.
    fs::write(library.0.path().join("secret.png"), "secret").expect("a file");
    fs::remove_file(library.0.path().join("root/Film/clearlogo.png")).expect("gone");
    let link = library.0.path().join("root/Film/logo.png");
    std::os::unix::fs::symlink("../../secret.png", link).expect("a link");
    assert_eq!(film(true).logo, None);
}

#[test]
fn nfo_without_plot_and_cast_leaves_the_item_to_other_providers() {
    let library = Library::new();
    let film = || query("video", Some("film"), vec![library.folder("F", "F", true)]);
    for text in [
        "https://www.themoviedb.org/movie/1",
        "<movie><title>Film</title><uniqueid type=\"tmdb\">1</uniqueid></movie>",
        "<movie><plot>No title.</plot></movie>",
        "<episodedetails><title>A</title><plot>B</plot></episodedetails>",
        "",
    ] {
        library.put("F/F.nfo", text);
        assert_eq!(search(&film()), Ok(Vec::new()), "{text}");
    }
    // Pictures alone describe no item.
    library.put("F/fanart.jpg", "picture");
    assert_eq!(search(&film()), Ok(Vec::new()));
    library.put("F/movie.nfo", FILM);
    assert_eq!(only(&film()).provider_id, "movie.nfo");
}

#[test]
fn show_is_described_in_its_folder_or_above_its_seasons() {
    let library = Library::new();
    library.put("Bars/tvshow.nfo", SHOW);
    library.put("Bars/fanart.jpg", "show");
    library.put("Bars/Season 1/Bars S01E01.nfo", FILM);
    let seasons = vec![
        library.folder("Bars/Season 1", "Bars S01E01", true),
        library.folder("Bars/Season 2", "Bars S02E01", true),
    ];
    let show = only(&query("video", Some("series"), seasons));
    assert_eq!((show.title.as_str(), show.year), ("Bars", Some(1999)));
    assert_eq!(show.details.form.as_deref(), Some("Ended"));
    assert_eq!(picture(show.details.backdrop.as_ref()), Some(&b"show"[..]));
    let flat = vec![library.folder("Bars", "Bars S01E01", true)];
    assert_eq!(only(&query("video", Some("series"), flat)).title, "Bars");
    let film = vec![library.folder("Bars/Film", "Film", true)];
    assert_eq!(search(&query("video", Some("film"), film)), Ok(Vec::new()));
}

#[test]
fn album_nfo_is_read_for_an_album_and_its_discs() {
    let library = Library::new();
    library.put("Album/album.nfo", ALBUM);
    let album = only(&query(
        "audio",
        Some("album"),
        vec![library.folder("Album", "01", true)],
    ));
    assert_eq!(
        (album.title.as_str(), album.year),
        ("Some Album", Some(1975))
    );
    assert_eq!(album.authors[0].name, "The Band");
    assert_eq!(album.description.as_deref(), Some("Loud."));
    assert_eq!(album.external_ids[0].database, "musicbrainz_release");
    let details = &album.details;
    assert_eq!(details.people[0].ids[0].database, "musicbrainz");
    assert_eq!(details.released.as_deref(), Some("1975-09-12"));
    assert_eq!(details.edition_released.as_deref(), Some("2011-09-26"));
    assert_eq!(details.form.as_deref(), Some("live"));
    let discs = ["Album/CD1", "Album/CD2"].map(|disc| library.folder(disc, "01", true));
    let album = only(&query("audio", Some("album"), discs.to_vec()));
    assert_eq!(album.title, "Some Album");
    let others = ["Album/A", "Other/B"].map(|disc| library.folder(disc, "01", true));
    assert_eq!(
        search(&query("audio", Some("album"), others.to_vec())),
        Ok(Vec::new())
    );
    let older = "<album><title>A</title><artist>One / Two</artist><year>1999</year></album>";
    let older = album::read(older.as_bytes())
        .expect("XML")
        .expect("a title");
    assert_eq!((older.authors.len(), older.year), (2, Some(1999)));
    assert!(album::read(b"<movie><title>A</title></movie>").is_err());
}

#[test]
fn comic_info_keeps_the_title_of_an_issue_without_one() {
    let library = Library::new();
    library.put("Comic/ComicInfo.xml", COMIC);
    let folder = || vec![library.folder("Comic", "12", true)];
    let issue = only(&query("books", Some("comic"), folder()));
    assert_eq!((issue.title.as_str(), issue.year), ("Stored", Some(2001)));
    let series = issue.series.as_ref().expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("Some Comic", Some(12.5))
    );
    let people: Vec<_> = issue
        .authors
        .iter()
        .map(|credit| (credit.name.as_str(), credit.role.as_str()))
        .collect();
    assert_eq!(
        people,
        [
            ("Ann Lee", "author"),
            ("Bo Kim", "author"),
            ("Cy Day", "cover_artist")
        ]
    );
    let details = &issue.details;
    assert_eq!(details.released.as_deref(), Some("2001-03"));
    assert_eq!(details.genres, ["Crime", "Noir"]);
    assert_eq!(details.studios, ["Example", "Ex"]);
    assert_eq!(details.collection.as_deref(), Some("The Arc"));
    assert_eq!(details.links.len(), 1, "only https");
    assert!(comic::read(b"<x/>", "Stored").is_err());
    assert_eq!(comic::read(b"<ComicInfo/>", "Stored"), Ok(None));
}

#[test]
fn list_of_games_is_read_by_the_path_of_the_game() {
    let library = Library::new();
    library.put("snes/gamelist.xml", GAMES);
    library.put("snes/media/box.png", "box");
    library.put("secret.png", "secret");
    let folder = |stem: &str| vec![library.folder("snes/hacks", stem, false)];
    let game = only(&query("games", None, folder("Quiet Harbour (USA)")));
    assert_eq!(
        (game.title.as_str(), game.year),
        ("Quiet Harbour", Some(1990))
    );
    assert_eq!(game.description.as_deref(), Some("Boats.\nAnd more."));
    let developers: Vec<_> = game.authors.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(developers, ["Dev", "Other Dev"]);
    assert_eq!(game.details.studios, ["Pub"]);
    assert_eq!(game.details.genres, ["Puzzle", "Boats"]);
    assert_eq!(game.details.released.as_deref(), Some("1990-01-02"));
    assert_eq!(picture(game.cover.as_ref()), Some(&b"box"[..]));
    // Paths that lead upwards or are absolute are rejected, even within the library.
    assert_eq!((game.details.logo, game.details.backdrop), (None, None));
    for stem in ["Other", "Quiet Harbour", "gamelist"] {
        assert_eq!(
            search(&query("games", None, folder(stem))),
            Ok(Vec::new()),
            "{stem}"
        );
    }
    library.put("snes/gamelist.xml", "<other/>");
    let error = search(&query("games", None, folder("Other")));
    assert!(matches!(error, Err(AskError::Malformed(_))), "{error:?}");
}

#[test]
fn by_id_reads_only_files_of_the_item() {
    let library = Library::new();
    library.put("Film/Film.nfo", FILM);
    library.put("Film/Other.nfo", FILM);
    let query = query(
        "video",
        Some("film"),
        vec![library.folder("Film", "Film", false)],
    );
    let by_id = |id: &str| opened(&PROVIDER, &[]).by_id(id, &query, &Recorded::new());
    assert!(by_id("Film.nfo").expect("an answer").is_some());
    for id in [
        "Other.nfo",
        "movie.nfo",
        "../Film/Film.nfo",
        "/etc/passwd",
        "",
    ] {
        assert_eq!(by_id(id), Ok(None), "{id}");
    }
}

#[test]
fn damaged_files_are_parsed_or_rejected() {
    damage::bytes(FILM.as_bytes(), |bytes| {
        let _ = nfo::read(bytes, &["movie"]);
    });
    damage::bytes(ALBUM.as_bytes(), |bytes| {
        let _ = album::read(bytes);
    });
    damage::bytes(COMIC.as_bytes(), |bytes| {
        let _ = comic::read(bytes, "Stored");
    });
    let folder = ItemFolder {
        root: Path::new("/nonexistent").to_owned(),
        folder: "a".into(),
        stems: vec!["Other".into()],
        is_alone: true,
    };
    damage::bytes(GAMES.as_bytes(), |bytes| {
        let _ = gamelist::read(bytes, &folder, &folder);
    });
}
