//! The server as one service: routes and middleware.
//!
//! The functions below call each other in the order of the layers. As layers of the router, each
//! one would be boxed and cloned with all its inner layers for every request.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use ledge_core::http::{ApiError, ApiResult};
use tower::ServiceExt as _;

use crate::http::middleware::compression::AcceptedCodings;
use crate::http::middleware::{access_log, headers, read_rest_of_body, rejections};
use crate::http::session::SessionService;
use crate::serve::connection::Activity;
use crate::serve::metrics::Metrics;

/// Limit of a JSON body in bytes. Uploads have their own limits.
const JSON_LIMIT: usize = 1 << 20;

/// Path that is answered at any load.
const HEALTH: &str = "/healthz";

/// Routes and session service; clones share both.
#[derive(Debug, Clone)]
pub struct Service {
    routes: Router,
    sessions: SessionService,
    metrics: Metrics,
}

impl Service {
    /// Creates the service of these routes.
    pub(crate) fn new(routes: Router, sessions: SessionService, metrics: Metrics) -> Self {
        Self {
            routes,
            sessions,
            metrics,
        }
    }

    /// Responds to any request.
    pub async fn answer(self, mut request: Request) -> Response {
        request.extensions_mut().insert(self.sessions.clone());
        let metrics = self.metrics.clone();
        access_log::log(request, &metrics, |request| {
            self.answer_with_headers(request)
        })
        .await
    }

    async fn answer_with_headers(self, request: Request) -> Response {
        let is_api = rejections::is_api(request.uri().path());
        let accepted = AcceptedCodings::of_request(&request);
        let mut response = self.answer_unless_stopping(request).await;
        headers::set(response.headers_mut(), is_api);
        accepted.compress(response).await
    }

    /// Rejects every request while the server is stopping, also on kept-alive connections.
    async fn answer_unless_stopping(self, mut request: Request) -> Response {
        if self.sessions.is_stopping() {
            return ApiError::Unavailable.into_response();
        }
        if request.uri().path() != HEALTH
            && let Err(error) = self.count(&mut request)
        {
            return error.into_response();
        }
        let answered = AssertUnwindSafe(read_rest_of_body::pass_on(request, |request| {
            route(self.routes, request)
        }));
        let answered = answered.catch_unwind().await;
        answered.unwrap_or_else(|panic| rejections::panicked(panic.as_ref()))
    }

    /// Counts a forwarded request of a client until its response is written.
    fn count(&self, request: &mut Request) -> ApiResult<()> {
        let Some(in_flight) = self.sessions.begin_request(request)? else {
            return Ok(());
        };
        let in_flight = Arc::new(in_flight);
        let extensions = request.extensions_mut();
        if let Some(activity) = extensions.get::<Activity>() {
            activity.hold(in_flight.clone());
        }
        extensions.insert(in_flight);
        Ok(())
    }
}

async fn route(routes: Router, mut request: Request) -> Response {
    DefaultBodyLimit::max(JSON_LIMIT).apply(&mut request);
    match routes.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}
