//! Small file system in a separate mount namespace, for tests of full disks.
//!
//! The program under test is started by a script that creates the namespace. The file system ends
//! with the program, and nothing is mounted where other programs see it.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Server;

/// Options that create the namespace: with a user namespace, which needs no rights if the system
/// permits it, and as root.
const WAYS: [&str; 2] = ["-rm", "-m"];

/// Environment variable that skips the tests if no file system can be mounted.
const SKIP: &str = "LEDGE_TEST_SKIP_MOUNT";

/// Finds the way to mount a file system with this command. Returns `None`, and reports it on
/// standard error, if the system forbids it to this process or [`SKIP`] is `1`.
///
/// # Panics
/// If a mount fails for another reason.
fn way(mount: &str) -> Option<&'static str> {
    let mut errors = Vec::new();
    for way in WAYS {
        let trial = Command::new("unshare")
            .args([way, "sh", "-c", mount])
            .env("LC_ALL", "C")
            .output();
        match trial {
            Ok(trial) if trial.status.success() => return Some(way),
            Ok(trial) => errors.push(String::from_utf8_lossy(&trial.stderr).trim().to_owned()),
            Err(error) => errors.push(format!("unshare of util-linux: {error}")),
        }
    }
    let is_skipped = std::env::var(SKIP).is_ok_and(|value| value == "1");
    assert!(
        is_skipped || errors.iter().all(|error| is_forbidden(error)),
        "no file system can be mounted: {errors:?}; set {SKIP}=1 to skip the tests that need one"
    );
    // Unlike `eprintln!`, this is not captured: a skipped test must not look like a success.
    let _ = writeln!(
        io::stderr(),
        "NOT RUN: a test of a full disk, because this process may not mount: {errors:?}"
    );
    None
}

/// Returns `true` if `unshare` or `mount` reports that the process lacks the right to create a
/// namespace or to mount, as in most containers.
fn is_forbidden(error: &str) -> bool {
    let error = error.to_lowercase();
    let reasons = [
        "unshare failed",
        "not permitted",
        "permission denied",
        "must be superuser",
    ];
    reasons.iter().any(|reason| error.contains(reason))
}

/// Mount point, and a script that mounts a small file system there and runs a program.
#[derive(Debug)]
pub struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// Prepares a file system of `kib` KiB for a program. Returns `None` if the system permits no
    /// mounts, and prints that on standard error.
    ///
    /// # Panics
    ///
    /// Panics if the script cannot be written.
    pub fn new(program: &Path, kib: u32) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Self { folder };
        fs::create_dir(disk.path()).expect("a folder");
        let mount = format!(
            "mount -t tmpfs -o size={kib}k,mode=0700 none '{}'",
            disk.path().display()
        );
        let way = way(&mount)?;
        let script = format!(
            "#!/bin/sh\nexec unshare {way} sh -c \"{mount} && exec '{}' \\\"\\$@\\\"\" ledge \"$@\"\n",
            program.display()
        );
        fs::write(disk.program(), script).expect("a script");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(disk.program(), executable).expect("an executable");
        Some(disk)
    }

    /// Returns the script to start instead of the program. It has the same process id.
    pub fn program(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    /// Returns the mount point as the program sees it.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// Returns the mount point as a test sees it while the server runs.
    pub fn seen(&self, server: &Server) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", server.pid()));
        let path = self.path();
        root.join(path.strip_prefix("/").expect("an absolute path"))
    }

    /// Fills the disk except for `left` bytes.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be filled.
    pub fn fill(&self, server: &Server, left: u64) {
        let path = self.seen(server).join("ballast");
        let mut file = File::create(&path).expect("a file");
        let mut size = 0;
        for chunk in [1 << 16, 1 << 12, 1] {
            let block = vec![0x5a; chunk];
            loop {
                match file.write(&block) {
                    Ok(written) if written > 0 => size += written as u64,
                    Ok(_) => break,
                    Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
                    Err(error) => panic!("the disk cannot be filled: {error}"),
                }
            }
        }
        file.set_len(size.saturating_sub(left)).expect("a length");
    }

    /// Frees the space again.
    ///
    /// # Panics
    ///
    /// Panics if the file cannot be deleted.
    pub fn free(&self, server: &Server) {
        fs::remove_file(self.seen(server).join("ballast")).expect("no file");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_right_to_mount_counts_as_forbidden() {
        for (error, expected) in [
            ("unshare: unshare failed: Operation not permitted", true),
            ("unshare: unshare failed: No space left on device", true),
            (
                "unshare: cannot open /proc/self/uid_map: Permission denied",
                true,
            ),
            ("mount: /tmp/disk: permission denied.", true),
            ("mount: /tmp/disk: must be superuser to use mount.", true),
            ("mount: /tmp/disk: unknown filesystem type 'tmpfs'.", false),
            ("sh: 1: mount: not found", false),
            (
                "unshare of util-linux: No such file or directory (os error 2)",
                false,
            ),
            ("", false),
        ] {
            assert_eq!(is_forbidden(error), expected, "{error}");
        }
    }
}
