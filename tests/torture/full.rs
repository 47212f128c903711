//! Full disk: writes are refused with a reason, reads continue, and no acknowledged write is lost.

use std::path::Path;
use std::process::Command;

use ledge_tests::Server;
use ledge_tests::server::{program, scanned_library};
use serde_json::json;

use crate::load::check;
use crate::say;

/// Small file system. Dropping it unmounts it.
pub(crate) struct Small(tempfile::TempDir);

impl Small {
    /// Mounts the file system. Returns `None` without the right to mount.
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=8m", "none"])
            .arg(folder.path())
            .output();
        mount
            .is_ok_and(|mount| mount.status.success())
            .then(|| Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Makes it read-only (`ro`) or writable again (`rw`).
    pub(crate) fn remount(&self, how: &str) {
        let mount = Command::new("mount")
            .args(["-o", &format!("remount,{how}")])
            .arg(self.path())
            .status();
        assert!(
            mount.is_ok_and(|mount| mount.success()),
            "remounted as {how}"
        );
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // If unmounting fails, the folder stays.
        let _ = Command::new("umount").arg(self.path()).output();
    }
}

pub(crate) fn disk() {
    let Some(small) = Small::new() else {
        say("a full disk: NOT RUN, because the system does not permit mounts");
        return;
    };
    let media = tempfile::tempdir().expect("a folder");
    std::fs::write(media.path().join("Game.nes"), b"NES\x1a and more").expect("a file");
    let mut server = Server::in_folder(&program("ledge"), small.path(), &[]);
    let admin = server.admin();
    scanned_library(&admin, "Games", media.path());
    let item = admin.get("/items?limit=1").expect(200).json()["items"][0]["id"].clone();
    let mut rng = crate::Rng(7);
    let (mut kept, mut refused) = (Vec::new(), None);
    for n in 0..64_u64 {
        let body: Vec<u8> = (0..1 << 17)
            .flat_map(|_| rng.throw().to_le_bytes())
            .collect();
        let path = format!("/items/{item}/saves/slot{}", n % 32);
        let kind = [("Content-Type", "application/octet-stream")];
        let answer = admin.send("PUT", &path, &kind, Some(&body));
        if answer.status < 300 {
            kept.push((path, body));
        } else {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("eight megabytes do not hold sixty-four");
    let code = refused.code();
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(
        refused.json().to_string().contains("disk is full"),
        "{refused:?}"
    );
    assert!(!kept.is_empty(), "some came before");
    for (path, body) in &kept {
        assert_eq!(&admin.get(path).expect(200).body, body, "{path}");
    }
    admin.get("/home").expect(200);
    let place = json!({"position": 5});
    let place = admin.put(&format!("/items/{item}/progress"), &place);
    server.kill();
    check_in_room(&server.database());
    server.restart();
    let admin = server.admin();
    for (path, body) in &kept {
        assert_eq!(&admin.get(path).expect(200).body, body, "{path}");
    }
    say(&format!(
        "a full disk: {} saves of a megabyte kept and still there after a kill, the next refused \
         with {} `{code}`, a place then answered with {}; reads went on",
        kept.len(),
        refused.status,
        place.status,
    ));
}

/// Checks a copy, because opening a database may need space.
fn check_in_room(database: &Path) {
    let folder = tempfile::tempdir().expect("a folder");
    for suffix in ["", "-wal"] {
        let name = format!("ledge.db{suffix}");
        let from = database.with_file_name(&name);
        if from.exists() {
            std::fs::copy(&from, folder.path().join(&name)).expect("a copy");
        }
    }
    check(&folder.path().join("ledge.db"));
}
