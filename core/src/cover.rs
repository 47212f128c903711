//! Covers: from a picture in a file or beside it to the images that are served.

mod batch;
pub(crate) mod beside;
mod find;
mod job;
mod picture;
mod render;
mod tint;
mod work;

pub use job::{HANDLER_KIND, request, run_job};
pub use picture::{MAX_SOURCE, PictureError};
pub use render::{Image, Rendered, Size, render};
