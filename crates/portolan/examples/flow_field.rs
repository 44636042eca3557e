//! A crowd with common goals: one field tells every agent its next step, and an edit repairs it.

use portolan::prelude::*;

fn main() -> Result<(), portolan::Error> {
    let world = World::new(Grid::from_fn(40, 20, |x, y| x != 20 || y % 6 == 3)?)?;
    let exits = [(39, 0), (39, 19)];
    let mut field = FlowField::new(world.snapshot().map(), &exits)?;
    let mut agents: Vec<Cell> = (0..20).map(|y| Cell::new(0, y)).collect();

    for frame in 0.. {
        if frame == 10 {
            let edit = world.edit(|edit| edit.block((20, 9)))?; // a door falls shut
            let looked_at = field.repair(edit.snapshot().map(), edit.changes());
            println!("frame {frame}: the field is repaired at {looked_at} of 800 cells");
        }
        let mut moved = 0;
        for agent in &mut agents {
            if let Some(next) = field.next_cell(*agent) {
                *agent = next;
                moved += 1;
            }
        }
        if moved == 0 {
            println!("frame {frame}: everybody is out: {agents:?}");
            break;
        }
    }
    Ok(())
}
