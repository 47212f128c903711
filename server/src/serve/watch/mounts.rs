//! Mount points in and below a folder, from `/proc/self/mountinfo`. Reading it accesses no file
//! system, so an unresponsive one does not block.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// File system types that do not report all changes, because other machines write to them or
/// because they are mounted on access.
const SILENT: [&str; 18] = [
    "9p",
    "afs",
    "autofs",
    "beegfs",
    "ceph",
    "cifs",
    "fuse",
    "gfs2",
    "glusterfs",
    "lustre",
    "nfs",
    "nfs4",
    "ocfs2",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
];
/// Prefix of user-space file systems; the name of the implementation follows.
const USER_SPACE: &str = "fuse.";
/// Type that mounts file systems below it on access, including access by a scan.
const ON_DEMAND: &str = "autofs";

/// File systems of one root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mounts {
    /// Type of the root's file system, if it reports no changes.
    pub(super) silent_root: Option<String>,
    /// Mounts below the root, by relative path.
    pub(super) below: BTreeMap<Vec<u8>, Mount>,
}

/// A file system mounted below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// Identity: the ids of the mount and of the device.
    id: (Vec<u8>, Vec<u8>),
    kind: String,
}

impl Mount {
    #[cfg(test)]
    pub(super) fn named(kind: &str) -> Self {
        Self {
            id: (b"1".to_vec(), b"0:1".to_vec()),
            kind: kind.to_owned(),
        }
    }

    /// Returns the type if the file system reports no changes.
    pub(super) fn silent(&self) -> Option<&str> {
        is_silent(&self.kind).then_some(self.kind.as_str())
    }
}

/// Returns the current file systems in and below a folder. If the table is unreadable, there are
/// none.
pub(super) fn of(root: &Path) -> Mounts {
    let table = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    parse(&table, root)
}

fn parse(table: &[u8], root: &Path) -> Mounts {
    let mut own: Option<(usize, String)> = None;
    let mut below = BTreeMap::new();
    for line in table.split(|byte| *byte == b'\n') {
        let Some((point, mount)) = entry(line) else {
            continue;
        };
        let point = Path::new(OsStr::from_bytes(&point));
        if root.starts_with(point) {
            // The innermost mount point counts; among several mounts at one point, the last.
            let depth = point.components().count();
            if own.as_ref().is_none_or(|(deepest, _)| depth >= *deepest) {
                own = Some((depth, mount.kind));
            }
        } else if let Ok(path) = point.strip_prefix(root) {
            let path = path.as_os_str().as_bytes();
            let known: Option<&Mount> = below.get(path);
            if known.is_none_or(|known| known.kind != ON_DEMAND) {
                below.insert(path.to_vec(), mount);
            }
        }
    }
    let on_demand: Vec<Vec<u8>> = below
        .iter()
        .filter(|(_, mount)| mount.kind == ON_DEMAND)
        .map(|(path, _)| path.clone())
        .collect();
    below.retain(|path, _| {
        let path = Path::new(OsStr::from_bytes(path));
        let is_below = |above: &Vec<u8>| {
            let above = Path::new(OsStr::from_bytes(above));
            path != above && path.starts_with(above)
        };
        !on_demand.iter().any(is_below)
    });
    Mounts {
        silent_root: own.map(|(_, kind)| kind).filter(|kind| is_silent(kind)),
        below,
    }
}

/// Parses mount point and type of a line. The format is described in proc_pid_mountinfo(5).
fn entry(line: &[u8]) -> Option<(Vec<u8>, Mount)> {
    let mut fields = line.split(|byte| *byte == b' ');
    let id = fields.next()?.to_vec();
    let device = fields.nth(1)?.to_vec();
    let point = unescape(fields.nth(1)?);
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    let mount = Mount {
        id: (id, device),
        kind: String::from_utf8_lossy(kind).into_owned(),
    };
    Some((point, mount))
}

/// Decodes spaces and similar characters, which are written as a backslash and three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((byte, after)) = rest.split_first() {
        let code = after.get(..3).filter(|_| *byte == b'\\');
        let code = code.and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(code) = code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            plain.push(code);
            rest = after.get(3..).unwrap_or_default();
        } else {
            plain.push(*byte);
            rest = after;
        }
    }
    plain
}

fn is_silent(kind: &str) -> bool {
    SILENT.contains(&kind) || kind.starts_with(USER_SPACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[u8] = b"\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 21 8:17 / /srv rw - ext4 /dev/sdb1 rw
41 40 0:44 / /srv/media/nas rw - nfs4 nas:/media rw
42 40 8:33 / /srv/media/other\\040disk rw shared:9 master:2 - xfs /dev/sdc1 rw
43 40 0:50 / /srv/media/auto rw - autofs systemd-1 rw
47 43 0:52 / /srv/media/auto rw - nfs4 nas:/auto/x rw
44 43 0:51 / /srv/media/auto/x rw - nfs4 nas:/x rw
45 21 0:60 / /srv/mediathek rw - fuse.sshfs host: rw
";

    fn without(word: &str) -> String {
        let text = String::from_utf8_lossy(TABLE);
        let lines: Vec<&str> = text.lines().filter(|line| !line.contains(word)).collect();
        lines.join("\n")
    }

    #[test]
    fn mounts_below_a_folder_are_found_with_their_silent_types() {
        let mounts = parse(TABLE, Path::new("/srv/media"));
        assert_eq!(mounts.silent_root, None);
        let found: Vec<_> = mounts
            .below
            .iter()
            .map(|(path, mount)| (path.as_slice(), mount.silent()))
            .collect();
        assert_eq!(
            found,
            [
                (&b"auto"[..], Some("autofs")),
                (b"nas", Some("nfs4")),
                (b"other disk", None),
            ]
        );
    }

    #[test]
    fn root_belongs_to_the_nearest_mount_point_above_it() {
        for (root, silent) in [
            ("/srv/media/nas/films", Some("nfs4")),
            ("/srv/mediathek", Some("fuse.sshfs")),
            ("/srv/media/other disk/a", None),
            ("/home", None),
        ] {
            let mounts = parse(TABLE, Path::new(root));
            assert_eq!(mounts.silent_root.as_deref(), silent, "{root}");
        }
    }

    #[test]
    fn other_file_system_at_the_same_point_is_a_difference() {
        let root = Path::new("/srv/media");
        let remounted = String::from_utf8_lossy(TABLE).replace("42 40 8:33", "46 40 8:49");
        assert_ne!(parse(TABLE, root), parse(remounted.as_bytes(), root));
        let unmounted = without("other");
        assert_ne!(parse(TABLE, root), parse(unmounted.as_bytes(), root));
    }

    #[test]
    fn mounts_on_demand_are_ignored_in_comparisons() {
        let root = Path::new("/srv/media");
        assert_eq!(
            parse(TABLE, root),
            parse(without("auto/x").as_bytes(), root)
        );
    }

    #[test]
    fn mount_table_of_this_system_is_readable() {
        assert!(of(Path::new("/")).below.contains_key(&b"proc"[..]));
    }
}
