//! Reasons why a library's folder is not watched, or not any more.

use std::io;
use std::time::Duration;

use rustix::io::Errno;

/// Reason for the end of a watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WatchError {
    /// The kernel's queue overflowed: anything may have changed, and folders may be new.
    Overflow,
    /// A file system below the root was mounted or unmounted.
    Mounts,
    /// The system's limit of watches is exhausted.
    Limit,
    /// The root is on a file system that reports no changes.
    Silent(String),
    /// The root is absent or unreadable.
    Root(String),
    /// Another error of the system.
    System(String),
}

impl WatchError {
    pub(super) fn of_root(error: &io::Error) -> Self {
        Self::Root(format!("The folder cannot be read: {error}."))
    }

    pub(super) fn of_system(error: &io::Error) -> Self {
        // The limit of inotify instances is exhausted.
        if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) {
            return Self::Limit;
        }
        Self::System(format!("{error}."))
    }

    /// Returns a sentence for administrators with the problem and its solution. Returns `None` if
    /// the next attempt is expected to succeed at once.
    pub(super) fn why(&self) -> Option<String> {
        match self {
            Self::Overflow | Self::Mounts => None,
            Self::Limit => Some(
                "The system watches no more folders. Raise fs.inotify.max_user_watches and \
                 fs.inotify.max_user_instances with sysctl."
                    .to_owned(),
            ),
            Self::Silent(kind) => Some(format!(
                "The folder is on a network or user-space file system ({kind}), which does not \
                 report changes made by other machines. It is scanned on request and every \
                 LEDGE_SCAN_INTERVAL."
            )),
            Self::Root(why) | Self::System(why) => Some(why.clone()),
        }
    }

    /// Returns the pause before the next attempt. At the limit of watches it is long, because an
    /// attempt traverses the whole library before it fails again.
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
    fn system_limits_are_reported_with_their_solution() {
        let instances = io::Error::from_raw_os_error(Errno::MFILE.raw_os_error());
        let actual = WatchError::of_system(&instances).why().expect("a sentence");
        assert!(actual.contains("fs.inotify.max_user_instances"));
        let other = WatchError::of_system(&io::ErrorKind::NotFound.into());
        assert!(!other.why().expect("a sentence").contains("sysctl"));
    }
}
