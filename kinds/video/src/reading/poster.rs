//! Poster files next to videos.

use std::path::Path;

use ledge_core::fs::any_inside;

use crate::naming::season;

/// Stems of poster files as in Kodi, Jellyfin and Plex. The first one has the highest rank.
pub const STEMS: &[&str] = &["poster", "folder", "cover", "movie", "show", "default"];
/// Extensions of picture files.
const PICTURES: &[&str] = &["jpg", "jpeg", "png", "webp", "gif", "avif"];
/// Maximum number of names that are checked per folder.
const MAX_NAMES: usize = 20_000;

/// Returns `true` if a poster is in the episode's folder or above its season's folder, within the
/// library at `root`.
pub fn exists_for(root: &Path, episode: &Path) -> bool {
    let Some(folder) = episode.parent() else {
        return false;
    };
    let name = folder.file_name().map(|name| name.to_string_lossy());
    let is_season = name.is_some_and(|name| season::parse(&name).is_some());
    let has_poster = |folder: &Path| has_poster(root, folder);
    has_poster(folder) || is_season && folder.parent().is_some_and(has_poster)
}

fn has_poster(root: &Path, folder: &Path) -> bool {
    let found = any_inside(root, folder, MAX_NAMES, |name| {
        let name = name.to_string_lossy().to_lowercase();
        name.rsplit_once('.')
            .is_some_and(|(stem, end)| STEMS.contains(&stem) && PICTURES.contains(&end))
    });
    found.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posters_are_found_next_to_episodes_and_above_their_season() {
        let tree = tempfile::tempdir().expect("a folder");
        let season = tree.path().join("Show/Season 01");
        std::fs::create_dir_all(&season).expect("folders");
        let episode = season.join("S01E01.mkv");
        let exists_for = |episode: &Path| exists_for(tree.path(), episode);
        assert!(!exists_for(&episode));
        std::fs::write(tree.path().join("poster.jpg"), "x").expect("a file");
        assert!(!exists_for(&episode), "that of another");
        std::fs::write(tree.path().join("Show/Folder.PNG"), "x").expect("a file");
        assert!(exists_for(&episode));
        assert!(!exists_for(Path::new("/")));
    }

    #[test]
    fn posters_outside_the_library_are_ignored() {
        let tree = tempfile::tempdir().expect("a folder");
        let root = tree.path().join("Show/Season 01");
        std::fs::create_dir_all(&root).expect("folders");
        std::fs::write(tree.path().join("Show/poster.jpg"), "x").expect("a file");
        std::os::unix::fs::symlink(tree.path().join("Show"), root.join("out")).expect("a link");
        assert!(!exists_for(&root, &root.join("S01E01.mkv")));
        assert!(!exists_for(&root, &root.join("out/S01E01.mkv")));
        assert!(exists_for(tree.path(), &root.join("S01E01.mkv")));
    }
}
