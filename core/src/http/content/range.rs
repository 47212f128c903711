//! Parser for the `Range` header (RFC 9110, section 14).

/// Maximum number of ranges in a request. A request with more ranges gets the whole file.
pub const MAX_RANGES: usize = 16;

/// Maximum length of a parsed header, in bytes. Sixteen ranges of 64-bit numbers need 690.
const MAX_LENGTH: usize = 4096;

/// Bytes `first` to `last`, both inclusive and inside the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRange {
    /// Offset of the first byte.
    pub first: u64,
    /// Offset of the last byte.
    pub last: u64,
}

impl ByteRange {
    /// Returns the number of bytes, at least one.
    pub fn count(self) -> u64 {
        self.last - self.first + 1
    }

    /// Returns the value of `Content-Range` for a file of `size` bytes.
    pub fn content_range(self, size: u64) -> String {
        format!("bytes {}-{}/{size}", self.first, self.last)
    }

    fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Parsed `Range` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The whole file: the header is malformed, in another unit, or has too many ranges.
    Whole,
    /// One range.
    One(ByteRange),
    /// Two to sixteen ranges without overlap, in the requested order.
    Many(Vec<ByteRange>),
    /// No range is inside the file.
    Unsatisfiable,
}

/// Parses a `Range` header for a file of `size` bytes.
///
/// Time and memory do not depend on the header's length: parsing stops after seventeen ranges, and
/// a header of more than 4 KiB is not parsed.
pub fn parse(header: &str, size: u64) -> Wanted {
    if header.len() > MAX_LENGTH {
        return Wanted::Whole;
    }
    let Some(specs) = specs(header) else {
        return Wanted::Whole;
    };
    if specs.len() > MAX_RANGES {
        return Wanted::Whole;
    }
    // A 206 response cannot describe the last bytes of an empty file.
    if size == 0
        && specs
            .iter()
            .any(|spec| matches!(spec, Spec::Last(n) if *n > 0))
    {
        return Wanted::Whole;
    }
    let ranges: Vec<ByteRange> = specs.iter().filter_map(|spec| spec.within(size)).collect();
    let overlapping = ranges.iter().enumerate().any(|(n, range)| {
        let mut others = ranges.iter().skip(n + 1);
        others.any(|other| range.overlaps(*other))
    });
    match ranges.as_slice() {
        [] => Wanted::Unsatisfiable,
        [range] => Wanted::One(*range),
        _ if overlapping => Wanted::Whole,
        _ => Wanted::Many(ranges),
    }
}

/// Element of the header, independent of the file's size.
#[derive(Debug, Clone, Copy)]
enum Spec {
    /// `first-last`
    FromTo(u64, u64),
    /// `first-`
    From(u64),
    /// `-count`
    Last(u64),
}

impl Spec {
    fn within(self, size: u64) -> Option<ByteRange> {
        let end = size.checked_sub(1)?;
        let (first, last) = match self {
            Self::FromTo(first, last) => (first, last.min(end)),
            Self::From(first) => (first, end),
            Self::Last(count) => (size - count.min(size), end),
        };
        (first <= last).then_some(ByteRange { first, last })
    }
}

/// Returns the first elements of a well-formed header, at most one more than [`MAX_RANGES`].
/// Returns `None` for a malformed header.
fn specs(header: &str) -> Option<Vec<Spec>> {
    let (unit, list) = header.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let elements = list.split(',').map(|text| text.trim_matches([' ', '\t']));
    // HTTP permits empty elements in a list, but not a list of only empty elements.
    let specs: Vec<Spec> = elements
        .filter(|text| !text.is_empty())
        .take(MAX_RANGES + 1)
        .map(spec)
        .collect::<Option<_>>()?;
    (!specs.is_empty()).then_some(specs)
}

fn spec(text: &str) -> Option<Spec> {
    let (first, last) = text.split_once('-')?;
    match (first, last) {
        ("", "") => None,
        ("", count) => Some(Spec::Last(number(count)?)),
        (first, "") => Some(Spec::From(number(first)?)),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(Spec::FromTo(first, last))
        }
    }
}

/// Parses digits without sign or spaces. A number that exceeds 64 bits is beyond the end of any
/// file.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(first: u64, last: u64) -> ByteRange {
        ByteRange { first, last }
    }

    #[test]
    fn single_range_is_clamped_to_file() {
        for (header, first, last) in [
            ("bytes=0-0", 0, 0),
            ("bytes=0-", 0, 99),
            ("bytes=10-19", 10, 19),
            ("bytes=90-1000", 90, 99),
            ("bytes=99-99", 99, 99),
            ("bytes=-1", 99, 99),
            ("bytes=-1000", 0, 99),
            ("BYTES=5-6", 5, 6),
            ("bytes=, 5-6 ,", 5, 6),
            ("bytes=00005-6", 5, 6),
            ("bytes=0-99999999999999999999999", 0, 99),
            // The second range is outside the file, so a single range is left.
            ("bytes=5-6,100-", 5, 6),
        ] {
            assert_eq!(
                parse(header, 100),
                Wanted::One(range(first, last)),
                "{header}"
            );
        }
    }

    #[test]
    fn malformed_headers_are_ignored() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=,",
            "bytes=-",
            "bytes=a-b",
            "bytes=5",
            "bytes=6-5",
            "bytes=+1-2",
            "bytes=1 - 2",
            "bytes=1-2-3",
            "bytes=--1",
            "bytes=1-2,x",
            "bytes=1-2;3-4",
            "items=0-1",
            "0-1",
            "bytes=٣-٤",
        ] {
            assert_eq!(parse(header, 100), Wanted::Whole, "{header}");
        }
    }

    #[test]
    fn range_outside_file_is_unsatisfiable() {
        for header in [
            "bytes=100-",
            "bytes=100-200",
            "bytes=-0",
            "bytes=99999999999999999999-",
        ] {
            assert_eq!(parse(header, 100), Wanted::Unsatisfiable, "{header}");
        }
        assert_eq!(parse("bytes=0-", 0), Wanted::Unsatisfiable);
        assert_eq!(parse("bytes=-5", 0), Wanted::Whole);
    }

    #[test]
    fn several_ranges_keep_order_and_may_be_adjacent() {
        assert_eq!(
            parse("bytes=10-19, 0-9,-1", 100),
            Wanted::Many(vec![range(10, 19), range(0, 9), range(99, 99)])
        );
    }

    #[test]
    fn overlapping_or_too_many_ranges_are_the_whole_file() {
        assert_eq!(parse("bytes=0-9,9-10", 100), Wanted::Whole);
        assert_eq!(parse("bytes=0-,-1", 100), Wanted::Whole);
        assert_eq!(parse("bytes=5-5,5-5", 100), Wanted::Whole);
        let list = |n: u64| {
            let ranges: Vec<String> = (0..n).map(|i| format!("{0}-{0}", i * 2)).collect();
            format!("bytes={}", ranges.join(","))
        };
        assert!(matches!(parse(&list(16), 100), Wanted::Many(ranges) if ranges.len() == 16));
        assert_eq!(parse(&list(17), 100), Wanted::Whole);
        assert_eq!(parse(&list(1_000), 100_000), Wanted::Whole);
    }

    #[test]
    fn header_over_4_kib_is_the_whole_file() {
        let padded = |length: usize| {
            let commas = ",".repeat(length - "bytes=0-02-2".len());
            format!("bytes=0-0{commas}2-2")
        };
        assert_eq!(
            parse(&padded(MAX_LENGTH), 100),
            Wanted::Many(vec![range(0, 0), range(2, 2)])
        );
        assert_eq!(parse(&padded(MAX_LENGTH + 1), 100), Wanted::Whole);
        assert_eq!(parse(&padded(100_000), 100), Wanted::Whole);
    }

    proptest! {
        #[test]
        fn arbitrary_header_yields_ranges_inside_file(
            header in "(bytes=)?[0-9,\\- a]{0,40}",
            size in 0u64..200,
        ) {
            match parse(&header, size) {
                Wanted::One(range) => prop_assert!(range.first <= range.last && range.last < size),
                Wanted::Many(ranges) => {
                    prop_assert!((2..=MAX_RANGES).contains(&ranges.len()));
                    let mut seen = std::collections::HashSet::new();
                    for range in ranges {
                        prop_assert!(range.last < size);
                        prop_assert!((range.first..=range.last).all(|byte| seen.insert(byte)));
                    }
                }
                Wanted::Whole | Wanted::Unsatisfiable => {}
            }
        }

        #[test]
        fn valid_range_equals_slice(first in 0u64..300, more in 0u64..300, size in 1u64..300) {
            let last = first + more;
            let bytes: Vec<u64> = (0..size).collect();
            let expected: Vec<u64> = bytes.iter().copied().filter(|b| (first..=last).contains(b)).collect();
            let got = match parse(&format!("bytes={first}-{last}"), size) {
                Wanted::One(range) => (range.first..=range.last).collect(),
                Wanted::Unsatisfiable => Vec::new(),
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            };
            prop_assert_eq!(got, expected);
        }

        #[test]
        fn suffix_range_is_end_of_file(count in 1u64..300, size in 1u64..300) {
            let Wanted::One(range) = parse(&format!("bytes=-{count}"), size) else {
                return Err(TestCaseError::fail("no range"));
            };
            prop_assert_eq!(range.last, size - 1);
            prop_assert_eq!(range.count(), count.min(size));
        }
    }
}
