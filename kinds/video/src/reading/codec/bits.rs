//! Bit reader for the headers of H.264, HEVC and H.263.

/// Reader that starts with the most significant bit of each byte.
#[derive(Debug)]
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn bit(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.at / 8)?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Some(bit == 1)
    }

    /// Reads an unsigned number of up to 32 bits.
    pub(super) fn number(&mut self, bits: u32) -> Option<u32> {
        let mut number = 0;
        for _ in 0..bits {
            number = number << 1 | u32::from(self.bit()?);
        }
        Some(number)
    }

    pub(super) fn skip(&mut self, bits: usize) {
        self.at = self.at.saturating_add(bits);
    }

    /// Reads an unsigned Exp-Golomb code.
    pub(super) fn golomb(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while !self.bit()? {
            zeros += 1;
            if zeros > 31 {
                return None;
            }
        }
        Some((1_u32 << zeros) - 1 + self.number(zeros)?)
    }

    pub(super) fn signed_golomb(&mut self) -> Option<i64> {
        let number = i64::from(self.golomb()?);
        Some(if number % 2 == 0 {
            -(number / 2)
        } else {
            (number + 1) / 2
        })
    }
}

/// Removes the emulation prevention bytes of a NAL unit. The result has at most `most` bytes.
pub(super) fn unescaped(unit: &[u8], most: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(unit.len().min(most));
    let mut zeros = 0;
    for byte in unit {
        if bytes.len() == most {
            break;
        }
        if zeros >= 2 && *byte == 3 {
            zeros = 0;
            continue;
        }
        zeros = if *byte == 0 { zeros + 1 } else { 0 };
        bytes.push(*byte);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golomb_codes_are_decoded() {
        let mut bits = Bits::new(&[0b1010_0110, 0b0100_0010, 0b1000_0000]);
        let numbers: Vec<u32> = (0..5).filter_map(|_| bits.golomb()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        assert_eq!(Bits::new(&[0; 9]).golomb(), None);
        assert_eq!(Bits::new(&[0b0110_0000]).signed_golomb(), Some(-1));
    }

    #[test]
    fn emulation_prevention_bytes_are_removed() {
        assert_eq!(unescaped(&[0, 0, 3, 1, 3], 9), [0, 0, 1, 3]);
        assert_eq!(unescaped(&[1; 9], 4).len(), 4);
    }
}
