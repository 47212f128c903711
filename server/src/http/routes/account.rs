//! Users, their sessions, app passwords and grants.

pub(crate) mod app_passwords;
pub(crate) mod auth;
pub(crate) mod grants;
pub(crate) mod settings;
pub(crate) mod users;
