//! Pictures in the folders of an item whose match is from a provider that queries a server.

use super::super::response::details;
use super::ProviderSession;
use crate::registry::provider::{OwnPictures, Query};

/// Reads the own pictures of an item for the match of a session's provider. A provider of local
/// files returns them with its match.
pub(in crate::services::enrich) fn read(
    session: &ProviderSession<'_>,
    question: &Query,
) -> OwnPictures {
    let mut own = OwnPictures::default();
    if !session.provider.descriptor.is_remote {
        return own;
    }
    let subkind = question.subkind.as_deref();
    let providers = session.app.providers.of_kind(&question.kind);
    let local =
        providers.filter(|one| !one.descriptor.is_remote && one.descriptor.serves_subkind(subkind));
    for provider in local {
        let session = ProviderSession::background(session.app, provider, session.is_stopped);
        // The match is useful without the pictures of a provider that crashes.
        let found = session.ask(|lookup, _| Ok(lookup.own_pictures(question)));
        let found = details::own_pictures(found.unwrap_or_default());
        own.backdrop = own.backdrop.or(found.backdrop);
        own.logo = own.logo.or(found.logo);
        own.seasons.extend(found.seasons);
    }
    own
}
