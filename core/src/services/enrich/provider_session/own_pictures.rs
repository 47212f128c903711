//! Pictures in the folders of an item whose match is from a provider that queries a server.

use super::super::response::details;
use super::ProviderSession;
use crate::registry::provider::{Details, Query};

/// Adds the item's own pictures to the details of its match. They replace those of the match.
pub(in crate::services::enrich) fn add(
    session: &ProviderSession<'_>,
    question: &Query,
    details: &mut Details,
) {
    let subkind = question.subkind.as_deref();
    let providers = session.app.providers.of_kind(&question.kind);
    let local =
        providers.filter(|one| !one.descriptor.is_remote && one.descriptor.serves_subkind(subkind));
    for provider in local {
        let session = ProviderSession::background(session.app, provider, session.is_stopped);
        // The match is useful without the pictures of a provider that crashes.
        let found = session.ask(|lookup, _| Ok(lookup.own_pictures(question)));
        let own = details::own_pictures(found.unwrap_or_default());
        details.backdrop = own.backdrop.or(details.backdrop.take());
        details.logo = own.logo.or(details.logo.take());
        details.pictures.extend(own.parts);
    }
}
