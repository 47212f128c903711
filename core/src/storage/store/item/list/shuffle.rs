//! Seeded shuffle of ids that can be read from its beginning without a list of all ids.

/// Permutation of `0..2^bits`. Each round multiplies by an odd number and applies an xor-shift;
/// both are invertible. The mixing suffices for browsing, but it is not cryptographic.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shuffle {
    bits: u32,
    /// Addends of the rounds.
    keys: [u64; 4],
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const INVERSE: u64 = inverse(FACTOR);

impl Shuffle {
    /// Creates a shuffle of the ids from 0 to at least `max`.
    pub(super) fn new(max: u64, seed: u64) -> Self {
        Self {
            bits: (64 - max.leading_zeros()).clamp(8, 63),
            keys: [0, 1, 2, 3].map(|round| {
                let key = seed.wrapping_add(round).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                key.rotate_left(31)
            }),
        }
    }

    /// Returns the number of positions.
    pub(super) fn len(self) -> u64 {
        1 << self.bits
    }

    /// Returns the position of an id.
    pub(super) fn place(self, id: u64) -> u64 {
        self.keys.iter().fold(id & self.mask(), |x, key| {
            let x = x.wrapping_mul(FACTOR).wrapping_add(*key) & self.mask();
            x ^ (x >> self.half())
        })
    }

    /// Returns the id at a position.
    pub(super) fn id(self, place: u64) -> u64 {
        self.keys.iter().rev().fold(place & self.mask(), |x, key| {
            // A shift by half of the bits, rounded up, is its own inverse.
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

/// Returns the inverse of an odd number modulo 2^64, by Newton's iteration.
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
        fn id_and_place_are_inverse_for_every_place(max in 0u64..1 << 40, seed: u64, id: u64) {
            let shuffle = Shuffle::new(max, seed);
            let id = id % shuffle.len();
            prop_assert!(shuffle.len() > max);
            prop_assert!(shuffle.place(id) < shuffle.len());
            prop_assert_eq!(shuffle.id(shuffle.place(id)), id);
        }
    }

    #[test]
    fn different_seeds_give_different_orders() {
        let order = |seed| {
            (0..256)
                .map(|place| Shuffle::new(255, seed).id(place))
                .collect::<Vec<_>>()
        };
        assert_ne!(order(1), order(2));
        assert_ne!(order(1), (0..256).collect::<Vec<_>>());
    }
}
