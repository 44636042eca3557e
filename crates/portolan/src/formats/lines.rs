//! The one cursor under all text formats: lines, fields and numbers that know where they stand.
//!
//! A line ends with LF or CRLF, the last one may end with the file. Fields are set apart by spaces
//! and tabs. Nothing here copies or allocates, except to word an error.

use std::ops::RangeInclusive;

use super::error::{FormatError, Place, Problem, excerpt};

/// The lines of a text that are still to come.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    /// The number of the line that comes next, from one.
    next: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text, next: 1 }
    }

    /// The rows of a text that is nothing but rows: no blank lines before and after them, no spaces
    /// around them.
    pub(super) fn rows(text: &'a [u8]) -> impl Iterator<Item = Span<'a>> {
        let is_blank = |&byte: &u8| is_space(byte) || byte == b'\n' || byte == b'\r';
        let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(0, |at| at + 1);
        Self::new(&text[..end]).skip_while(Span::is_blank).map(|row| row.trimmed())
    }

    /// The next line, where one must follow.
    pub(super) fn expect(&mut self, expected: &'static str) -> Result<Span<'a>, FormatError> {
        self.next().ok_or_else(|| FormatError::at(self.place(), Problem::Missing { expected }))
    }

    /// The start of the line that comes next, or would.
    pub(super) fn place(&self) -> Place {
        Place::Text { line: self.next, column: 1 }
    }

    /// The lines that are not blank.
    pub(super) fn filled(self) -> impl Iterator<Item = Span<'a>> {
        self.filter(|line| !line.is_blank())
    }
}

impl<'a> Iterator for Lines<'a> {
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

/// A stretch of one line (all of it, or a field) that knows where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span<'a> {
    pub(super) bytes: &'a [u8],
    line: u64,
    /// The column of the first byte, from one.
    column: u64,
}

impl<'a> Span<'a> {
    /// Where its byte number `at` stands.
    pub(super) fn place(&self, at: usize) -> Place {
        Place::Text { line: self.line, column: self.column + at as u64 }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.first_byte().is_none()
    }

    /// The first byte that is no space.
    pub(super) fn first_byte(&self) -> Option<u8> {
        self.bytes.iter().copied().find(|&byte| !is_space(byte))
    }

    /// Without the spaces at both ends.
    pub(super) fn trimmed(&self) -> Self {
        let start = self.bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(0);
        let end = self.bytes.iter().rposition(|&byte| !is_space(byte)).map_or(start, |at| at + 1);
        self.part(start, end)
    }

    /// What stands before the first such byte, and what after it, if there is one.
    pub(super) fn split_at_byte(&self, byte: u8) -> (Self, Option<Self>) {
        match self.bytes.iter().position(|&other| other == byte) {
            Some(at) => (self.part(0, at), Some(self.part(at + 1, self.bytes.len()))),
            None => (*self, None),
        }
    }

    /// Takes the first field away.
    pub(super) fn first_field(&mut self, expected: &'static str) -> Result<Self, FormatError> {
        let length = self.bytes.len();
        let start = self.bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(length);
        let field = &self.bytes[start..];
        let end = start + field.iter().position(|&byte| is_space(byte)).unwrap_or(field.len());
        let field = self.part(start, end).filled_or(expected)?;
        *self = self.part(end, length);
        Ok(field)
    }

    /// Takes the last field away.
    pub(super) fn last_field(&mut self, expected: &'static str) -> Result<Self, FormatError> {
        let end = self.bytes.iter().rposition(|&byte| !is_space(byte)).map_or(0, |at| at + 1);
        let start =
            self.bytes[..end].iter().rposition(|&byte| is_space(byte)).map_or(0, |at| at + 1);
        let field = self.part(start, end).filled_or(expected)?;
        *self = self.part(0, start);
        Ok(field)
    }

    /// Takes the first field away, which must be this word.
    pub(super) fn word(&mut self, word: &str, expected: &'static str) -> Result<(), FormatError> {
        let field = self.first_field(expected)?;
        if field.bytes == word.as_bytes() { Ok(()) } else { Err(field.unexpected(expected)) }
    }

    /// Refuses anything but spaces in what is left of a line.
    pub(super) fn end(&self) -> Result<(), FormatError> {
        if self.is_blank() { Ok(()) } else { Err(self.trimmed().unexpected("the end of the line")) }
    }

    /// The whole number that this field is.
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
                FormatError::at(self.place(0), Problem::Number { what, least, most, found })
            })
    }

    /// The whole number, from nought or one up to at most `u32::MAX`, that the first field is.
    pub(super) fn take_number(
        &mut self,
        what: &'static str,
        range: RangeInclusive<u32>,
    ) -> Result<u32, FormatError> {
        let range = i64::from(*range.start())..=i64::from(*range.end());
        Ok(self.first_field(what)?.number(what, range)? as u32)
    }

    /// The error that this does not belong here.
    pub(super) fn unexpected(&self, expected: &'static str) -> FormatError {
        let problem = match self.bytes {
            [] => Problem::Missing { expected },
            bytes => Problem::Unexpected { expected, found: excerpt(bytes) },
        };
        FormatError::at(self.place(0), problem)
    }

    /// The error that the one byte number `at` does not belong here.
    pub(super) fn unexpected_byte(&self, at: usize, expected: &'static str) -> FormatError {
        self.part(at, at + 1).unexpected(expected)
    }

    /// The error that this occurs a second time.
    pub(super) fn twice(&self, what: &'static str) -> FormatError {
        FormatError::at(self.place(0), Problem::Twice { what, found: excerpt(self.bytes) })
    }

    /// Refuses a row that is not this many cells long.
    pub(super) fn check_length(&self, expected: u64) -> Result<(), FormatError> {
        let found = self.bytes.len() as u64;
        if found == expected {
            return Ok(());
        }
        let at = found.min(expected) as usize;
        Err(FormatError::at(self.place(at), Problem::RowLength { expected, found }))
    }

    /// The bytes from `start` to below `end`.
    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        Self { bytes: &self.bytes[start..end], column: self.column + start as u64, ..*self }
    }

    fn filled_or(self, expected: &'static str) -> Result<Self, FormatError> {
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
    fn lines_end_as_systems_end_them() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<_> = Lines::new(text.as_bytes()).map(|line| line.bytes).collect();
            assert_eq!(found, expected.iter().map(|line| line.as_bytes()).collect::<Vec<_>>());
        };
        check("", &[]);
        check("\n", &[""]);
        check("a\r\nb\n\nc", &["a", "b", "", "c"]);
        check("a\r", &["a"]);
        check("a\r\r\n", &["a\r"]);
    }

    #[test]
    fn fields_are_taken_from_both_ends_and_keep_their_places() {
        let mut line = Lines::new(b"\n  one\ttwo  three \r\n").nth(1).unwrap();
        let last = line.last_field("x").unwrap();
        let first = line.first_field("x").unwrap();
        assert_eq!(
            (first.bytes, first.place(0).to_string().as_str()),
            (&b"one"[..], "line 2, column 3")
        );
        assert_eq!(
            (last.bytes, last.place(0).to_string().as_str()),
            (&b"three"[..], "line 2, column 12")
        );
        assert_eq!(line.trimmed().bytes, b"two");
        assert!(
            line.end()
                .unwrap_err()
                .to_string()
                .starts_with("line 2, column 7: the end of the line")
        );
        line.first_field("x").unwrap();
        line.end().unwrap();
        let missing = line.first_field("a name").unwrap_err().to_string();
        assert!(missing.contains(": a name was expected, nothing was found"), "{missing}");
    }

    #[test]
    fn numbers_are_digits_within_their_range() {
        let check = |text: &str, expected: Option<i64>| {
            let field = Lines::new(text.as_bytes()).next().unwrap();
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
