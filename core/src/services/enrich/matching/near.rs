//! Edit distance of two words.

/// Maximum length of a compared word, in characters.
const LONGEST: usize = 64;

/// Returns the number of insertions, deletions, replacements and transpositions of adjacent letters
/// between two words. Returns `None` if it exceeds `most` or a word is too long.
pub(super) fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let one: Vec<char> = one.chars().take(LONGEST + 1).collect();
    let other: Vec<char> = other.chars().take(LONGEST + 1).collect();
    let too_long = one.len() > LONGEST || other.len() > LONGEST;
    if too_long || one.len().abs_diff(other.len()) > most {
        return None;
    }
    // Rows of the optimal string alignment table: the last but one row and the last row.
    let mut older: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    let mut before = None;
    for (row, a) in one.iter().enumerate() {
        let mut now = vec![row + 1];
        let mut left = None;
        for (column, b) in other.iter().enumerate() {
            let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX);
            let mut fewest = (at(&last, column) + usize::from(a != b))
                .min(at(&last, column + 1) + 1)
                .min(at(&now, column) + 1);
            if before == Some(b) && left == Some(a) && column > 0 {
                fewest = fewest.min(at(&older, column - 1).saturating_add(1));
            }
            now.push(fewest);
            left = Some(b);
        }
        older = std::mem::replace(&mut last, now);
        before = Some(a);
    }
    last.last().copied().filter(|found| *found <= most)
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distance_counts_typing_errors() {
        assert_eq!(distance("farenheit", "fahrenheit", 2), Some(1));
        assert_eq!(distance("wierd", "weird", 2), Some(1));
        assert_eq!(distance("same", "same", 0), Some(0));
        assert_eq!(distance("colour", "color", 1), Some(1));
        assert_eq!(distance("kitten", "sitting", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
        assert_eq!(distance(&"a".repeat(100), &"a".repeat(100), 2), None);
    }
}
