//! Sessions: authentication and the protection of every request.

pub(crate) mod app_access;
pub(crate) mod authenticate;
pub(crate) mod client;
pub(crate) mod cookie;
pub(crate) mod csrf;
pub(crate) mod hasher;
mod network;
pub(crate) mod password;
mod renewal;
mod requests;
mod session_cache;
mod session_service;
pub(crate) mod throttle;

pub(crate) use client::Client;
pub(crate) use network::ClientNetwork;
pub use session_service::SessionService;
