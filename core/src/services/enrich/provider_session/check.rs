//! Test of a provider's address and key by an administrator, with as few requests as possible.

use std::cell::Cell;
use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use super::ProviderSession;
use crate::App;
use crate::net::Provider;
use crate::registry::provider::{AskError, Net, Query, Request, Response};

/// Most requests of a test: one for a token, and one for the provider itself.
const MAX_REQUESTS: usize = 2;
/// Title of the query. It is not from a library.
const TITLE: &str = "Ledge";

/// Result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCheck {
    /// Kind of the result.
    pub outcome: CheckOutcome,
    /// Sentence for administrators. It contains no secret.
    pub message: String,
    /// Wait in seconds before another test, if the provider demands one.
    pub retry_after: Option<u64>,
}

/// Kind of a test's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// The provider accepts the key, or needs none.
    Accepted,
    /// The provider reads local files and makes no requests.
    Local,
    /// A required setting has no value.
    Incomplete,
    /// Requests to remote providers are switched off.
    Off,
    /// The provider rejects the key.
    Rejected,
    /// The provider accepts no further requests now.
    Limited,
    /// The provider does not respond in time.
    Timeout,
    /// The provider cannot be reached, or its response is an error.
    Failed,
}

/// Tests a provider with the current settings. Blocks during the request. Returns `None` if no
/// provider has this id.
pub fn check_provider(app: &App, id: &str) -> Option<ProviderCheck> {
    let mut all = app.providers.status().into_iter();
    let status = all.find(|status| status.descriptor.id == id)?;
    if !status.descriptor.is_remote {
        let message = "It reads files next to the media and needs no connection.";
        return Some(result(CheckOutcome::Local, message));
    }
    let Some(provider) = app.providers.configured(id) else {
        let message = format!("A value is missing: {}.", status.missing.join(", "));
        return Some(result(CheckOutcome::Incomplete, message));
    };
    if !app.providers.is_remote_allowed() {
        let message = "Requests to remote providers are switched off.";
        return Some(result(CheckOutcome::Off, message));
    }
    let settings = provider.settings.clone();
    let mut check = match ask(app, &provider) {
        Ok(()) => result(CheckOutcome::Accepted, "The provider accepts the request."),
        Err(error) => of_error(&error),
    };
    // The texts of a provider's own errors are not under the control of the core.
    check.message = settings.without_secrets(&check.message);
    Some(check)
}

fn result(outcome: CheckOutcome, message: impl Into<String>) -> ProviderCheck {
    ProviderCheck {
        outcome,
        message: message.into(),
        retry_after: None,
    }
}

fn ask(app: &App, provider: &std::sync::Arc<Provider>) -> Result<(), AskError> {
    let is_stopped = || app.jobs.is_stopping();
    let session = ProviderSession::interactive(app, provider.clone(), &is_stopped);
    let descriptor = provider.descriptor;
    let question = Query {
        kind: descriptor
            .kinds
            .first()
            .copied()
            .unwrap_or_default()
            .to_owned(),
        subkind: descriptor.subkinds.first().map(|one| (*one).to_owned()),
        title: TITLE.to_owned(),
        stored_title: TITLE.to_owned(),
        languages: app.providers.languages(),
        ..Query::default()
    };
    let is_enough = Cell::new(false);
    let answer = session.ask(|lookup, net| {
        let limited = LimitedNet {
            net,
            sent: Cell::new(0),
            is_enough: &is_enough,
        };
        lookup.check(&question, &limited)?;
        if limited.sent.get() == 0 {
            let what = "the provider sent no request";
            return Err(AskError::Malformed(what.to_owned()));
        }
        Ok(())
    });
    if is_enough.get() { Ok(()) } else { answer }
}

/// Network access that ends a test after a few requests.
struct LimitedNet<'a> {
    net: &'a dyn Net,
    sent: Cell<usize>,
    is_enough: &'a Cell<bool>,
}

impl Net for LimitedNet<'_> {
    fn send(&self, request: &Request) -> Result<Response, AskError> {
        if self.sent.get() >= MAX_REQUESTS {
            self.is_enough.set(true);
            return Err(AskError::Stopped);
        }
        self.sent.set(self.sent.get() + 1);
        self.net.send(request)
    }

    /// Returns nothing: a value of an earlier request proves neither the key nor the address.
    fn remembered(&self, _: &str) -> Option<String> {
        None
    }

    fn remember(&self, key: &str, value: &str, lifetime: Duration) {
        self.net.remember(key, value, lifetime);
    }

    fn forget(&self, key: &str) {
        self.net.forget(key);
    }
}

fn of_error(error: &AskError) -> ProviderCheck {
    let check = match error {
        AskError::Status {
            code: 401 | 403, ..
        } => result(CheckOutcome::Rejected, "The provider rejects the key."),
        AskError::Status { code: 429, .. } => result(
            CheckOutcome::Limited,
            "The provider accepts no further requests now.",
        ),
        AskError::Timeout => result(
            CheckOutcome::Timeout,
            "The provider does not respond in time.",
        ),
        error => result(CheckOutcome::Failed, format!("The test failed: {error}.")),
    };
    let wait = error.retry_after().map(|wait| wait.as_secs() + 1);
    ProviderCheck {
        retry_after: wait.filter(|_| check.outcome == CheckOutcome::Limited),
        ..check
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_outcomes_and_waits() {
        let status = |code, seconds: Option<u64>| AskError::Status {
            code,
            retry_after: seconds.map(Duration::from_secs),
        };
        for (error, outcome, wait) in [
            (status(401, None), CheckOutcome::Rejected, None),
            (status(403, Some(9)), CheckOutcome::Rejected, None),
            (status(429, Some(59)), CheckOutcome::Limited, Some(60)),
            (status(500, None), CheckOutcome::Failed, None),
            (AskError::Timeout, CheckOutcome::Timeout, None),
            (AskError::TooLarge, CheckOutcome::Failed, None),
        ] {
            let check = of_error(&error);
            assert_eq!(
                (check.outcome, check.retry_after),
                (outcome, wait),
                "{error}"
            );
        }
    }
}
