//! Enrichment of items with metadata from providers. The providers of a kind are queried in the
//! order of their ranks until one has a match. Every attempt is recorded. Values that users wrote
//! take precedence over values of providers.

mod ask;
mod best_match;
mod choice;
mod job;
pub mod matching;
mod payload;
mod progress;
mod provider_session;
pub mod query_text;
mod request;
mod response;

use provider_session::picture;

pub use best_match::best_match;
pub use choice::{
    ChoiceOutcome, EntryPreview, FieldChange, ProviderAnswer, RefreshPreview, ScoredCandidate,
    candidate_picture, candidates, choose, identify, next_of_library, preview_entry,
    preview_refresh,
};
pub use job::{run_item_job, run_items_job, run_library_job};
pub use picture::further::fetch_portrait;
pub use progress::Progress;
pub use provider_session::check::{CheckOutcome, ProviderCheck, check_provider};
pub use provider_session::person::fetch_person;
pub use request::{
    EnrichmentState, EnrichmentStatus, after_scan, cancel_library, request_item, request_items,
    request_library, status_unscoped,
};
pub use response::{lenient_json, shape};
