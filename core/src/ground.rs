//! Definitions that need no database: errors, ids, times, paths, pictures, and the descriptors of
//! kinds, engines and providers.

pub mod error;
pub mod fs {
    //! Read-only access to the files and folders of a library, without leaving its root.

    pub mod disk;
    pub mod listing;
    pub mod media_file;
    pub(crate) mod rooted;

    pub use listing::{Listed, any_inside, list_inside};
    pub(crate) use media_file::is_exhaustion;
    pub use media_file::{MediaFile, open_blocking, open_inside};
}
pub mod id;
pub mod image;
pub mod job_kind;
pub mod paging;
pub mod path;
pub mod process;
pub mod registry;
pub mod rng;
pub mod text;
pub mod time;
