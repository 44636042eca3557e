//! The scanner of all text formats: lines, fields and numbers with their positions.
//!
//! A line ends with LF, CRLF or the end of the file. Spaces and tabs separate fields. The scanner
//! copies and allocates nothing, except for errors.

use std::ops::RangeInclusive;

use super::error::{FilePosition, FormatError, Problem, excerpt};

/// The remaining lines of a text.
#[derive(Clone)]
pub(super) struct TextLines<'a> {
    rest: &'a [u8],
    /// The number of the next line, from one.
    next: u64,
}

impl<'a> TextLines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text, next: 1 }
    }

    /// The rows of a text, without blank lines before and after them and without spaces around
    /// them.
    pub(super) fn rows(text: &'a [u8]) -> impl Iterator<Item = Span<'a>> {
        let is_blank = |&byte: &u8| is_space(byte) || byte == b'\n' || byte == b'\r';
        let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(0, |at| at + 1);
        Self::new(&text[..end]).skip_while(Span::is_blank).map(|row| row.trimmed())
    }

    /// The next line; an error at the end of the text.
    pub(super) fn expect(&mut self, expected: &'static str) -> Result<Span<'a>, FormatError> {
        self.next()
            .ok_or_else(|| FormatError::at(self.next_position(), Problem::Missing { expected }))
    }

    /// The start of the next line, even at the end of the text.
    pub(super) fn next_position(&self) -> FilePosition {
        FilePosition::Text { line: self.next, column: 1 }
    }

    /// The lines that are not blank.
    pub(super) fn non_blank(self) -> impl Iterator<Item = Span<'a>> {
        self.filter(|line| !line.is_blank())
    }
}

impl<'a> Iterator for TextLines<'a> {
    type Item = Span<'a>;

    fn next(&mut self) -> Option<Span<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = match self.rest.iter().position(|&byte| byte == b'\n') {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &[][..]),
        };
        let bytes = line.strip_suffix(b"\r").unwrap_or(line);
        let line = Span { bytes, line: self.next, column: 1 };
        self.rest = rest;
        self.next += 1;
        Some(line)
    }
}

/// A line, or a part of one, with its position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span<'a> {
    pub(super) bytes: &'a [u8],
    line: u64,
    /// The column of the first byte, from one.
    column: u64,
}

impl<'a> Span<'a> {
    /// The position of byte number `at`.
    pub(super) fn position(&self, at: usize) -> FilePosition {
        FilePosition::Text { line: self.line, column: self.column + at as u64 }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.first_byte().is_none()
    }

    /// The first byte that is not a space.
    pub(super) fn first_byte(&self) -> Option<u8> {
        self.bytes.iter().copied().find(|&byte| !is_space(byte))
    }

    /// Without the spaces at both ends.
    pub(super) fn trimmed(&self) -> Self {
        let start = self.bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(0);
        let end = self.bytes.iter().rposition(|&byte| !is_space(byte)).map_or(start, |at| at + 1);
        self.part(start, end)
    }

    /// The parts before and after the first such byte; only one part if there is none.
    pub(super) fn split_at_byte(&self, byte: u8) -> (Self, Option<Self>) {
        match self.bytes.iter().position(|&other| other == byte) {
            Some(at) => (self.part(0, at), Some(self.part(at + 1, self.bytes.len()))),
            None => (*self, None),
        }
    }

    /// Removes and returns the first field.
    pub(super) fn first_field(&mut self, expected: &'static str) -> Result<Self, FormatError> {
        let length = self.bytes.len();
        let start = self.bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(length);
        let field = &self.bytes[start..];
        let end = start + field.iter().position(|&byte| is_space(byte)).unwrap_or(field.len());
        let field = self.part(start, end).or_missing(expected)?;
        *self = self.part(end, length);
        Ok(field)
    }

    /// Removes and returns the last field.
    pub(super) fn last_field(&mut self, expected: &'static str) -> Result<Self, FormatError> {
        let end = self.bytes.iter().rposition(|&byte| !is_space(byte)).map_or(0, |at| at + 1);
        let start =
            self.bytes[..end].iter().rposition(|&byte| is_space(byte)).map_or(0, |at| at + 1);
        let field = self.part(start, end).or_missing(expected)?;
        *self = self.part(0, start);
        Ok(field)
    }

    /// Removes the first field, which must be this word.
    pub(super) fn expect_word(
        &mut self,
        word: &str,
        expected: &'static str,
    ) -> Result<(), FormatError> {
        let field = self.first_field(expected)?;
        if field.bytes == word.as_bytes() { Ok(()) } else { Err(field.unexpected(expected)) }
    }

    /// Checks that the rest of the line is blank.
    pub(super) fn expect_end(&self) -> Result<(), FormatError> {
        if self.is_blank() { Ok(()) } else { Err(self.trimmed().unexpected("the end of the line")) }
    }

    /// Parses this field as a whole number.
    pub(super) fn number(
        &self,
        what: &'static str,
        range: RangeInclusive<i64>,
    ) -> Result<i64, FormatError> {
        let (sign, digits) = match self.bytes {
            [b'-', digits @ ..] => (-1, digits),
            digits => (1, digits),
        };
        digits
            .iter()
            .try_fold(0i64, |value, &digit| {
                let digit = digit.is_ascii_digit().then(|| digit - b'0')?;
                value.checked_mul(10)?.checked_add(i64::from(digit))
            })
            .filter(|_| !digits.is_empty())
            .map(|value| sign * value)
            .filter(|value| range.contains(value))
            .ok_or_else(|| {
                let (least, most) = (*range.start(), *range.end());
                let found = excerpt(self.bytes);
                FormatError::at(self.position(0), Problem::Number { what, least, most, found })
            })
    }

    /// Removes the first field and parses it as a `u32` in this range.
    pub(super) fn take_number(
        &mut self,
        what: &'static str,
        range: RangeInclusive<u32>,
    ) -> Result<u32, FormatError> {
        let range = i64::from(*range.start())..=i64::from(*range.end());
        Ok(self.first_field(what)?.number(what, range)? as u32)
    }

    /// The error that this part is unexpected.
    pub(super) fn unexpected(&self, expected: &'static str) -> FormatError {
        let problem = match self.bytes {
            [] => Problem::Missing { expected },
            bytes => Problem::Unexpected { expected, found: excerpt(bytes) },
        };
        FormatError::at(self.position(0), problem)
    }

    /// The error that byte number `at` is unexpected.
    pub(super) fn unexpected_byte(&self, at: usize, expected: &'static str) -> FormatError {
        self.part(at, at + 1).unexpected(expected)
    }

    /// The error that this part is a second occurrence.
    pub(super) fn duplicate(&self, what: &'static str) -> FormatError {
        FormatError::at(self.position(0), Problem::Duplicate { what, found: excerpt(self.bytes) })
    }

    /// Checks that a row has this many cells.
    pub(super) fn check_length(&self, expected: u64) -> Result<(), FormatError> {
        let found = self.bytes.len() as u64;
        if found == expected {
            return Ok(());
        }
        let at = found.min(expected) as usize;
        Err(FormatError::at(self.position(at), Problem::RowLength { expected, found }))
    }

    /// The bytes from `start` to below `end`.
    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        Self { bytes: &self.bytes[start..end], column: self.column + start as u64, ..*self }
    }

    fn or_missing(self, expected: &'static str) -> Result<Self, FormatError> {
        if self.bytes.is_empty() { Err(self.unexpected(expected)) } else { Ok(self) }
    }
}

#[inline(always)]
fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf_crlf_or_the_file() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<_> = TextLines::new(text.as_bytes()).map(|line| line.bytes).collect();
            assert_eq!(found, expected.iter().map(|line| line.as_bytes()).collect::<Vec<_>>());
        };
        check("", &[]);
        check("\n", &[""]);
        check("a\r\nb\n\nc", &["a", "b", "", "c"]);
        check("a\r", &["a"]);
        check("a\r\r\n", &["a\r"]);
    }

    #[test]
    fn fields_are_taken_from_both_ends_and_keep_their_positions() {
        let mut line = TextLines::new(b"\n  one\ttwo  three \r\n").nth(1).unwrap();
        let last = line.last_field("x").unwrap();
        let first = line.first_field("x").unwrap();
        assert_eq!(
            (first.bytes, first.position(0).to_string().as_str()),
            (&b"one"[..], "line 2, column 3")
        );
        assert_eq!(
            (last.bytes, last.position(0).to_string().as_str()),
            (&b"three"[..], "line 2, column 12")
        );
        assert_eq!(line.trimmed().bytes, b"two");
        assert!(
            line.expect_end()
                .unwrap_err()
                .to_string()
                .starts_with("line 2, column 7: the end of the line")
        );
        line.first_field("x").unwrap();
        line.expect_end().unwrap();
        let missing = line.first_field("a name").unwrap_err().to_string();
        assert!(missing.contains(": a name was expected, nothing was found"), "{missing}");
    }

    #[test]
    fn numbers_are_digits_within_their_range() {
        let check = |text: &str, expected: Option<i64>| {
            let field = TextLines::new(text.as_bytes()).next().unwrap();
            assert_eq!(field.number("a number", -5..=i64::MAX).ok(), expected, "{text}");
        };
        check("0", Some(0));
        check("-5", Some(-5));
        check("007", Some(7));
        check("9223372036854775807", Some(i64::MAX));
        for refused in
            ["-", "+1", "-6", "1e3", "0x1", "1.0", "9223372036854775808", "99999999999999999999999"]
        {
            check(refused, None);
        }
    }
}
