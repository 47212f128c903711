//! Pictures in the folders of items that another provider describes.

use ledge_core::registry::provider::{ItemFolder, LocalPictures, PictureSubject};
use ledge_recorded::opened;

use super::media::{Library, picture, query};
use crate::PROVIDER;

fn own(kind: &str, subkind: Option<&str>, folders: Vec<ItemFolder>) -> LocalPictures {
    opened(&PROVIDER, &[]).local_pictures(&query(kind, subkind, folders))
}

fn of_show(folders: Vec<ItemFolder>) -> LocalPictures {
    own("video", Some("series"), folders)
}

/// Returns the numbers of the seasons with a poster.
fn seasons(found: &LocalPictures) -> Vec<i64> {
    let seasons = found.seasons.iter().filter_map(|part| match part.of {
        PictureSubject::Season(season) => Some(season),
        _ => None,
    });
    seasons.collect()
}

#[test]
fn show_has_its_pictures_without_a_description() {
    let library = Library::new();
    for (name, content) in [
        ("Bars/fanart.jpg", "backdrop"),
        ("Bars/clearlogo.png", "logo"),
        ("Bars/season02-poster.jpg", "two"),
        ("Bars/Season 1/poster.jpg", "one"),
        ("Bars/tvshow.nfo", "<tvshow><tmdbid>7</tmdbid></tvshow>"),
    ] {
        library.put(name, content);
    }
    let found = of_show(vec![
        library.folder("Bars/Season 1", "Bars S01E02", true),
        library.folder("Bars/Season 2", "Bars S02E01", true),
    ]);
    assert_eq!(picture(found.backdrop.as_ref()), Some(&b"backdrop"[..]));
    assert_eq!(picture(found.logo.as_ref()), Some(&b"logo"[..]));
    assert_eq!(seasons(&found), [1, 2]);
}

#[test]
fn show_without_folders_of_seasons_has_its_pictures() {
    let library = Library::new();
    library.put("Bars/season01-poster.jpg", "one");
    let folder = || library.folder("Bars", "Bars S01E01", true);
    assert_eq!(seasons(&of_show(vec![folder()])), [1]);
    let shared = ItemFolder {
        is_alone: false,
        ..folder()
    };
    assert_eq!(of_show(vec![shared]), LocalPictures::default());
}

#[test]
fn pictures_in_the_root_of_a_library_belong_to_no_show() {
    let library = Library::new();
    library.put("season01-poster.jpg", "one");
    library.put("Season 1/Bars S01E01.mkv", "video");
    library.put("fanart.jpg", "backdrop");
    let folders = vec![library.folder("Season 1", "Bars S01E01", true)];
    assert_eq!(of_show(folders), LocalPictures::default());
    assert_eq!(of_show(Vec::new()), LocalPictures::default());
}

#[test]
fn film_has_its_own_backdrop_and_games_have_none() {
    let library = Library::new();
    library.put("Film/Film-fanart.jpg", "backdrop");
    library.put("Film/fanart.jpg", "another one");
    let folders = || vec![library.folder("Film", "Film", true)];
    let found = own("video", Some("film"), folders());
    assert_eq!(picture(found.backdrop.as_ref()), Some(&b"backdrop"[..]));
    assert_eq!(found.logo, None);
    assert_eq!(own("games", None, folders()), LocalPictures::default());
}
