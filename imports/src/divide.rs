//! Divides a position in a whole work among its files.

use ledge_core::transfer::import::rows::{Part, Position, SourceFile};

/// Returns the parts of a position: the files before it are finished, and the file that contains it
/// has the rest. `lengths` are in the unit of `at`, and a position beyond the end is in the last
/// file.
pub(crate) fn divide(
    files: &[(SourceFile, f64)],
    at: f64,
    position: impl Fn(f64) -> Position,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut start = 0.0;
    for (n, (file, length)) in files.iter().enumerate() {
        let is_last = n + 1 == files.len();
        let end = start + length.max(0.0);
        let is_before = !is_last && at >= end;
        parts.push(Part {
            file: file.clone(),
            position: if is_before {
                Position::End
            } else {
                position((at - start).max(0.0))
            },
            finished: is_before,
        });
        if !is_before {
            break;
        }
        start = end;
    }
    parts
}

/// Returns all files as finished.
pub(crate) fn finished<'a>(files: impl Iterator<Item = &'a SourceFile>) -> Vec<Part> {
    let part = |file: &SourceFile| Part {
        file: file.clone(),
        position: Position::End,
        finished: true,
    };
    files.map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(at: f64) -> Vec<(bool, Position)> {
        let file = |path: &str| (SourceFile::from(path), 100.0);
        let files = [file("a"), file("b"), file("c")];
        let parts = divide(&files, at, Position::Seconds);
        let state = |part: Part| (part.finished, part.position);
        parts.into_iter().map(state).collect()
    }

    #[test]
    fn files_before_the_position_are_finished() {
        let end = (true, Position::End);
        assert_eq!(positions(30.5), [(false, Position::Seconds(30.5))]);
        assert_eq!(
            positions(100.0),
            [end.clone(), (false, Position::Seconds(0.0))]
        );
        assert_eq!(
            positions(250.0),
            [end.clone(), end.clone(), (false, Position::Seconds(50.0))]
        );
        assert_eq!(
            positions(999.0),
            [end.clone(), end, (false, Position::Seconds(799.0))]
        );
        assert_eq!(divide(&[], 5.0, Position::Seconds), []);
    }
}
