//! Readers of media containers. They know no media kind and no database, and bound the bytes, the
//! reads and the time that an untrusted file costs.

pub mod archive;
pub mod bmff;
pub mod bytes;
pub mod ebml;
pub mod error;
pub mod mpeg_audio;
pub mod ogg;
pub mod riff;
pub mod source;

pub use error::{ReadError, ReadResult, damaged, limit};
pub use source::{ReadLimits, Source};
