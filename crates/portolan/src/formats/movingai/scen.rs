//! Scenarios of the maps: `.scen`, queries with the length of a shortest path.
//!
//! A version line, then one query per line: bucket, map, width, height, start x and y, goal x and
//! y, length, separated by tabs or spaces. A length of -1 says that there is no path. Map names may
//! contain spaces, so lines are read from both ends.

use std::io::{self, Write};

use super::read_version;
use crate::formats::error::{FormatError, Problem, excerpt};
use crate::formats::lines::{Span, TextLines};

/// One query of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioLine {
    /// The group of queries of similar length.
    pub bucket: u32,
    /// The name of the map file, as written in the scenario.
    pub map: String,
    /// The number of columns of the map, possibly after scaling.
    pub width: u32,
    /// The number of rows of the map, possibly after scaling.
    pub height: u32,
    /// Column and row of the start; neither is checked against the map.
    pub start: (u32, u32),
    /// Column and row of the goal; neither is checked against the map.
    pub goal: (u32, u32),
    /// The length of a shortest path, in cells; `None`, in files -1, if there is no path.
    pub length: Option<f64>,
    /// The rounding of the file: the most decimals of any of its lengths. Files omit trailing
    /// zeros, so the decimals of a single line say little.
    pub decimals: u8,
}

impl ScenarioLine {
    /// Whether a computed length agrees with the one in the file: within one in 100,000, or within
    /// the rounding of the file. `None`, no path, agrees with `None` only.
    ///
    /// Files of one to three decimals may be truncated instead of rounded, so one unit of the last
    /// digit is allowed there, and half a unit elsewhere. No rounding is allowed for files without
    /// decimals.
    ///
    /// ```
    /// let text = b"version 1\n0 a.map 512 512 435 402 449 409 16.90\n";
    /// let line = &portolan::formats::movingai::read_scen(text)?[0];
    /// assert!(line.agrees(16.89949));
    /// assert!(!line.agrees(17.31371) && !line.agrees(None));
    /// # Ok::<(), portolan::formats::FormatError>(())
    /// ```
    pub fn agrees(&self, length: impl Into<Option<f64>>) -> bool {
        let (expected, length) = match (self.length, length.into()) {
            (Some(expected), Some(length)) => (expected, length),
            (expected, length) => return expected == length,
        };
        let unit = 10f64.powi(-i32::from(self.decimals));
        let rounding = match self.decimals {
            0 => 0.0,
            1..=3 => unit,
            _ => unit / 2.0,
        };
        // A small tolerance, because neither the unit nor the length is a binary fraction.
        let allowed = (expected.abs() * 1e-5).max(rounding * (1.0 + 1e-9));
        (length - expected).abs() <= allowed
    }

    fn check(&self) -> Result<(), &'static str> {
        check_name(&self.map)?;
        self.check_length()
    }

    /// Checks that the length can be read back.
    pub(super) fn check_length(&self) -> Result<(), &'static str> {
        if self.length.is_some_and(|length| !(length.is_finite() && length >= 0.0)) {
            return Err("a length that is negative or not finite");
        }
        if self.decimals > MAX_DECIMALS {
            return Err("a length of too many decimals");
        }
        Ok(())
    }

    /// The length with the decimals of the file. Uses the shortest digits that identify the number
    /// if they suffice, so that reading returns the same number.
    pub(super) fn length_text(&self) -> String {
        let Some(length) = self.length else { return NO_PATH.to_owned() };
        let decimals = usize::from(self.decimals);
        // Turns negative zero into positive zero.
        let length = length + 0.0;
        let mut text = length.to_string();
        let shortest = text.split_once('.').map_or(0, |(_, digits)| digits.len());
        if shortest > decimals {
            return format!("{length:.decimals$}");
        }
        if shortest < decimals {
            if shortest == 0 {
                text.push('.');
            }
            text.extend(std::iter::repeat_n('0', decimals - shortest));
        }
        text
    }
}

/// Reads a `.scen` file of version 1.
pub fn read_scen(text: &[u8]) -> Result<Vec<ScenarioLine>, FormatError> {
    let mut lines = TextLines::new(text);
    read_version(&mut lines, "`version 1`", ["1", "1.0"])?;
    let mut scenario = lines.non_blank().map(read_line).collect::<Result<Vec<_>, _>>()?;
    let decimals = scenario.iter().map(|line| line.decimals).max().unwrap_or(0);
    scenario.iter_mut().for_each(|line| line.decimals = decimals);
    Ok(scenario)
}

/// Writes a `.scen` file. Rounds lengths to their number of decimals.
///
/// Values that could not be read back (a map name with a line break, a negative length) are
/// [`InvalidInput`](io::ErrorKind::InvalidInput) errors.
pub fn write_scen(scenario: &[ScenarioLine], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "version 1")?;
    for line in scenario {
        line.check().map_err(|reason| io::Error::new(io::ErrorKind::InvalidInput, reason))?;
        let ScenarioLine { bucket, map, width, height, start, goal, .. } = line;
        let ((start_x, start_y), (goal_x, goal_y)) = (start, goal);
        write!(
            out,
            "{bucket}\t{map}\t{width}\t{height}\t{start_x}\t{start_y}\t{goal_x}\t{goal_y}\t"
        )?;
        writeln!(out, "{}", line.length_text())?;
    }
    Ok(())
}

/// The length of a query without a path.
const NO_PATH: &str = "-1";

/// More digits than an `f64` of the size of path lengths needs.
const MAX_DECIMALS: u8 = 30;

fn read_line(mut line: Span) -> Result<ScenarioLine, FormatError> {
    let bucket = line.take_number("a bucket", 0..=u32::MAX)?;
    let (length, decimals) = read_length(&line.last_field("a length")?)?;
    let mut last = |what| Ok(line.last_field(what)?.number(what, 0..=i64::from(u32::MAX))? as u32);
    let (goal_y, goal_x) = (last("a goal's row")?, last("a goal's column")?);
    let (start_y, start_x) = (last("a start's row")?, last("a start's column")?);
    let (height, width) = (last("a height")?, last("a width")?);
    let map = read_name(&line.trimmed())?;
    let (start, goal) = ((start_x, start_y), (goal_x, goal_y));
    Ok(ScenarioLine { bucket, map, width, height, start, goal, length, decimals })
}

pub(super) fn read_name(field: &Span) -> Result<String, FormatError> {
    match std::str::from_utf8(field.bytes) {
        Ok(name) if is_map_name(name) => Ok(name.to_owned()),
        _ => Err(field.unexpected("a map name in UTF-8 without control characters")),
    }
}

/// Checks that a name can be read back.
pub(super) fn check_name(name: &str) -> Result<(), &'static str> {
    match is_map_name(name) {
        true => Ok(()),
        false => {
            Err("a name that is empty, starts or ends with a space, or has control characters")
        }
    }
}

fn is_map_name(name: &str) -> bool {
    !name.is_empty() && name.trim_matches(' ') == name && !name.contains(char::is_control)
}

/// A length and its decimals; those of -1 say nothing about the rounding of the file.
pub(super) fn read_length(field: &Span) -> Result<(Option<f64>, u8), FormatError> {
    const EXPECTED: &str = "a length, digits with at most 30 decimals, or -1";
    let (whole, decimals) = field.split_at_byte(b'.');
    let decimals = decimals.map_or(&[][..], |decimals| decimals.bytes);
    if whole.bytes == NO_PATH.as_bytes() && decimals.iter().all(|&digit| digit == b'0') {
        return Ok((None, 0));
    }
    let has_digits = !whole.bytes.is_empty()
        && whole.bytes.iter().chain(decimals).all(u8::is_ascii_digit)
        && decimals.len() <= usize::from(MAX_DECIMALS);
    has_digits
        .then(|| std::str::from_utf8(field.bytes).ok()?.parse::<f64>().ok())
        .flatten()
        .filter(|length| length.is_finite())
        .map(|length| (Some(length), decimals.len() as u8))
        .ok_or_else(|| {
            let found = excerpt(field.bytes);
            FormatError::at(field.position(0), Problem::Unexpected { expected: EXPECTED, found })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::check_read;

    fn line(map: &str, length: f64, decimals: u8) -> ScenarioLine {
        let (start, goal, length) = ((1, 2), (3, 0), Some(length));
        ScenarioLine {
            bucket: 7,
            map: map.into(),
            width: 4,
            height: 3,
            start,
            goal,
            length,
            decimals,
        }
    }

    fn check(lines: &str, expected: Result<&[ScenarioLine], &str>) {
        let found = read_scen(format!("version 1\n{lines}").as_bytes());
        check_read(lines, found, expected.map(<[_]>::to_vec));
    }

    #[test]
    fn lines_are_read_from_both_ends() {
        check("", Ok(&[]));
        check("7\tm.map\t4\t3\t1\t2\t3\t0\t2.50\n\n", Ok(&[line("m.map", 2.5, 2)]));
        check("7 maps/my map 2.map 4 3 1 2 3 0 2", Ok(&[line("maps/my map 2.map", 2.0, 0)]));
        check(
            "7 m 4 3 1 2 3 0 0.\r\n7 é 4 3 1 2 3 0 1\r\n",
            Ok(&[line("m", 0.0, 0), line("é", 1.0, 0)]),
        );
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        check("x", Err("line 2, column 1: a bucket was expected, a whole number from 0"));
        check("7", Err("line 2, column 2: a length was expected, nothing was found"));
        check(
            "7 m 4 3 1 2 3 2.5",
            Err("line 2, column 3: a width was expected, a whole number from 0 to 4294967295; `m`"),
        );
        check("7 4 3 1 2 3 0 2.5", Err("line 2, column 2: a map name in UTF-8"));
        check(
            "7 m\t9\tx\t4\t3\t1\t2\t3\t0\t1",
            Err(
                "line 2, column 3: a map name in UTF-8 without control characters was expected, `m\\t9\\tx`",
            ),
        );
        check("7 \u{1b}[2J 4 3 1 2 3 0 1", Err("line 2, column 3: a map name"));
        check("7 m 4 3 1 4294967296 3 0 1", Err("line 2, column 11: a start's row"));
        let digits = "9".repeat(400);
        for length in [
            "-2",
            "-1.5",
            "--1",
            "-",
            "nan",
            "inf",
            "1e5",
            "+1",
            ".5",
            "1.5.5",
            &digits,
            &format!("0.{digits}"),
        ] {
            check(&format!("7 m 4 3 1 2 3 0 {length}"), Err("line 2, column 17: a length"));
        }
    }

    #[test]
    fn a_length_of_minus_one_is_no_path() {
        let none = ScenarioLine { length: None, ..line("m", 0.0, 2) };
        let lines = [line("m", 1.0, 2), none.clone(), none.clone(), line("m", 2.25, 2)];
        let rows =
            ["1", "-1", "-1.000", "2.25"].map(|length| format!("7 m 4 3 1 2 3 0 {length}\n"));
        check(&rows.concat(), Ok(&lines));
        let mut text = Vec::new();
        write_scen(&lines, &mut text).unwrap();
        assert_eq!(read_scen(&text).unwrap(), lines);
        assert!(none.agrees(None) && !none.agrees(-1.0) && !none.agrees(0.0));
        assert!(!lines[0].agrees(None));
    }

    #[test]
    fn versions_are_told_apart() {
        assert_eq!(read_scen(b"version 1.0\r\n").unwrap(), []);
        assert_eq!(read_scen(b"version 1").unwrap(), []);
        for (text, start) in [
            ("version 2\n", "line 1, column 9: `version 1` was expected, `2` was found"),
            ("version\n", "line 1, column 8: `version 1` was expected, nothing"),
            ("0 m 1 1 0 0 0 0 0\n", "line 1, column 1: `version 1`"),
        ] {
            let message = read_scen(text.as_bytes()).unwrap_err().to_string();
            assert!(message.starts_with(start), "{message}");
        }
    }

    #[test]
    fn written_scenarios_are_read_back() {
        let lengths =
            [(0.0, 0), (16.9, 2), (2.41421, 5), (1e300, 3), (2f64.sqrt() * 1e3, 15), (5e-324, 30)];
        for (length, decimals) in lengths {
            let lines = vec![line("a map é.map", length, decimals); 2];
            let mut text = Vec::new();
            write_scen(&lines, &mut text).unwrap();
            let read = read_scen(&text).unwrap();
            if length == 5e-324 {
                assert_eq!(read[0].length, Some(0.0), "thirty digits are not enough for this one");
            } else {
                assert_eq!(read, lines);
            }
        }
    }

    #[test]
    fn values_that_cannot_be_read_back_are_not_written() {
        for refused in [
            line("a\nb", 1.0, 0),
            line("", 1.0, 0),
            line(" a", 1.0, 0),
            line("a", -1.0, 0),
            line("a", f64::NAN, 0),
            line("a", 1.0, 31),
        ] {
            let error = write_scen(&[refused], &mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn agreement_follows_the_rounding_of_the_file() {
        for (length, decimals, found, agrees) in [
            (16.90, 2, 16.8995, true),
            (16.90, 2, 16.909, true),
            (16.90, 2, 16.92, false),
            (2.41421, 5, 2.414_213_56, true),
            (2.41421, 5, 2.4143, false),
            (4.0, 0, 4.0, true),
            (4.0, 0, 4.414, false),
            (123_457.0, 0, 123_456.6, true),
            (0.0, 0, 0.0, true),
            (0.0, 2, 1.0, false),
        ] {
            assert_eq!(
                line("m", length, decimals).agrees(found),
                agrees,
                "{length} {decimals} {found}"
            );
        }
        assert!(!line("m", 1.0, 2).agrees(f64::NAN));
    }
}
