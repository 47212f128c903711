//! Lists of albums in ten orders.

use std::ops::RangeInclusive;

use ledge_core::db::item_index::IndexSnapshot;
use ledge_core::error::StoreResult;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::{ItemId, LibraryId};
use ledge_core::paging::Window;
use ledge_core::rng::random_below;
use ledge_core::store::file::recording::genre;
use ledge_core::store::file::recording::viewed::{self, ViewedOrder};
use ledge_core::store::item::{self, Direction, Filter, Order, Sort};
use rusqlite::Connection;

use crate::elements;
use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::mapping;
use crate::node::Node;
use crate::params::{Call, MAX_RESULTS, scope};

/// Number of albums if the request names none.
const DEFAULT: u32 = 10;

/// Selection and order of a list.
#[derive(Debug, Clone)]
enum AlbumList {
    Ordered(Sort, Direction),
    Rated,
    Starred,
    Viewed(ViewedOrder),
    Years(RangeInclusive<i64>, Direction),
    Genre(String),
}

impl AlbumList {
    fn read(call: &Call) -> Result<Self, Failure> {
        let list = match call.required("type")? {
            "random" => Self::Ordered(Sort::Random, Direction::Asc),
            "newest" => Self::Ordered(Sort::Added, Direction::Desc),
            "alphabeticalByName" => Self::Ordered(Sort::Title, Direction::Asc),
            "alphabeticalByArtist" => Self::Ordered(Sort::Author, Direction::Asc),
            "highest" => Self::Rated,
            "starred" => Self::Starred,
            "frequent" => Self::Viewed(ViewedOrder::Count),
            "recent" => Self::Viewed(ViewedOrder::Time),
            "byYear" => {
                let (from, to) = (
                    call.required_integer("fromYear")?,
                    call.required_integer("toYear")?,
                );
                if from > to {
                    Self::Years(to..=from, Direction::Desc)
                } else {
                    Self::Years(from..=to, Direction::Asc)
                }
            }
            "byGenre" => Self::Genre(call.required("genre")?.to_owned()),
            _ => return Err(Failure::parameter("type")),
        };
        Ok(list)
    }
}

/// Page of a list of albums.
struct Page {
    list: AlbumList,
    library: Option<LibraryId>,
    window: Window,
}

/// Handles `getAlbumList`.
pub(crate) async fn album_list(call: Call) -> Outcome {
    let albums = elements::albums_as(&call, ids(&call).await?, mapping::directory).await?;
    reply("albumList", Node::new().with("album", albums))
}

/// Handles `getAlbumList2`.
pub(crate) async fn album_list2(call: Call) -> Outcome {
    let albums = elements::albums(&call, ids(&call).await?).await?;
    reply("albumList2", Node::new().with("album", albums))
}

async fn ids(call: &Call) -> Result<Vec<ItemId>, Failure> {
    let page = Page {
        list: AlbumList::read(call)?,
        library: call.library()?,
        window: Window {
            offset: call.offset("offset")?,
            limit: call.count("size", DEFAULT, MAX_RESULTS)?,
        },
    };
    let visible = call.visible;
    let read = move |conn: &Connection, view: &IndexSnapshot| page.ids(conn, view, visible);
    Ok(call.app.db.read_with_index(read).await?)
}

impl Page {
    fn ids(
        &self,
        conn: &Connection,
        view: &IndexSnapshot,
        visible: ledge_core::access::Visible,
    ) -> StoreResult<Vec<ItemId>> {
        let kinds = Recordings::kinds();
        let mut filter = Filter {
            kinds: kinds.clone(),
            library: self.library,
            missing: Some(false),
            ..Filter::default()
        };
        let mut order = Order {
            seed: random_below(u64::MAX),
            ..Order::default()
        };
        match &self.list {
            AlbumList::Viewed(order) => {
                let scope = scope(visible, self.library, &kinds);
                return viewed::viewed(conn, view, scope, *order, self.window);
            }
            AlbumList::Ordered(sort, direction) => {
                (order.sort, order.direction) = (*sort, *direction);
            }
            AlbumList::Rated => {
                filter.rating_min = Some(1);
                (order.sort, order.direction) = (Sort::Rating, Direction::Desc);
            }
            AlbumList::Starred => filter.favourite = Some(true),
            AlbumList::Years(years, direction) => {
                filter.years = Some(years.clone());
                (order.sort, order.direction) = (Sort::Year, *direction);
            }
            AlbumList::Genre(name) => match genre::id_of(conn, name)? {
                Some(genre) => filter.genres = vec![genre],
                None => return Ok(Vec::new()),
            },
        }
        let (items, _) = item::page_ids(conn, view, visible, &filter, order, self.window)?;
        Ok(items)
    }
}
