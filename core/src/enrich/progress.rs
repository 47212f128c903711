//! How far a job has come: counts that people see, and where it goes on after a restart.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::item::Outcome;

/// Counts of items.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Progress {
    /// Items that there are to go through.
    pub total: u64,
    /// Items gone through so far.
    pub seen: u64,
    /// Items about which some provider was asked.
    pub asked: u64,
    /// Of these, items that one knew.
    pub matched: u64,
    /// Of these, items that none knew.
    pub notfound: u64,
    /// Of these, items about which a provider gave no answer, and none that was asked knew.
    pub failed: u64,
    /// Items that were not asked about: earlier answers stand.
    pub standing: u64,
    /// Where it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub cursor: Option<Cursor>,
}

/// The last item that was gone through.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cursor {
    /// Its kind; kinds are gone through in alphabetical order.
    pub kind: String,
    /// Its id.
    pub after: i64,
    /// Longest time, in seconds, that a provider wanted to be left alone.
    pub rest: u64,
    /// Whether something is to be asked for again when all is gone through.
    #[serde(default)]
    pub again: bool,
    /// Whether the job waits here for providers that want to be left alone.
    #[serde(default)]
    pub waits: bool,
}

impl Progress {
    /// What a job has reported so far.
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

    /// As a job's result; without a place to go on at its end.
    pub(super) fn result(&self) -> Value {
        // Plain numbers are JSON.
        serde_json::to_value(self).unwrap_or_default()
    }
}
