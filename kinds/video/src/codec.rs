//! Codecs by the marks that containers give them, in ffprobe's names.

pub mod avc;
mod bits;
pub mod config;
pub mod four;
pub mod h263;
pub mod hevc;
pub mod mpeg;
pub mod wave;
