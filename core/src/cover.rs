//! Covers: from a picture in a file or beside it to the images that are served.

mod batch;
pub(crate) mod beside;
mod find;
mod job;
mod pace;
mod render;
mod shelf;
mod stored;
mod tint;
mod work;

pub use crate::picture::{MAX_SOURCE, PictureError};
pub use job::{HANDLER_KIND, request, run_job};
pub use render::{Image, Rendered, Size, render};
pub use stored::{Picture, picture};
