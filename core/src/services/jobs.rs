//! Workers that run the jobs of the persistent queue.

pub mod worker;

pub use worker::{Handler, JobContext, JobError, JobHandlers, Workers, start};
