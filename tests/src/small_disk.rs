//! A small file system in a mount namespace of its own, for tests of full disks.
//!
//! The program under test is started by a script that creates the namespace. The file system ends
//! with the program, and nothing is mounted where other programs see it.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Server;

/// Ways to create the namespace: with a user namespace, which needs no rights where the system
/// allows it, and as root.
const WAYS: [&str; 2] = ["-rm", "-m"];

/// A mount point, and a script that mounts a small file system there and runs a program.
#[derive(Debug)]
pub struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// Prepares a file system of so many KiB for a program. Returns `None` where the system allows
    /// no mounts, and says so on standard error.
    ///
    /// # Panics
    /// If the script cannot be written.
    pub fn new(program: &Path, kib: u32) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Self { folder };
        fs::create_dir(disk.path()).expect("a folder");
        let mount = format!(
            "mount -t tmpfs -o size={kib}k,mode=0700 none '{}'",
            disk.path().display()
        );
        let works = |way: &&&str| {
            let trial = Command::new("unshare")
                .args([way, "sh", "-c", &mount])
                .output();
            trial.is_ok_and(|trial| trial.status.success())
        };
        let Some(way) = WAYS.iter().find(works) else {
            // Not captured, unlike `eprintln!`: a test that did nothing must not look like a success.
            let _ = writeln!(io::stderr(), "NOT RUN: no file system can be mounted here");
            return None;
        };
        let script = format!(
            "#!/bin/sh\nexec unshare {way} sh -c \"{mount} && exec '{}' \\\"\\$@\\\"\" ledge \"$@\"\n",
            program.display()
        );
        fs::write(disk.program(), script).expect("a script");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(disk.program(), executable).expect("an executable");
        Some(disk)
    }

    /// The script to start in place of the program. It has the same process id.
    pub fn program(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    /// The mount point, as the program sees it.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// The mount point, as a test sees it while the server runs.
    pub fn seen(&self, server: &Server) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", server.pid()));
        let path = self.path();
        root.join(path.strip_prefix("/").expect("an absolute path"))
    }

    /// Fills the disk but for so many bytes.
    ///
    /// # Panics
    /// If it cannot be filled.
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

    /// Makes space again.
    ///
    /// # Panics
    /// If it cannot.
    pub fn free(&self, server: &Server) {
        fs::remove_file(self.seen(server).join("ballast")).expect("no file");
    }
}
