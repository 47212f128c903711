//! Access levels of the branches of the route table, and their description in the document.

use ledge_core::App;
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
};
use utoipa_axum::router::OpenApiRouter;

use super::{operations, refusals};

/// Access level of a branch of the route table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Every client.
    Public,
    /// Signed-in users.
    SignedIn,
    /// Signed-in users, and holders of a ticket for the file in the path.
    Ticketed,
    /// Administrators.
    Administrator,
    /// Holders of the metrics token.
    Monitoring,
}

impl Access {
    /// Adds the description of this access level to all operations of a branch.
    pub(crate) fn describe(self, mut branch: OpenApiRouter<App>) -> OpenApiRouter<App> {
        for item in branch.get_openapi_mut().paths.paths.values_mut() {
            for (method, operation) in operations(item) {
                self.describe_operation(method, operation);
            }
        }
        branch
    }

    fn describe_operation(self, method: &str, operation: &mut Operation) {
        let schemes: &[&str] = match self {
            Self::Public => &[],
            Self::SignedIn | Self::Administrator => &["session", "bearer"],
            Self::Ticketed => &["session", "bearer", "ticket"],
            Self::Monitoring => &["monitoring"],
        };
        let needs = |scheme: &&str| SecurityRequirement::new(*scheme, [] as [&str; 0]);
        operation.security = Some(schemes.iter().map(needs).collect());
        if matches!(self, Self::Public | Self::Monitoring) {
            return;
        }
        refusals::add(operation, 401);
        let changes = !matches!(method, "get" | "head");
        if changes || self == Self::Administrator {
            refusals::add(operation, 403);
        }
        if self == Self::Administrator {
            let described = operation.description.get_or_insert_default();
            let space = if described.is_empty() { "" } else { "\n\n" };
            described.push_str(space);
            described.push_str("For administrators.");
        }
    }
}

/// Adds the security schemes to the document.
pub(super) fn name_schemes(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    let cookie = ApiKey::Cookie(ApiKeyValue::with_description(
        "ledge_session",
        "Set at login; named `__Host-ledge_session` over https.",
    ));
    components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    let mut bearer = Http::new(HttpAuthScheme::Bearer);
    bearer.description = Some("The session token, for clients without cookies.".to_owned());
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    let mut monitoring = Http::new(HttpAuthScheme::Bearer);
    monitoring.description = Some("The token of `LEDGE_METRICS_TOKEN`.".to_owned());
    components.add_security_scheme("monitoring", SecurityScheme::Http(monitoring));
    let ticket = ApiKey::Query(ApiKeyValue::with_description(
        "ticket",
        "A ticket for the one file, from `POST /files/{id}/link`. If it is present, other credentials are ignored.",
    ));
    components.add_security_scheme("ticket", SecurityScheme::ApiKey(ticket));
}
