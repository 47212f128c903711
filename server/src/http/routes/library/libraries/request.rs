//! Request bodies of libraries and their validation.

use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::UserId;
use ledge_core::registry::Registry;
use ledge_core::store::library::{LibraryChange, NewLibrary};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::patch_field::present;

use crate::http::openapi::KindId;
use crate::serve::folder;

/// Limit of a name in characters.
const MAX_NAME: usize = 100;

/// A new library.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "Films", "path": "/srv/films", "grants": [2] }))]
pub(crate) struct CreateLibrary {
    /// Unique name.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// Absolute path of a folder on the server.
    #[schema(pattern = "^/")]
    path: String,
    /// Kinds of the library; the default is all.
    #[schema(value_type = Option<Vec<KindId>>, min_items = 1)]
    kinds: Option<Vec<String>>,
    /// Ids of the users with access, in addition to the requesting user.
    #[serde(default)]
    grants: Vec<UserId>,
}

/// Changes to a library; an omitted field stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "Films and series", "kinds": null }))]
pub(crate) struct UpdateLibrary {
    /// Unique name.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Absolute path of the new folder.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false, pattern = "^/")]
    path: Option<String>,
    /// Kinds of the library; null for all.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Vec<KindId>>, min_items = 1)]
    #[expect(
        clippy::option_option,
        reason = "absence, null and a list have different meanings"
    )]
    kinds: Option<Option<Vec<String>>>,
}

impl CreateLibrary {
    /// Creates the request of the command line.
    pub(crate) fn new(name: String, path: String, kinds: Vec<String>, grants: Vec<UserId>) -> Self {
        Self {
            name,
            path,
            kinds: (!kinds.is_empty()).then_some(kinds),
            grants,
        }
    }

    /// Validates the new library.
    pub(crate) async fn check(self, registry: &Registry) -> ApiResult<NewLibrary> {
        Ok(NewLibrary {
            name: check_name(&self.name)?,
            kinds: check_kinds(registry, self.kinds)?,
            path: folder::resolve(self.path).await?,
            grants: self.grants,
        })
    }
}

impl UpdateLibrary {
    /// Validates the changes.
    pub(crate) async fn check(self, registry: &Registry) -> ApiResult<LibraryChange> {
        let name = self.name.as_deref().map(check_name).transpose()?;
        let kinds = self.kinds.map(|kinds| check_kinds(registry, kinds));
        let kinds = kinds.transpose()?;
        let path = match self.path {
            Some(path) => Some(folder::resolve(path).await?),
            None => None,
        };
        Ok(LibraryChange { name, path, kinds })
    }
}

fn check_name(name: &str) -> ApiResult<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME {
        let message = "The name has between 1 and 100 characters.";
        return Err(ApiError::invalid("name", message));
    }
    if name.chars().any(char::is_control) {
        let message = "The name has no control characters.";
        return Err(ApiError::invalid("name", message));
    }
    Ok(name.to_owned())
}

/// Returns the kinds in the order of the registry, without duplicates.
fn check_kinds(registry: &Registry, kinds: Option<Vec<String>>) -> ApiResult<Option<Vec<String>>> {
    let Some(kinds) = kinds else {
        return Ok(None);
    };
    if let Some(unknown) = kinds.iter().find(|kind| registry.kind(kind).is_none()) {
        let message = format!("There is no kind “{unknown}”.");
        return Err(ApiError::invalid("kinds", message));
    }
    if kinds.is_empty() {
        let message = "Name at least one kind, or none of them by leaving it out.";
        return Err(ApiError::invalid("kinds", message));
    }
    let known = registry.kinds().iter().map(|kind| kind.id.to_owned());
    Ok(Some(known.filter(|kind| kinds.contains(kind)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_kinds_differ_from_omitted_kinds() {
        let read = |text| serde_json::from_str::<UpdateLibrary>(text);
        assert_eq!(read("{}").expect("nothing").kinds, None);
        assert_eq!(read(r#"{"kinds":null}"#).expect("null").kinds, Some(None));
        assert_eq!(
            read(r#"{"kinds":["a"]}"#).expect("a list").kinds,
            Some(Some(vec!["a".to_owned()]))
        );
        assert!(read(r#"{"name":null}"#).is_err());
        assert!(read(r#"{"path":null}"#).is_err());
        assert!(read(r#"{"nmae":"x"}"#).is_err());
    }

    #[test]
    fn name_is_trimmed_and_measured_in_characters() {
        assert_eq!(check_name("  Films ").expect("a name"), "Films");
        assert!(check_name(&"ü".repeat(100)).is_ok());
        for name in ["", "  ", "a\nb", &"x".repeat(101)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}
