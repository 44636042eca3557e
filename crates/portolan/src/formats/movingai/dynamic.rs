//! Scenarios with edits: version 2 of `.scen`, and the `.patch` file that it names.
//!
//! All cells are passable at first. `P bucket patch x y` stamps a patch with its top left cell at
//! x, y and overwrites blocked and free cells. `Q bucket sx sy gx gy length` is a query on the map
//! at that point; a length of -1 says that there is no path. Consecutive stamps are one edit.

use std::io::{self, Write};

use super::scen::{ScenarioLine, check_name, read_length, read_name};
use super::{check_cells, read_version};
use crate::changes::CellChange;
use crate::formats::error::{FormatError, Problem};
use crate::formats::lines::{Span, TextLines};
use crate::grid::Grid;

/// A scenario of version 2.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicScenario {
    /// The number of columns of the map.
    pub width: u32,
    /// The number of rows of the map.
    pub height: u32,
    /// The name of the patch file, as written in the scenario.
    pub patches: String,
    /// The edits and queries, in order.
    pub commands: Vec<Command>,
}

/// A line of a [`DynamicScenario`].
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A change of the map.
    Stamp(Stamp),
    /// A query; its map name is empty.
    Query(ScenarioLine),
}

/// A patch and its position on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The group of commands.
    pub bucket: u32,
    /// The index of the patch, from zero.
    pub patch: u32,
    /// Column and row of the top left cell.
    pub at: (u32, u32),
}

/// A rectangle of cells to stamp onto a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    width: u32,
    /// Whether each cell is passable, row by row.
    cells: Vec<bool>,
}

impl Patch {
    /// A patch of these cells, row by row; `true` is passable. `None` unless the cells fill one or
    /// more rows.
    pub fn new(width: u32, cells: Vec<bool>) -> Option<Self> {
        let fills_rows = !cells.is_empty() && cells.len().checked_rem(width as usize) == Some(0);
        let is_counted = u32::try_from(cells.len()).is_ok();
        (fills_rows && is_counted).then_some(Self { width, cells })
    }

    /// The number of columns.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> u32 {
        (self.cells.len() / self.width as usize) as u32
    }

    /// The changes of a grid that stamp this patch with its top left cell at x, y; cells outside
    /// the map are cut off.
    pub fn stamp(&self, grid: &Grid, (x, y): (u32, u32)) -> impl Iterator<Item = CellChange> {
        (0..).zip(&self.cells).filter_map(move |(index, &passable): (u32, _)| {
            let (x, y) = (x.checked_add(index % self.width)?, y.checked_add(index / self.width)?);
            Some(CellChange { node: grid.node(x, y)?, passable })
        })
    }
}

/// The most cells of a map. The file states only its size, so its length gives no bound.
pub(crate) const MOST_CELLS: u64 = 1 << 24;

/// Reads a `.scen` file of version 2.
///
/// ```
/// use portolan::formats::movingai::{Command, read_dynamic};
/// let text = b"version 2\nheight 4\nwidth 5\ncost 1 octile\npatch a.patch\ncommands\nP 0 0 1 1\nQ 0 0 0 4 0 4\n";
/// let scenario = read_dynamic(text)?;
/// assert_eq!((scenario.patches.as_str(), scenario.commands.len()), ("a.patch", 2));
/// assert!(matches!(&scenario.commands[1], Command::Query(line) if line.agrees(4.0)));
/// # Ok::<(), portolan::formats::FormatError>(())
/// ```
pub fn read_dynamic(text: &[u8]) -> Result<DynamicScenario, FormatError> {
    let mut lines = TextLines::new(text);
    read_version(&mut lines, "`version 2`", ["2", "2.0"])?;
    let (width, height, patches) = read_header(&mut lines)?;
    let mut scenario = DynamicScenario { width, height, patches, commands: Vec::new() };
    for line in lines.non_blank() {
        let command = read_command(line, &scenario)?;
        scenario.commands.push(command);
    }
    scenario.share_decimals();
    Ok(scenario)
}

/// Reads a `.patch` file.
///
/// ```
/// let text = b"type patch\npatches 1\npatch 0\nheight 1\nwidth 3\nmap\n.@.\n";
/// let patches = portolan::formats::movingai::read_patches(text)?;
/// assert_eq!((patches[0].width(), patches[0].height()), (3, 1));
/// # Ok::<(), portolan::formats::FormatError>(())
/// ```
pub fn read_patches(text: &[u8]) -> Result<Vec<Patch>, FormatError> {
    const TYPE: &str = "`type patch`";
    let mut lines = TextLines::new(text);
    let mut line = lines.expect(TYPE)?;
    line.expect_word("type", TYPE)?;
    line.expect_word("patch", TYPE)?;
    line.expect_end()?;
    let expected = keyed(&mut lines, "patches", "`patches` and how many", 0)?;
    let mut patches = Vec::new();
    while let Some(first) = lines.clone().find(|line| !line.is_blank()) {
        if patches.len() as u64 == u64::from(expected) {
            return Err(wrong_count(&first, expected, expected.saturating_add(1)));
        }
        while lines.next_position() != first.position(0) {
            lines.next();
        }
        patches.push(read_patch(&mut lines, patches.len() as u32)?);
    }
    if patches.len() as u64 != u64::from(expected) {
        let (expected, found) = (u64::from(expected), patches.len() as u64);
        let problem = Problem::Count { what: "patches", expected, found };
        return Err(FormatError::at(lines.next_position(), problem));
    }
    Ok(patches)
}

/// Writes a `.scen` file of version 2. Rounds lengths to their number of decimals.
///
/// Values that could not be read back (a name with a line break, a negative length) are
/// [`InvalidInput`](io::ErrorKind::InvalidInput) errors.
pub fn write_dynamic(scenario: &DynamicScenario, out: &mut impl Write) -> io::Result<()> {
    let refused = |reason| io::Error::new(io::ErrorKind::InvalidInput, reason);
    let DynamicScenario { width, height, patches, commands } = scenario;
    check_name(patches).map_err(refused)?;
    writeln!(out, "version 2\nheight {height}\nwidth {width}\ncost 1 octile")?;
    writeln!(out, "patch {patches}\ncommands")?;
    for command in commands {
        match command {
            Command::Stamp(Stamp { bucket, patch, at: (x, y) }) => {
                writeln!(out, "P {bucket} {patch} {x} {y}")?;
            }
            Command::Query(line) => {
                line.check_length().map_err(refused)?;
                let (bucket, length) = (line.bucket, line.length_text());
                let ((from_x, from_y), (to_x, to_y)) = (line.start, line.goal);
                writeln!(out, "Q {bucket} {from_x} {from_y} {to_x} {to_y} {length}")?;
            }
        }
    }
    Ok(())
}

/// Writes a `.patch` file: `.` for passable, `@` for blocked.
pub fn write_patches(patches: &[Patch], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "type patch\npatches {}", patches.len())?;
    for (number, patch) in patches.iter().enumerate() {
        let (width, height) = (patch.width(), patch.height());
        writeln!(out, "patch {number}\nheight {height}\nwidth {width}\nmap")?;
        for row in patch.cells.chunks(width as usize) {
            let row = row.iter().map(|&passable| if passable { '.' } else { '@' });
            writeln!(out, "{}", row.collect::<String>())?;
        }
    }
    Ok(())
}

impl DynamicScenario {
    /// Sets the rounding of all lengths to that of the most exact one, because files omit trailing
    /// zeros.
    fn share_decimals(&mut self) {
        let queries = self.commands.iter_mut().filter_map(|command| match command {
            Command::Query(line) => Some(line),
            Command::Stamp(_) => None,
        });
        let mut queries: Vec<&mut ScenarioLine> = queries.collect();
        let most = queries.iter().map(|line| line.decimals).max().unwrap_or(0);
        queries.iter_mut().for_each(|line| line.decimals = most);
    }
}

fn read_header(lines: &mut TextLines) -> Result<(u32, u32, String), FormatError> {
    const HEADER: &str = "`height`, `width`, `cost 1 octile` and `patch`, then `commands`";
    let (mut width, mut height, mut patches) = (None, None, None);
    loop {
        let mut line = lines.expect(HEADER)?;
        let start = line.position(0);
        let key = line.first_field(HEADER)?;
        let is_second = match key.bytes {
            b"height" => height.replace(line.take_number(CELLS, 1..=u32::MAX)?).is_some(),
            b"width" => width.replace(line.take_number(CELLS, 1..=u32::MAX)?).is_some(),
            b"patch" => {
                let name = read_name(&line.trimmed())?;
                line = line.part(line.bytes.len(), line.bytes.len());
                patches.replace(name).is_some()
            }
            b"cost" => {
                line.expect_word("1", "`cost 1 octile`")?;
                line.expect_word("octile", "`cost 1 octile`")?;
                false
            }
            b"commands" => {
                line.expect_end()?;
                let (Some(width), Some(height), Some(patches)) = (width, height, patches) else {
                    return Err(key.unexpected(HEADER));
                };
                let found = u64::from(width) * u64::from(height);
                if found > MOST_CELLS {
                    let problem = Problem::TooLarge { what: "cells", found, most: MOST_CELLS };
                    return Err(FormatError::at(start, problem));
                }
                return Grid::check_size(width, height)
                    .map(|()| (width, height, patches))
                    .map_err(|error| FormatError::at(start, Problem::Grid(error)));
            }
            _ => return Err(key.unexpected(HEADER)),
        };
        if is_second {
            return Err(key.duplicate("a line of the header"));
        }
        line.expect_end()?;
    }
}

const CELLS: &str = "a number of cells";

fn read_command(mut line: Span, scenario: &DynamicScenario) -> Result<Command, FormatError> {
    const COMMAND: &str = "`P` for a patch or `Q` for a query";
    let kind = line.first_field(COMMAND)?;
    let mut number = |what| line.take_number(what, 0..=u32::MAX);
    let command = match kind.bytes {
        b"P" => {
            let (bucket, patch) = (number("a bucket")?, number("a patch's number")?);
            Command::Stamp(Stamp { bucket, patch, at: (number("a column")?, number("a row")?) })
        }
        b"Q" => {
            let bucket = number("a bucket")?;
            let start = (number("a start's column")?, number("a start's row")?);
            let goal = (number("a goal's column")?, number("a goal's row")?);
            let (length, decimals) = read_length(&line.first_field("a length")?)?;
            let DynamicScenario { width, height, .. } = *scenario;
            let map = String::new();
            Command::Query(ScenarioLine {
                bucket,
                map,
                width,
                height,
                start,
                goal,
                length,
                decimals,
            })
        }
        _ => return Err(kind.unexpected(COMMAND)),
    };
    line.expect_end()?;
    Ok(command)
}

fn read_patch(lines: &mut TextLines, number: u32) -> Result<Patch, FormatError> {
    let mut line = lines.expect("`patch` and its number")?;
    line.expect_word("patch", "`patch` and its number")?;
    line.take_number("the number of this patch, counted from zero", number..=number)?;
    line.expect_end()?;
    let height = keyed(lines, "height", "`height` and a number", 1)?;
    let width = keyed(lines, "width", "`width` and a number", 1)?;
    let mut line = lines.expect("`map`")?;
    line.expect_word("map", "`map`")?;
    line.expect_end()?;
    // Cells are allocated as rows are read, never from the header.
    let mut cells = Vec::new();
    for found in 0..height {
        let position = lines.next_position();
        let row = lines.next().ok_or_else(|| {
            let (expected, found) = (u64::from(height), u64::from(found));
            FormatError::at(position, Problem::Count { what: "rows", expected, found })
        })?;
        row.check_length(u64::from(width))?;
        check_cells(&row)?;
        cells.extend(row.bytes.iter().map(|&cell| super::is_passable(cell)));
    }
    Ok(Patch { width, cells })
}

fn keyed(
    lines: &mut TextLines,
    key: &str,
    expected: &'static str,
    least: u32,
) -> Result<u32, FormatError> {
    let mut line = lines.expect(expected)?;
    line.expect_word(key, expected)?;
    let number = line.take_number(expected, least..=u32::MAX)?;
    line.expect_end()?;
    Ok(number)
}

fn wrong_count(line: &Span, expected: u32, found: u32) -> FormatError {
    let (expected, found) = (u64::from(expected), u64::from(found));
    FormatError::at(line.position(0), Problem::Count { what: "patches", expected, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "version 2\nheight 4\nwidth 5\ncost 1 octile\npatch my a.patch\ncommands\n";

    fn refused(text: &str, start: &str) {
        let read = read_dynamic(text.as_bytes()).map(|_| ());
        let message = read.unwrap_err().to_string();
        assert!(message.starts_with(start), "{text:?}: {message}");
    }

    #[test]
    fn commands_are_read_in_order() {
        let text = format!("{HEADER}Q 0 0 0 4 0 4\r\nP 1 3 2 1\n\nQ 1 4 3 0 3 4.83\n");
        let scenario = read_dynamic(text.as_bytes()).unwrap();
        assert_eq!((scenario.width, scenario.height), (5, 4));
        assert_eq!(scenario.patches, "my a.patch");
        let [Command::Query(first), Command::Stamp(stamp), Command::Query(second)] =
            &scenario.commands[..]
        else {
            panic!("{scenario:?}")
        };
        assert_eq!(*stamp, Stamp { bucket: 1, patch: 3, at: (2, 1) });
        assert_eq!(
            (first.start, first.goal, first.length, first.decimals),
            ((0, 0), (4, 0), Some(4.0), 2)
        );
        assert_eq!((second.bucket, second.start, second.length), (1, (4, 3), Some(4.83)));
    }

    #[test]
    fn a_query_may_have_no_path() {
        let text = format!("{HEADER}Q 0 0 0 4 0 -1\nQ 0 0 0 1 1 1.41\n");
        let scenario = read_dynamic(text.as_bytes()).unwrap();
        let [Command::Query(none), Command::Query(some)] = &scenario.commands[..] else {
            panic!("{scenario:?}")
        };
        assert_eq!((none.length, some.length), (None, Some(1.41)));
        let mut written = Vec::new();
        write_dynamic(&scenario, &mut written).unwrap();
        assert_eq!(read_dynamic(&written).unwrap(), scenario);
    }

    #[test]
    fn errors_name_what_is_missing_or_wrong() {
        refused("version 1\n", "line 1, column 9: `version 2` was expected, `1` was found");
        refused("version 2\ncommands\n", "line 2, column 1: `height`, `width`");
        refused("version 2\nheight 4\nheight 4\n", "line 3, column 1: a line of the header");
        refused("version 2\ncost 2 octile\n", "line 2, column 6: `cost 1 octile` was expected");
        refused("version 2\npatch \n", "line 2, column 6: a map name");
        refused(&format!("{HEADER}X 1"), "line 7, column 1: `P` for a patch or `Q` for a query");
        refused(&format!("{HEADER}P 1 2 3"), "line 7, column 8: a row was expected, nothing");
        refused(&format!("{HEADER}Q 1 2 3 4 5 -2"), "line 7, column 13: a length");
        refused(&format!("{HEADER}P 1 2 3 4 5"), "line 7, column 11: the end of the line");
        let large = HEADER.replace("height 4", "height 60000").replace("width 5", "width 60000");
        refused(&large, "line 6, column 1: 3600000000 cells are too many");
    }

    fn patches(text: &str) -> Result<Vec<Patch>, String> {
        read_patches(text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn patches_are_counted_and_measured() {
        let one = "patch 0\nheight 2\nwidth 3\nmap\n.@.\nG#S\n";
        let read = patches(&format!("type patch\npatches 1\n{one}\n")).unwrap();
        assert_eq!(read[0].cells, [true, false, true, true, false, true]);
        assert_eq!((read[0].width(), read[0].height()), (3, 2));
        for (text, start) in [
            ("type octile\n".to_owned(), "line 1, column 6: `type patch`"),
            (
                format!("type patch\npatches 2\n{one}"),
                "line 9, column 1: 2 patches were announced, 1",
            ),
            (
                format!("type patch\npatches 0\n{one}"),
                "line 3, column 1: 0 patches were announced, 1",
            ),
            (
                format!("type patch\npatches 2\n{one}{one}"),
                "line 9, column 7: the number of this patch",
            ),
            (
                "type patch\npatches 1\npatch 0\nheight 9\nwidth 2\nmap\n..\n".to_owned(),
                "line 8, column 1: 9 rows",
            ),
            (
                "type patch\npatches 1\npatch 0\nheight 1\nwidth 2\nmap\n...\n".to_owned(),
                "line 7, column 3: a row of 2",
            ),
            ("type patch\npatches 1\npatch 0\nwidth 2\n".to_owned(), "line 4, column 1: `height`"),
        ] {
            let message = patches(&text).unwrap_err();
            assert!(message.starts_with(start), "{text:?}: {message}");
        }
    }

    #[test]
    fn written_scenarios_and_patches_are_read_back() {
        let text = format!("{HEADER}Q 0 0 0 4 0 4.00\nP 1 3 2 1\nQ 1 4 3 0 3 4.83\n");
        let scenario = read_dynamic(text.as_bytes()).unwrap();
        let mut out = Vec::new();
        write_dynamic(&scenario, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
        let broken = DynamicScenario { patches: "a\nb".into(), ..scenario };
        write_dynamic(&broken, &mut Vec::new()).unwrap_err();

        let text = "type patch\npatches 2\npatch 0\nheight 2\nwidth 3\nmap\n.@.\n@@@\n\
            patch 1\nheight 1\nwidth 1\nmap\n.\n";
        let mut out = Vec::new();
        write_patches(&patches(text).unwrap(), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }

    #[test]
    fn patches_are_made_of_whole_rows() {
        assert_eq!(Patch::new(2, vec![true; 6]).map(|patch| patch.height()), Some(3));
        for (width, cells) in [(0, 0), (0, 2), (2, 0), (2, 3)] {
            assert_eq!(Patch::new(width, vec![true; cells]), None, "{width}, {cells}");
        }
    }

    #[test]
    fn cells_outside_the_map_are_cut_off() {
        let read =
            patches("type patch\npatches 1\npatch 0\nheight 2\nwidth 3\nmap\n.@.\n@.@\n").unwrap();
        let grid = Grid::new(4, 3).unwrap();
        let stamped: Vec<(u32, bool)> =
            read[0].stamp(&grid, (2, 2)).map(|change| (change.node, change.passable)).collect();
        assert_eq!(stamped, [(10, true), (11, false)]);
        assert_eq!(read[0].stamp(&grid, (0, 0)).count(), 6);
        assert_eq!(read[0].stamp(&grid, (u32::MAX, u32::MAX)).count(), 0);
    }
}
