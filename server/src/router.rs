//! The route table, and what surrounds it.

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::{Extension, Router};
use bytes::Bytes;
use ledge_core::App;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::metrics::Metrics;
use crate::middleware::refuse;
use crate::openapi::{self, Access};
use crate::routes::{
    annotations, auth, covers, directories, edits, enrichment, events, files, grants, home, items,
    jobs, libraries, links, matches, metrics, missing, names, places, playback, scans, search,
    system, users,
};
use crate::session::Gate;
use crate::session::authenticate::{require_admin, require_session, require_session_or_ticket};
use crate::site::Site;

/// Largest body of a request that needs no session.
const PUBLIC_LIMIT: usize = 64 << 10;

/// Answers without a session.
fn public() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(auth::login))
        .routes(routes!(system::get_version))
        .routes(routes!(system::list_media_types))
        .layer(DefaultBodyLimit::max(PUBLIC_LIMIT))
}

/// Answers to everybody who is signed in.
fn signed_in() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(auth::logout))
        .routes(routes!(auth::get_me))
        .routes(routes!(auth::change_password))
        .routes(routes!(libraries::list_libraries))
        .routes(routes!(libraries::get_library))
        .routes(routes!(scans::get_scan_status))
        .routes(routes!(home::get_home))
        .routes(routes!(items::list_items))
        .routes(routes!(items::list_library_items))
        .routes(routes!(items::list_letters))
        .routes(routes!(items::list_subkinds))
        .routes(routes!(items::get_item))
        .routes(routes!(covers::get_cover))
        .routes(routes!(
            places::list_places,
            places::save_place,
            places::clear_places
        ))
        .routes(routes!(places::list_past_places))
        .routes(routes!(places::restore_place))
        .routes(routes!(places::list_begun))
        .routes(routes!(places::add_favourite, places::remove_favourite))
        .routes(routes!(places::count_view))
        .routes(routes!(missing::list_missing))
        .routes(routes!(search::search_items))
        .routes(routes!(names::list_people))
        .routes(routes!(names::list_series))
        .routes(routes!(links::link_file))
        .routes(routes!(
            annotations::list_annotations,
            annotations::create_annotation
        ))
        .routes(routes!(
            annotations::update_annotation,
            annotations::delete_annotation
        ))
        .routes(routes!(playback::list_engines))
        .routes(routes!(playback::resolve_playback))
        .routes(routes!(events::get_events))
        .routes(routes!(enrichment::list_providers))
        .routes(routes!(matches::list_matches))
}

/// The description of all routes.
fn itself(document: &ApiDocument) -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(system::get_openapi))
        .layer(Extension(document.clone()))
}

/// Answers to everybody who is signed in, and to who holds a ticket for the file.
fn ticketed() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(files::get_content))
}

/// Answers to administrators.
fn administrator() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(users::list_users, users::create_user))
        .routes(routes!(
            users::get_user,
            users::update_user,
            users::delete_user
        ))
        .routes(routes!(users::set_password))
        .routes(routes!(users::set_libraries))
        .routes(routes!(libraries::create_library))
        .routes(routes!(
            libraries::update_library,
            libraries::delete_library
        ))
        .routes(routes!(libraries::purge_library))
        .routes(routes!(scans::start_scan, scans::cancel_scan))
        .routes(routes!(grants::list_grants))
        .routes(routes!(grants::grant_library, grants::revoke_library))
        .routes(routes!(directories::list_directories))
        .routes(routes!(edits::edit_item))
        .routes(routes!(
            enrichment::enrich_library,
            enrichment::cancel_enrichment
        ))
        .routes(routes!(enrichment::get_enrichment_status))
        .routes(routes!(enrichment::enrich_item))
        .routes(routes!(matches::choose_match, matches::unlink_match))
        .routes(routes!(matches::search_matches))
        .routes(routes!(jobs::list_jobs))
        .routes(routes!(jobs::retry_job))
}

/// What the kinds contribute, inside the signed-in branch.
fn kinds(app: &App) -> OpenApiRouter<App> {
    app.registry
        .kinds()
        .iter()
        .filter_map(|kind| kind.routes)
        .fold(OpenApiRouter::new(), |all, routes| all.merge(routes()))
}

/// The OpenAPI document of every route, as the server hands it out; clones share it. It is put
/// together when it is first asked for: the start does not wait for it, and what the routes say of
/// themselves, three megabytes of it, is not kept until then.
#[derive(Clone)]
pub(crate) struct ApiDocument(Arc<Described>);

struct Described {
    app: App,
    metrics: Metrics,
    json: OnceLock<Bytes>,
}

impl ApiDocument {
    fn of(app: &App, metrics: &Metrics) -> Self {
        Self(Arc::new(Described {
            app: app.clone(),
            metrics: metrics.clone(),
            json: OnceLock::new(),
        }))
    }

    /// Its JSON.
    pub(crate) fn json(&self) -> Bytes {
        let Described { app, metrics, json } = &*self.0;
        let make = || {
            let routes = described(app, self, metrics).into_openapi();
            openapi::complete(routes, &app.registry).to_string().into()
        };
        json.get_or_init(make).clone()
    }
}

/// Every route with the check that guards it, and what they all say of themselves.
fn described(app: &App, document: &ApiDocument, metrics: &Metrics) -> OpenApiRouter<App> {
    let session = from_fn_with_state(app.clone(), require_session);
    let ticket = from_fn_with_state(app.clone(), require_session_or_ticket);
    let public = Access::Public.describe(public());
    let signed_in = Access::SignedIn
        .describe(signed_in().merge(kinds(app)).merge(itself(document)))
        .route_layer(session.clone());
    let administrator = Access::Administrator
        .describe(administrator())
        .route_layer(from_fn(require_admin))
        .route_layer(session);
    let ticketed = Access::Ticketed.describe(ticketed()).route_layer(ticket);
    let api = public.merge(signed_in).merge(ticketed).merge(administrator);
    let health = OpenApiRouter::new().routes(routes!(system::healthz));
    let monitoring = Access::Monitoring
        .describe(OpenApiRouter::new().routes(routes!(metrics::get_metrics)))
        .layer(Extension(metrics.clone()));
    OpenApiRouter::with_openapi(openapi::empty())
        .merge(Access::Public.describe(health))
        .merge(monitoring)
        .nest("/api/v1", api)
}

/// The whole server: routes, web UI, and what surrounds every request.
pub fn router(app: App, gate: Gate, metrics: Metrics) -> Site {
    let document = ApiDocument::of(&app, &metrics);
    let routes = Router::from(described(&app, &document, &metrics))
        // After the checks: a wrong method is told to everybody, like an unknown path.
        .method_not_allowed_fallback(refuse::wrong_method)
        .fallback(refuse::unknown_path)
        .with_state(app);
    Site::new(routes, gate, metrics)
}
