//! Items: lists, letters, and single items.

use axum::extract::State as AppState;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleLibrary};
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, AskedItem, PageQuery};
use ledge_core::id::LibraryId;
use ledge_core::paging::{Items, Page};
use ledge_core::store::item::{
    self, Direction, Facets, Filter, ItemCard, ItemDetail, Letter, Order, Sort, SubkindCount,
};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::routes::catalogue::filter::FilterQuery;
use crate::http::routes::media::playback::EnginesQuery;

/// Order of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OrderQuery {
    /// Sort key; the default is `title`.
    #[param(inline)]
    sort: Option<Sort>,
    /// Direction; the default is `asc`.
    #[param(inline)]
    order: Option<Direction>,
    /// Seed of `random`: equal seeds give equal orders.
    seed: Option<i64>,
}

impl OrderQuery {
    /// Returns the order, or `None` if the request states none.
    pub(crate) fn requested(&self) -> Option<Order> {
        let is_stated = self.sort.is_some() || self.order.is_some();
        is_stated.then(|| self.order())
    }

    fn order(&self) -> Order {
        Order {
            sort: self.sort.unwrap_or_default(),
            direction: self.order.unwrap_or_default(),
            seed: self.seed.unwrap_or(0).cast_unsigned(),
        }
    }
}

/// Lists items of all visible libraries.
#[utoipa::path(
    get, path = "/items", tag = "items",
    params(FilterQuery, OrderQuery, PageQuery),
    responses(
        (status = 200, description = "The items", body = Page<ItemCard>),
    ),
)]
pub(crate) async fn list_items(
    visible: Visible,
    AppState(app): AppState<App>,
    ApiQuery(filter): ApiQuery<FilterQuery>,
    ApiQuery(order): ApiQuery<OrderQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<ItemCard>>> {
    let filter = filter.filter(&app.registry)?;
    page_of(&app, visible, filter, &order, page).await
}

/// Lists items of one library.
#[utoipa::path(
    get, path = "/libraries/{id}/items", tag = "items",
    params(("id" = i64, Path, description = "The library's id"), FilterQuery, OrderQuery, PageQuery),
    responses(
        (status = 200, description = "The items", body = Page<ItemCard>),
    ),
)]
pub(crate) async fn list_library_items(
    library: VisibleLibrary,
    visible: Visible,
    AppState(app): AppState<App>,
    ApiQuery(filter): ApiQuery<FilterQuery>,
    ApiQuery(order): ApiQuery<OrderQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<ItemCard>>> {
    let filter = Filter {
        library: Some(library.id()),
        ..filter.filter(&app.registry)?
    };
    page_of(&app, visible, filter, &order, page).await
}

async fn page_of(
    app: &App,
    visible: Visible,
    filter: Filter,
    order: &OrderQuery,
    page: PageQuery,
) -> ApiResult<ApiJson<Page<ItemCard>>> {
    let window = page.window()?;
    let order = order.order();
    let page = app
        .db
        .read_with_index(move |conn, view| item::page(conn, view, visible, &filter, order, window))
        .await?;
    Ok(ApiJson(page))
}

/// Lists the offsets of the first letters in the list sorted by title.
#[utoipa::path(
    get, path = "/items/letters", tag = "items",
    params(FilterQuery),
    responses(
        (status = 200, description = "The letters", body = Items<Letter>),
    ),
)]
pub(crate) async fn list_letters(
    visible: Visible,
    AppState(app): AppState<App>,
    ApiQuery(filter): ApiQuery<FilterQuery>,
) -> ApiResult<ApiJson<Items<Letter>>> {
    let filter = filter.filter(&app.registry)?;
    let items = app
        .db
        .read_with_index(move |conn, view| item::letters(conn, view, visible, &filter))
        .await?;
    Ok(ApiJson(Items { items }))
}

/// Counts the visible items by the values of each filter: kinds, subkinds, libraries, genres, tags,
/// languages, decades, states and ratings. A facet applies all filters except its own. Missing items
/// are counted only with `missing=true`.
#[utoipa::path(
    get, path = "/items/facets", tag = "items",
    params(FilterQuery),
    responses(
        (status = 200, description = "The facets", body = Facets),
    ),
)]
pub(crate) async fn get_facets(
    visible: Visible,
    AppState(app): AppState<App>,
    ApiQuery(filter): ApiQuery<FilterQuery>,
) -> ApiResult<ApiJson<Facets>> {
    let filter = filter.filter(&app.registry)?;
    let registry = app.registry.clone();
    let facets = app
        .db
        .read_with_index(move |conn, view| item::facets(conn, &registry, view, visible, &filter))
        .await?;
    Ok(ApiJson(facets))
}

/// Kind and library of the counted subkinds.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SubkindQuery {
    /// Only this kind.
    #[param(format = "kind")]
    kind: Option<String>,
    /// Only this library. The list of an invisible library is empty.
    library: Option<i64>,
}

/// Counts the items of all visible libraries by subkind. Subkinds without items are omitted.
#[utoipa::path(
    get, path = "/items/subkinds", tag = "items",
    params(SubkindQuery),
    responses(
        (status = 200, description = "The subkinds by kind", body = Items<SubkindCount>),
    ),
)]
pub(crate) async fn list_subkinds(
    visible: Visible,
    AppState(app): AppState<App>,
    ApiQuery(query): ApiQuery<SubkindQuery>,
) -> ApiResult<ApiJson<Items<SubkindCount>>> {
    let kind = app.registry.wanted_kind(query.kind)?;
    let library = query.library.map(LibraryId);
    let items = app
        .db
        .read(move |conn| item::subkinds(conn, visible, kind.as_deref(), library))
        .await?;
    Ok(ApiJson(Items { items }))
}

/// Returns an item with its files. An absent item and one without a grant both give 404.
#[utoipa::path(
    get, path = "/items/{id}", tag = "items",
    params(("id" = i64, Path, description = "The item's id"), EnginesQuery),
    responses(
        (status = 200, description = "The item", body = ItemDetail),
    ),
)]
pub(crate) async fn get_item(
    item: AskedItem,
    AppState(app): AppState<App>,
    ApiQuery(query): ApiQuery<EnginesQuery>,
) -> ApiResult<ApiJson<ItemDetail>> {
    let offer = query.offer(&app.registry)?;
    let registry = app.registry.clone();
    let detail = app
        .db
        .read_inline(move |conn| {
            let visible = item.visible();
            let mut detail = item::detail(conn, &registry, visible, item.id())?;
            if let (Some(detail), Some(offer)) = (&mut detail, &offer) {
                item::judge(conn, visible, offer, [&mut detail.card])?;
            }
            Ok(detail)
        })
        .await?;
    detail.map(ApiJson).ok_or(ApiError::NotFound("item"))
}
