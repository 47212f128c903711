//! The login in front of every route of a protocol.

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::http::header::USER_AGENT;
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use ledge_core::App;
use ledge_core::http::protocol::{AppAccess, Params, Protocol, Refusal};
use ledge_core::http::{ApiError, CurrentUser};
use ledge_core::store::account::app_password::{self, Holder, Use};
use ledge_core::store::account::session::RENEWAL_INTERVAL;
use tower_http::cors::{Any, CorsLayer};

use super::{AppAccessService, params};
use crate::http::routes::media::links::origin_of;
use crate::http::session::authenticate::record_user;
use crate::http::session::{Client, SessionService};

/// Limit of the stored name of an app in characters.
const MAX_CLIENT: usize = 64;

/// State of the login of one protocol.
#[derive(Debug, Clone)]
struct ProtocolLogin {
    app: App,
    service: AppAccessService,
    protocol: &'static Protocol,
}

/// Returns the routes of a protocol behind its login.
pub(crate) fn routes(
    app: &App,
    service: &AppAccessService,
    protocol: &'static Protocol,
) -> Router<App> {
    let login = ProtocolLogin {
        app: app.clone(),
        service: service.clone(),
        protocol,
    };
    let router = |is_cross_origin| {
        let routes = protocol.router(is_cross_origin);
        // A layer of routes needs at least one.
        if routes.has_routes() {
            routes.route_layer(from_fn_with_state(login.clone(), authenticate))
        } else {
            routes
        }
    };
    // The mounts accept no cookies, so another site gains nothing from a reader's browser.
    let cors = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PUT,
            Method::DELETE,
        ])
        .allow_headers(Any)
        .expose_headers(Any);
    router(false).merge(router(true).layer(cors))
}

async fn authenticate(
    State(login): State<ProtocolLogin>,
    request: Request,
    next: Next,
) -> Response {
    let protocol = login.protocol;
    let (mut parts, body) = request.into_parts();
    let (params, body) = match params::read(protocol, &parts, body).await {
        Ok(read) => read,
        Err(error) => return (protocol.refuse)(&parts, &Params::default(), Refusal::Other(error)),
    };
    let origin = origin_of(&parts);
    parts.extensions.insert(origin);
    parts.extensions.insert(params.clone());
    if !is_open(protocol, &parts) {
        let admitted = login.admit(&mut parts, &params).await;
        if let Err(refusal) = admitted {
            return (protocol.refuse)(&parts, &params, refusal);
        }
    }
    next.run(Request::from_parts(parts, body)).await
}

fn is_open(protocol: &Protocol, parts: &Parts) -> bool {
    let matched = parts.extensions.get::<MatchedPath>();
    matched.is_some_and(|matched| protocol.open.contains(&matched.as_str()))
}

impl ProtocolLogin {
    /// Checks the credentials of a request and inserts its user.
    async fn admit(&self, parts: &mut Parts, params: &Params) -> Result<(), Refusal> {
        let sessions = parts.extensions.get::<SessionService>().cloned();
        let Some(sessions) = sessions else {
            return Err(Refusal::Other(ApiError::Unavailable));
        };
        let client = Client::of_request(&parts.headers, &parts.extensions);
        let presented = (self.protocol.credentials)(parts, params);
        let holder = self
            .service
            .log_in(&self.app, &client, self.protocol, presented)
            .await?;
        record_user(&parts.extensions, &sessions, holder.user).map_err(Refusal::Other)?;
        self.record_use(&holder, &client, parts, params);
        parts.extensions.insert(CurrentUser {
            id: holder.user,
            admin: holder.admin,
        });
        parts.extensions.insert(AppAccess {
            pages_move_place: holder.pages_move_place,
        });
        Ok(())
    }

    /// Writes the last use, at most once a minute. The response does not wait for it.
    fn record_use(&self, holder: &Holder, client: &Client, parts: &Parts, params: &Params) {
        let now = self.app.clock.now();
        let is_recent = |last| now.since(last) < RENEWAL_INTERVAL;
        if holder.last_used_at.is_some_and(is_recent) {
            return;
        }
        let used = Use {
            address: client.address.to_string(),
            client: name_of_app(parts, params),
            protocol: self.protocol.id,
            now,
        };
        let (app, service, id) = (self.app.clone(), self.service.clone(), holder.id);
        if !service.begin_record(id) {
            return;
        }
        tokio::spawn(async move {
            let write = app
                .db
                .write_background(move |tx| app_password::record_use(tx, id, &used));
            if let Err(error) = write.await {
                tracing::warn!(%error, "the last use of an app password could not be written");
            }
            service.end_record(id);
        });
    }
}

/// Returns the name by which an app introduces itself.
fn name_of_app(parts: &Parts, params: &Params) -> Option<String> {
    let agent = || {
        let value = parts.headers.get(USER_AGENT)?;
        value.to_str().ok()
    };
    let name = params.first("c").or_else(agent)?;
    let name: String = name
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_CLIENT)
        .collect();
    Some(name).filter(|name| !name.is_empty())
}
