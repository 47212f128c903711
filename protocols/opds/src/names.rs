//! Navigation feeds of libraries, authors, series and subjects.

use axum::extract::State;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::error::StoreResult;
use ledge_core::http::ApiResult;
use ledge_core::http::protocol::{Origin, Params};
use ledge_core::http::publications::Publications;
use ledge_core::paging::{Page, Window};
use ledge_core::store::catalogue::instance;
use ledge_core::store::catalogue::named::of_kinds::{self, Initial, Name, NameScope, Noun};
use ledge_core::store::library::{self, Library};
use rusqlite::Connection;
use uuid::Uuid;

use crate::addresses::Addresses;
use crate::atom::{self, Entry, Feed, FeedKind, Link};
use crate::query::{self, NO_FEED, PER_PAGE};

/// Number of names up to which a feed lists them without letters.
const MOST: u32 = 100;

/// A feed of names: its path, title, and the criterion of the publications of a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    pub(crate) feed: &'static str,
    pub(crate) title: &'static str,
    pub(crate) criterion: &'static str,
    source: Source,
}

/// Source of names.
#[derive(Debug, Clone, Copy)]
enum Source {
    Libraries,
    Catalogue(Noun),
}

/// Feed of the libraries that contain publications.
pub(crate) const LIBRARIES: Names = Names {
    feed: "libraries",
    title: "Libraries",
    criterion: "library",
    source: Source::Libraries,
};

/// Feed of the authors.
pub(crate) const AUTHORS: Names = Names {
    feed: "authors",
    title: "Authors",
    criterion: "author",
    source: Source::Catalogue(Noun::Author),
};

/// Feed of the series.
pub(crate) const SERIES: Names = Names {
    feed: "series",
    title: "Series",
    criterion: "series",
    source: Source::Catalogue(Noun::Series),
};

/// Feed of the subjects, which are the genres.
pub(crate) const SUBJECTS: Names = Names {
    feed: "subjects",
    title: "Subjects",
    criterion: "subject",
    source: Source::Catalogue(Noun::Genre),
};

/// Returns the visible libraries that contain publications, ordered by name.
pub(crate) fn libraries_with_publications(
    conn: &Connection,
    visible: Visible,
) -> StoreResult<Vec<Library>> {
    let kinds = Publications::kinds();
    let mut libraries = library::list(conn, visible)?;
    libraries.retain(|library| kinds.iter().any(|kind| library.counts.contains_key(*kind)));
    Ok(libraries)
}

/// Requested part of a list of names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    initial: Initial,
    pub(crate) page: u64,
}

impl Part {
    fn read(params: &Params) -> ApiResult<Self> {
        let initial = match params.first("letter") {
            None => Initial::Any,
            Some(letter) => initial_of_value(letter).ok_or(NO_FEED)?,
        };
        Ok(Self {
            initial,
            page: query::page(params)?,
        })
    }

    /// Returns the parameters of the first page of the same list.
    pub(crate) fn query(self) -> Vec<(&'static str, String)> {
        let letter = value_of_initial(self.initial).into_iter();
        letter.map(|letter| ("letter", letter)).collect()
    }
}

/// Content of a feed of names.
pub(crate) enum Content {
    Names { names: Vec<Counted>, has_more: bool },
    Letters(Vec<Initial>),
}

/// Name with the number of its publications.
pub(crate) struct Counted {
    pub(crate) name: Name,
    pub(crate) items: Option<u64>,
}

/// A page of a feed of names.
pub(crate) struct Found {
    instance: [u8; 16],
    pub(crate) part: Part,
    pub(crate) content: Content,
}

impl Names {
    /// Returns the handler of the feed.
    pub(crate) fn route(self) -> MethodRouter<App> {
        get(
            move |visible: Visible, State(app): State<App>, origin: Origin, params: Params| async move {
                self.respond(visible, &app, origin, &params).await
            },
        )
    }

    async fn respond(
        self,
        visible: Visible,
        app: &App,
        origin: Origin,
        params: &Params,
    ) -> ApiResult<Response> {
        let found = self.read(visible, app, params, false).await?;
        let writer = Writer {
            app,
            addresses: Addresses::new(origin),
            instance: Uuid::from_bytes(found.instance),
        };
        Ok(writer.feed(self, found.part, found.content))
    }

    /// Reads a page of the feed. With `is_counted`, names have the numbers of their items, which cost
    /// a query for each name.
    pub(crate) async fn read(
        self,
        visible: Visible,
        app: &App,
        params: &Params,
        is_counted: bool,
    ) -> ApiResult<Found> {
        let part = Part::read(params)?;
        let read = app.db.read(move |conn| {
            Ok(Found {
                instance: instance::uuid(conn)?,
                part,
                content: self.content(conn, visible, part, is_counted)?,
            })
        });
        Ok(read.await?)
    }

    fn content(
        self,
        conn: &Connection,
        visible: Visible,
        part: Part,
        is_counted: bool,
    ) -> StoreResult<Content> {
        let is_whole = part.initial == Initial::Any;
        if is_whole && part.page > 1 {
            // A list without a letter has one page: all names, or the letters.
            return Ok(Content::Names {
                names: Vec::new(),
                has_more: false,
            });
        }
        let limit = if is_whole { MOST } else { PER_PAGE };
        let window = Window {
            offset: query::window(part.page).offset,
            limit: limit + 1,
        };
        let mut names = self.names(conn, visible, (part.initial, window), is_counted)?;
        let has_more = names.len() > limit as usize;
        if has_more && is_whole {
            return Ok(Content::Letters(self.initials(conn, visible)?));
        }
        names.truncate(limit as usize);
        Ok(Content::Names { names, has_more })
    }

    fn names(
        self,
        conn: &Connection,
        visible: Visible,
        (initial, window): (Initial, Window),
        is_counted: bool,
    ) -> StoreResult<Vec<Counted>> {
        let kinds = Publications::kinds();
        match self.source {
            Source::Catalogue(noun) => {
                let scope = NameScope {
                    noun,
                    kinds: &kinds,
                    initial,
                };
                let names = of_kinds::names(conn, visible, scope, window)?;
                let counted = |name: Name| {
                    let count = || of_kinds::items(conn, visible, noun, &kinds, name.id);
                    let items = is_counted.then(count).transpose()?;
                    Ok(Counted { name, items })
                };
                names.into_iter().map(counted).collect()
            }
            Source::Libraries => {
                let mut libraries = libraries_with_publications(conn, visible)?;
                libraries.retain(|library| {
                    initial == Initial::Any || initial == initial_of_name(&library.name)
                });
                let counted = |library: Library| {
                    let counts = kinds.iter().filter_map(|kind| library.counts.get(*kind));
                    let items = Some(counts.sum());
                    let (id, name) = (library.id.0, library.name);
                    Counted {
                        name: Name { id, name },
                        items,
                    }
                };
                let names = libraries.into_iter().map(counted);
                Ok(Page::of_all(names.collect(), window).items)
            }
        }
    }

    fn initials(self, conn: &Connection, visible: Visible) -> StoreResult<Vec<Initial>> {
        match self.source {
            Source::Catalogue(noun) => {
                of_kinds::initials(conn, visible, noun, &Publications::kinds())
            }
            Source::Libraries => {
                let libraries = libraries_with_publications(conn, visible)?;
                let initials = libraries.iter();
                let mut initials: Vec<Initial> = initials
                    .map(|library| initial_of_name(&library.name))
                    .collect();
                initials.dedup();
                Ok(initials)
            }
        }
    }
}

/// Writer of feeds of names.
struct Writer<'a> {
    app: &'a App,
    addresses: Addresses,
    instance: Uuid,
}

impl Writer<'_> {
    fn feed(&self, names: Names, part: Part, content: Content) -> Response {
        let query = part.query();
        let mut links = crate::root::links(&self.addresses);
        links.push(self.page_link("self", names, &query, part.page));
        if part.page > 1 {
            links.push(self.page_link("previous", names, &query, part.page - 1));
        }
        let entries = match content {
            Content::Letters(initials) => {
                let entry = |initial| self.letter(names, initial);
                initials.into_iter().map(entry).collect()
            }
            Content::Names {
                names: found,
                has_more,
            } => {
                if has_more {
                    links.push(self.page_link("next", names, &query, part.page + 1));
                }
                let entry = |found: Counted| self.name(names, found.name);
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
        let href = self.addresses.page(names.feed, query, page);
        Link::new(rel, href, FeedKind::Navigation.mime())
    }

    fn id(&self, name: &str) -> String {
        let id = Uuid::new_v5(&self.instance, name.as_bytes());
        id.urn().to_string()
    }

    fn letter(&self, names: Names, initial: Initial) -> Entry {
        let value = value_of_initial(initial).unwrap_or_default();
        let id = self.id(&format!("{}/letter/{value}", names.feed));
        let mut entry = Entry::new(id, title_of_initial(initial), self.app.clock.now());
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

/// Value of the parameter `letter` for names that do not begin with a letter from `a` to `z`.
const OTHER: &str = "other";

fn initial_of_value(value: &str) -> Option<Initial> {
    match value.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => {
            Some(Initial::Letter(letter.to_ascii_lowercase()))
        }
        _ => (value == OTHER).then_some(Initial::Other),
    }
}

/// Returns the title of the list of names with an initial.
pub(crate) fn title_of_initial(initial: Initial) -> String {
    match initial {
        Initial::Letter(letter) => char::from(letter).to_uppercase().collect(),
        Initial::Any | Initial::Other => "#".to_owned(),
    }
}

/// Returns the value of the parameter `letter`, or `None` for a list of all letters.
pub(crate) fn value_of_initial(initial: Initial) -> Option<String> {
    match initial {
        Initial::Any => None,
        Initial::Letter(letter) => Some(char::from(letter).to_string()),
        Initial::Other => Some(OTHER.to_owned()),
    }
}

fn initial_of_name(name: &str) -> Initial {
    match name.bytes().next() {
        Some(first) if first.is_ascii_alphabetic() => Initial::Letter(first.to_ascii_lowercase()),
        _ => Initial::Other,
    }
}
