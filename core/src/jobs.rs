//! Background work: a queue in the database, and workers that take from it.

pub mod queue;
pub mod worker;

pub use queue::{JobQueue, Turn};
pub use worker::{Handler, JobContext, JobError, JobHandlers, Workers, retry_delay, start};
