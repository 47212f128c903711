//! Check of app passwords.

use ledge_core::App;
use ledge_core::http::ApiError;
use ledge_core::http::protocol::{Presented, Protocol, Refusal};
use ledge_core::store::account::app_password::{self, Holder, MAX_PASSWORDS, SecretHash};
use ledge_core::store::account::user::username_key;
use subtle::{Choice, ConstantTimeEq as _};

use super::secret::{self, Secret};
use super::{AppAccessService, ServerKey};
use crate::http::session::Client;

/// Result of a look-up.
enum Found {
    Holder(Box<Holder>),
    Nothing,
    /// The secrets of the user cannot be derived: the key is not the one that made them.
    LostKey,
}

impl Found {
    fn of(holder: Option<Holder>) -> Self {
        holder.map_or(Self::Nothing, |holder| Self::Holder(Box::new(holder)))
    }
}

impl AppAccessService {
    /// Returns the holder of the presented credentials. Correct credentials always pass: a secret of
    /// 100 random bits needs no limit. Failures are limited per name and client, and per client.
    pub(super) async fn log_in(
        &self,
        app: &App,
        client: &Client,
        protocol: &'static Protocol,
        presented: Presented,
    ) -> Result<Holder, Refusal> {
        let wrong = match &presented {
            Presented::Absent => return Err(Refusal::Absent),
            Presented::Conflicting => return Err(Refusal::Conflicting),
            Presented::Key { .. } => Refusal::WrongKey,
            _ => Refusal::Wrong,
        };
        if is_incomplete(&presented) {
            return Err(wrong);
        }
        let username = username(&presented).to_owned();
        let found = self.find(app, presented).await;
        match found.map_err(Refusal::Other)? {
            Found::Holder(holder) if holder.scopes.contains(protocol.scope) => Ok(*holder),
            Found::Holder(_) => Err(Refusal::Scope(protocol.scope)),
            Found::Nothing => Err(self.failed(app, client, &username, wrong)),
            Found::LostKey => Err(self.failed(app, client, &username, Refusal::NoTokens)),
        }
    }

    /// Counts a failure, and replaces its refusal if there are too many.
    fn failed(&self, app: &App, client: &Client, username: &str, refusal: Refusal) -> Refusal {
        let throttle = &self.shared.throttle;
        let attempt = throttle.attempt(username, client, None);
        let now = app.clock.now();
        match throttle.admit(&attempt, now) {
            Ok(_) => {
                throttle.record(&attempt, false, now);
                refusal
            }
            Err(seconds) => Refusal::Other(ApiError::TooManyRequests(seconds)),
        }
    }

    async fn find(&self, app: &App, presented: Presented) -> Result<Found, ApiError> {
        let (username, hash) = match presented {
            Presented::Token {
                username,
                md5,
                salt,
            } => return self.find_by_token(app, username, &md5, &salt).await,
            Presented::Secret { username, secret } => {
                (Some(username), Hash::Secret(secret::hash(&secret)))
            }
            Presented::Md5 { username, md5 } => {
                (Some(username), Hash::Md5(secret::hash(&md5.to_lowercase())))
            }
            Presented::Key { secret } => (None, Hash::Secret(secret::hash(&secret))),
            Presented::Absent | Presented::Conflicting => return Ok(Found::Nothing),
        };
        let read = app.db.read_inline(move |conn| match hash {
            Hash::Secret(hash) => app_password::by_secret(conn, &hash),
            Hash::Md5(hash) => app_password::by_md5(conn, &hash),
        });
        let holder = read.await?;
        let is_named = |holder: &Holder| {
            let username = username.as_ref();
            username.is_none_or(|username| username_key(username) == holder.username_key)
        };
        Ok(Found::of(holder.filter(is_named)))
    }

    async fn find_by_token(
        &self,
        app: &App,
        username: String,
        md5: &str,
        salt: &str,
    ) -> Result<Found, ApiError> {
        let read = move |conn: &_| app_password::by_username(conn, &username);
        let holders = app.db.read_inline(read).await?;
        Ok(matching(self.key(), holders, &md5.to_lowercase(), salt))
    }
}

/// Hash by which an app password is found.
enum Hash {
    Secret(SecretHash),
    Md5(SecretHash),
}

/// Returns `true` if a part of the credentials is empty. Every app password has a secret, so such
/// a request does not guess one.
fn is_incomplete(presented: &Presented) -> bool {
    match presented {
        Presented::Secret {
            username: name,
            secret: proof,
        }
        | Presented::Md5 {
            username: name,
            md5: proof,
        } => name.is_empty() || proof.is_empty(),
        Presented::Token {
            username,
            md5,
            salt,
        } => [username, md5, salt].into_iter().any(String::is_empty),
        Presented::Key { secret } => secret.is_empty(),
        Presented::Absent | Presented::Conflicting => true,
    }
}

fn username(presented: &Presented) -> &str {
    match presented {
        Presented::Secret { username, .. }
        | Presented::Token { username, .. }
        | Presented::Md5 { username, .. } => username,
        Presented::Absent | Presented::Conflicting | Presented::Key { .. } => "",
    }
}

/// Compares a token with those of all app passwords. The number of derived secrets is constant, so
/// that the time is the same for an absent user.
fn matching(key: &ServerKey, holders: Vec<Holder>, token: &str, salt: &str) -> Found {
    let mut found = None;
    let mut is_lost = Choice::from(0);
    let nothing = MAX_PASSWORDS.saturating_sub(holders.len());
    for holder in holders {
        let secret = Secret::derived(key, &holder.secret.nonce);
        is_lost |= !secret.hash().ct_eq(&holder.secret.secret_hash);
        let is_equal = secret.token(salt).as_bytes().ct_eq(token.as_bytes());
        if bool::from(is_equal) {
            found = Some(holder);
        }
    }
    for _ in 0..nothing {
        let secret = Secret::derived(key, &[0; 16]);
        let is_equal = secret.token(salt).as_bytes().ct_eq(token.as_bytes());
        std::hint::black_box((secret.hash(), is_equal));
    }
    match found {
        None if bool::from(is_lost) => Found::LostKey,
        found => Found::of(found),
    }
}
