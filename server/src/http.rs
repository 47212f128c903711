//! HTTP: middleware, sessions, routes, the API document and the embedded interface.

pub(crate) mod middleware;
pub(crate) mod openapi;
pub(crate) mod patch_field;
pub(crate) mod router;
pub(crate) mod routes;
pub(crate) mod service;
pub(crate) mod session;
#[cfg(test)]
pub(crate) mod test_app;
pub(crate) mod transfers;
pub(crate) mod ui;
