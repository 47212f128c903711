//! Pictures in the folders of an item whose match is from a provider that queries a server.

use super::super::response::details;
use super::ProviderSession;
use crate::registry::provider::{LocalPictures, Query};

/// Reads the pictures in the folders of an item for the match of a session's provider. A provider of local
/// files returns them with its match.
pub(in crate::services::enrich) fn read(
    session: &ProviderSession<'_>,
    question: &Query,
) -> LocalPictures {
    let mut local = LocalPictures::default();
    if !session.provider.descriptor.is_remote {
        return local;
    }
    let subkind = question.subkind.as_deref();
    let providers = session.app.providers.of_kind(&question.kind);
    let readers =
        providers.filter(|one| !one.descriptor.is_remote && one.descriptor.serves_subkind(subkind));
    for provider in readers {
        let session = ProviderSession::background(session.app, provider, session.is_stopped);
        // The match is useful without the pictures of a provider that crashes.
        let found = session.ask(|lookup, _| Ok(lookup.local_pictures(question)));
        let found = details::local_pictures(found.unwrap_or_default());
        local.backdrop = local.backdrop.or(found.backdrop);
        local.logo = local.logo.or(found.logo);
        local.seasons.extend(found.seasons);
    }
    local
}
