//! Items as people see them: cards in lists, letters, and the whole of one item.

mod bind;
pub mod card;
pub mod detail;
pub mod filter;
mod left_out;
pub mod letters;
pub mod list;
pub mod order;
mod own;
mod playing;
pub mod plays;
pub mod sources;
pub mod subkinds;

pub(crate) use card::cards;
pub use card::{CardProgress, Cover, ItemCard};
pub(crate) use detail::page_order;
pub use detail::{FileDetail, ItemDetail, detail, kind};
pub use filter::{Filter, State};
pub use letters::{Letter, letters};
pub use list::page;
pub use order::{Direction, Sort};
pub(crate) use own::Own;
pub use plays::judge;
pub use sources::{Source, Sources};
pub use subkinds::{SubkindCount, subkinds};
