//! The kernel's notices of what changes in single folders. What is only read is not noticed, so
//! that a scan is never the cause of another.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

/// What is read of the kernel's queue at once, in bytes: some hundred notices.
const BUFFER: usize = 64 * 1024;

/// Where notices come from.
pub(super) trait Notices: Send {
    /// Begins to watch one folder, not what is below it. One folder has one number, whatever it
    /// is called.
    fn watch(&mut self, folder: &Path) -> io::Result<i32>;

    /// Ends it.
    fn unwatch(&mut self, watch: i32);

    /// Waits until something happened, at most so long.
    fn read(&mut self, limit: Duration) -> io::Result<Vec<Notice>>;
}

/// Something that happened in a watched folder, or to it where there is no name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) watch: i32,
    pub(super) name: Option<Vec<u8>>,
    pub(super) is_folder: bool,
    pub(super) what: What,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// A name is new.
    Created,
    /// A name came from elsewhere, complete.
    Arrived,
    /// A name is gone, deleted or moved away.
    Departed,
    /// Somebody writes.
    Written,
    /// Somebody has written and is done.
    Closed,
    /// Rights or times are others.
    Attributes,
    /// The folder itself was deleted or moved.
    Uprooted,
    /// The file system went away.
    Unmounted,
    /// The watch has ended.
    Ended,
    /// There was more to tell than the kernel keeps.
    Overflow,
}

/// The real ones.
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
        let told = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF;
        let how = WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW | WatchFlags::EXCL_UNLINK;
        Ok(inotify::add_watch(&self.queue, folder, told | how)?)
    }

    fn unwatch(&mut self, watch: i32) {
        // It may have ended by itself.
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
        (ReadFlags::QUEUE_OVERFLOW, What::Overflow),
        (ReadFlags::UNMOUNT, What::Unmounted),
        (ReadFlags::IGNORED, What::Ended),
        (ReadFlags::DELETE_SELF, What::Uprooted),
        (ReadFlags::MOVE_SELF, What::Uprooted),
        (ReadFlags::CREATE, What::Created),
        (ReadFlags::MOVED_TO, What::Arrived),
        (ReadFlags::DELETE, What::Departed),
        (ReadFlags::MOVED_FROM, What::Departed),
        (ReadFlags::MODIFY, What::Written),
        (ReadFlags::CLOSE_WRITE, What::Closed),
        (ReadFlags::ATTRIB, What::Attributes),
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
    fn what_a_scan_does_is_not_noticed_and_what_a_copy_does_is() {
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
        let told = notices.read(Duration::from_mins(1)).expect("notices");
        let last = told.last().expect("a notice");
        assert_eq!((last.watch, last.what), (watch, What::Closed));
        assert_eq!(last.name.as_deref(), Some(&b"a.epub"[..]));
    }

    #[test]
    fn a_folder_that_is_watched_twice_has_one_number_and_a_file_none() {
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
