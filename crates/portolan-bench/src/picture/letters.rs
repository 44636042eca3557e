//! Small letters made of straight strokes, so that pictures of every kind can have words in them
//! without a font.
//!
//! A letter is written on a raster of 7 columns and 10 rows: ascenders begin in row 0, small
//! letters in row 3, the baseline is row 7 and descenders end in row 9. A stroke is a chain of
//! points, two digits each, column and row.

use super::scene::Spot;

/// Rows from the top of ascenders to the baseline.
pub(super) const HEIGHT: f32 = 7.0;

/// Columns between two letters, and of a space.
const GAP: f32 = 2.0;
const SPACE: f32 = 3.0;

/// The strokes of a letter; nothing for all but `a` to `z`.
fn strokes(letter: char) -> &'static str {
    match letter {
        'a' => "4433130406173746 4347",
        'b' => "0007 0413334446371706",
        'c' => "4433130406173746",
        'd' => "4433130406173746 4047",
        'e' => "05454433130406173746",
        'f' => "30201117 0333",
        'g' => "4433130406173746 4348391908",
        'h' => "0007 0413334447",
        'i' => "0307 0101",
        'j' => "131809 1111",
        'k' => "0007 3305 0537",
        'l' => "0007",
        'm' => "0307 0413233437 3443536467",
        'n' => "0307 0413334447",
        'o' => "133344463717060413",
        'p' => "0309 0413334446371706",
        'q' => "4433130406173746 4349",
        'r' => "0307 041333",
        's' => "4313041535463707",
        't' => "11162737 0333",
        'u' => "0306173746 4347",
        'v' => "032743",
        'w' => "0317345763",
        'x' => "0347 4307",
        'y' => "0327 4319",
        'z' => "03430747",
        _ => "",
    }
}

/// The points of a letter, stroke by stroke, in columns and rows.
fn points(letter: char) -> impl Iterator<Item = Vec<(f32, f32)>> {
    let number = |digit: u8| f32::from(digit.saturating_sub(b'0'));
    strokes(letter).split_ascii_whitespace().map(move |stroke| {
        stroke.as_bytes().chunks_exact(2).map(|at| (number(at[0]), number(at[1]))).collect()
    })
}

/// From the left edge of a letter to that of the next, in columns.
fn advance(letter: char) -> f32 {
    let widest = points(letter).flatten().map(|(column, _)| column).reduce(f32::max);
    widest.map_or(SPACE, |column| column + GAP)
}

/// The width of words in pixels, if a column has `unit` pixels.
pub(super) fn width(words: &str, unit: f32) -> f32 {
    words.chars().map(advance).sum::<f32>() * unit
}

/// The strokes of words with this upper left corner.
pub(super) fn lines(words: &str, corner: Spot, unit: f32) -> Vec<[Spot; 2]> {
    let mut lines = Vec::new();
    let mut left = corner.x;
    for letter in words.chars() {
        let spot = |&(column, row): &(f32, f32)| Spot {
            x: left + column * unit,
            y: corner.y + row * unit,
        };
        for stroke in points(letter) {
            lines.extend(stroke.windows(2).map(|ends| [spot(&ends[0]), spot(&ends[1])]));
        }
        left += advance(letter) * unit;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_lies_on_the_raster_and_differs_from_all_others() {
        for letter in 'a'..='z' {
            assert!(strokes(letter).bytes().all(|byte| byte == b' ' || byte.is_ascii_digit()));
            for stroke in points(letter) {
                assert!(stroke.len() >= 2, "{letter}");
                assert!(
                    stroke.iter().all(|&(column, row)| column <= 6.0 && row <= 9.0),
                    "{letter}"
                );
            }
            let is_alone = |other| other == letter || strokes(other) != strokes(letter);
            assert!(('a'..='z').all(is_alone), "{letter}");
        }
    }

    #[test]
    fn words_are_as_wide_as_their_letters() {
        let corner = Spot { x: 10.0, y: 20.0 };
        assert_eq!(width("l l", 2.0), 2.0 * (GAP + SPACE + GAP));
        let lines = lines("l l", corner, 2.0);
        assert_eq!(lines.len(), 2);
        let x = 10.0 + 2.0 * (GAP + SPACE);
        assert_eq!(lines[1], [Spot { x, y: 20.0 }, Spot { x, y: 34.0 }]);
    }
}
