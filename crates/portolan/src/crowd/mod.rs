//! Many agents, few goals: fields that tell everybody the next step, and what lies round a place.
//!
//! A [`FlowField`] holds for every node of a map what the cheapest way to any of its goals costs
//! and where that way goes next. It is made once for all agents that share the goals; each of them
//! looks its step up. After an edit a field is [repaired](FlowField::repair): what the edit left
//! alone is not looked at again, and the result is that of a field made anew, to the last bit.
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
//! A [`Reach`] answers questions about one place: what it costs to get to each of many others,
//! which goals are nearest, what lies within a cost; with the paths there.
//!
//! **Ties.** Where several ways cost the same, the field goes along the first edge, in the map's
//! order, that belongs to a cheapest way. An edge that costs nothing brings nobody nearer, so edges
//! that cost something come first, and a node that has none goes toward the nearest node that does,
//! by the number of edges. So the step at a node follows from map and goals alone, never from the
//! edits that led there (`steps.rs`).
//!
//! **Repair** is after Ramalingam and Reps (1996): first whatever lost its way is found, in the
//! order of old costs, then Dijkstra's algorithm brings new costs in from what is round it
//! (`repair.rs`).

mod field;
mod reach;
mod repair;
mod steps;

pub use field::FlowField;
pub use reach::Reach;
