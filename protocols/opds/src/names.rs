//! Navigation feeds of libraries, authors, series and subjects.

use axum::extract::State;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::ApiResult;
use ledge_core::http::protocol::{Origin, Params};
use ledge_core::http::publications::Publications;
use ledge_core::paging::Window;
use ledge_core::store::catalogue::instance;
use ledge_core::store::catalogue::named::of_kinds::{self, Initial, Name, NameScope, Noun};
use ledge_core::store::library;
use rusqlite::Connection;
use uuid::Uuid;

use crate::addresses::Addresses;
use crate::atom::{self, Entry, Feed, FeedKind, Link};
use crate::query::{self, NO_FEED, PER_PAGE};

/// Number of names up to which a feed lists them without letters.
const MOST: u32 = 100;

/// A feed of names: its path, title, and the criterion of the publications of a name.
#[derive(Debug, Clone, Copy)]
struct Names {
    feed: &'static str,
    title: &'static str,
    criterion: &'static str,
    noun: Noun,
}

/// Lists the authors.
pub(crate) async fn authors(
    visible: Visible,
    app: State<App>,
    origin: Origin,
    params: Params,
) -> ApiResult<Response> {
    let names = Names {
        feed: "authors",
        title: "Authors",
        criterion: "author",
        noun: Noun::Person,
    };
    names.respond(visible, &app, origin, &params).await
}

/// Lists the series.
pub(crate) async fn series(
    visible: Visible,
    app: State<App>,
    origin: Origin,
    params: Params,
) -> ApiResult<Response> {
    let names = Names {
        feed: "series",
        title: "Series",
        criterion: "series",
        noun: Noun::Series,
    };
    names.respond(visible, &app, origin, &params).await
}

/// Lists the subjects, which are the genres.
pub(crate) async fn subjects(
    visible: Visible,
    app: State<App>,
    origin: Origin,
    params: Params,
) -> ApiResult<Response> {
    let names = Names {
        feed: "subjects",
        title: "Subjects",
        criterion: "subject",
        noun: Noun::Genre,
    };
    names.respond(visible, &app, origin, &params).await
}

/// Lists the libraries that contain publications.
pub(crate) async fn libraries(
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
) -> ApiResult<Response> {
    let read = app.db.read(move |conn| {
        let libraries = library::list(conn, visible)?;
        Ok((instance::uuid(conn)?, libraries))
    });
    let (instance, libraries) = read.await?;
    let kinds = Publications::kinds();
    let has_publications =
        |library: &library::Library| kinds.iter().any(|kind| library.counts.contains_key(*kind));
    let libraries = libraries.into_iter().filter(has_publications);
    let names = libraries.map(|library| Name {
        id: library.id.0,
        name: library.name,
    });
    let list = Names {
        feed: "libraries",
        title: "Libraries",
        criterion: "library",
        noun: Noun::Genre,
    };
    let found = Found::Names {
        names: names.collect(),
        has_more: false,
    };
    let writer = Writer {
        app: &app,
        addresses: Addresses::new(origin),
        instance: Uuid::from_bytes(instance),
    };
    Ok(writer.feed(
        list,
        &Place {
            letter: None,
            page: 1,
        },
        found,
    ))
}

/// Part of a list of names.
struct Place {
    letter: Option<String>,
    page: u64,
}

/// Content of a feed of names.
enum Found {
    Names { names: Vec<Name>, has_more: bool },
    Letters(Vec<Initial>),
}

impl Names {
    async fn respond(
        self,
        visible: Visible,
        app: &App,
        origin: Origin,
        params: &Params,
    ) -> ApiResult<Response> {
        let place = Place {
            letter: params.first("letter").map(str::to_owned),
            page: query::page(params)?,
        };
        let initial = match place.letter.as_deref() {
            None => Initial::Any,
            Some("other") => Initial::Other,
            Some(letter) => letter_of(letter).ok_or(NO_FEED)?,
        };
        let page = place.page;
        let read = app.db.read(move |conn| {
            let found = self.find(conn, visible, initial, page)?;
            Ok((instance::uuid(conn)?, found))
        });
        let (instance, found) = read.await?;
        let writer = Writer {
            app,
            addresses: Addresses::new(origin),
            instance: Uuid::from_bytes(instance),
        };
        Ok(writer.feed(self, &place, found))
    }

    fn find(
        self,
        conn: &Connection,
        visible: Visible,
        initial: Initial,
        page: u64,
    ) -> ledge_core::error::StoreResult<Found> {
        let kinds = Publications::kinds();
        let scope = NameScope {
            noun: self.noun,
            kinds: &kinds,
            initial,
        };
        let (offset, limit) = match initial {
            Initial::Any => (0, MOST),
            _ => (query::window(page).offset, PER_PAGE),
        };
        let window = Window {
            offset,
            limit: limit + 1,
        };
        let mut names = of_kinds::names(conn, visible, scope, window)?;
        let has_more = names.len() > limit as usize;
        if has_more && initial == Initial::Any {
            let initials = of_kinds::initials(conn, visible, self.noun, &kinds)?;
            return Ok(Found::Letters(initials));
        }
        names.truncate(limit as usize);
        Ok(Found::Names { names, has_more })
    }
}

/// Writer of feeds of names.
struct Writer<'a> {
    app: &'a App,
    addresses: Addresses,
    instance: Uuid,
}

impl Writer<'_> {
    fn feed(&self, names: Names, place: &Place, found: Found) -> Response {
        let letter = place.letter.clone();
        let query: Vec<_> = letter
            .into_iter()
            .map(|letter| ("letter", letter))
            .collect();
        let mut links = crate::root::links(&self.addresses);
        links.push(self.page_link("self", names, &query, place.page));
        if place.page > 1 {
            links.push(self.page_link("previous", names, &query, place.page - 1));
        }
        let entries = match found {
            Found::Letters(initials) => {
                let entry = |initial| self.letter(names, initial);
                initials.into_iter().map(entry).collect()
            }
            Found::Names {
                names: found,
                has_more,
            } => {
                if has_more {
                    links.push(self.page_link("next", names, &query, place.page + 1));
                }
                let entry = |name: Name| self.name(names, name);
                found.into_iter().map(entry).collect()
            }
        };
        atom::feed(&Feed {
            kind: FeedKind::Navigation,
            id: self.id(&format!("{}/{query:?}", names.feed)),
            title: names.title.to_owned(),
            updated: self.app.clock.now(),
            links,
            paging: None,
            entries,
        })
    }

    fn page_link(
        &self,
        rel: &'static str,
        names: Names,
        query: &[(&'static str, String)],
        page: u64,
    ) -> Link {
        let mut query = query.to_vec();
        if page > 1 {
            query.push(("page", page.to_string()));
        }
        let href = self.addresses.feed(names.feed, &query);
        Link::new(rel, href, FeedKind::Navigation.mime())
    }

    fn id(&self, name: &str) -> String {
        let id = Uuid::new_v5(&self.instance, name.as_bytes());
        id.urn().to_string()
    }

    fn letter(&self, names: Names, initial: Initial) -> Entry {
        let (title, value) = match initial {
            Initial::Letter(letter) => {
                let letter = char::from(letter);
                (letter.to_ascii_uppercase().to_string(), letter.to_string())
            }
            Initial::Any | Initial::Other => ("#".to_owned(), "other".to_owned()),
        };
        let id = self.id(&format!("{}/letter/{value}", names.feed));
        let mut entry = Entry::new(id, title, self.app.clock.now());
        let href = self.addresses.feed(names.feed, &[("letter", value)]);
        let link = Link::new("subsection", href, FeedKind::Navigation.mime());
        entry.links.push(link);
        entry
    }

    fn name(&self, names: Names, name: Name) -> Entry {
        let id = self.id(&format!("{}/{}", names.feed, name.id));
        let mut entry = Entry::new(id, name.name, self.app.clock.now());
        let query = [(names.criterion, name.id.to_string())];
        let href = self.addresses.feed("publications", &query);
        let link = Link::new("subsection", href, FeedKind::Acquisition.mime());
        entry.links.push(link);
        entry
    }
}

fn letter_of(text: &str) -> Option<Initial> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_lowercase() => Some(Initial::Letter(*letter)),
        _ => None,
    }
}
