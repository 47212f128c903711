//! Limit of the requests for details of people.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Provider, Providers};
use crate::id::PersonId;
use crate::registry::provider::ExternalId;

/// People whose details are requested at the same time. Each one occupies a thread.
const MAX_RUNNING: usize = 2;

/// People whose details are requested now.
#[derive(Debug, Clone, Default)]
pub(super) struct RunningPeople(Arc<Mutex<BTreeSet<PersonId>>>);

/// Permit to request the details of a person. It ends when it is dropped.
#[derive(Debug)]
pub struct PersonPermit {
    running: RunningPeople,
    person: PersonId,
}

impl RunningPeople {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<PersonId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PersonPermit {
    fn drop(&mut self) {
        self.running.lock().remove(&self.person);
    }
}

impl Providers {
    /// Returns the providers that may be asked about the person with these ids, by rank. Those that
    /// a host or the back-off pauses are left out.
    pub fn of_person(&self, ids: &[ExternalId]) -> Vec<Arc<Provider>> {
        let all = self.iter();
        all.filter(|one| one.descriptor.people.accepts(ids) && one.client.pause().is_none())
            .collect()
    }

    /// Returns a permit to request the details of a person. Returns `None` if they are requested
    /// already, or if too many other requests are running.
    pub fn permit_person(&self, person: PersonId) -> Option<PersonPermit> {
        let running = self.0.people.clone();
        let mut people = running.lock();
        if people.len() >= MAX_RUNNING || !people.insert(person) {
            return None;
        }
        drop(people);
        Some(PersonPermit { running, person })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn person_is_requested_once_and_few_at_a_time() {
        let providers = Providers::default();
        let first = providers.permit_person(PersonId(1)).expect("a permit");
        assert!(providers.permit_person(PersonId(1)).is_none());
        let second = providers.permit_person(PersonId(2)).expect("a permit");
        assert!(providers.permit_person(PersonId(3)).is_none());
        drop(first);
        let _third = providers.permit_person(PersonId(3)).expect("a permit");
        drop(second);
        assert!(providers.permit_person(PersonId(1)).is_some());
    }
}
