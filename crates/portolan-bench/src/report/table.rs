//! Tables: what is in them. Rendering is in `html` and `markdown`.

use crate::report::number::{Digits, plain, with_digits};
use crate::report::{Better, Mark};

/// Rows under named columns.
///
/// Rows may be shorter or longer than the list of columns; both renderers fill up what is missing.
///
/// ```
/// use portolan_bench::report::{Cell, Table};
///
/// let mut table = Table::new(["Method", "Time [ms]", "Memory [MB]"]);
/// table.row(["A*".into(), Cell::number(54.0, 2), Cell::missing()]);
/// table.row(["PPA*".into(), Cell::number(1.4, 2), Cell::number(176.0, 0)]);
/// assert!(table.to_text().contains("1.40"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The line under the table; none when empty.
    pub(crate) caption: String,
    /// The heads of the columns.
    pub(crate) columns: Vec<Column>,
    /// The cells, row by row.
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new<C: Into<Column>>(columns: impl IntoIterator<Item = C>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { columns, ..Self::default() }
    }

    /// The line under the table.
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Adds a row.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table for a terminal: the first column is aligned left, the others right.
    pub fn to_text(&self) -> String {
        let heads = self.columns.iter().map(|column| column.name.clone()).collect();
        let words = |row: &Vec<Cell>| {
            row.iter().map(|cell| cell.words().unwrap_or_else(|| "-".into())).collect()
        };
        let rows: Vec<Vec<String>> =
            std::iter::once(heads).chain(self.rows.iter().map(words)).collect();
        let width = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..self.width()).filter_map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let mut line = String::from(" ");
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                line += &match column {
                    0 => format!(" {cell:width$}"),
                    _ => format!("  {cell:>width$}"),
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    /// Marks the best number of a column as [`Mark::Good`], and all that equal it.
    pub(crate) fn mark_best(&mut self, column: usize, better: Better) {
        let number = |row: &Vec<Cell>| row.get(column).and_then(Cell::as_number);
        let best = self.rows.iter().filter_map(number).reduce(match better {
            Better::Lower => f64::min,
            Better::Higher => f64::max,
        });
        for row in self.rows.iter_mut().filter(|row| best.is_some() && number(row) == best) {
            row[column].mark = Some(Mark::Good);
        }
    }

    /// The number of columns, counting those that only a row has.
    pub(crate) fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0).max(self.columns.len())
    }

    /// How a column is aligned: as it says, or right if it holds numbers and nothing else.
    pub(crate) fn align(&self, column: usize) -> Align {
        self.columns.get(column).and_then(|column| column.align).unwrap_or_else(|| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(column)).peekable();
            let numeric = |cell: &Cell| !matches!(cell.value, Value::Text(_));
            if cells.peek().is_some() && cells.all(numeric) { Align::Right } else { Align::Left }
        })
    }
}

/// The head of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    /// The name, with the unit.
    pub name: String,
    /// How cells are aligned; by default numbers right and text left.
    pub align: Option<Align>,
}

impl Column {
    /// A column that aligns itself by what is in it.
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: None }
    }
}

impl<T: Into<String>> From<T> for Column {
    fn from(name: T) -> Self {
        Self::new(name)
    }
}

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// At the left.
    Left,
    /// In the middle.
    Center,
    /// At the right.
    Right,
}

/// One cell: a value, and perhaps a verdict on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// What is shown.
    pub(crate) value: Value,
    /// Good cells are bold, bad ones slanted, and both are coloured.
    pub(crate) mark: Option<Mark>,
}

/// What a cell shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Value {
    /// Words.
    Text(String),
    /// A number; one that is not finite is shown as missing.
    Number {
        /// The number.
        value: f64,
        /// Digits after the point; `None` shows whole numbers in full and others to four
        /// significant digits.
        digits: Option<usize>,
    },
    /// Nothing was measured.
    #[default]
    Missing,
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Value::Text(text.into()).into()
    }

    /// A number with this many digits after the point.
    pub fn number(value: f64, digits: usize) -> Self {
        Value::Number { value, digits: Some(digits) }.into()
    }

    /// A number with as many digits as seem sensible.
    pub(crate) fn plain(value: f64) -> Self {
        Value::Number { value, digits: None }.into()
    }

    /// Nothing was measured.
    pub fn missing() -> Self {
        Self::default()
    }

    /// The same cell with a verdict.
    pub(crate) fn marked(mut self, mark: Mark) -> Self {
        self.mark = Some(mark);
        self
    }

    fn as_number(&self) -> Option<f64> {
        match self.value {
            Value::Number { value, .. } if value.is_finite() => Some(value),
            _ => None,
        }
    }

    /// The words of the cell, not escaped; `None` for a missing value.
    pub(crate) fn words(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) => Some(text.clone()),
            Value::Number { value, digits } if value.is_finite() => Some(match digits {
                Some(digits) => with_digits(*value, Digits::AfterPoint(*digits)),
                None => plain(*value),
            }),
            _ => None,
        }
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        Self { value, mark: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_every_best_cell_and_skips_words_and_gaps() {
        let mut table = Table::new(["a", "b"]);
        for value in [3.0, 2.0, f64::NAN, 2.0] {
            table.row(["x".into(), Cell::number(value, 0)]);
        }
        table.row(["short"]);
        table.mark_best(1, Better::Lower);
        table.mark_best(0, Better::Lower);
        table.mark_best(7, Better::Higher);
        let marked: Vec<bool> =
            table.rows.iter().map(|row| row.last().unwrap().mark.is_some()).collect();
        assert_eq!(marked, [false, true, false, true, false]);
    }

    #[test]
    fn columns_line_up_in_text() {
        let mut table = Table::new(["engine", "time"]);
        table.row(["astar", "1"]);
        table.row(["b".into(), Cell::number(22_222.0, 0)]);
        assert_eq!(table.to_text(), "  engine    time\n  astar        1\n  b       22,222\n");
    }

    #[test]
    fn numbers_stand_right_and_words_left() {
        let mut table = Table::new(["a", "b", "c"]);
        table.row(["x".into(), Cell::plain(1.0)]);
        table.row(["y".into(), Cell::missing()]);
        assert_eq!(
            [0, 1, 2].map(|column| table.align(column)),
            [Align::Left, Align::Right, Align::Left]
        );
        assert_eq!(table.width(), 3);
    }
}
