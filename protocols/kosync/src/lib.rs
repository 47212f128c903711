//! Progress sync of `KOReader` and programs with the same protocol.

mod login;
mod message;
mod progress;
mod reply;

use axum::routing::{MethodRouter, get, post, put};
use ledge_core::App;
use ledge_core::http::protocol::{Protocol, Route, Setup};
use ledge_core::store::account::app_password::Scope;

/// Descriptor of the progress sync.
pub const PROTOCOL: Protocol = Protocol {
    id: "kosync",
    label: "KOReader progress sync",
    rank: 30,
    mount: "/kosync",
    app_path: "/kosync",
    scope: Scope::Places,
    open: &[
        "/kosync/healthcheck",
        "/kosync//healthcheck",
        "/kosync/users/create",
        "/kosync//users/create",
    ],
    form: false,
    cross_origin: Some("/kosync"),
    credentials: login::credentials,
    refuse: login::refuse,
    routes: ROUTES,
    setup,
};

inventory::submit! { PROTOCOL }

/// Each path exists with one and with two slashes after the mount: users enter the address with a
/// slash at its end, and the programs append paths that begin with one.
const ROUTES: &[Route] = &[
    route("/kosync/healthcheck", || get(login::healthcheck)),
    route("/kosync//healthcheck", || get(login::healthcheck)),
    route("/kosync/users/create", || post(login::create)),
    route("/kosync//users/create", || post(login::create)),
    route("/kosync/users/auth", || get(login::authorized)),
    route("/kosync//users/auth", || get(login::authorized)),
    route("/kosync/syncs/progress", || put(progress::update)),
    route("/kosync//syncs/progress", || put(progress::update)),
    route("/kosync/syncs/progress/{document}", || get(progress::get)),
    route("/kosync//syncs/progress/{document}", || get(progress::get)),
];

const fn route(path: &'static str, methods: fn() -> MethodRouter<App>) -> Route {
    Route { path, methods }
}

fn setup(setup: &Setup<'_>) -> Vec<String> {
    let Setup { address, username } = setup;
    vec![
        "Create an app password with the scope places.".to_owned(),
        format!(
            "In KOReader, open a book, then Tools, Progress sync, and Custom sync server: {address}."
        ),
        format!("Under Register / Login, log in as {username} with the app password."),
        "Set Document matching method to Binary.".to_owned(),
    ]
}
