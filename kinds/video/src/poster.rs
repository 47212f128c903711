//! Pictures beside videos that stand for them.

use std::path::Path;

use ledge_core::content::any_inside;

use crate::season;

/// Names of such pictures, as Kodi, Jellyfin and Plex have them; the first is preferred.
pub const STEMS: &[&str] = &["poster", "folder", "cover", "movie", "show", "default"];
/// Endings of pictures.
const PICTURES: &[&str] = &["jpg", "jpeg", "png", "webp", "gif", "avif"];
/// Most names of a folder that are looked at.
const MOST: usize = 20_000;

/// Whether a poster lies beside an episode, or above its season's folder, in the library at `root`.
pub fn is_beside(root: &Path, episode: &Path) -> bool {
    let Some(folder) = episode.parent() else {
        return false;
    };
    let name = folder.file_name().map(|name| name.to_string_lossy());
    let is_season = name.is_some_and(|name| season::parse(&name).is_some());
    let holds_one = |folder: &Path| holds_one(root, folder);
    holds_one(folder) || is_season && folder.parent().is_some_and(holds_one)
}

fn holds_one(root: &Path, folder: &Path) -> bool {
    let found = any_inside(root, folder, MOST, |name| {
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
    fn posters_lie_beside_episodes_or_above_their_season() {
        let tree = tempfile::tempdir().expect("a folder");
        let season = tree.path().join("Show/Season 01");
        std::fs::create_dir_all(&season).expect("folders");
        let episode = season.join("S01E01.mkv");
        let is_beside = |episode: &Path| is_beside(tree.path(), episode);
        assert!(!is_beside(&episode));
        std::fs::write(tree.path().join("poster.jpg"), "x").expect("a file");
        assert!(!is_beside(&episode), "that of another");
        std::fs::write(tree.path().join("Show/Folder.PNG"), "x").expect("a file");
        assert!(is_beside(&episode));
        assert!(!is_beside(Path::new("/")));
    }

    #[test]
    fn posters_outside_of_the_library_are_none_of_its_own() {
        let tree = tempfile::tempdir().expect("a folder");
        let root = tree.path().join("Show/Season 01");
        std::fs::create_dir_all(&root).expect("folders");
        std::fs::write(tree.path().join("Show/poster.jpg"), "x").expect("a file");
        std::os::unix::fs::symlink(tree.path().join("Show"), root.join("out")).expect("a link");
        assert!(!is_beside(&root, &root.join("S01E01.mkv")));
        assert!(!is_beside(&root, &root.join("out/S01E01.mkv")));
        assert!(is_beside(tree.path(), &root.join("S01E01.mkv")));
    }
}
