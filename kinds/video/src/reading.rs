//! Facts of a file: acceptance, codecs, container facts, sidecar files and posters.

pub(crate) mod accepts;
pub mod codec;
pub mod inspect;
#[cfg(test)]
mod mutations;
pub mod nfo;
pub mod poster;
pub mod text;
