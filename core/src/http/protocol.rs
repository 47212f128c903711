//! Protocols of other programs, which the crates below `protocols/` register.

use std::fmt;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::MethodRouter;

use super::ApiError;
use crate::App;
use crate::store::account::app_password::Scope;

/// Protocol: the paths below one mount, behind the login with an app password.
#[derive(Debug, Clone, Copy)]
pub struct Protocol {
    /// Identifier in settings, log and metrics: `^[a-z][a-z0-9_-]*$`.
    pub id: &'static str,
    /// Name for users.
    pub label: &'static str,
    /// Position in lists. `id` breaks ties.
    pub rank: i32,
    /// First segment of all paths, with its slash: `/opds`.
    pub mount: &'static str,
    /// Path of the address that users enter in an app. It is empty if apps add the mount themselves.
    pub app_path: &'static str,
    /// Scope that an app password must have.
    pub scope: Scope,
    /// Paths without a login. They are compared with the path of the matched route.
    pub open: &'static [&'static str],
    /// `true` if a POST request may have its parameters as a form in the body.
    pub form: bool,
    /// Beginning of the paths whose responses pages of other sites may read (CORS).
    pub cross_origin: Option<&'static str>,
    /// Parses the credentials of a request, and decides nothing.
    pub credentials: fn(&Parts, &Params) -> Presented,
    /// Creates the response of a refused request in the format of the protocol.
    pub refuse: fn(&Parts, &Params, Refusal) -> Response,
    /// Routes below the mount.
    pub routes: &'static [Route],
    /// Steps that connect an app, as sentences in English.
    pub setup: fn(&Setup<'_>) -> Vec<String>,
}

/// Route of a protocol.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Complete path, which begins with the mount.
    pub path: &'static str,
    /// Creates the handlers of the methods.
    pub methods: fn() -> MethodRouter<App>,
}

inventory::collect!(Protocol);

impl Protocol {
    /// Creates the router of the routes whose responses other sites may read, or of the other
    /// ones, without a login. It can be empty.
    #[expect(
        clippy::disallowed_methods,
        reason = "the table of routes is the source of the access matrix of protocols"
    )]
    pub fn router(&self, is_cross_origin: bool) -> Router<App> {
        let routes = self.routes.iter();
        let routes = routes.filter(|route| self.is_cross_origin(route.path) == is_cross_origin);
        routes.fold(Router::new(), |router, route| {
            let methods = (route.methods)();
            // The layer of the permissions responds to `OPTIONS`. It runs for known methods only.
            let methods = if is_cross_origin {
                methods.options(|| async {})
            } else {
                methods
            };
            router.route(route.path, methods)
        })
    }

    fn is_cross_origin(&self, path: &str) -> bool {
        let rest = self.cross_origin.and_then(|start| path.strip_prefix(start));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the registered protocols by rank.
    ///
    /// # Errors
    ///
    /// Returns a sentence that names two protocols with one mount, or a mount that the server needs.
    pub fn collect() -> Result<Vec<&'static Self>, String> {
        let mut protocols: Vec<&'static Self> = inventory::iter::<Self>().collect();
        protocols.sort_by_key(|protocol| (protocol.rank, protocol.id));
        check(&protocols)?;
        Ok(protocols)
    }
}

/// Mounts of the server itself.
const RESERVED: [&str; 4] = ["/api", "/healthz", "/metrics", "/assets"];

fn check(protocols: &[&'static Protocol]) -> Result<(), String> {
    for (at, protocol) in protocols.iter().enumerate() {
        let Protocol { id, mount, .. } = protocol;
        let segment = mount.strip_prefix('/').unwrap_or_default();
        let is_segment = !segment.is_empty() && !segment.contains(['/', '{', '*']);
        if !is_segment || RESERVED.contains(mount) {
            return Err(format!(
                "The protocol `{id}` has the mount `{mount}`, which it cannot have."
            ));
        }
        let is_below = |path: &str| {
            let rest = path.strip_prefix(mount);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if let Some(route) = protocol.routes.iter().find(|route| !is_below(route.path)) {
            return Err(format!(
                "The path `{}` of the protocol `{id}` is not below its mount `{mount}`.",
                route.path
            ));
        }
        let mut earlier = protocols.iter().take(at);
        if let Some(other) = earlier.find(|other| other.id == *id || other.mount == *mount) {
            return Err(format!(
                "The protocols `{}` and `{id}` have the same id or the same mount `{mount}`.",
                other.id
            ));
        }
    }
    Ok(())
}

/// Data for the steps that connect an app.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// Address that the user enters in an app.
    pub address: &'a str,
    /// Name of the user.
    pub username: &'a str,
}

/// Parameters of a request: those of the query, then those of a form in the body. They contain
/// secrets and have no `Debug` output.
#[derive(Clone, Default)]
pub struct Params(Vec<(String, String)>);

impl fmt::Debug for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Params")
    }
}

impl Params {
    /// Creates parameters from pairs in their order.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// Returns the first value of a parameter.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Returns all values of a parameter.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let of_name = self.0.iter().filter(move |(key, _)| key == name);
        of_name.map(|(_, value)| value.as_str())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

/// Credentials of a request as the client sent them. They are secrets and have no `Debug` output.
#[derive(Clone, PartialEq, Eq)]
pub enum Presented {
    /// No credentials.
    Absent,
    /// More than one kind of credentials, or repeated ones.
    Conflicting,
    /// Name and secret.
    Secret {
        /// Username.
        username: String,
        /// The secret.
        secret: String,
    },
    /// Name, and the MD5 of the secret and a salt.
    Token {
        /// Username.
        username: String,
        /// MD5 of the secret followed by the salt, in hexadecimal digits.
        md5: String,
        /// Salt of the client.
        salt: String,
    },
    /// Name, and the MD5 of the secret.
    Md5 {
        /// Username.
        username: String,
        /// MD5 of the secret, in hexadecimal digits.
        md5: String,
    },
    /// The secret alone.
    Key {
        /// The secret.
        secret: String,
    },
}

impl fmt::Debug for Presented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Presented")
    }
}

/// Reason for which a request is refused.
#[derive(Debug)]
pub enum Refusal {
    /// The request has no credentials.
    Absent,
    /// The request has more than one kind of credentials.
    Conflicting,
    /// Wrong credentials, or a disabled user.
    Wrong,
    /// A wrong secret without a name.
    WrongKey,
    /// The server's key is lost, so that no token can be checked.
    NoTokens,
    /// The app password lacks the scope of the protocol.
    Scope(Scope),
    /// A further error: too many failures, a body that is too large, or a failure of the server.
    Other(ApiError),
}

/// Public address of the server, without a slash at its end. It is empty if the server cannot know
/// it; addresses then begin with their path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Origin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let origin = parts.extensions.get::<Self>().cloned();
        Ok(origin.unwrap_or_else(|| Self(String::new())))
    }
}

/// Properties of the app password that opened a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppAccess {
    /// `true` if a page that an app fetches becomes the progress position.
    pub pages_move_place: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for AppAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let access = parts.extensions.get::<Self>().copied();
        access.ok_or(ApiError::Unauthenticated("Log in with an app password."))
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;

    use super::*;

    const NOTES: Protocol = Protocol {
        id: "notes",
        label: "Notes",
        rank: 0,
        mount: "/notes",
        app_path: "/notes",
        scope: Scope::Places,
        open: &[],
        form: false,
        cross_origin: None,
        credentials: |_, _| Presented::Absent,
        refuse: |_, _, _| ApiError::Unavailable.into_response(),
        routes: &[],
        setup: |_| Vec::new(),
    };

    #[test]
    fn output_of_parameters_contains_no_secret() {
        let params = Params::new(vec![("p".to_owned(), "sesame".to_owned())]);
        let output = format!("{params:?}");
        assert_eq!(params.first("p"), Some("sesame"));
        assert!(!output.contains("sesame"), "{output}");
    }

    #[test]
    fn other_sites_read_whole_segments_below_the_beginning() {
        let notes = Protocol {
            cross_origin: Some("/notes/v2"),
            ..NOTES
        };
        for path in ["/notes/v2", "/notes/v2/", "/notes/v2/a"] {
            assert!(notes.is_cross_origin(path), "{path}");
        }
        for path in ["/notes", "/notes/v20", "/notes/a/v2"] {
            assert!(!notes.is_cross_origin(path), "{path}");
        }
        assert!(!NOTES.is_cross_origin("/notes"));
    }

    #[test]
    fn mounts_differ_from_each_other_and_from_those_of_the_server() {
        const OTHER: Protocol = Protocol {
            id: "other",
            ..NOTES
        };
        const MOVED: Protocol = Protocol {
            mount: "/other",
            ..OTHER
        };
        const API: Protocol = Protocol {
            mount: "/api",
            ..NOTES
        };
        const ROOT: Protocol = Protocol {
            mount: "/",
            ..NOTES
        };
        const DEEP: Protocol = Protocol {
            mount: "/a/b",
            ..NOTES
        };
        assert_eq!(check(&[&NOTES, &MOVED]), Ok(()));
        for wrong in [&[&NOTES, &OTHER][..], &[&API], &[&ROOT], &[&DEEP]] {
            assert!(check(wrong).is_err(), "{wrong:?}");
        }
    }
}
