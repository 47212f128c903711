//! What is stored: one module per noun, the SQL beside the function that runs it.

pub mod annotation;
pub mod catalogue;
pub mod cover;
pub mod edit;
pub mod error;
pub mod favourite;
pub mod file;
pub mod folder;
pub(crate) mod in_order;
pub mod item;
pub mod job;
pub mod library;
pub mod location;
pub mod matches;
pub mod media_profile;
pub mod missing;
pub mod named;
pub mod person;
pub mod playback;
pub mod progress;
pub mod provider_state;
pub mod purge;
pub mod save;
pub mod scan_run;
pub mod series;
pub mod session;
pub mod ticket;
pub mod totals;
pub mod user;
pub mod user_state;
pub mod view;

pub(crate) use error::is_for_lack_of_space;
pub use error::{StoreError, StoreResult};
