//! Sessions: who may come in, and what guards the door.

pub(crate) mod authenticate;
pub(crate) mod client;
pub(crate) mod cookie;
pub(crate) mod csrf;
mod gate;
pub(crate) mod hasher;
mod known;
mod network;
pub(crate) mod password;
mod renewal;
mod requests;
pub(crate) mod throttle;

pub(crate) use client::Client;
pub use gate::Gate;
pub(crate) use network::ClientNetwork;
