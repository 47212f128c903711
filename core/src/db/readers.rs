//! The reader threads: each owns one connection and takes work from a shared channel.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender};
use rusqlite::Connection;

use crate::store::{StoreError, StoreResult};

/// Reads that may wait before callers are told the database is busy.
const QUEUE: usize = 4096;

type Task = Box<dyn FnOnce(&Connection) + Send>;

/// The handle on the threads.
#[derive(Debug, Clone)]
pub(super) struct Readers {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    tasks: Mutex<Option<Sender<Task>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Readers {
    pub(super) fn start(path: &Path, count: usize) -> StoreResult<Self> {
        let (sender, receiver) = crossbeam_channel::bounded::<Task>(QUEUE);
        let mut threads = Vec::with_capacity(count);
        for n in 0..count {
            let connection = super::open::read_only(path)?;
            super::id_set::register(&connection)?;
            let tasks = receiver.clone();
            let thread = thread::Builder::new()
                .name(format!("db-read-{n}"))
                .spawn(move || run(&connection, &tasks))
                .map_err(|error| StoreError::Refused(format!("No thread: {error}.")))?;
            threads.push(thread);
        }
        Ok(Self {
            shared: Arc::new(Shared {
                tasks: Mutex::new(Some(sender)),
                threads: Mutex::new(threads),
            }),
        })
    }

    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
        answer: impl FnOnce(StoreResult<T>) + Send + 'static,
    ) -> StoreResult<()> {
        let task: Task = Box::new(move |connection| answer(in_transaction(connection, work)));
        let sender = lock(&self.shared.tasks).clone().ok_or(StoreError::Closed)?;
        sender.try_send(task).map_err(|error| match error {
            crossbeam_channel::TrySendError::Full(_) => StoreError::Busy,
            crossbeam_channel::TrySendError::Disconnected(_) => StoreError::Closed,
        })
    }

    pub(super) fn close(&self) {
        drop(lock(&self.shared.tasks).take());
        for thread in lock(&self.shared.threads).drain(..) {
            // A reader catches the panics of its tasks, so that there is none to pass on.
            let _ = thread.join();
        }
    }
}

fn run(connection: &Connection, tasks: &Receiver<Task>) {
    for task in tasks {
        task(connection);
    }
}

fn in_transaction<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> StoreResult<T>,
) -> StoreResult<T> {
    let tx = connection.unchecked_transaction()?;
    // The transaction only reads and is rolled back when dropped: a panic leaves nothing half done.
    catch_unwind(AssertUnwindSafe(|| work(&tx))).unwrap_or(Err(StoreError::Panicked))
}

/// A poisoned mutex here guards plain handles that a panic cannot have left half written.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
