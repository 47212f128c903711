//! ZIP archives, and limits of archives that other crates unpack.

pub mod sevenz;
pub mod zip;

/// Most files of an archive. Archives with more are rejected.
pub const MOST_MEMBERS: usize = 100_000;

/// Most bytes of all names of an archive. Together with [`MOST_MEMBERS`] it limits a parsed
/// directory to 13 MB: about 50 bytes per file, plus the names.
pub const MOST_NAME_BYTES: usize = 8 << 20;
