//! OpenSubsonic: recordings in music apps. The API is that of <https://opensubsonic.netlify.app>.

mod elements;
mod envelope;
mod failure;
mod ids;
mod login;
mod mapping;
mod node;
mod params;
mod system;

use std::future::Future;

use axum::routing::{MethodRouter, get};
use ledge_core::App;
use ledge_core::http::protocol::{Protocol, Route, Setup};
use ledge_core::store::account::app_password::Scope;

use envelope::Outcome;
use params::{Call, Request};

/// Descriptor of OpenSubsonic.
pub const PROTOCOL: Protocol = Protocol {
    id: "opensubsonic",
    label: "OpenSubsonic",
    rank: 20,
    mount: "/rest",
    scope: Scope::Recordings,
    open: &[
        "/rest/getOpenSubsonicExtensions",
        "/rest/getOpenSubsonicExtensions.view",
    ],
    form: true,
    is_cross_origin: true,
    credentials: login::credentials,
    refuse: login::refuse,
    routes: ROUTES,
    setup,
};

inventory::submit! { PROTOCOL }

/// Declares the table of methods. Each has a path with and a path without `.view`.
macro_rules! methods {
    ($($name:literal => $methods:expr,)*) => {
        const ROUTES: &[Route] = &[
            $(
                Route { path: concat!("/rest/", $name), methods: || $methods },
                Route { path: concat!("/rest/", $name, ".view"), methods: || $methods },
            )*
            Route { path: "/rest/{method}", methods: || method(system::unknown) },
        ];
    };
}

methods! {
    "ping" => method(system::ping),
    "getLicense" => method(system::license),
    "getOpenSubsonicExtensions" => open(system::extensions),
}

/// Returns the routes of a method for users. Errors have status 200.
fn method<F, R>(handler: F) -> MethodRouter<App>
where
    F: Fn(Call) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Outcome> + Send,
{
    let respond = move |request: Request, call: Call| {
        let outcome = handler(call);
        async move { envelope::respond(&request.params, outcome.await) }
    };
    get(respond.clone()).post(respond)
}

/// Returns the routes of a method without a login.
fn open(handler: fn() -> Outcome) -> MethodRouter<App> {
    let respond =
        move |request: Request| async move { envelope::respond(&request.params, handler()) };
    get(respond).post(respond)
}

fn setup(setup: &Setup<'_>) -> Vec<String> {
    let Setup { address, username } = setup;
    let server = address.strip_suffix(PROTOCOL.mount).unwrap_or(address);
    vec![
        "Create an app password with the scope recordings.".to_owned(),
        format!("In the music app, add a Subsonic server with the address {server}."),
        format!("Log in as {username} with the app password."),
    ]
}
