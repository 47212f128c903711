//! Pictures in the folders of an item that another provider describes.

use std::ffi::OsStr;

use ledge_core::registry::provider::{ItemFolder, LocalPictures, Query};

use crate::local_files::SERIES;
use crate::pictures::{self, Budget};
use crate::season::{self, NumberOf};
use crate::show;

/// Reads the pictures of an item. Lists of games name their own pictures.
pub(crate) fn read(question: &Query) -> LocalPictures {
    match question.kind.as_str() {
        "games" => LocalPictures::default(),
        "video" if question.subkind.as_deref() == Some(SERIES) => of_show(question),
        _ => of_folders(&question.folders),
    }
}

fn of_folders(folders: &[ItemFolder]) -> LocalPictures {
    LocalPictures {
        backdrop: folders.iter().find_map(pictures::backdrop),
        logo: folders.iter().find_map(pictures::logo),
        seasons: Vec::new(),
    }
}

fn of_show(question: &Query) -> LocalPictures {
    let number_of = season::number_of(&question.kind);
    let mut folders = question.folders.iter();
    let Some(show) = folders.find_map(|item| show_folder(item, number_of)) else {
        return LocalPictures::default();
    };
    let mut budget = Budget::default();
    let listed = show::list(&show);
    LocalPictures {
        seasons: season::posters(&question.kind, &listed, &mut budget),
        ..of_folders(&[show])
    }
}

/// Returns the folder of a show: the folder above that of a season, or a folder with no other item.
/// Names of episodes are not names of its pictures.
fn show_folder(item: &ItemFolder, number_of: NumberOf) -> Option<ItemFolder> {
    let name = item.folder.file_name().and_then(OsStr::to_str);
    let folder = match name.and_then(number_of) {
        Some(_) => item.folder.parent(),
        None => item.is_alone.then_some(item.folder.as_path()),
    };
    // The root of a library contains several shows.
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty())?;
    Some(ItemFolder {
        folder: folder.to_owned(),
        stems: Vec::new(),
        is_alone: true,
        ..item.clone()
    })
}
