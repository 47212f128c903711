//! JSON feeds of libraries, authors, series and subjects.

use axum::extract::State;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::ApiResult;
use ledge_core::http::protocol::{Origin, Params};

use super::json::{self, Feed};
use crate::addresses::Addresses;
use crate::names::{Content, Counted, Found, Names, title_of_initial, value_of_initial};

/// Returns the handler of a feed of names.
pub(crate) fn route(names: Names) -> MethodRouter<App> {
    get(
        move |visible: Visible, State(app): State<App>, origin: Origin, params: Params| async move {
            respond(names, visible, &app, origin, &params).await
        },
    )
}

async fn respond(
    names: Names,
    visible: Visible,
    app: &App,
    origin: Origin,
    params: &Params,
) -> ApiResult<Response> {
    let Found { part, content, .. } = names.read(visible, app, params, true).await?;
    let addresses = Addresses::v2(origin);
    let query = part.query();
    let page = |rel, page| json::link(rel, addresses.page(names.feed, &query, page));
    let mut feed = Feed::new(names.title.to_owned(), app.clock.now());
    feed.links.push(page("self", part.page));
    if part.page > 1 {
        feed.links.push(page("previous", part.page - 1));
    }
    match content {
        Content::Letters(initials) => {
            for initial in initials {
                let letter = value_of_initial(initial).unwrap_or_default();
                let href = addresses.feed(names.feed, &[("letter", letter)]);
                let title = title_of_initial(initial);
                feed.navigation
                    .push(json::entry("subsection", href, &title, None));
            }
        }
        Content::Names {
            names: found,
            has_more,
        } => {
            if has_more {
                feed.links.push(page("next", part.page + 1));
            }
            for Counted { name, items } in found {
                let query = [(names.criterion, name.id.to_string())];
                let href = addresses.feed("publications", &query);
                let entry = json::entry("subsection", href, &name.name, items);
                feed.navigation.push(entry);
            }
        }
    }
    Ok(feed.respond(&addresses))
}
