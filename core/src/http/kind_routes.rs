//! Routes that the crates of kinds register.

use utoipa_axum::router::OpenApiRouter;

use crate::App;
use crate::registry::Registry;

/// Router of a kind below `/api/v1`. Its routes require a signed-in user.
pub type KindRouter = OpenApiRouter<App>;

/// Additional routes of a kind.
#[derive(Debug, Clone, Copy)]
pub struct KindRoutes {
    /// Id of the kind.
    pub kind: &'static str,
    /// Creates the router.
    pub router: fn() -> KindRouter,
}

inventory::collect!(KindRoutes);

impl KindRoutes {
    /// Returns the routes of the registered kinds, ordered by the ranks of the kinds.
    pub fn of_kinds(registry: &Registry) -> impl Iterator<Item = &'static Self> {
        let all = || inventory::iter::<Self>();
        let kinds = registry.kinds().iter();
        kinds.flat_map(move |kind| all().filter(|routes| routes.kind == kind.id))
    }
}
