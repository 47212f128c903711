//! Feeds of publications, which are all shelves, facets and searches, and complete entries.

use axum::extract::State;
use axum::response::Response;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::db::item_index::IndexSnapshot;
use ledge_core::error::StoreResult;
use ledge_core::http::protocol::{Origin, Params};
use ledge_core::http::publications::Publications;
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::ItemId;
use ledge_core::paging::{MAX_LIMIT, Window};
use ledge_core::store::catalogue::instance;
use ledge_core::store::catalogue::named::of_kinds::{self, Noun};
use ledge_core::store::item::{self, Filter, ItemDetail, SearchRequest};
use ledge_core::store::library;
use ledge_core::{App, search};
use rusqlite::Connection;
use uuid::Uuid;

use crate::addresses::Addresses;
use crate::atom::{self, Feed, FeedKind, Link, Paging};
use crate::names;
use crate::publication::Publisher;
use crate::query::{self, NO_FEED, PER_PAGE, RECENT, SORTS, STATES, ShelfQuery};

/// A page of a feed, as the database has it.
pub(crate) struct Shelf {
    pub(crate) instance: [u8; 16],
    pub(crate) title: String,
    pub(crate) items: Vec<ItemDetail>,
    total: u64,
    pub(crate) facets: Vec<Facet>,
}

/// A link to the feed with another value of a criterion.
pub(crate) struct Facet {
    pub(crate) group: &'static str,
    pub(crate) title: String,
    pub(crate) query: ShelfQuery,
    pub(crate) is_active: bool,
    pub(crate) count: Option<u64>,
}

/// A page of a feed with its criteria.
pub(crate) struct Listed {
    pub(crate) query: ShelfQuery,
    pub(crate) paging: Paging,
    pub(crate) shelf: Shelf,
}

/// Reads a page of publications.
pub(crate) async fn read(app: &App, visible: Visible, params: &Params) -> ApiResult<Listed> {
    let query = ShelfQuery::read(params)?;
    let page = query::page(params)?;
    let reader = Reader {
        app: app.clone(),
        visible,
        query: query.clone(),
    };
    let shelf = app
        .db
        .read_with_index(move |conn, view| reader.shelf(conn, view, page))
        .await?;
    let shelf = shelf.ok_or(NO_FEED)?;
    let paging = Paging {
        total: shelf.total,
        per_page: PER_PAGE,
        page,
    };
    Ok(Listed {
        query,
        paging,
        shelf,
    })
}

/// Returns a page of publications.
pub(crate) async fn list(
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
    params: Params,
) -> ApiResult<Response> {
    let Listed {
        query,
        paging,
        shelf,
    } = read(&app, visible, &params).await?;
    let addresses = Addresses::new(origin);
    let publisher = Publisher {
        app: &app,
        addresses: &addresses,
        instance: Uuid::from_bytes(shelf.instance),
    };
    let entries = shelf.items.iter();
    let entries = entries.map(|item| publisher.entry(item, true)).collect();
    let id = Uuid::new_v5(
        &publisher.instance,
        format!("{:?}", query.pairs()).as_bytes(),
    );
    let mut links = crate::root::links(&addresses);
    links.extend(page_links(&addresses, &query.pairs(), paging));
    links.extend(shelf.facets.iter().map(|facet| facet.link(&addresses)));
    Ok(atom::feed(&Feed {
        kind: FeedKind::Acquisition,
        id: id.urn().to_string(),
        title: shelf.title,
        updated: app.clock.now(),
        links,
        paging: Some(paging),
        entries,
    }))
}

/// Returns the links to this page of a list and to the other ones.
fn page_links(
    addresses: &Addresses,
    query: &[(&'static str, String)],
    paging: Paging,
) -> Vec<Link> {
    let link = |(rel, page)| {
        let href = addresses.page("publications", query, page);
        Link::new(rel, href, FeedKind::Acquisition.mime())
    };
    pages(paging).map(link).collect()
}

/// Returns the relations and numbers of this page of a list and of the other ones.
pub(crate) fn pages(paging: Paging) -> impl Iterator<Item = (&'static str, u64)> {
    let last = paging.total.div_ceil(paging.per_page.into()).max(1);
    let pages = [
        ("self", paging.page, true),
        ("first", 1, last > 1),
        ("previous", paging.page - 1, paging.page > 1),
        ("next", paging.page + 1, paging.page < last),
        ("last", last, last > 1),
    ];
    let pages = pages.into_iter();
    pages.filter_map(|(rel, page, is_there)| is_there.then_some((rel, page)))
}

/// Returns the complete entry of a publication.
pub(crate) async fn entry(
    item: VisibleItem,
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
) -> ApiResult<Response> {
    let (instance, detail) = detail(&app, visible, item).await?;
    let publisher = Publisher {
        app: &app,
        addresses: &Addresses::new(origin),
        instance,
    };
    Ok(atom::entry(&publisher.entry(&detail, false)))
}

/// Returns the id of the instance and a present publication.
///
/// # Errors
///
/// Fails for an absent item, and for an item of a kind without publications.
pub(crate) async fn detail(
    app: &App,
    visible: Visible,
    item: VisibleItem,
) -> ApiResult<(Uuid, ItemDetail)> {
    let registry = app.registry.clone();
    let read = app.db.read(move |conn| {
        let detail = item::detail(conn, &registry, visible, item.id())?;
        Ok((instance::uuid(conn)?, detail))
    });
    let (instance, detail) = read.await?;
    let is_offered = |detail: &ItemDetail| {
        !detail.card.missing && Publications::of_kind(&detail.card.kind).is_some()
    };
    let detail = detail
        .filter(is_offered)
        .ok_or(ApiError::NotFound("item"))?;
    Ok((Uuid::from_bytes(instance), detail))
}

/// Reader of a feed.
pub(crate) struct Reader {
    pub(crate) app: App,
    pub(crate) visible: Visible,
    pub(crate) query: ShelfQuery,
}

impl Reader {
    /// Reads a page. Returns `None` if a criterion names something that is absent or not visible.
    fn shelf(
        &self,
        conn: &Connection,
        view: &IndexSnapshot,
        page: u64,
    ) -> StoreResult<Option<Shelf>> {
        let Some(title) = self.title(conn)? else {
            return Ok(None);
        };
        let (items, total) = self.items(conn, view, query::window(page))?;
        Ok(Some(Shelf {
            instance: instance::uuid(conn)?,
            title,
            items,
            total,
            facets: self.facets(conn, view)?,
        }))
    }

    /// Reads the publications of a window, and their total number.
    pub(crate) fn items(
        &self,
        conn: &Connection,
        view: &IndexSnapshot,
        window: Window,
    ) -> StoreResult<(Vec<ItemDetail>, u64)> {
        let (ids, total) = match &self.query.q {
            Some(words) => self.search(conn, view, words, window)?,
            None => self.page(conn, view, &self.query.filter(), window)?,
        };
        let detail = |id| item::detail(conn, &self.app.registry, self.visible, id);
        let items: Vec<Option<ItemDetail>> =
            ids.into_iter().map(detail).collect::<StoreResult<_>>()?;
        Ok((items.into_iter().flatten().collect(), total))
    }

    fn page(
        &self,
        conn: &Connection,
        view: &IndexSnapshot,
        filter: &Filter,
        window: Window,
    ) -> StoreResult<(Vec<ItemId>, u64)> {
        item::page_ids(conn, view, self.visible, filter, self.query.order(), window)
    }

    /// Returns a page of the best matches of all kinds that meet the other criteria.
    fn search(
        &self,
        conn: &Connection,
        view: &IndexSnapshot,
        words: &str,
        window: Window,
    ) -> StoreResult<(Vec<ItemId>, u64)> {
        let kinds = Publications::kinds();
        let request = SearchRequest {
            query: search::Query {
                text: words,
                kind: None,
                limit: MAX_LIMIT as usize,
                fuzzy: true,
            },
            engines: None,
        };
        let found = item::search(conn, view, self.visible, &kinds, &request)?;
        let groups = found.groups.into_iter();
        let groups = groups.filter(|group| kinds.contains(&group.kind.as_str()));
        let mut ids: Vec<ItemId> = groups
            .flat_map(|group| group.items)
            .map(|card| card.id)
            .collect();
        if self.query.is_limited() {
            let wanted = item::all_ids(conn, view, self.visible, &self.query.filter())?;
            ids.retain(|id| wanted.contains(*id));
        }
        let total = ids.len() as u64;
        let skipped = usize::try_from(window.offset).unwrap_or(usize::MAX);
        let ids = ids.into_iter().skip(skipped).take(window.limit as usize);
        Ok((ids.collect(), total))
    }

    /// Returns the title of the feed, or `None` for an absent name.
    fn title(&self, conn: &Connection) -> StoreResult<Option<String>> {
        let query = &self.query;
        let kinds = Publications::kinds();
        let mut title = None;
        if let Some(id) = query.library {
            let Some(library) = self.visible.library(conn, id)? else {
                return Ok(None);
            };
            let libraries = library::list(conn, self.visible)?;
            let library = libraries.into_iter().find(|one| one.id == library.id());
            title = library.map(|library| library.name);
        }
        for (noun, id) in [
            (Noun::Genre, query.subject.map(|id| id.0)),
            (Noun::Author, query.author.map(|id| id.0)),
            (Noun::Series, query.series.map(|id| id.0)),
        ] {
            let Some(id) = id else { continue };
            match of_kinds::name(conn, self.visible, noun, &kinds, id)? {
                Some(name) => title = Some(name),
                None => return Ok(None),
            }
        }
        Ok(Some(title.unwrap_or_else(|| self.general_title())))
    }

    fn general_title(&self) -> String {
        if let Some(words) = &self.query.q {
            return format!("Search: {words}");
        }
        let title = match (self.query.state, self.query.sort) {
            _ if self.query.is_favourite => "Favourites",
            (Some("started"), _) => "Continue",
            (Some("unstarted"), _) => "Unstarted",
            (Some("finished"), _) => "Finished",
            (_, Some("new")) => "New",
            _ => "All publications",
        };
        title.to_owned()
    }

    fn facets(&self, conn: &Connection, view: &IndexSnapshot) -> StoreResult<Vec<Facet>> {
        if self.query.q.is_some() {
            return Ok(Vec::new());
        }
        let mut facets = self.sorts();
        facets.extend(self.states(conn, view)?);
        let libraries = names::libraries_with_publications(conn, self.visible)?;
        if libraries.len() < 2 {
            return Ok(facets);
        }
        for library in libraries {
            let query = ShelfQuery {
                library: Some(library.id),
                ..self.query.clone()
            };
            facets.push(Facet {
                group: "Library",
                title: library.name,
                is_active: self.query.library == Some(library.id),
                count: Some(self.count(conn, view, &query)?),
                query,
            });
        }
        Ok(facets)
    }

    fn states(&self, conn: &Connection, view: &IndexSnapshot) -> StoreResult<[Facet; 3]> {
        let of_state = |state| ShelfQuery {
            state,
            ..self.query.clone()
        };
        let count = |state| self.count(conn, view, &of_state(state));
        let (started, finished) = (count(Some("started"))?, count(Some("finished"))?);
        // The others are unstarted. Counting them would read the rows of both states again.
        let unstarted = count(None)?.saturating_sub(started + finished);
        Ok(STATES.map(|(value, label, _)| Facet {
            group: "State",
            title: label.to_owned(),
            query: of_state(Some(value)),
            is_active: self.query.state == Some(value),
            count: Some(match value {
                "started" => started,
                "finished" => finished,
                _ => unstarted,
            }),
        }))
    }

    /// Returns the number of publications of a feed.
    pub(crate) fn count(
        &self,
        conn: &Connection,
        view: &IndexSnapshot,
        query: &ShelfQuery,
    ) -> StoreResult<u64> {
        let none = Window {
            offset: 0,
            limit: 0,
        };
        let (_, total) = self.page(conn, view, &query.filter(), none)?;
        Ok(total)
    }

    fn sorts(&self) -> Vec<Facet> {
        let facet = |(value, label, ..): &(&'static str, &'static str, _, _)| Facet {
            group: "Sort",
            title: (*label).to_owned(),
            query: ShelfQuery {
                sort: Some(value),
                ..self.query.clone()
            },
            is_active: self.query.sort_value() == *value,
            count: None,
        };
        let sorts = SORTS.iter().filter(|(value, ..)| *value != RECENT);
        sorts.map(facet).collect()
    }
}

impl Facet {
    fn link(&self, addresses: &Addresses) -> Link {
        let href = addresses.feed("publications", &self.query.pairs());
        let link = Link::new(
            "http://opds-spec.org/facet",
            href,
            FeedKind::Acquisition.mime(),
        );
        let mut link = link
            .with("title", self.title.clone())
            .with("opds:facetGroup", self.group);
        if self.is_active {
            link = link.with("opds:activeFacet", "true");
        }
        match self.count {
            Some(count) => link.with("thr:count", count.to_string()),
            None => link,
        }
    }
}
