//! System functions for tests: they refuse, block and overflow on request, and are real otherwise.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rustix::io::Errno;

use super::mounts::Mounts;
use super::notices::{Inotify, Notice, NoticeKind, Notices};
use super::tree_watcher::System;

#[derive(Clone, Default)]
pub(super) struct FakeControls(Arc<Mutex<State>>);

#[derive(Default)]
pub(super) struct State {
    /// Folders that cannot be watched, with the error.
    pub(super) refused: HashMap<PathBuf, Errno>,
    /// Folder that blocks until the other end of the channel is dropped.
    pub(super) hanging: Option<(PathBuf, Receiver<()>)>,
    /// `true` if the queue has overflowed.
    pub(super) overflows: bool,
    pub(super) mounts: Mounts,
    /// Folders for which a watch was requested, in order.
    pub(super) requested: Vec<PathBuf>,
    pub(super) opened: usize,
}

impl FakeControls {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no panic")
    }

    pub(super) fn refuse(&self, folder: &Path, errno: Errno) {
        self.state().refused.insert(folder.to_owned(), errno);
    }

    pub(super) fn times_requested(&self, folder: &Path) -> usize {
        let state = self.state();
        state
            .requested
            .iter()
            .filter(|asked| *asked == folder)
            .count()
    }

    pub(super) fn system(&self) -> System {
        let (controls, mounts) = (self.clone(), self.clone());
        System {
            notices: Box::new(move || {
                controls.state().opened += 1;
                Ok(Box::new(Fake {
                    real: Inotify::open()?,
                    controls: controls.clone(),
                }))
            }),
            mounts: Box::new(move |_| mounts.state().mounts.clone()),
        }
    }
}

struct Fake {
    real: Inotify,
    controls: FakeControls,
}

impl Notices for Fake {
    fn watch(&mut self, folder: &Path) -> io::Result<i32> {
        let mut state = self.controls.state();
        state.requested.push(folder.to_owned());
        if let Some(errno) = state.refused.get(folder) {
            return Err((*errno).into());
        }
        let hanging = state.hanging.take_if(|(path, _)| path == folder);
        drop(state);
        if let Some((_, release)) = hanging {
            assert!(release.recv().is_err(), "nothing is sent");
        }
        self.real.watch(folder)
    }

    fn unwatch(&mut self, watch: i32) {
        self.real.unwatch(watch);
    }

    fn read(&mut self, limit: Duration) -> io::Result<Vec<Notice>> {
        if std::mem::take(&mut self.controls.state().overflows) {
            return Ok(vec![Notice {
                watch: -1,
                name: None,
                is_folder: false,
                what: NoticeKind::Overflow,
            }]);
        }
        self.real.read(limit)
    }
}
