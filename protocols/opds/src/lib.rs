//! OPDS 1.2 with page streaming and OpenSearch, and OPDS 2.0: catalogues of publications for reading
//! apps.

mod addresses;
mod atom;
mod content;
mod login;
mod names;
mod progression;
mod publication;
mod publications;
mod query;
mod root;
mod search;
mod v2;

use axum::routing::{MethodRouter, get};
use ledge_core::App;
use ledge_core::http::protocol::{Protocol, Route, Setup};
use ledge_core::store::account::app_password::Scope;

/// Descriptor of OPDS.
pub const PROTOCOL: Protocol = Protocol {
    id: "opds",
    label: "OPDS",
    rank: 10,
    mount: "/opds",
    app_path: "/opds",
    scope: Scope::Publications,
    open: &[login::DOCUMENT],
    form: false,
    cross_origin: Some("/opds/v2"),
    credentials: login::credentials,
    refuse: login::refuse,
    routes: ROUTES,
    setup,
};

inventory::submit! { PROTOCOL }

const ROUTES: &[Route] = &[
    route("/opds", || get(root::root)),
    route("/opds/", || get(root::root)),
    route("/opds/v1.2", || get(root::atom)),
    route("/opds/v1.2/", || get(root::atom)),
    route("/opds/v1.2/libraries", || names::LIBRARIES.route()),
    route("/opds/v1.2/authors", || names::AUTHORS.route()),
    route("/opds/v1.2/series", || names::SERIES.route()),
    route("/opds/v1.2/subjects", || names::SUBJECTS.route()),
    route("/opds/v1.2/publications", || get(publications::list)),
    route("/opds/v1.2/search.xml", || get(search::description)),
    route("/opds/v2", || get(v2::root::root)),
    route("/opds/v2/", || get(v2::root::root)),
    route("/opds/v2/libraries", || v2::names::route(names::LIBRARIES)),
    route("/opds/v2/authors", || v2::names::route(names::AUTHORS)),
    route("/opds/v2/series", || v2::names::route(names::SERIES)),
    route("/opds/v2/subjects", || v2::names::route(names::SUBJECTS)),
    route("/opds/v2/publications", || get(v2::publications::list)),
    route("/opds/v2/items/{id}", || get(v2::publications::one)),
    route("/opds/items/{id}", || get(publications::entry)),
    route("/opds/items/{id}/progression", || {
        get(progression::get).put(progression::put)
    }),
    route("/opds/items/{id}/cover.jpg", || get(content::cover)),
    route("/opds/files/{id}/{name}", || get(content::file)),
    route("/opds/files/{id}/pages/{n}", || get(content::page)),
    route(login::DOCUMENT, || get(login::document)),
];

const fn route(path: &'static str, methods: fn() -> MethodRouter<App>) -> Route {
    Route { path, methods }
}

fn setup(setup: &Setup<'_>) -> Vec<String> {
    let Setup { address, username } = setup;
    vec![
        "Create an app password with the scope publications.".to_owned(),
        format!("In the reading app, add an OPDS catalogue with the address {address}."),
        format!("Log in as {username} with the app password."),
    ]
}
