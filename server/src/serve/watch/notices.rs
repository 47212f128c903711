//! Kernel notifications about changes in single folders. Reads cause none, so a scan never triggers
//! another scan.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

/// Size of the read buffer in bytes, for some hundred notifications.
const BUFFER: usize = 64 * 1024;

/// Source of notifications.
pub(super) trait Notices: Send {
    /// Starts to watch one folder without its subfolders. Each folder has one watch number,
    /// independent of its path.
    fn watch(&mut self, folder: &Path) -> io::Result<i32>;

    /// Ends a watch.
    fn unwatch(&mut self, watch: i32);

    /// Waits up to `limit` for notifications.
    fn read(&mut self, limit: Duration) -> io::Result<Vec<Notice>>;
}

/// An event in a watched folder, or about the folder itself if there is no name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) watch: i32,
    pub(super) name: Option<Vec<u8>>,
    pub(super) is_folder: bool,
    pub(super) what: NoticeKind,
}

/// Type of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoticeKind {
    /// An entry was created.
    Created,
    /// A complete entry was moved into the folder.
    Arrived,
    /// An entry was deleted or moved away.
    Departed,
    /// A file was written.
    Written,
    /// A file that was open for writing was closed.
    Closed,
    /// Permissions or times were changed.
    Attributes,
    /// The watched folder itself was deleted or moved.
    Uprooted,
    /// The file system was unmounted.
    Unmounted,
    /// The watch has ended.
    Ended,
    /// The kernel's queue has overflowed.
    Overflow,
}

/// Notifications of inotify(7).
pub(super) struct Inotify {
    queue: OwnedFd,
    buffer: Vec<MaybeUninit<u8>>,
}

impl Inotify {
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self {
            queue: inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?,
            buffer: vec![MaybeUninit::uninit(); BUFFER],
        })
    }
}

impl Notices for Inotify {
    fn watch(&mut self, folder: &Path) -> io::Result<i32> {
        let events = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF;
        let how = WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW | WatchFlags::EXCL_UNLINK;
        Ok(inotify::add_watch(&self.queue, folder, events | how)?)
    }

    fn unwatch(&mut self, watch: i32) {
        // The watch may have ended by itself.
        let _ = inotify::remove_watch(&self.queue, watch);
    }

    fn read(&mut self, limit: Duration) -> io::Result<Vec<Notice>> {
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        let mut queues = [PollFd::new(&self.queue, PollFlags::IN)];
        match poll(&mut queues, Some(&limit)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut notices = Vec::new();
        let mut reader = Reader::new(&self.queue, &mut self.buffer);
        loop {
            match reader.next() {
                Ok(event) => notices.extend(notice(&event)),
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(notices),
                Err(error) => return Err(error.into()),
            }
            if reader.is_buffer_empty() {
                return Ok(notices);
            }
        }
    }
}

fn notice(event: &inotify::Event<'_>) -> Option<Notice> {
    let flags = event.events();
    let meanings = [
        (ReadFlags::QUEUE_OVERFLOW, NoticeKind::Overflow),
        (ReadFlags::UNMOUNT, NoticeKind::Unmounted),
        (ReadFlags::IGNORED, NoticeKind::Ended),
        (ReadFlags::DELETE_SELF, NoticeKind::Uprooted),
        (ReadFlags::MOVE_SELF, NoticeKind::Uprooted),
        (ReadFlags::CREATE, NoticeKind::Created),
        (ReadFlags::MOVED_TO, NoticeKind::Arrived),
        (ReadFlags::DELETE, NoticeKind::Departed),
        (ReadFlags::MOVED_FROM, NoticeKind::Departed),
        (ReadFlags::MODIFY, NoticeKind::Written),
        (ReadFlags::CLOSE_WRITE, NoticeKind::Closed),
        (ReadFlags::ATTRIB, NoticeKind::Attributes),
    ];
    let meaning = meanings.iter().find(|(flag, _)| flags.contains(*flag));
    Some(Notice {
        watch: event.wd(),
        name: event.file_name().map(|name| name.to_bytes().to_vec()),
        is_folder: flags.contains(ReadFlags::ISDIR),
        what: meaning?.1,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn scan_causes_no_notification_and_copy_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.epub");
        fs::write(&file, "content").expect("a file");
        fs::create_dir(folder.path().join("below")).expect("a folder");
        let mut notices = Inotify::open().expect("notices");
        let watch = notices.watch(folder.path()).expect("a watch");
        assert_eq!(fs::read_dir(folder.path()).expect("a listing").count(), 2);
        assert_eq!(fs::read(&file).expect("content"), b"content");
        fs::metadata(&file).expect("a look");
        assert_eq!(
            fs::read_dir(folder.path().join("below"))
                .expect("a listing")
                .count(),
            0
        );
        assert_eq!(notices.read(Duration::ZERO).expect("notices"), []);
        fs::write(&file, "other").expect("written");
        let actual = notices.read(Duration::from_mins(1)).expect("notices");
        let last = actual.last().expect("a notice");
        assert_eq!((last.watch, last.what), (watch, NoticeKind::Closed));
        assert_eq!(last.name.as_deref(), Some(&b"a.epub"[..]));
    }

    #[test]
    fn folder_watched_twice_has_one_number_and_file_has_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut notices = Inotify::open().expect("notices");
        let first = notices.watch(folder.path()).expect("a watch");
        assert_eq!(notices.watch(folder.path()).expect("a watch"), first);
        let file = folder.path().join("a.epub");
        fs::write(&file, "content").expect("a file");
        let refused = notices.watch(&file).expect_err("no folder");
        assert_eq!(refused.kind(), io::ErrorKind::NotADirectory);
    }
}
