//! Request bodies of annotations and their validation.

use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::FileId;
use ledge_core::store::user_data::annotation::{AnnotationPatch, AnnotationType, NewAnnotation};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::patch_field::present;

/// Limit of a text or a note in characters.
const MAX_TEXT: usize = 10_000;
/// Limit of a locator in bytes.
const MAX_LOCATOR: usize = 1_024;

/// A new bookmark or highlight.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "file_id": 1, "position": 0, "type": "highlight", "text": "Call me Ishmael.", "color": "yellow" }))]
pub(crate) struct CreateAnnotation {
    /// Id of the file; optional if the item has only one.
    file_id: Option<FileId>,
    /// Position in the file's unit.
    #[schema(minimum = 0)]
    position: i64,
    /// Opaque text that the reader stores with the position, at most 1 KiB.
    #[schema(max_length = 1_024)]
    locator: Option<String>,
    /// Type of the annotation.
    r#type: AnnotationType,
    /// Marked text.
    #[schema(max_length = 10_000)]
    text: Option<String>,
    /// Note of the user.
    #[schema(max_length = 10_000)]
    note: Option<String>,
    /// Colour: a lower-case name, or `#rrggbb`.
    #[schema(pattern = "^(#[0-9A-Fa-f]{6}|[a-z][a-z0-9-]{0,31})$")]
    color: Option<String>,
}

/// Changes to an annotation; an omitted field stays, and null clears it.
#[expect(
    clippy::option_option,
    reason = "absence, null and a text have different meanings"
)]
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "note": "Where it begins", "color": null }))]
pub(crate) struct UpdateAnnotation {
    /// Position in the file's unit.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = i64, required = false, minimum = 0)]
    position: Option<i64>,
    /// Opaque text that the reader stores with the position, at most 1 KiB.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 1_024)]
    locator: Option<Option<String>>,
    /// Marked text.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 10_000)]
    text: Option<Option<String>>,
    /// Note of the user.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 10_000)]
    note: Option<Option<String>>,
    /// Colour: a lower-case name, or `#rrggbb`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, pattern = "^(#[0-9A-Fa-f]{6}|[a-z][a-z0-9-]{0,31})$")]
    color: Option<Option<String>>,
}

impl CreateAnnotation {
    /// Validates the new annotation.
    pub(crate) fn check(self) -> ApiResult<NewAnnotation> {
        check_texts(&self.locator, &self.text, &self.note, &self.color)?;
        Ok(NewAnnotation {
            file: self.file_id,
            position: self.position,
            locator: self.locator,
            kind: self.r#type,
            text: self.text,
            note: self.note,
            color: self.color,
        })
    }
}

impl UpdateAnnotation {
    /// Validates the changes.
    pub(crate) fn check(self) -> ApiResult<AnnotationPatch> {
        let flat = |field: &Option<Option<String>>| field.clone().flatten();
        check_texts(
            &flat(&self.locator),
            &flat(&self.text),
            &flat(&self.note),
            &flat(&self.color),
        )?;
        Ok(AnnotationPatch {
            position: self.position,
            locator: self.locator,
            text: self.text,
            note: self.note,
            color: self.color,
        })
    }
}

#[expect(
    clippy::ref_option,
    reason = "these are the types of the fields of the bodies"
)]
fn check_texts(
    locator: &Option<String>,
    text: &Option<String>,
    note: &Option<String>,
    color: &Option<String>,
) -> ApiResult<()> {
    if locator
        .as_ref()
        .is_some_and(|value| value.len() > MAX_LOCATOR)
    {
        let message = "`locator` has at most 1,024 bytes.";
        return Err(ApiError::invalid("locator", message));
    }
    for (field, value) in [("text", text), ("note", note)] {
        if value
            .as_ref()
            .is_some_and(|value| value.chars().count() > MAX_TEXT)
        {
            let message = format!("`{field}` has at most 10,000 characters.");
            return Err(ApiError::invalid(field, message));
        }
    }
    if color.as_deref().is_some_and(|value| !is_color(value)) {
        let message = "`color` is a word in lower case, or #rrggbb.";
        return Err(ApiError::invalid("color", message));
    }
    Ok(())
}

/// Returns `true` for `#rrggbb`, or a name of at most 32 letters, digits and hyphens that begins
/// with a letter.
fn is_color(text: &str) -> bool {
    if let Some(digits) = text.strip_prefix('#') {
        return digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    text.len() <= 32
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(is_part)
}
