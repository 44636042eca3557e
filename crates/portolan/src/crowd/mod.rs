//! Many agents with few goals: flow fields, and searches around a node.
//!
//! A [`FlowField`] has, for each node of a map, the cost of the cheapest path to any of its goals
//! and the next step of that path. It is built once for all agents that share the goals, and each
//! agent looks up its step. An edit [repairs](FlowField::repair) a field: only affected nodes are
//! updated, and the result equals a field built from scratch, bit for bit.
//!
//! ```
//! use portolan::crowd::FlowField;
//! use portolan::world::World;
//! use portolan::Grid;
//!
//! let world = World::new(Grid::new(40, 30)?)?;
//! let mut field = FlowField::new(world.snapshot().map(), &[0, 1_199])?; // two exits
//! let mut agents = vec![610, 45, 1_030];
//! for frame in 0..5 {
//!     let edit = world.edit(|e| e.block(205 + 40 * frame))?;
//!     field.repair(edit.snapshot().map(), edit.changes());
//!     for agent in &mut agents {
//!         *agent = field.next(*agent).unwrap_or(*agent);
//!     }
//! }
//! let mut path = Vec::new();
//! let cost = field.path_into(agents[0], &mut path)?.expect("the exits are open");
//! assert_eq!(field.map().walk(path), Ok(cost));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Reach`] answers queries about one node: the cost to each of many others, the nearest goals,
//! everything within a cost, and the paths there.
//!
//! **Ties.** If several paths cost the same, the step is along the first edge, in the order of the
//! map, that belongs to a cheapest path and has a positive weight. A node without such an edge
//! steps toward the nearest node that has one, by the number of edges. So a step depends only on
//! map and goals, and not on earlier edits (`steps.rs`).
//!
//! **Repair** follows Ramalingam and Reps (1996): it finds the nodes that lost their path, in the
//! order of old costs, and then propagates new costs from their surroundings by Dijkstra's
//! algorithm (`repair.rs`).

mod field;
mod reach;
mod repair;
mod steps;

pub use field::FlowField;
pub use reach::Reach;
