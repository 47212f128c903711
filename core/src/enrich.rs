//! Enrichment: providers are asked about items in the order of their ranks until one knows, every
//! attempt is recorded, and what is found is written beneath what people wrote.

mod among;
mod ask;
mod item;
mod job;
mod line;
pub mod loose;
pub mod matching;
pub mod phrase;
mod picture;
mod progress;
mod providers;
mod request;
pub mod shape;
mod tidy;
mod walk;

pub use among::among;
pub use ask::{Choosing, candidates, choose};
pub use job::{ITEM_HANDLER_KIND, LIBRARY_HANDLER_KIND, run_item_job, run_library_job};
pub use progress::Progress;
pub use providers::{Provider, Providers};
pub use request::{
    EnrichmentState, EnrichmentStatus, after_scan, cancel_library, request_item, request_library,
    status_unscoped,
};
