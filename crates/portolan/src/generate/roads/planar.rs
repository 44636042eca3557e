//! A planar network of streets as half-edges.
//!
//! Every street is two half-edges, one per direction, each the twin of the other. A half-edge
//! belongs to the block on its left; `next` leads around that block counter-clockwise (and
//! clockwise around the outside of the country). Operations only divide streets and cut blocks in
//! two between different nodes, so every block stays a simple cycle.

use super::road_class::RoadClass;
use crate::graph::{NodeId, Point};

pub(super) struct Planar {
    points: Vec<Point>,
    degrees: Vec<u8>,
    half_edges: Vec<HalfEdge>,
}

#[derive(Clone, Copy)]
struct HalfEdge {
    tail: NodeId,
    twin: u32,
    next: u32,
    class: RoadClass,
    /// Whether traffic may use this direction.
    open: bool,
}

impl Planar {
    /// One block with this outline, counter-clockwise. Half-edge i runs from corner i along the
    /// inside.
    pub(super) fn new(outline: Vec<Point>, class: RoadClass) -> Self {
        let corners = outline.len() as u32;
        let inner = (0..corners).map(|corner| HalfEdge {
            tail: corner,
            twin: corners + corner,
            next: (corner + 1) % corners,
            class,
            open: true,
        });
        let outer = (0..corners).map(|corner| HalfEdge {
            tail: (corner + 1) % corners,
            twin: corner,
            next: corners + (corner + corners - 1) % corners,
            class,
            open: true,
        });
        let half_edges = inner.chain(outer).collect();
        Self { degrees: vec![2; outline.len()], points: outline, half_edges }
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    pub(super) fn half_edges(&self) -> u32 {
        self.half_edges.len() as u32
    }

    pub(super) fn tail_point(&self, half_edge: u32) -> Point {
        self.points[self.half_edges[half_edge as usize].tail as usize]
    }

    pub(super) fn head(&self, half_edge: u32) -> NodeId {
        let twin = self.half_edges[half_edge as usize].twin;
        self.half_edges[twin as usize].tail
    }

    pub(super) fn head_point(&self, half_edge: u32) -> Point {
        self.points[self.head(half_edge) as usize]
    }

    pub(super) fn next(&self, half_edge: u32) -> u32 {
        self.half_edges[half_edge as usize].next
    }

    pub(super) fn class(&self, half_edge: u32) -> RoadClass {
        self.half_edges[half_edge as usize].class
    }

    /// The number of streets at a node.
    pub(super) fn degree(&self, node: NodeId) -> u8 {
        self.degrees[node as usize]
    }

    /// Collects the half-edges around a block, starting with this one.
    pub(super) fn walk_into(&self, block: u32, ring: &mut Vec<u32>) {
        self.walk_while(block, ring, |_| true);
    }

    /// Collects the half-edges around a block, starting with this one, while they satisfy a
    /// condition. Returns whether all do.
    pub(super) fn walk_while(
        &self,
        block: u32,
        ring: &mut Vec<u32>,
        condition: impl Fn(u32) -> bool,
    ) -> bool {
        ring.clear();
        let mut half_edge = block;
        while condition(half_edge) {
            ring.push(half_edge);
            half_edge = self.next(half_edge);
            if half_edge == block {
                return true;
            }
        }
        false
    }

    /// Adds a node without streets in this structure.
    pub(super) fn add_point(&mut self, at: Point, degree: u8) -> NodeId {
        self.points.push(at);
        self.degrees.push(degree);
        self.points.len() as NodeId - 1
    }

    /// Divides a street by a new node; the half-edge then ends at it.
    pub(super) fn divide(&mut self, half_edge: u32, at: Point) -> NodeId {
        let node = self.add_point(at, 2);
        let (far, near) = (self.half_edges(), self.half_edges() + 1);
        let here = self.half_edges[half_edge as usize];
        let twin = self.half_edges[here.twin as usize];
        self.half_edges.push(HalfEdge { tail: node, ..here });
        self.half_edges.push(HalfEdge { tail: node, ..twin });
        self.half_edges[half_edge as usize].twin = near;
        self.half_edges[half_edge as usize].next = far;
        self.half_edges[here.twin as usize].twin = far;
        self.half_edges[here.twin as usize].next = near;
        node
    }

    /// Cuts a block in two by a street between the heads of two of its half-edges. Returns the new
    /// half-edges, one in each block.
    pub(super) fn cut(&mut self, from: u32, to: u32, class: RoadClass) -> [u32; 2] {
        let [forth, back] = [self.half_edges(), self.half_edges() + 1];
        for (new, twin, before, after) in [(forth, back, from, to), (back, forth, to, from)] {
            let (tail, next) = (self.head(before), self.next(after));
            self.half_edges.push(HalfEdge { tail, twin, next, class, open: true });
            self.degrees[tail as usize] = self.degrees[tail as usize].saturating_add(1);
            debug_assert_eq!(self.half_edges(), new + 1);
        }
        self.half_edges[from as usize].next = forth;
        self.half_edges[to as usize].next = back;
        [forth, back]
    }

    pub(super) fn is_two_way(&self, half_edge: u32) -> bool {
        let here = self.half_edges[half_edge as usize];
        here.open && self.half_edges[here.twin as usize].open
    }

    /// Makes a street one-way, in the direction of this half-edge.
    pub(super) fn close_against(&mut self, half_edge: u32) {
        let twin = self.half_edges[half_edge as usize].twin;
        self.half_edges[twin as usize].open = false;
    }

    /// Every street once: its ends, its class, and whether it is open forward and backward.
    pub(super) fn streets(&self) -> impl Iterator<Item = (NodeId, NodeId, RoadClass, [bool; 2])> {
        (0..).zip(&self.half_edges).filter(|&(index, street): &(u32, _)| index < street.twin).map(
            |(_, street)| {
                let twin = self.half_edges[street.twin as usize];
                (street.tail, twin.tail, street.class, [street.open, twin.open])
            },
        )
    }
}
