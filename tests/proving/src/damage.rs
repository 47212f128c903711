//! Damaged files: the same in every run, with the number in `LEDGE_MUTATIONS`.

#![expect(clippy::print_stderr, reason = "figures for whoever asks for many")]

use std::time::{Duration, Instant};

/// Maximum duration of reading any file.
pub const MAX_WAIT: Duration = Duration::from_secs(5);

/// Bytes that are significant in many formats.
const TELLING: &[u8] = &[
    0, 1, 3, 8, 0x10, 0x7f, 0x80, 0xfe, 0xff, b' ', b'"', b'&', b'/', b'0', b'9', b'<', b'>', b'A',
    b'[', b']', b'{', b'}', b':', b',', b'-', b'\\',
];

/// Location of most of the damage.
#[derive(Debug, Clone, Copy)]
pub enum Aim {
    /// Anywhere in the file.
    Anywhere,
    /// In its first bytes, up to this offset.
    Beginning(usize),
    /// In bytes that are not zero, for mostly empty files.
    Filled,
}

/// Reads a file in many damaged states. No read may be slow or panic.
pub fn survives(seed: &[u8], read: impl FnMut(&[u8])) {
    survives_aimed(seed, Aim::Anywhere, read);
}

/// Like [`survives`], with most of the damage in one location.
pub fn survives_aimed(seed: &[u8], aim: Aim, mut read: impl FnMut(&[u8])) {
    let asked = std::env::var("LEDGE_MUTATIONS").ok();
    let rounds = asked.as_ref().and_then(|number| number.parse().ok());
    let rounds: usize = rounds.unwrap_or(1_000);
    let places = match aim {
        Aim::Filled => (0..seed.len())
            .filter(|at| seed.get(*at) != Some(&0))
            .collect(),
        Aim::Anywhere | Aim::Beginning(_) => Vec::new(),
    };
    let mut damage = Damage {
        state: 0x9e37_79b9_7f4a_7c15,
        aim,
        places,
    };
    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        let bytes = damage.of(seed);
        let start = Instant::now();
        read(&bytes);
        let took = start.elapsed();
        assert!(took < MAX_WAIT, "round {round} took {took:?}");
        slowest = slowest.max(took);
    }
    if asked.is_some() {
        eprintln!(
            "{rounds} states of {} bytes, the slowest {slowest:?}",
            seed.len()
        );
    }
}

/// Deterministic generator of damage.
struct Damage {
    state: u64,
    aim: Aim,
    places: Vec<usize>,
}

impl Damage {
    fn next(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 16).unwrap_or(0) % below.max(1)
    }

    fn byte(&mut self) -> u8 {
        let any = u8::try_from(self.next(256)).unwrap_or(0);
        let at = self.next(TELLING.len() * 2);
        TELLING.get(at).copied().unwrap_or(any)
    }

    fn place(&mut self, length: usize) -> usize {
        let is_aimed = self.next(8) > 0;
        match self.aim {
            Aim::Beginning(reach) if is_aimed => self.next(length.min(reach)),
            Aim::Filled if is_aimed => {
                let at = self.next(self.places.len());
                let place = self.places.get(at).copied().unwrap_or(0);
                place.min(length.saturating_sub(1))
            }
            _ => self.next(length),
        }
    }

    /// Applies one to nine changes: bytes replaced, inserted, removed, repeated, truncated.
    fn of(&mut self, seed: &[u8]) -> Vec<u8> {
        let mut bytes = seed.to_vec();
        for _ in 0..=self.next(8) {
            let at = self.place(bytes.len());
            let length = self.next(24).min(bytes.len().saturating_sub(at));
            match self.next(8) {
                0..=3 => {
                    let byte = self.byte();
                    if let Some(place) = bytes.get_mut(at) {
                        *place = byte;
                    }
                }
                4 => {
                    let new: Vec<u8> = (0..length).map(|_| self.byte()).collect();
                    bytes.splice(at..at, new);
                }
                5 => drop(bytes.drain(at..at + length)),
                6 => {
                    let part = bytes.get(at..at + length).unwrap_or_default().to_vec();
                    let to = self.next(bytes.len());
                    bytes.splice(to..to, part);
                }
                7 if self.next(4) == 0 => bytes.truncate(at),
                _ => {}
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_deterministic_and_varied() {
        let seen = |aim| {
            let mut seen = Vec::new();
            survives_aimed(&[7; 4_000], aim, |bytes| seen.push(bytes.to_vec()));
            seen
        };
        for aim in [Aim::Anywhere, Aim::Beginning(100), Aim::Filled] {
            let mut states = seen(aim);
            assert_eq!(states, seen(aim));
            states.sort();
            states.dedup();
            assert!(states.len() > 900, "{aim:?}: {}", states.len());
        }
        survives(&[], |_| {});
    }

    #[test]
    #[should_panic(expected = "a crash")]
    fn crash_is_detected() {
        survives(b"seed", |bytes| assert!(bytes.len() < 5, "a crash"));
    }
}
