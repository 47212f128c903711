//! Items: lists, letters, and one item.

use axum::extract::State as AppState;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleLibrary};
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, AskedItem, Items, Page, PageQuery};
use ledge_core::id::{LibraryId, PersonId, SeriesId};
use ledge_core::registry::Registry;
use ledge_core::store::item::{
    self, Direction, Filter, ItemCard, ItemDetail, Letter, Sort, State, SubkindCount,
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::playback::{self, EnginesQuery};

/// What a list of items is narrowed to.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FilterQuery {
    /// Only this kind.
    #[param(format = "kind")]
    kind: Option<String>,
    /// Only this subkind of the kind; without a kind, of any kind that has it.
    subkind: Option<String>,
    /// Only this library; one that is not visible yields nothing.
    library: Option<i64>,
    /// Only items this person is credited with.
    author: Option<i64>,
    /// Only items of this series.
    series: Option<i64>,
    /// Only favourites, or all but those.
    favourite: Option<bool>,
    /// Only missing items, or only present ones.
    missing: Option<bool>,
    /// Only items one is so far with.
    #[param(inline)]
    state: Option<State>,
    /// Only what one of these engines plays: identifiers with commas between; unknown ones are
    /// passed over. Cards then say whether they play.
    engines: Option<String>,
}

impl FilterQuery {
    fn filter(self, registry: &Registry) -> ApiResult<Filter> {
        let engines = playback::offer_of_list(registry, self.engines.as_deref())?;
        let kind = registry.wanted_kind(self.kind)?;
        let subkind = registry.wanted_subkind(kind.as_deref(), self.subkind)?;
        Ok(Filter {
            kind,
            subkind,
            library: self.library.map(LibraryId),
            author: self.author.map(PersonId),
            series: self.series.map(SeriesId),
            favourite: self.favourite,
            missing: self.missing,
            state: self.state,
            engines,
        })
    }
}

/// How a list is ordered.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OrderQuery {
    /// What the list is ordered by: `title` where nothing is said.
    #[param(inline)]
    sort: Option<SortName>,
    /// Which end comes first: `asc` where nothing is said.
    #[param(inline)]
    order: Option<Direction>,
    /// With `random`: the same seed gives the same order.
    seed: Option<i64>,
}

/// The orders of a list.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SortName {
    /// Natural, without case, accents and article.
    Title,
    /// When the item came into the library.
    Added,
    /// Year, then title.
    Year,
    /// Author line, then title.
    Author,
    /// Series, number in it, then title.
    Series,
    /// Shuffled by `seed`.
    Random,
}

impl OrderQuery {
    fn sort(&self) -> (Sort, Direction) {
        let sort = match self.sort.unwrap_or(SortName::Title) {
            SortName::Title => Sort::Title,
            SortName::Added => Sort::Added,
            SortName::Year => Sort::Year,
            SortName::Author => Sort::Author,
            SortName::Series => Sort::Series,
            SortName::Random => Sort::Random {
                seed: self.seed.unwrap_or(0).cast_unsigned(),
            },
        };
        (sort, self.order.unwrap_or_default())
    }
}

/// Items of all visible libraries.
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

/// Items of one library.
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
    let (sort, direction) = order.sort();
    let page = app
        .db
        .read_with_places(move |conn, places| {
            item::page(conn, places, visible, &filter, sort, direction, window)
        })
        .await?;
    Ok(ApiJson(page))
}

/// Where each letter begins in the list by title.
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
        .read(move |conn| item::letters(conn, visible, &filter))
        .await?;
    Ok(ApiJson(Items { items }))
}

/// The library and kind whose subkinds are counted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SubkindQuery {
    /// Only this kind.
    #[param(format = "kind")]
    kind: Option<String>,
    /// Only this library; one that is not visible yields nothing.
    library: Option<i64>,
}

/// How many items of all visible libraries each subkind has; subkinds without items are left out.
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

/// One item with its files: 404 for absent and for not granted alike.
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
        .read_few_with_places(move |conn, view| {
            let visible = item.visible();
            let mut detail = item::detail(conn, &registry, view, visible, item.id())?;
            if let (Some(detail), Some(offer)) = (&mut detail, &offer) {
                item::judge(conn, visible, offer, [&mut detail.card])?;
            }
            Ok(detail)
        })
        .await?;
    detail.map(ApiJson).ok_or(ApiError::NotFound("item"))
}
