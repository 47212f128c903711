//! A seeded shuffle of ids that can be walked from its beginning without listing all ids.

/// A permutation of `0..2^bits`: rounds of multiplication by odd numbers and xor-shifts, each of
/// which can be undone. It mixes well enough for browsing; it keeps no secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shuffle {
    bits: u32,
    /// What each round adds.
    keys: [u64; 4],
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const INVERSE: u64 = inverse(FACTOR);

impl Shuffle {
    /// A shuffle of the ids 0 to at least `max`.
    pub(super) fn new(max: u64, seed: u64) -> Self {
        Self {
            bits: (64 - max.leading_zeros()).clamp(8, 63),
            keys: [0, 1, 2, 3].map(|round| {
                let key = seed.wrapping_add(round).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                key.rotate_left(31)
            }),
        }
    }

    /// How many places there are.
    pub(super) fn len(self) -> u64 {
        1 << self.bits
    }

    /// The place of an id.
    pub(super) fn place(self, id: u64) -> u64 {
        self.keys.iter().fold(id & self.mask(), |x, key| {
            let x = x.wrapping_mul(FACTOR).wrapping_add(*key) & self.mask();
            x ^ (x >> self.half())
        })
    }

    /// The id at a place.
    pub(super) fn id(self, place: u64) -> u64 {
        self.keys.iter().rev().fold(place & self.mask(), |x, key| {
            // One step undoes a shift by half of the bits, rounded up.
            let x = x ^ (x >> self.half());
            x.wrapping_sub(*key).wrapping_mul(INVERSE) & self.mask()
        })
    }

    fn mask(self) -> u64 {
        self.len() - 1
    }

    fn half(self) -> u32 {
        self.bits.div_ceil(2)
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
const fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    let mut rounds = 6;
    while rounds > 0 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        rounds -= 1;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_place_has_its_id(max in 0u64..1 << 40, seed: u64, id: u64) {
            let shuffle = Shuffle::new(max, seed);
            let id = id % shuffle.len();
            prop_assert!(shuffle.len() > max);
            prop_assert!(shuffle.place(id) < shuffle.len());
            prop_assert_eq!(shuffle.id(shuffle.place(id)), id);
        }
    }

    #[test]
    fn another_seed_is_another_order() {
        let order = |seed| {
            (0..256)
                .map(|place| Shuffle::new(255, seed).id(place))
                .collect::<Vec<_>>()
        };
        assert_ne!(order(1), order(2));
        assert_ne!(order(1), (0..256).collect::<Vec<_>>());
    }
}
