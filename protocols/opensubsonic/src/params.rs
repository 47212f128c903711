//! The request of a user, with typed parameters.

use axum::Extension;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::content::Direct;
use ledge_core::http::protocol::Params;
use ledge_core::http::{ApiError, CurrentUser};
use ledge_core::id::LibraryId;
use ledge_core::store::file::recording::walk::Scope;

use crate::failure::Failure;
use crate::ids::Id;

/// Limit of the ids in a request.
pub(crate) const MAX_IDS: usize = 10_000;

/// Limit of the results of one type in a response.
pub(crate) const MAX_RESULTS: u32 = 500;

/// Returns the limits of a list.
pub(crate) fn scope<'a>(
    visible: Visible,
    library: Option<LibraryId>,
    kinds: &'a [&'static str],
) -> Scope<'a> {
    Scope {
        visible,
        library,
        kinds,
    }
}

/// The request of a user.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) app: App,
    pub(crate) user: CurrentUser,
    pub(crate) visible: Visible,
    pub(crate) params: Params,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) direct: Option<Direct>,
}

impl FromRequestParts<App> for Call {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let user = CurrentUser::from_request_parts(parts, app).await?;
        let direct = Option::<Extension<Direct>>::from_request_parts(parts, app).await;
        Ok(Self {
            app: app.clone(),
            visible: Visible::of(user.id),
            user,
            params: Params::from_request_parts(parts, app).await?,
            method: parts.method.clone(),
            headers: parts.headers.clone(),
            direct: direct.ok().flatten().map(|Extension(direct)| direct),
        })
    }
}

impl Call {
    /// Returns a text that may be absent.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.params.first(name)
    }

    /// Returns a text.
    ///
    /// # Errors
    ///
    /// Fails if it is absent.
    pub(crate) fn required(&self, name: &str) -> Result<&str, Failure> {
        self.text(name).ok_or_else(|| Failure::parameter(name))
    }

    /// Returns an integer that may be absent.
    ///
    /// # Errors
    ///
    /// Fails if it is not an integer.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i64>, Failure> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|_| Failure::parameter(name))
    }

    /// Returns an integer.
    ///
    /// # Errors
    ///
    /// Fails if it is absent or not an integer.
    pub(crate) fn required_integer(&self, name: &str) -> Result<i64, Failure> {
        self.integer(name)?.ok_or_else(|| Failure::parameter(name))
    }

    /// Returns a number of results: at most `most`, and `default` if it is absent.
    ///
    /// # Errors
    ///
    /// Fails if it is not an integer or negative.
    pub(crate) fn count(&self, name: &str, default: u32, most: u32) -> Result<u32, Failure> {
        let count = self.integer(name)?.unwrap_or(i64::from(default));
        if count < 0 {
            return Err(Failure::parameter(name));
        }
        Ok(u32::try_from(count).unwrap_or(u32::MAX).min(most))
    }

    /// Returns a number of results to skip, 0 if it is absent.
    ///
    /// # Errors
    ///
    /// Fails if it is not an integer or negative.
    pub(crate) fn offset(&self, name: &str) -> Result<u64, Failure> {
        let offset = self.integer(name)?.unwrap_or(0);
        u64::try_from(offset).map_err(|_| Failure::parameter(name))
    }

    /// Returns a truth value that may be absent.
    ///
    /// # Errors
    ///
    /// Fails if it is neither `true` nor `false`.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        match self.text(name) {
            None => Ok(None),
            Some(text) if text.eq_ignore_ascii_case("true") || text == "1" => Ok(Some(true)),
            Some(text) if text.eq_ignore_ascii_case("false") || text == "0" => Ok(Some(false)),
            Some(_) => Err(Failure::parameter(name)),
        }
    }

    /// Returns an id.
    ///
    /// # Errors
    ///
    /// Fails if it is absent, or if it names no object.
    pub(crate) fn id(&self, name: &str) -> Result<Id, Failure> {
        Id::parse(self.required(name)?)
    }

    /// Returns all ids of a parameter.
    ///
    /// # Errors
    ///
    /// Fails if there are too many, or if one names no object.
    pub(crate) fn ids(&self, name: &str) -> Result<Vec<Id>, Failure> {
        let texts: Vec<&str> = self.params.all(name).take(MAX_IDS + 1).collect();
        if texts.len() > MAX_IDS {
            return Err(Failure::parameter(name));
        }
        texts.into_iter().map(Id::parse).collect()
    }

    /// Returns the music folder to which a list is limited.
    ///
    /// # Errors
    ///
    /// Fails if it is not an integer. An absent library yields an empty list.
    pub(crate) fn library(&self) -> Result<Option<LibraryId>, Failure> {
        Ok(self.integer("musicFolderId")?.map(LibraryId))
    }
}
