//! Resolution of the database path.

use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of links that are followed, as in the Linux kernel.
const LONGEST_CHAIN: usize = 40;

/// Returns the path of a database without links, even if the file does not exist yet. SQLite
/// resolves links before it places the log and its index next to the file. Code that locks the
/// database, watches its commits or replaces it must use the same path.
pub fn real(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LONGEST_CHAIN {
        if let Ok(real) = path.canonicalize() {
            return real;
        }
        // A link may point to a database that is not created yet.
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => break,
        }
    }
    match (folder_of(&path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::db::Db;
    use crate::db::lock::ServerLock;
    use crate::db::restore::restore;
    use crate::time::Timestamp;

    #[test]
    fn links_are_resolved_with_and_without_database() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().canonicalize().expect("a path").join(name);
        fs::create_dir(at("disk")).expect("a folder");
        symlink("disk", at("mount")).expect("a link");
        symlink("mount/ledge.db", at("near.db")).expect("a link");
        symlink(at("near.db"), at("far.db")).expect("a link");
        for _ in 0..2 {
            for name in ["far.db", "near.db", "mount/ledge.db", "disk/ledge.db"] {
                assert_eq!(real(&at(name)), at("disk/ledge.db"), "{name}");
            }
            fs::write(at("disk/ledge.db"), "").expect("a file");
        }
        symlink("loop.db", at("loop.db")).expect("a link");
        assert_eq!(real(&at("loop.db")), at("loop.db"));
        assert_eq!(real(&at("none/ledge.db")), at("none/ledge.db"));
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        let here = here.expect("a folder");
        assert_eq!(real(Path::new("no-such.db")), here.join("no-such.db"));
    }

    #[test]
    fn database_behind_link_is_locked_watched_and_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("disk")).expect("a folder");
        symlink("disk/ledge.db", at("ledge.db")).expect("a link");
        // An old index that never indicates a commit.
        fs::write(at("ledge.db-shm"), [1; 4096]).expect("an index");
        let lock = ServerLock::take(&real(&at("ledge.db"))).expect("a lock");
        ServerLock::take(&real(&at("disk/ledge.db"))).expect_err("the same");
        let db = Db::open(&real(&at("ledge.db"))).expect("a database");
        let before = db.version();
        assert!(before.is_some());
        let sql = "INSERT INTO user (username, username_key, password_hash, role, created_at)
                   VALUES ('mia', 'mia', '', 'user', '')";
        let made = db.write_blocking(move |tx| Ok(tx.execute(sql, [])?));
        made.expect("a user");
        assert_ne!(db.version(), before);
        db.close();
        fs::copy(at("disk/ledge.db"), at("backup.db")).expect("a backup");
        drop(lock);
        let now = Timestamp::from_micros(0);
        restore(&at("backup.db"), &real(&at("ledge.db")), now).expect("restored");
        let link = fs::symlink_metadata(at("ledge.db")).expect("a link");
        assert!(link.is_symlink());
    }
}
