//! OpenAPI document of all routes.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::Value;

/// OpenAPI document of all routes, shared by clones. It is built at the first request. The start
/// does not wait for it, and its three megabytes of descriptions occupy no memory before.
#[derive(Clone)]
pub(crate) struct ApiDocument(Arc<Described>);

struct Described {
    describe: Box<dyn Fn(&ApiDocument) -> Value + Send + Sync>,
    json: OnceLock<Bytes>,
}

impl ApiDocument {
    /// Creates a document that `describe` builds.
    pub(crate) fn new(describe: impl Fn(&Self) -> Value + Send + Sync + 'static) -> Self {
        Self(Arc::new(Described {
            describe: Box::new(describe),
            json: OnceLock::new(),
        }))
    }

    /// Returns the document as JSON.
    pub(crate) fn json(&self) -> Bytes {
        let Described { describe, json } = &*self.0;
        json.get_or_init(|| describe(self).to_string().into())
            .clone()
    }
}
