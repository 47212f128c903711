//! What changed in a folder and has not been scanned: one moment, and the files that are being
//! written. Paths are not kept.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A folder is at rest when nothing happened in it for this long.
const QUIET: Duration = Duration::from_secs(2);
/// A file that is open for writing and of which nothing was heard for this long is not waited for.
const WRITER_PATIENCE: Duration = Duration::from_mins(1);
/// Files that are waited for at once; the others count as written when it is quiet.
const MAX_WRITERS: usize = 256;

/// Changes since the last scan.
#[derive(Debug, Default)]
pub(super) struct Changes {
    last: Option<Instant>,
    writing: HashMap<PathBuf, Instant>,
}

impl Changes {
    /// Something changed.
    pub(super) fn note(&mut self, now: Instant) {
        self.last = Some(now);
    }

    /// A file grew; whoever writes it has not closed it.
    pub(super) fn wrote(&mut self, file: &Path, now: Instant) {
        self.note(now);
        if let Some(at) = self.writing.get_mut(file) {
            *at = now;
        } else if self.writing.len() < MAX_WRITERS {
            self.writing.insert(file.to_owned(), now);
        }
    }

    /// A file is complete or gone.
    pub(super) fn closed(&mut self, file: &Path, now: Instant) {
        self.note(now);
        self.writing.remove(file);
    }

    /// Whether there are changes and all of them are complete; they are forgotten then.
    pub(super) fn take_settled(&mut self, now: Instant) -> bool {
        self.writing
            .retain(|_, at| now.duration_since(*at) < WRITER_PATIENCE);
        let is_quiet = |at: &mut Instant| now.duration_since(*at) >= QUIET;
        self.writing.is_empty() && self.last.take_if(is_quiet).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn changes_settle_once_nothing_more_happens() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        assert!(!changes.take_settled(start));
        changes.note(start);
        changes.note(start + SECOND);
        assert!(!changes.take_settled(start + QUIET));
        assert!(changes.take_settled(start + SECOND + QUIET));
        assert!(!changes.take_settled(start + QUIET * 3), "once only");
    }

    #[test]
    fn a_file_that_is_still_written_is_waited_for() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        let file = Path::new("/m/film.mkv");
        changes.wrote(file, start);
        assert!(!changes.take_settled(start + QUIET * 5));
        changes.closed(file, start + QUIET * 5);
        assert!(!changes.take_settled(start + QUIET * 5 + SECOND));
        assert!(changes.take_settled(start + QUIET * 6));
    }

    #[test]
    fn one_who_never_closes_is_not_waited_for_for_ever() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        changes.wrote(Path::new("/m/film.mkv"), start);
        assert!(!changes.take_settled(start + WRITER_PATIENCE / 2));
        assert!(changes.take_settled(start + WRITER_PATIENCE));
    }

    #[test]
    fn no_number_of_writers_fills_the_memory() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        for n in 0..MAX_WRITERS * 2 {
            changes.wrote(&PathBuf::from(n.to_string()), start);
        }
        assert_eq!(changes.writing.len(), MAX_WRITERS);
    }
}
