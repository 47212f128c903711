//! Contents of files: acceptance, headers of games, disc images and archives.

pub mod accepts;
pub mod archive;
pub mod header;
pub mod inspect;
pub mod iso;
#[cfg(test)]
mod mutations;
pub mod sectors;
pub(crate) mod text;
