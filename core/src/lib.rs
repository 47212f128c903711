//! The domain of Ledge: registries, database, scanner and jobs. It knows no media kind, playback
//! engine or metadata provider by name; they register themselves.

pub mod access;
pub mod app;
pub mod aside;
mod background;
pub mod clock;
pub mod content;
mod cores;
pub mod cover;
pub mod db;
pub mod enrich;
pub mod events;
mod fetch;
pub mod ffprobe;
pub mod fragments;
pub mod home;
pub mod http;
pub mod id;
pub mod jobs;
pub mod language;
pub mod markup;
pub mod names;
pub mod ogg;
mod outside;
pub mod picture;
pub mod playback;
pub mod registry;
pub mod scan;
pub mod search;
pub mod seven;
pub mod store;
pub mod text;
pub mod watch;

pub use app::{App, Context, Settings};
pub use clock::Timestamp;
pub use cores::cores;
pub use ledge_native::return_free_memory;
