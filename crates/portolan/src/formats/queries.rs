//! Queries on graphs with their answers: `.queries`.
//!
//! One query per line, `from to cost`, nodes counted from one, `-` for no path; `#` starts a
//! comment.

use std::io::{self, Write};

use super::error::FormatError;
use super::lines::{Span, TextLines};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;

/// A query and its answer. Nodes are counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GraphQuery {
    /// The start.
    pub from: NodeId,
    /// The goal.
    pub to: NodeId,
    /// The cost of a shortest path; `None` if there is no path.
    pub cost: Option<Cost>,
}

/// Reads a `.queries` file. Does not check nodes against a graph.
///
/// ```
/// use portolan::formats::queries;
/// let found = queries::read(b"# from to cost\n1 2 782\n2 1 -\n")?;
/// assert_eq!(found[0], queries::GraphQuery { from: 0, to: 1, cost: Some(782) });
/// assert_eq!(found[1].cost, None);
/// # Ok::<(), portolan::formats::FormatError>(())
/// ```
pub fn read(text: &[u8]) -> Result<Vec<GraphQuery>, FormatError> {
    TextLines::new(text)
        .map(|line| line.split_at_byte(b'#').0)
        .filter(|line| !line.is_blank())
        .map(read_query)
        .collect()
}

/// Writes a `.queries` file.
///
/// A node or a cost that could not be read back is an
/// [`InvalidInput`](io::ErrorKind::InvalidInput) error.
pub fn write(queries: &[GraphQuery], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# from to cost; nodes are counted from 1; - means no path")?;
    for query in queries {
        if query.from.max(query.to) >= LAST_ID || query.cost == Some(UNREACHABLE) {
            let reason = format!("{query:?} has a node or a cost that is too large");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        write!(out, "{} {} ", query.from + 1, query.to + 1)?;
        match query.cost {
            Some(cost) => writeln!(out, "{cost}")?,
            None => writeln!(out, "-")?,
        }
    }
    Ok(())
}

/// The largest node of the largest graph, counted from one.
const LAST_ID: NodeId = NodeId::MAX - 1;

fn read_query(mut line: Span) -> Result<GraphQuery, FormatError> {
    const COST: &str = "a cost, or `-` for no path,";
    let from = line.take_number("a node to start from", 1..=LAST_ID)? - 1;
    let to = line.take_number("a node to go to", 1..=LAST_ID)? - 1;
    let cost = line.first_field(COST)?;
    line.expect_end()?;
    let cost = match cost.bytes {
        b"-" => None,
        _ => Some(cost.number(COST, 0..=i64::from(UNREACHABLE - 1))? as Cost),
    };
    Ok(GraphQuery { from, to, cost })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::check_read;

    type Triple = (NodeId, NodeId, Option<Cost>);

    fn check(text: &str, expected: Result<&[Triple], &str>) {
        let found = read(text.as_bytes()).map(|queries| {
            queries.iter().map(|query| (query.from, query.to, query.cost)).collect::<Vec<_>>()
        });
        check_read(text, found, expected.map(<[_]>::to_vec));
    }

    #[test]
    fn queries_are_read() {
        check("", Ok(&[]));
        check(
            "# 1 2 3\n\n1 2 3 # four\r\n 4294967294\t1 -",
            Ok(&[(0, 1, Some(3)), (LAST_ID - 1, 0, None)]),
        );
        check("1 1 0\n1 1 4294967294\n", Ok(&[(0, 0, Some(0)), (0, 0, Some(UNREACHABLE - 1))]));
    }

    #[test]
    fn queries_are_checked() {
        check(
            "0 1 2",
            Err("line 1, column 1: a node to start from was expected, a whole number from 1"),
        );
        check("1 4294967295 2", Err("line 1, column 3: a node to go to"));
        check("1 2", Err("line 1, column 4: a cost, or `-` for no path, was expected, nothing"));
        check("1 2 # 3", Err("line 1, column 5: a cost"));
        check("1 2 4294967295", Err("line 1, column 5: a cost"));
        check("1 2 --", Err("line 1, column 5: a cost"));
        check("1 2 3 4", Err("line 1, column 7: the end of the line"));
    }

    #[test]
    fn written_queries_are_read_back() {
        let query = |from, to, cost| GraphQuery { from, to, cost };
        let queries =
            [query(0, LAST_ID - 1, Some(0)), query(5, 5, None), query(1, 2, Some(UNREACHABLE - 1))];
        let mut text = Vec::new();
        write(&queries, &mut text).unwrap();
        assert_eq!(read(&text).unwrap(), queries);
        for refused in
            [query(LAST_ID, 0, None), query(0, NodeId::MAX, None), query(0, 0, Some(UNREACHABLE))]
        {
            let error = write(&[refused], &mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
    }
}
