//! Codec names of ffprobe for the codec ids of containers, and parsers of codec headers.

pub mod avc;
mod bits;
pub mod config;
pub mod fourcc;
pub mod h263;
pub mod hevc;
pub mod mpeg;
pub mod wave;
