//! Errors of the HTTP client as errors of a provider.

use std::error::Error;
use std::io;

use super::dns::PrivateAddress;
use crate::registry::provider::AskError;

/// Converts an error without its address, which may contain a secret.
pub(super) fn ask_error(error: &reqwest::Error) -> AskError {
    if error.is_timeout() {
        return AskError::Timeout;
    }
    if error.is_builder() {
        return AskError::Malformed("the request is malformed".to_owned());
    }
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(known) = known_cause(error) {
            return known;
        }
        cause = error.source();
    }
    let what = if error.is_connect() {
        "the host cannot be reached"
    } else {
        "the connection broke"
    };
    AskError::Network(what.to_owned())
}

fn known_cause(error: &(dyn Error + 'static)) -> Option<AskError> {
    if error.is::<PrivateAddress>() {
        return Some(AskError::Refused(PrivateAddress.to_string()));
    }
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(AskError::Network(format!("TLS: {error}")));
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return http_error(error);
    }
    let error = error.downcast_ref::<io::Error>()?;
    // `source` of an I/O error skips the error that it contains.
    let contained = error.get_ref().map(|error| error as &(dyn Error + 'static));
    match (contained.and_then(known_cause), error.kind()) {
        (Some(known), _) => Some(known),
        (None, io::ErrorKind::TimedOut) => Some(AskError::Timeout),
        (None, io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => Some(
            AskError::Malformed("the compression of the response is damaged".to_owned()),
        ),
        (None, _) => None,
    }
}

fn http_error(error: &hyper::Error) -> Option<AskError> {
    if error.is_parse_too_large() {
        return Some(AskError::TooLarge);
    }
    let is_malformed = error.is_parse() || error.is_parse_status();
    is_malformed.then(|| AskError::Malformed("the response is not HTTP".to_owned()))
}

/// Reports whether an error concerns the provider as a whole: it is unreachable, overloaded, or
/// rejects the credentials.
pub(crate) fn is_outage(error: &AskError) -> bool {
    match error {
        AskError::Network(_) | AskError::Timeout => true,
        AskError::Status { code, .. } => matches!(code, 401 | 403 | 407 | 408 | 429 | 500..),
        AskError::Malformed(_) | AskError::TooLarge | AskError::Refused(_) | AskError::Stopped => {
            false
        }
    }
}
