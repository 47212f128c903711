//! Listing of subfolders, for the choice of a library's root.

use std::path::{Path, PathBuf};

use ledge_core::http::{ApiError, ApiResult};
use ledge_core::text::names::natural;
use serde::Serialize;
use utoipa::ToSchema;

/// Limit of listed folders.
const MAX_ENTRIES: usize = 5_000;

/// A folder of the server with its subfolders.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct DirectoryListing {
    /// Absolute path without symbolic links.
    pub path: String,
    /// Path of the parent folder; null for the root of the file system.
    pub parent: Option<String>,
    /// Subfolders in natural order; hidden ones only on request.
    pub items: Vec<Directory>,
    /// `true` if the folder contains more subfolders than are listed.
    pub truncated: bool,
}

/// A subfolder.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Directory {
    /// Name of the folder.
    pub name: String,
    /// Absolute path of the folder.
    pub path: String,
    /// `true` if the server may read the folder.
    pub readable: bool,
}

/// Lists the subfolders of `path`, an absolute path.
pub(crate) async fn list(path: String, hidden: bool) -> ApiResult<DirectoryListing> {
    let refuse = |message: &str| ApiError::invalid("path", message);
    if !Path::new(&path).is_absolute() {
        return Err(refuse("The path begins with a slash."));
    }
    let folder = super::resolve(path).await?;
    let listing = super::within(super::MAX_WAIT, move || list_blocking(&folder, hidden)).await;
    match listing {
        None => Err(refuse("The folder does not respond.")),
        Some(None) => Err(refuse("The folder cannot be read.")),
        Some(Some(listing)) => Ok(listing),
    }
}

fn list_blocking(folder: &Path, hidden: bool) -> Option<DirectoryListing> {
    let mut truncated = false;
    let mut items = Vec::new();
    for entry in std::fs::read_dir(folder).ok()? {
        // Entries that are unreadable, or whose names are not UTF-8, cannot be chosen.
        let Ok(entry) = entry else { continue };
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if (name.starts_with('.') && !hidden) || !leads_to_folder(&entry) {
            continue;
        }
        if items.len() == MAX_ENTRIES {
            truncated = true;
            break;
        }
        items.push((name, entry.path()));
    }
    items.sort_by(|(a, _), (b, _)| natural::cmp(a, b));
    let directories = items.into_iter().filter_map(|(name, path)| {
        Some(Directory {
            name,
            readable: super::may_enter(&path),
            path: text(path)?,
        })
    });
    Some(DirectoryListing {
        items: directories.collect(),
        parent: folder.parent().and_then(|parent| text(parent.to_owned())),
        path: text(folder.to_owned())?,
        truncated,
    })
}

fn leads_to_folder(entry: &std::fs::DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
        Ok(kind) => kind.is_dir(),
        Err(_) => false,
    }
}

fn text(path: PathBuf) -> Option<String> {
    path.into_os_string().into_string().ok()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    #[tokio::test]
    async fn listing_contains_visible_folders_in_natural_order() {
        let temporary = tempfile::tempdir().expect("a folder");
        let root = temporary.path().canonicalize().expect("a path");
        for name in ["Disc 10", "disc 2", ".hidden", "Äpfel"] {
            std::fs::create_dir(root.join(name)).expect("a folder");
        }
        std::fs::create_dir(root.join(OsStr::from_bytes(b"\xff"))).expect("a folder");
        std::fs::write(root.join("file"), "").expect("a file");
        symlink("disc 2", root.join("link")).expect("a link");
        symlink("file", root.join("file link")).expect("a link");
        let path = root.to_str().expect("text").to_owned();

        let listing = list(path.clone(), false).await.expect("a listing");
        let names: Vec<&str> = listing
            .items
            .iter()
            .map(|item| item.name.as_str())
            .collect();
        assert_eq!(names, ["disc 2", "Disc 10", "link", "Äpfel"]);
        assert!(listing.items.iter().all(|item| item.readable));
        assert_eq!(listing.items[0].path, format!("{path}/disc 2"));
        assert_eq!(listing.path, path);
        let parent = root.parent().expect("a parent");
        assert_eq!(listing.parent.as_deref(), parent.to_str());
        assert!(!listing.truncated);

        let all = list(path, true).await.expect("a listing");
        assert!(all.items.iter().any(|item| item.name == ".hidden"));
    }

    #[tokio::test]
    async fn file_system_root_has_no_parent() {
        let listing = list("/".to_owned(), false).await.expect("a listing");
        assert_eq!((listing.path.as_str(), listing.parent), ("/", None));
        assert!(listing.items.iter().any(|item| item.path == "/etc"));
    }

    #[tokio::test]
    async fn relative_path_or_file_is_rejected() {
        for path in ["", "etc", "./etc", "/etc/passwd", "/none such"] {
            let refused = list(path.to_owned(), false).await;
            assert!(
                matches!(refused, Err(ApiError::Invalid { field, .. }) if field == "path"),
                "{path}"
            );
        }
    }

    #[tokio::test]
    async fn listing_of_very_many_folders_is_truncated() {
        let temporary = tempfile::tempdir().expect("a folder");
        for n in 0..=MAX_ENTRIES {
            std::fs::create_dir(temporary.path().join(n.to_string())).expect("a folder");
        }
        let path = temporary.path().to_str().expect("text").to_owned();
        let listing = list(path, false).await.expect("a listing");
        assert_eq!(listing.items.len(), MAX_ENTRIES);
        assert!(listing.truncated);
    }
}
