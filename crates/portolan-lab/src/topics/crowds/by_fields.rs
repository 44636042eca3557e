//! A flow field for each goal; agents look up their next step.

use std::time::Instant;

use portolan::crowd::FlowField;

use super::crowd::Crowd;
use super::{Computed, Movement, Work};
use crate::error::LabError;

/// Moves agents along flow fields.
#[derive(Debug, Default)]
pub(super) struct ByFields {
    /// By the number of the goal. An old field is used until the new one is there.
    fields: Vec<Field>,
    computed: Computed,
}

#[derive(Debug, Default)]
struct Field {
    field: Option<FlowField>,
    is_stale: bool,
}

impl Movement for ByFields {
    fn goals_moved(&mut self, goal: Option<usize>) {
        for (at, field) in self.fields.iter_mut().enumerate() {
            field.is_stale |= goal.is_none_or(|goal| goal == at);
        }
    }

    fn step(&mut self, crowd: &mut Crowd, work: &Work<'_>) -> Result<(), LabError> {
        let goals = crowd.goals().to_vec();
        self.fields.resize_with(goals.len(), || Field { field: None, is_stale: true });
        for (field, goal) in self.fields.iter_mut().zip(goals) {
            if !field.is_stale {
                continue;
            }
            // At least one in each step.
            if work.is_over() && self.computed.fields > 0 {
                break;
            }
            let start = Instant::now();
            let made = FlowField::new(crowd.map(), &[goal])?;
            *field = Field { field: Some(made), is_stale: false };
            self.computed.fields += 1;
            self.computed.time += start.elapsed();
        }
        for agent in 0..crowd.positions().len() {
            let field = self.fields.get(usize::from(crowd.targets()[agent]));
            let field = field.and_then(|field| field.field.as_ref());
            if let Some(next) = field.and_then(|field| field.next(crowd.positions()[agent])) {
                crowd.walk_to(agent, next);
            }
        }
        Ok(())
    }

    fn waiting(&self, crowd: &Crowd) -> usize {
        let is_stale = |&&target: &&u8| {
            self.fields.get(usize::from(target)).is_none_or(|field| field.is_stale)
        };
        crowd.targets().iter().filter(is_stale).count()
    }

    fn take_computed(&mut self) -> Computed {
        std::mem::take(&mut self.computed)
    }
}
