//! Progress of a job: counts for users, and the position at which it resumes after a restart.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::job::Outcome;

/// Counts of items.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Progress {
    /// Number of items to process.
    pub total: u64,
    /// Number of items processed so far.
    pub seen: u64,
    /// Number of items about which a provider was queried.
    pub asked: u64,
    /// Number of queried items that a provider matched.
    pub matched: u64,
    /// Number of queried items without a match.
    pub notfound: u64,
    /// Number of queried items for which a provider did not respond and no other provider had a
    /// match.
    pub failed: u64,
    /// Number of items that were not queried because earlier answers are still valid.
    pub standing: u64,
    /// Position at which the job resumes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub cursor: Option<Cursor>,
}

/// Last processed item.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cursor {
    /// Kind of the item. Kinds are processed in alphabetical order.
    pub kind: String,
    /// Id of the item.
    pub after: i64,
    /// Longest wait that a provider requested, in seconds.
    pub rest: u64,
    /// `true` if a retry is needed after all items are processed.
    #[serde(default)]
    pub again: bool,
    /// `true` if the job waits here for paused providers.
    #[serde(default)]
    pub waits: bool,
}

impl Progress {
    /// Returns the progress that a job has stored so far.
    pub(super) fn of(result: Option<&Value>) -> Self {
        let read = |value: &Value| serde_json::from_value(value.clone()).ok();
        result.and_then(read).unwrap_or_default()
    }

    pub(super) fn count(&mut self, outcome: Outcome) {
        self.seen += 1;
        let counts: &mut [&mut u64] = match outcome {
            Outcome::Matched => &mut [&mut self.asked, &mut self.matched],
            Outcome::Notfound => &mut [&mut self.asked, &mut self.notfound],
            Outcome::Failed => &mut [&mut self.asked, &mut self.failed],
            Outcome::Standing => &mut [&mut self.standing],
        };
        for count in counts {
            **count += 1;
        }
    }

    /// Returns the progress as a job's result.
    pub(super) fn result(&self) -> Value {
        // Serialization of plain numbers cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }
}
