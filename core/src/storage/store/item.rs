//! Items for the API: cards of lists, letters, and the details of one item.

mod bind;
pub mod card;
pub mod detail;
pub mod facets;
pub mod filter;
mod found;
pub mod letters;
pub mod list;
mod playable;
pub mod plays;
pub mod sort;
pub mod sources;
pub mod subkinds;

pub(crate) use card::cards;
pub use card::{CardProgress, Cover, ItemCard, cover_of_item};
pub(crate) use detail::page_order;
pub use detail::{FileDetail, ItemDetail, PersonCredit, detail, kind};
pub use facets::{Facets, facets};
pub use filter::{Filter, State};
pub use found::{Found, FoundOfKind, SearchRequest, search};
pub use letters::{Letter, letters};
pub use list::{all_ids, page, page_ids};
pub use plays::judge;
pub use sort::{Direction, Order, Sort};
pub use sources::Sources;
pub use subkinds::{SubkindCount, subkinds};
