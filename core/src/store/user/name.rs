//! Usernames: what can be one, and how they are compared.

use unicode_normalization::UnicodeNormalization;

use crate::store::{StoreError, StoreResult};

/// Longest username, in characters.
pub const MAX_USERNAME: usize = 64;

/// The name without blanks around it, composed, if it can be one: 1 to 64 characters, none of
/// them a control or format character that would make two names look alike.
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

/// The form in which names are compared.
pub fn username_key(username: &str) -> String {
    username.trim().nfc().collect::<String>().to_lowercase()
}
