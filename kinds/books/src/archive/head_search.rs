//! Inspection of the first bytes of files while an archive unpacks them in sequence, without
//! keeping them.

/// Numbers of bytes after which the search runs: the second only if the first was not enough.
pub(super) const SIZES: [usize; 2] = [16 << 10, 1 << 20];

/// Search in the first bytes of a file.
pub(super) type Find<T> = fn(&[u8]) -> Option<T>;

/// Search in one file while it is unpacked.
#[derive(Debug)]
pub(super) struct HeadSearch<T> {
    find: Find<T>,
    bytes: Vec<u8>,
    /// Number of [`SIZES`] that were not enough.
    tried: usize,
    found: Option<T>,
}

impl<T> HeadSearch<T> {
    pub(super) fn new(find: Find<T>) -> Self {
        Self {
            find,
            bytes: Vec::new(),
            tried: 0,
            found: None,
        }
    }

    /// Adds the next bytes. Returns true if the search needs more.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> bool {
        while let Some(size) = SIZES.get(self.tried).filter(|_| self.found.is_none()) {
            let accepted = size.saturating_sub(self.bytes.len()).min(bytes.len());
            let (now, rest) = bytes.split_at(accepted);
            self.bytes.extend(now);
            bytes = rest;
            if self.bytes.len() < *size {
                return true;
            }
            self.tried += 1;
            self.found = (self.find)(&self.bytes);
        }
        false
    }

    /// Returns the result. A file shorter than the next size is searched here.
    pub(super) fn finish(self) -> Option<T> {
        self.found.or_else(|| (self.find)(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the position of the first letter.
    fn first_letter(bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(u8::is_ascii_alphabetic)
    }

    #[test]
    fn search_takes_bytes_only_until_found_or_limit() {
        let mut near = HeadSearch::new(first_letter);
        assert!(near.push(b"1"));
        assert!(near.push(b"2a"));
        assert_eq!(near.finish(), Some(2));
        let mut far = HeadSearch::new(first_letter);
        assert!(far.push(&vec![0; SIZES[0] + 7]));
        assert!(far.push(b"a"));
        assert_eq!(far.finish(), Some(SIZES[0] + 7));
        let mut absent = HeadSearch::new(first_letter);
        let large = vec![0; 3 * SIZES[1]];
        assert!(!absent.push(&large));
        assert!(!absent.push(b"a"));
        assert!(absent.bytes.len() <= SIZES[1]);
        assert_eq!(absent.finish(), None);
    }

    #[test]
    fn search_stops_after_first_result() {
        let mut search = HeadSearch::new(first_letter);
        assert!(!search.push(&[b'a'; SIZES[0]]));
        assert!(!search.push(b"b"));
        assert_eq!(search.bytes.len(), SIZES[0]);
        assert_eq!(search.finish(), Some(0));
    }
}
