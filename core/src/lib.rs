//! The domain of Ledge: registries, database, scanner and jobs. It knows no media kind, playback
//! engine or metadata provider by name; they register themselves.

pub mod names;
pub mod registry;

/// placeholder
#[derive(Debug, Clone)]
pub struct App;
