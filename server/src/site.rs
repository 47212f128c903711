//! The whole server as one service: the routes, and what surrounds every request.
//!
//! The order is that of the calls below. As layers of the router each would be boxed, and cloned
//! together with all it surrounds, for every request.

use std::panic::AssertUnwindSafe;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use ledge_core::http::ApiError;
use tower::ServiceExt as _;

use crate::metrics::Metrics;
use crate::middleware::compression::AcceptedCodings;
use crate::middleware::{access_log, drain, headers, refuse};
use crate::session::Gate;

/// Largest JSON body. Uploads have limits of their own.
const JSON_LIMIT: usize = 1 << 20;

/// Path that is answered whatever the load is.
const HEALTH: &str = "/healthz";

/// The routes and what guards their door; clones share both.
#[derive(Debug, Clone)]
pub struct Site {
    routes: Router,
    gate: Gate,
    metrics: Metrics,
}

impl Site {
    /// These routes behind this gate.
    pub(crate) fn new(routes: Router, gate: Gate, metrics: Metrics) -> Self {
        Self {
            routes,
            gate,
            metrics,
        }
    }

    /// Answers a request, whatever it is.
    pub async fn answer(self, mut request: Request) -> Response {
        request.extensions_mut().insert(self.gate.clone());
        let metrics = self.metrics.clone();
        access_log::log(request, &metrics, |request| {
            self.answer_with_headers(request)
        })
        .await
    }

    async fn answer_with_headers(self, request: Request) -> Response {
        let is_api = refuse::is_api(request.uri().path());
        let accepted = AcceptedCodings::of_request(&request);
        let mut response = self.answer_unless_stopping(request).await;
        headers::set(response.headers_mut(), is_api);
        accepted.compress(response).await
    }

    /// Turns everything away once the server is stopping, also on connections that stay open.
    async fn answer_unless_stopping(self, request: Request) -> Response {
        if self.gate.is_stopping() {
            return ApiError::Unavailable.into_response();
        }
        let in_flight = if request.uri().path() == HEALTH {
            Ok(None)
        } else {
            self.gate.begin_request(&request)
        };
        let _in_flight = match in_flight {
            Ok(in_flight) => in_flight,
            Err(error) => return error.into_response(),
        };
        let answered = AssertUnwindSafe(drain::refused_uploads(request, |request| {
            route(self.routes, request)
        }));
        let answered = answered.catch_unwind().await;
        answered.unwrap_or_else(|panic| refuse::panicked(panic.as_ref()))
    }
}

async fn route(routes: Router, mut request: Request) -> Response {
    DefaultBodyLimit::max(JSON_LIMIT).apply(&mut request);
    match routes.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}
