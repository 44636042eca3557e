//! Road networks of the 9th DIMACS challenge: `.gr` for edges, `.co` for coordinates.
//!
//! ```text
//! c a comment                      c a comment
//! p sp 2 1                         p aux sp co 2
//! a 1 2 70                         v 1 6007361 49638603
//!                                  v 2 6018147 49638222
//! ```
//!
//! Nodes are counted from one in the files and from zero here.

use std::io::{self, Write};

use super::error::{FilePosition, FormatError, Problem};
use super::lines::{Span, TextLines};
use crate::cost::UNREACHABLE;
use crate::graph::{CsrGraph, Graph, GraphBuilder, NodeId, Point};

/// Reads a `.gr` file.
///
/// ```
/// let graph = portolan::formats::dimacs::read_gr(b"p sp 3 2\na 1 2 70\na 2 3 30\n")?;
/// assert_eq!(graph.edges(1).collect::<Vec<_>>(), [(2, 30)]);
/// # Ok::<(), portolan::formats::FormatError>(())
/// ```
pub fn read_gr(text: &[u8]) -> Result<CsrGraph, FormatError> {
    const ARC: &str = "`a` with tail, head and weight";
    let mut lines = TextLines::new(text);
    let (mut header, start) =
        read_header(&mut lines, "`p sp` with the numbers of nodes and arcs", &["sp"])?;
    let nodes = header.take_number("a number of nodes", 0..=u32::MAX - 1)?;
    let arcs = header.take_number("a number of arcs", 0..=u32::MAX - 1)?;
    header.expect_end()?;
    // Nodes without arcs take no bytes, so the length of the file bounds them only roughly.
    check_plausible("nodes", nodes, text.len().max(FREE_NODES), start)?;
    let graph_error = |position, error| FormatError::at(position, Problem::Graph(error));
    let mut builder =
        GraphBuilder::new(nodes as usize).map_err(|error| graph_error(start, error))?;
    let mut found = 0u64;
    for mut line in statements(lines) {
        let position = line.position(0);
        line.expect_word("a", ARC)?;
        let tail = line.take_number("a tail", 1..=nodes)?;
        let head = line.take_number("a head", 1..=nodes)?;
        let weight = line.take_number("a weight", 0..=UNREACHABLE - 1)?;
        line.expect_end()?;
        found += 1;
        if found <= u64::from(arcs) {
            builder
                .add_edge(tail - 1, head - 1, weight)
                .map_err(|error| graph_error(position, error))?;
        }
    }
    check_count("arcs", arcs, found, start)?;
    Ok(builder.build())
}

/// Writes a `.gr` file with arcs sorted by tail, head and weight.
///
/// Deleted nodes are written as nodes without arcs.
pub fn write_gr(graph: &CsrGraph, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "p sp {} {}", graph.node_count(), graph.edge_count())?;
    for tail in 0..graph.node_count() as NodeId {
        for (head, weight) in graph.edges(tail) {
            writeln!(out, "a {} {} {weight}", tail + 1, head + 1)?;
        }
    }
    Ok(())
}

/// Reads a `.co` file: the coordinates of all nodes, in the order of their ids.
pub fn read_co(text: &[u8]) -> Result<Vec<Point>, FormatError> {
    const NODE: &str = "`v` with a node, x and y";
    // `v 1 0 0` and a line break, which is optional on the last line.
    const SHORTEST: usize = 8;
    let mut lines = TextLines::new(text);
    let (mut header, start) =
        read_header(&mut lines, "`p aux sp co` with the number of nodes", &["aux", "sp", "co"])?;
    let nodes = header.take_number("a number of nodes", 0..=u32::MAX - 1)?;
    header.expect_end()?;
    check_plausible("coordinates", nodes, text.len().div_ceil(SHORTEST), start)?;
    let mut points = vec![None; nodes as usize];
    let mut found = 0;
    for mut line in statements(lines) {
        line.expect_word("v", NODE)?;
        let id = line.first_field("a node")?;
        let node = id.number("a node", 1..=i64::from(nodes))? as usize - 1;
        let mut coordinate = |what| {
            let range = i64::from(i32::MIN)..=i64::from(i32::MAX);
            Ok(line.first_field(what)?.number(what, range)? as i32)
        };
        let point = Point { x: coordinate("an x")?, y: coordinate("a y")? };
        line.expect_end()?;
        if points[node].replace(point).is_some() {
            return Err(id.duplicate("the position of a node"));
        }
        found += 1;
    }
    check_count("coordinates", nodes, found, start)?;
    Ok(points.into_iter().flatten().collect())
}

/// Writes a `.co` file.
pub fn write_co(points: &[Point], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "p aux sp co {}", points.len())?;
    for (id, Point { x, y }) in (1u64..).zip(points) {
        writeln!(out, "v {id} {x} {y}")?;
    }
    Ok(())
}

/// Accepted for files of any length: a table of this many nodes takes four megabytes.
const FREE_NODES: usize = 1 << 20;

/// The lines that are neither blank nor comments.
fn statements(lines: TextLines) -> impl Iterator<Item = Span> {
    lines.filter(is_statement)
}

fn is_statement(line: &Span) -> bool {
    line.first_byte().is_some_and(|byte| byte != b'c')
}

/// Reads the `p` line up to its numbers. Returns the rest of the line and its start.
fn read_header<'a>(
    lines: &mut TextLines<'a>,
    expected: &'static str,
    words: &[&str],
) -> Result<(Span<'a>, FilePosition), FormatError> {
    loop {
        let mut line = lines.expect(expected)?;
        if !is_statement(&line) {
            continue;
        }
        let start = line.position(0);
        line.expect_word("p", expected)?;
        for word in words {
            line.expect_word(word, expected)?;
        }
        return Ok((line, start));
    }
}

fn check_plausible(
    what: &'static str,
    announced: u32,
    most: usize,
    position: FilePosition,
) -> Result<(), FormatError> {
    let (announced, most) = (u64::from(announced), most as u64);
    if announced <= most {
        return Ok(());
    }
    Err(FormatError::at(position, Problem::ImplausibleHeader { what, announced, most }))
}

fn check_count(
    what: &'static str,
    expected: u32,
    found: u64,
    position: FilePosition,
) -> Result<(), FormatError> {
    let expected = u64::from(expected);
    if found == expected {
        return Ok(());
    }
    Err(FormatError::at(position, Problem::Count { what, expected, found }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::check_read;

    type Edges = Vec<(NodeId, NodeId, u32)>;

    fn edges(graph: &CsrGraph) -> (usize, Edges) {
        let row = |tail| graph.edges(tail).map(move |(head, weight)| (tail, head, weight));
        let nodes = graph.node_count();
        (nodes, (0..nodes as NodeId).flat_map(row).collect())
    }

    fn check_gr(text: &str, expected: Result<(usize, Edges), &str>) {
        check_read(text, read_gr(text.as_bytes()).map(|graph| edges(&graph)), expected);
    }

    fn check_co(text: &str, expected: Result<&[(i32, i32)], &str>) {
        let found = read_co(text.as_bytes())
            .map(|points| points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>());
        check_read(text, found, expected.map(<[_]>::to_vec));
    }

    #[test]
    fn arcs_are_read() {
        check_gr("p sp 0 0", Ok((0, vec![])));
        check_gr(
            "c x\n\np sp 3 2\r\nc\r\na 2 3 4294967294\r\na 1 1 0\r\n\r\n",
            Ok((3, vec![(0, 0, 0), (1, 2, u32::MAX - 1)])),
        );
        check_gr("cx\np  sp\t2 2\na 1 2 5\na 1 2 5", Ok((2, vec![(0, 1, 5), (0, 1, 5)])));
    }

    #[test]
    fn arcs_are_checked() {
        check_gr(
            "c only\n",
            Err(
                "line 2, column 1: `p sp` with the numbers of nodes and arcs was expected, nothing",
            ),
        );
        check_gr("a 1 2 3\n", Err("line 1, column 1: `p sp`"));
        check_gr(
            "p aux sp co 3\n",
            Err("line 1, column 3: `p sp` with the numbers of nodes and arcs was expected, `aux`"),
        );
        check_gr("p sp 3\n", Err("line 1, column 7: a number of arcs was expected, nothing"));
        check_gr(
            "p sp 2 1\nb 1 2 3\n",
            Err("line 2, column 1: `a` with tail, head and weight was expected, `b`"),
        );
        check_gr(
            "p sp 2 1\na 0 2 3\n",
            Err("line 2, column 3: a tail was expected, a whole number from 1 to 2; `0`"),
        );
        check_gr(
            "p sp 2 1\na 1 3 3\n",
            Err("line 2, column 5: a head was expected, a whole number from 1 to 2; `3`"),
        );
        check_gr(
            "p sp 2 1\na 1 2 4294967295\n",
            Err("line 2, column 7: a weight was expected, a whole number from 0 to 4294967294"),
        );
        check_gr("p sp 2 1\na 1 2 -1\n", Err("line 2, column 7: a weight"));
        check_gr("p sp 2 1\na 1 2 3 4\n", Err("line 2, column 9: the end of the line"));
        check_gr(
            "p sp 2 2\na 1 2 3\n",
            Err("line 1, column 1: 2 arcs were announced, 1 were found"),
        );
        check_gr(
            "p sp 2 1\na 1 2 3\na 2 1 3\n",
            Err("line 1, column 1: 1 arcs were announced, 2 were found"),
        );
        check_gr("p sp 2 0\np sp 2 0\n", Err("line 2, column 1: `a` with"));
    }

    #[test]
    fn a_header_alone_allocates_nothing() {
        check_gr(
            "p sp 4000000000 4000000000\n",
            Err(
                "line 1, column 1: 4000000000 nodes were announced, a file of this length can have at most 1048576",
            ),
        );
        check_gr(
            "p sp 4294967295 0\n",
            Err(
                "line 1, column 6: a number of nodes was expected, a whole number from 0 to 4294967294",
            ),
        );
        check_gr(
            "p sp 1 4000000000\n",
            Err("line 1, column 1: 4000000000 arcs were announced, 0 were found"),
        );
        check_co(
            "p aux sp co 4000000000\n",
            Err(
                "line 1, column 1: 4000000000 coordinates were announced, a file of this length can have at most 3",
            ),
        );
    }

    #[test]
    fn coordinates_are_read_in_any_order() {
        check_co("p aux sp co 0\n", Ok(&[]));
        check_co(
            "c\np aux sp co 2\nv 2 -5 2147483647\nv 1 -2147483648 0\n",
            Ok(&[(i32::MIN, 0), (-5, i32::MAX)]),
        );
    }

    #[test]
    fn coordinates_are_checked() {
        check_co(
            "p sp 1 1\n",
            Err("line 1, column 3: `p aux sp co` with the number of nodes was expected, `sp`"),
        );
        check_co(
            "p aux sp co 2\nv 1 0 0\nv 1 0 0\n",
            Err("line 3, column 3: the position of a node occurs a second time: `1`"),
        );
        check_co(
            "p aux sp co 2\nv 1 0 0\n",
            Err("line 1, column 1: 2 coordinates were announced, 1 were found"),
        );
        check_co(
            "p aux sp co 2\nv 3 0 0\n",
            Err("line 2, column 3: a node was expected, a whole number from 1 to 2"),
        );
        check_co("p aux sp co 1\nv 1 0 2147483648\n", Err("line 2, column 7: a y was expected"));
        check_co("p aux sp co 1\nv 1 0.5 0\n", Err("line 2, column 5: an x was expected"));
    }

    #[test]
    fn written_graphs_are_read_back() {
        let graph = read_gr(b"p sp 4 4\na 1 2 3\na 1 2 3\na 4 4 0\na 2 1 9\n").unwrap();
        let mut text = Vec::new();
        write_gr(&graph, &mut text).unwrap();
        assert_eq!(edges(&read_gr(&text).unwrap()), edges(&graph));

        let points = vec![Point { x: i32::MIN, y: 0 }, Point { x: 7, y: -1 }];
        let mut text = Vec::new();
        write_co(&points, &mut text).unwrap();
        assert_eq!(read_co(&text).unwrap(), points);
    }

    #[test]
    fn deleted_nodes_are_written_as_isolated_ones() {
        use crate::changes::{Changes, NodeChange};
        let mut graph = read_gr(b"p sp 3 2\na 1 2 3\na 2 3 3\n").unwrap();
        let mut changes = Changes::default();
        changes.nodes.push(NodeChange::Delete { node: 1 });
        graph.apply(&changes).unwrap();
        let mut text = Vec::new();
        write_gr(&graph, &mut text).unwrap();
        assert_eq!(text, b"p sp 3 0\n");
    }
}
