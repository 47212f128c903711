//! The domain of Ledge: registries, database, scanner and jobs. It knows no media kind, playback
//! engine or metadata provider by name; they register themselves.
//!
//! A module imports only from modules of its layer or of a layer above it in this order: ground,
//! storage, services, `http`. The test `core/tests/module_order.rs` enforces the order.

mod ground;
pub mod http;
mod services;
mod storage;

pub use ground::{
    error, fs, id, image, job_kind, paging, path, process, registry, rng, text, time,
};
pub use services::transfer::backup;
pub use services::{app, cover, enrich, events, home, jobs, net, scan, transfer};
pub use storage::{access, db, playback, search, store, version};

pub use app::{App, Context, Settings};
pub use process::available_parallelism;
pub use time::Timestamp;
