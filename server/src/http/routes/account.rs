//! Users, their sessions and grants.

pub(crate) mod auth;
pub(crate) mod grants;
pub(crate) mod users;
