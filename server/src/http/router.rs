//! Route table and its access checks.

#[cfg(test)]
mod tests;

use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::{Extension, Router};
use ledge_core::App;
use ledge_core::http::KindRoutes;
use utoipa::OpenApi as _;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::middleware::rejections;
use crate::http::openapi::{self, Access, ApiDocument};
use crate::http::routes::account::{app_passwords, auth, grants, settings, users};
use crate::http::routes::catalogue::{
    bulk, covers, edits, enrichment, episodes, home, items, missing, names, people, search, series,
};
use crate::http::routes::library::{directories, libraries, scans};
use crate::http::routes::media::{archives, files, links, playback};
use crate::http::routes::operation::{
    activity, backups, events, imports, jobs, metadata, metrics, status, system,
};
use crate::http::routes::organise::{collections, playlists, queue, ratings, tags, works};
use crate::http::routes::user_data::{
    annotations, export, favourites, mark, plays, progress, statistics,
};
use crate::http::service::Service;
use crate::http::session::SessionService;
use crate::http::session::app_access::{self, AppAccessService};
use crate::http::session::authenticate::{
    require_admin, require_session, require_session_or_ticket,
};
use crate::http::transfers::Transfers;
use crate::serve::metrics::Metrics;

/// Limit of the body of a request without a session, in bytes.
const PUBLIC_LIMIT: usize = 64 << 10;

/// Returns the routes without a session.
fn public() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(auth::login))
        .routes(routes!(system::get_version))
        .routes(routes!(system::list_media_types))
        .layer(DefaultBodyLimit::max(PUBLIC_LIMIT))
}

/// Returns the routes for every signed-in user.
fn signed_in() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(auth::logout))
        .routes(routes!(auth::get_me))
        .routes(routes!(auth::change_password))
        .routes(routes!(export::export_data))
        .routes(routes!(libraries::list_libraries))
        .routes(routes!(libraries::get_library))
        .routes(routes!(scans::get_scan_status))
        .routes(routes!(home::get_home))
        .routes(routes!(items::list_items, bulk::edit_items))
        .routes(routes!(bulk::list_edits))
        .routes(routes!(bulk::undo_edit))
        .routes(routes!(items::list_library_items))
        .routes(routes!(items::list_letters))
        .routes(routes!(items::list_subkinds))
        .routes(routes!(items::get_facets))
        .routes(routes!(items::get_item))
        .routes(routes!(covers::get_cover))
        .routes(routes!(covers::pictures::get_item_picture))
        .routes(routes!(covers::pictures::get_season_poster))
        .routes(routes!(covers::pictures::get_still))
        .routes(routes!(covers::pictures::get_portrait))
        .routes(routes!(people::get_person))
        .routes(routes!(episodes::list_absent_episodes))
        .routes(routes!(
            progress::list_places,
            progress::save_place,
            progress::clear_places
        ))
        .routes(routes!(progress::list_past_places))
        .routes(routes!(progress::restore_place))
        .routes(routes!(progress::list_begun))
        .routes(routes!(progress::add_favourite, progress::remove_favourite))
        .routes(routes!(progress::count_view))
        .routes(routes!(missing::list_missing))
        .routes(routes!(search::search_items))
        .routes(routes!(names::list_people))
        .routes(routes!(names::list_series))
        .routes(routes!(names::list_genres))
        .routes(routes!(ratings::set_rating, ratings::remove_rating))
        .routes(routes!(works::get_handover))
        .routes(routes!(tags::list_tags))
        .routes(routes!(tags::set_tags))
        .routes(routes!(tags::rename_tag, tags::delete_tag))
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
        .routes(routes!(enrichment::matches::list_matches))
}

/// Returns the routes of episodes and series.
fn shows() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(episodes::list_seasons))
        .routes(routes!(episodes::list_episodes))
        .routes(routes!(mark::mark_files))
        .routes(routes!(series::get_series))
        .routes(routes!(series::list_series_items))
}

/// Returns the routes of the user's data about files and people.
fn files_and_people() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(
            favourites::add_favourite_file,
            favourites::remove_favourite_file
        ))
        .routes(routes!(
            favourites::add_favourite_person,
            favourites::remove_favourite_person
        ))
        .routes(routes!(favourites::list_favourite_files))
        .routes(routes!(favourites::list_favourite_people))
        .routes(routes!(
            ratings::set_file_rating,
            ratings::remove_file_rating
        ))
        .routes(routes!(
            ratings::set_person_rating,
            ratings::remove_person_rating
        ))
        .routes(routes!(plays::count_play))
        .routes(routes!(plays::list_now_playing, plays::report_now_playing))
}

/// Returns the routes of archives.
fn archives() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(archives::get_item_archive))
        .routes(routes!(archives::get_playlist_archive))
}

/// Returns the routes of playlists and the saved queue.
fn playlists() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(playlists::m3u8::M3u8ApiDoc::openapi())
        .routes(routes!(
            playlists::list_playlists,
            playlists::create_playlist
        ))
        .routes(routes!(
            playlists::get_playlist,
            playlists::update_playlist,
            playlists::delete_playlist
        ))
        .routes(routes!(
            playlists::entries::list_playlist_entries,
            playlists::entries::add_playlist_entries,
            playlists::entries::move_playlist_entries,
            playlists::entries::delete_playlist_entries
        ))
        .routes(routes!(playlists::get_playlist_cover))
        .routes(routes!(
            queue::get_queue,
            queue::replace_queue,
            queue::update_queue,
            queue::clear_queue
        ))
}

/// Returns the routes of app passwords.
fn app_passwords() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(
            app_passwords::list_app_passwords,
            app_passwords::create_app_password
        ))
        .routes(routes!(
            app_passwords::update_app_password,
            app_passwords::delete_app_password
        ))
        .routes(routes!(app_passwords::list_protocols))
}

/// Returns the routes of collections.
fn collections() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(
            collections::list_collections,
            collections::create_collection
        ))
        .routes(routes!(collections::preview_collection))
        .routes(routes!(
            collections::get_collection,
            collections::update_collection,
            collections::delete_collection
        ))
        .routes(routes!(
            collections::items::list_collection_items,
            collections::items::add_collection_items,
            collections::items::move_collection_items,
            collections::items::remove_collection_items
        ))
        .routes(routes!(collections::get_collection_cover))
}

/// Returns the routes of the user's statistics and settings.
fn statistics() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(statistics::YearPictureDoc::openapi())
        .routes(routes!(statistics::get_stats, statistics::delete_stats))
        .routes(routes!(statistics::get_year))
        .routes(routes!(statistics::list_sessions))
        .routes(routes!(statistics::export_sessions))
        .routes(routes!(settings::get_settings, settings::update_settings))
}

/// Returns the route of the OpenAPI document.
fn itself(document: &ApiDocument) -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(system::get_openapi))
        .layer(Extension(document.clone()))
}

/// Returns the routes for every signed-in user, and for the holder of a ticket of the file.
fn ticketed() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(files::get_content))
}

/// Returns the routes for administrators.
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
        .routes(routes!(app_passwords::list_app_passwords_of_user))
        .routes(routes!(app_passwords::delete_app_password_of_user))
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
        .routes(routes!(works::create_work))
        .routes(routes!(works::remove_form))
        .routes(routes!(edits::edit_item))
        .routes(routes!(
            covers::choice::set_cover,
            covers::choice::unlock_cover
        ))
        .routes(routes!(covers::choice::list_covers))
        .routes(routes!(covers::choice::get_candidate))
        .merge(metadata_of_items())
        .routes(routes!(statistics::get_server_stats))
        .routes(routes!(activity::get_activity))
        .routes(routes!(status::get_status))
        .routes(routes!(backups::list_backups, backups::create_backup))
        .routes(routes!(jobs::list_jobs))
        .routes(routes!(jobs::retry_job))
        .routes(routes!(imports::start_import))
        .routes(routes!(imports::get_import))
}

/// Returns the routes of metadata providers for administrators.
fn metadata_of_items() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(
            enrichment::enrich_library,
            enrichment::cancel_enrichment
        ))
        .routes(routes!(enrichment::get_enrichment_status))
        .routes(routes!(enrichment::enrich_item))
        .routes(routes!(enrichment::enrich_items))
        .routes(routes!(
            metadata::get_metadata_settings,
            metadata::update_metadata_settings
        ))
        .routes(routes!(metadata::test_provider))
        .routes(routes!(
            enrichment::matches::choose_match,
            enrichment::matches::unlink_match
        ))
        .routes(routes!(enrichment::matches::search_matches))
        .routes(routes!(enrichment::identify::identify_item))
        .routes(routes!(enrichment::preview::preview_refresh))
        .routes(routes!(enrichment::preview::preview_match))
        .routes(routes!(enrichment::preview::preview_library))
        .routes(routes!(enrichment::identify::get_candidate_picture))
}

/// Returns the routes of the kinds, which require a session.
fn kinds(app: &App) -> OpenApiRouter<App> {
    KindRoutes::of_kinds(&app.registry).fold(OpenApiRouter::new(), |all, routes| {
        all.merge((routes.router)())
    })
}

/// Returns the OpenAPI document of all routes.
fn document(app: &App, metrics: &Metrics) -> ApiDocument {
    let (app, metrics) = (app.clone(), metrics.clone());
    ApiDocument::new(move |document| {
        let routes = described(&app, document, &metrics).into_openapi();
        openapi::complete(routes, &app.registry)
    })
}

/// Returns every route with its access check and its description.
fn described(app: &App, document: &ApiDocument, metrics: &Metrics) -> OpenApiRouter<App> {
    let session = from_fn_with_state(app.clone(), require_session);
    let ticket = from_fn_with_state(app.clone(), require_session_or_ticket);
    let public = Access::Public.describe(public());
    let signed_in = Access::SignedIn
        .describe(
            signed_in()
                .merge(shows())
                .merge(files_and_people())
                .merge(archives())
                .merge(playlists())
                .merge(app_passwords())
                .merge(collections())
                .merge(statistics())
                .merge(kinds(app))
                .merge(itself(document)),
        )
        .route_layer(session.clone());
    let transfers = Extension(Transfers::new(app.clock.clone()));
    let administrator = Access::Administrator
        .describe(administrator())
        .route_layer(from_fn(require_admin))
        .route_layer(session)
        .layer(transfers.clone());
    let ticketed = Access::Ticketed
        .describe(ticketed())
        .route_layer(ticket)
        .layer(transfers);
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

/// Returns the routes of the protocols, each behind its login.
fn protocols(app: &App, service: &AppAccessService) -> Router<App> {
    let protocols = service.protocols().iter();
    protocols.fold(Router::new(), |all, protocol| {
        all.merge(app_access::middleware::routes(app, service, protocol))
    })
}

/// Builds the whole server: routes, protocols, web UI and middleware.
pub fn router(
    app: App,
    sessions: SessionService,
    app_access: AppAccessService,
    metrics: Metrics,
) -> Service {
    let document = document(&app, &metrics);
    let routes = Router::from(described(&app, &document, &metrics))
        .merge(protocols(&app, &app_access))
        .layer(Extension(app_access))
        // The fallbacks follow the checks: a wrong method needs no session, like an unknown path.
        .method_not_allowed_fallback(rejections::wrong_method)
        .fallback(rejections::unknown_path)
        .with_state(app);
    Service::new(routes, sessions, metrics)
}
