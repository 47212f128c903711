//! Limits of archives that are open at the same time.
//!
//! | permits | for |
//! |---|---|
//! | 64, of which a user may take 16 | a response, until it is sent |
//! | 2 | opening the files of an archive for their sizes and times |
//! | 2 | reading a file for its checksum, if a range begins after it |

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::http::{ApiError, ApiResult};
use crate::id::UserId;

/// Limit of open archives of one user. Some clients use several connections for one file.
const PER_USER: usize = 16;
/// Limit of open archives of the server.
const OVERALL: usize = 64;

static MEASURING: Semaphore = Semaphore::const_new(2);
static SUMMING: Semaphore = Semaphore::const_new(2);
/// Open archives of each user.
static OPEN: Mutex<BTreeMap<UserId, usize>> = Mutex::new(BTreeMap::new());

/// Permit for one response. Dropping it returns it.
#[derive(Debug)]
pub(super) struct OpenPermit(UserId);

/// Returns a permit, or `None` if the user or the server has reached its limit.
pub(super) fn open(user: UserId) -> Option<OpenPermit> {
    let mut open = counts();
    if open.values().sum::<usize>() >= OVERALL {
        return None;
    }
    let own = open.entry(user).or_default();
    if *own >= PER_USER {
        return None;
    }
    *own += 1;
    Some(OpenPermit(user))
}

impl Drop for OpenPermit {
    fn drop(&mut self) {
        let mut open = counts();
        if let Some(own) = open.get_mut(&self.0) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.0);
            }
        }
    }
}

/// Locks the counts and ignores poisoning: a panic cannot leave them inconsistent.
fn counts() -> MutexGuard<'static, BTreeMap<UserId, usize>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a permit to open the files of an archive.
pub(super) async fn measure() -> ApiResult<SemaphorePermit<'static>> {
    MEASURING.acquire().await.map_err(ApiError::internal)
}

/// Waits for a permit to read a file for its checksum.
pub(super) async fn sum() -> std::io::Result<SemaphorePermit<'static>> {
    SUMMING.acquire().await.map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_are_limited_by_user_and_overall_and_return_on_drop() {
        let mut permits: Vec<OpenPermit> = (0..PER_USER)
            .map(|_| open(UserId(1)).expect("a permit"))
            .collect();
        assert!(open(UserId(1)).is_none());
        for user in 2..=4 {
            permits.extend((0..PER_USER).filter_map(|_| open(UserId(user))));
        }
        assert_eq!(permits.len(), OVERALL);
        assert!(open(UserId(5)).is_none());
        permits.pop();
        assert!(open(UserId(5)).is_some());
        drop(permits);
        assert!(counts().is_empty());
    }
}
