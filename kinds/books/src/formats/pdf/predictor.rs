//! Reversal of the PNG predictors in cross-reference streams (ISO 32000-2, 7.4.4.4; PNG, section
//! 9).

/// Returns the bytes without prediction. Truncated rows are left out.
pub(super) fn unpredict(bytes: &[u8], columns: usize) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut above = vec![0; columns];
    for row in bytes.chunks_exact(columns + 1) {
        let Some((filter, row)) = row.split_first() else {
            break;
        };
        let mut left = 0;
        let mut corner = 0;
        let mut done = Vec::with_capacity(columns);
        for (byte, up) in row.iter().zip(&above) {
            let guess = match filter {
                1 => left,
                2 => *up,
                3 => average(left, *up),
                4 => paeth(left, *up, corner),
                _ => 0,
            };
            left = byte.wrapping_add(guess);
            corner = *up;
            done.push(left);
        }
        out.extend(&done);
        above = done;
    }
    out
}

fn average(a: u8, b: u8) -> u8 {
    a.midpoint(b)
}

/// Computes the Paeth predictor of PNG.
fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let guess = i16::from(left) + i16::from(up) - i16::from(corner);
    let distance = |value: u8| (guess - i16::from(value)).abs();
    if distance(left) <= distance(up) && distance(left) <= distance(corner) {
        left
    } else if distance(up) <= distance(corner) {
        up
    } else {
        corner
    }
}

#[cfg(test)]
mod tests {
    use super::unpredict;

    #[test]
    fn every_filter_is_undone() {
        let rows = [
            [0, 1, 2, 3],
            [1, 1, 1, 1],
            [2, 1, 1, 1],
            [3, 1, 1, 1],
            [4, 1, 1, 1],
        ];
        let expected = [[1, 2, 3], [1, 2, 3], [2, 3, 4], [2, 3, 4], [3, 4, 5]];
        assert_eq!(unpredict(&rows.concat(), 3), expected.concat());
        assert_eq!(unpredict(&[2, 1], 3), Vec::<u8>::new());
    }
}
