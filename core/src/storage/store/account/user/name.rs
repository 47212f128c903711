//! Usernames: validation and comparison.

use unicode_normalization::UnicodeNormalization;

use crate::error::{StoreError, StoreResult};

/// Limit of a username in characters.
pub const MAX_USERNAME: usize = 64;

/// Returns the trimmed and composed (NFC) name. It must have 1 to 64 characters, without control
/// and format characters, which would make two names look alike.
pub fn valid_username(text: &str) -> StoreResult<String> {
    let name: String = text.trim().nfc().collect();
    let length = name.chars().count();
    if length == 0 || length > MAX_USERNAME {
        return Err(invalid_username("A username has 1 to 64 characters."));
    }
    if name.chars().any(is_unprintable) {
        return Err(invalid_username(
            "A username has no control or invisible characters.",
        ));
    }
    Ok(name)
}

fn invalid_username(message: &str) -> StoreError {
    StoreError::Invalid {
        field: "username",
        message: message.to_owned(),
    }
}

fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        )
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
}

/// Returns the comparison key of a username.
pub fn username_key(username: &str) -> String {
    username.trim().nfc().collect::<String>().to_lowercase()
}
