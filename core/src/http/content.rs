//! Media bytes over HTTP: opens a file of a library safely and serves it with ranges.
//!
//! The routes of the server and of the kinds share this module. An async thread reads only data
//! that is already in the page cache.

pub mod archive;
pub mod body;
pub mod conditional;
pub mod direct;
pub mod disposition;
mod open;
pub mod range;
pub mod respond;

pub use conditional::{Validators, Verdict};
pub use direct::{Direct, DirectStream};
pub use open::open;
pub use respond::{Presentation, respond};
