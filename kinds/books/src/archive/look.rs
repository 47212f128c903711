//! The first bytes of files that come out of an archive one after another: looked at as they come,
//! and never kept.

/// How much of a file is looked at: first, and where that does not tell.
pub(super) const SIZES: [usize; 2] = [16 << 10, 1 << 20];

/// What somebody looks for in the first bytes of a file.
pub(super) type Find<T> = fn(&[u8]) -> Option<T>;

/// The first bytes of one file, while it is unpacked.
#[derive(Debug)]
pub(super) struct Look<T> {
    find: Find<T>,
    bytes: Vec<u8>,
    /// How many of [`SIZES`] were not enough.
    tried: usize,
    found: Option<T>,
}

impl<T> Look<T> {
    pub(super) fn new(find: Find<T>) -> Self {
        Self {
            find,
            bytes: Vec::new(),
            tried: 0,
            found: None,
        }
    }

    /// Takes the next bytes; tells whether more are wanted.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> bool {
        while let Some(most) = SIZES.get(self.tried).filter(|_| self.found.is_none()) {
            let room = most.saturating_sub(self.bytes.len()).min(bytes.len());
            let (now, rest) = bytes.split_at(room);
            self.bytes.extend(now);
            bytes = rest;
            if self.bytes.len() < *most {
                return true;
            }
            self.tried += 1;
            self.found = (self.find)(&self.bytes);
        }
        false
    }

    /// What was found, at the end of the file at the latest.
    pub(super) fn end(self) -> Option<T> {
        self.found.or_else(|| (self.find)(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of the first letter.
    fn letter(bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(u8::is_ascii_alphabetic)
    }

    #[test]
    fn no_more_is_taken_than_tells_and_none_beyond_the_end() {
        let mut near = Look::new(letter);
        assert!(near.take(b"1"));
        assert!(near.take(b"2a"));
        assert_eq!(near.end(), Some(2));
        let mut far = Look::new(letter);
        assert!(far.take(&vec![0; SIZES[0] + 7]));
        assert!(far.take(b"a"));
        assert_eq!(far.end(), Some(SIZES[0] + 7));
        let mut nowhere = Look::new(letter);
        let large = vec![0; 3 * SIZES[1]];
        assert!(!nowhere.take(&large));
        assert!(!nowhere.take(b"a"));
        assert!(nowhere.bytes.len() <= SIZES[1]);
        assert_eq!(nowhere.end(), None);
    }

    #[test]
    fn what_was_found_needs_no_more() {
        let mut look = Look::new(letter);
        assert!(!look.take(&[b'a'; SIZES[0]]));
        assert!(!look.take(b"b"));
        assert_eq!(look.bytes.len(), SIZES[0]);
        assert_eq!(look.end(), Some(0));
    }
}
