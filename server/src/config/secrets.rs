//! Secrets from the environment or from files.

use super::{ConfigError, Environment, Secret, value};
use crate::http::session::password;

/// Reads the metrics token. It is sent in a header, so it must consist of visible ASCII characters.
pub(super) fn metrics_token(environment: Environment<'_>) -> Result<Option<Secret>, ConfigError> {
    const DIRECT: &str = "LEDGE_METRICS_TOKEN";
    let given = value::secret(DIRECT, "LEDGE_METRICS_TOKEN_FILE", environment)?;
    let Some((variable, token)) = given else {
        return Ok(None);
    };
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        let problem =
            "The token must consist of ASCII letters, digits and punctuation, without spaces.";
        return Err(ConfigError::new(variable, problem));
    }
    Ok(Some(Secret(token)))
}

/// Reads the password of the first administrator.
pub(super) fn admin_password(environment: Environment<'_>) -> Result<Option<Secret>, ConfigError> {
    const DIRECT: &str = "LEDGE_ADMIN_PASSWORD";
    let Some((variable, password)) =
        value::secret(DIRECT, "LEDGE_ADMIN_PASSWORD_FILE", environment)?
    else {
        return Ok(None);
    };
    if !password::is_valid(&password) {
        return Err(ConfigError::new(variable, password::REQUIREMENT));
    }
    Ok(Some(Secret(password)))
}
