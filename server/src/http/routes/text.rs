//! Texts of requests.

use ledge_core::http::{ApiError, ApiResult};

/// Returns the trimmed text if it is a single line of 1 to `longest` characters.
pub(crate) fn line(field: &'static str, text: &str, longest: usize) -> ApiResult<String> {
    let text = text.trim();
    let is_sound = !text.is_empty() && !text.chars().any(char::is_control);
    if !is_sound || text.chars().count() > longest {
        let message = format!("`{field}` must be one line of 1 to {longest} characters.");
        return Err(ApiError::invalid(field, message));
    }
    Ok(text.to_owned())
}
