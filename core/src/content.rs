//! Media bytes over HTTP: a file of a library is opened safely and answered with ranges.
//!
//! The server's and the kinds' routes share this. Nothing here touches a disk on an async thread
//! but reads of what the page cache holds already.

pub(crate) mod beneath;
pub mod body;
pub mod conditional;
pub mod direct;
pub mod disposition;
pub mod listing;
pub mod open;
pub mod range;
pub mod respond;

pub use conditional::{Validators, Verdict};
pub use direct::{Direct, DirectStream};
pub use listing::{Listed, any_inside, list_inside};
pub use open::{MediaFile, open, open_blocking, open_inside};
pub use respond::{Presentation, respond};
