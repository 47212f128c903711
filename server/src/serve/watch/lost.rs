//! Why a library's folder is not watched, or not any more.

use std::io;
use std::time::Duration;

use rustix::io::Errno;

/// Why nothing more is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lost {
    /// More happened than the system keeps: anything may have, folders may be new.
    Overflow,
    /// A file system below the root came or went.
    Mounts,
    /// The system watches no more folders.
    Limit,
    /// The root lies on a file system that tells of no changes.
    Silent(String),
    /// The root is gone, or cannot be read.
    Root(String),
    /// Something else.
    System(String),
}

impl Lost {
    pub(super) fn of_root(error: &io::Error) -> Self {
        Self::Root(format!("The folder cannot be read: {error}."))
    }

    pub(super) fn of_system(error: &io::Error) -> Self {
        // Too many queues of notices.
        if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) {
            return Self::Limit;
        }
        Self::System(format!("{error}."))
    }

    /// The sentence for administrators: what it is and what to do. `None` where the next attempt
    /// is expected to succeed at once.
    pub(super) fn why(&self) -> Option<String> {
        match self {
            Self::Overflow | Self::Mounts => None,
            Self::Limit => Some(
                "The system watches no more folders. Raise fs.inotify.max_user_watches and \
                 fs.inotify.max_user_instances with sysctl."
                    .to_owned(),
            ),
            Self::Silent(kind) => Some(format!(
                "The folder lies on a network or user-space file system ({kind}), which does not \
                 tell of changes made elsewhere. It is scanned on request and every \
                 LEDGE_SCAN_INTERVAL."
            )),
            Self::Root(why) | Self::System(why) => Some(why.clone()),
        }
    }

    /// How long to wait before the next attempt. One at a limit walks through a whole library
    /// only to reach it again.
    pub(super) fn pause(&self) -> Duration {
        match self {
            Self::Overflow | Self::Mounts => Duration::from_secs(1),
            Self::Limit => Duration::from_mins(10),
            Self::Silent(_) | Self::Root(_) | Self::System(_) => Duration::from_secs(10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_the_system_are_told_with_their_remedy() {
        let instances = io::Error::from_raw_os_error(Errno::MFILE.raw_os_error());
        let told = Lost::of_system(&instances).why().expect("a sentence");
        assert!(told.contains("fs.inotify.max_user_instances"));
        let other = Lost::of_system(&io::ErrorKind::NotFound.into());
        assert!(!other.why().expect("a sentence").contains("sysctl"));
    }
}
