//! A legend under a picture.

use super::ink::Ink;
use super::letters;
use super::scene::{Layer, Scene, Spot, target_layers};

/// An item of a legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Where the path starts.
    Start,
    /// Where it ends.
    Goal,
    /// The path.
    Path,
    /// The path before an edit.
    Before,
    /// Nodes that were expanded.
    Searched,
    /// Blocked cells.
    Walls,
    /// Edges of a graph.
    Roads,
    /// Cells that were edited.
    Edited,
    /// Members of a crowd.
    Agents,
    /// Where agents have walked.
    Tracks,
    /// Where a crowd walks to.
    Exits,
    /// Darker ground is farther from an exit.
    Farther,
}

/// How wide a picture is in columns of its letters.
const COLUMNS: f32 = 280.0;

impl Key {
    fn words(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Goal => "goal",
            Self::Path => "path",
            Self::Before => "path before",
            Self::Searched => "searched",
            Self::Walls => "blocked",
            Self::Roads => "road",
            Self::Edited => "edited",
            Self::Agents => "agent",
            Self::Tracks => "track",
            Self::Exits => "exit",
            Self::Farther => "far away",
        }
    }

    /// The sample in front of the words, around a point.
    fn layers(self, at: Spot, unit: f32) -> Vec<Layer> {
        let bar = |ink, width: f32| {
            let spot = |x: f32| Spot { x: at.x + x * unit, y: at.y };
            let line = |ink, width: f32| Layer::Lines {
                ink,
                width: width * unit,
                lines: vec![[spot(width / 2.0 - 5.5), spot(5.5 - width / 2.0)]],
            };
            // A dark edge, so that light inks stand out from the paper.
            let edge = (width > 4.0).then(|| line(Ink::Road, width + 1.0));
            edge.into_iter().chain([line(ink, width)]).collect()
        };
        let disc = |ink, radius: f32| {
            let disc =
                |ink, radius: f32| Layer::Discs { ink, radius: radius * unit, centres: vec![at] };
            vec![disc(Ink::Road, radius + 0.5), disc(ink, radius)]
        };
        match self {
            Self::Start => disc(Ink::Start, 3.5),
            Self::Goal | Self::Exits => target_layers(at, 3.5 * unit, 0.5 * unit),
            Self::Path => bar(Ink::Path, 2.5),
            Self::Before => bar(Ink::Inner(0), 2.5),
            Self::Searched => bar(Ink::Searched(0), 5.0),
            Self::Walls => bar(Ink::Blocked, 5.0),
            Self::Roads => bar(Ink::Road, 1.0),
            Self::Edited => disc(Ink::Landmark, 3.5),
            Self::Agents => disc(Ink::Path, 2.5),
            Self::Tracks => bar(Ink::Inner(0), 1.5),
            Self::Farther => bar(Ink::Ground(7), 5.0),
        }
    }
}

/// The scene with a legend of these under it; as it is without any.
pub(super) fn with_legend(mut scene: Scene, keys: &[Key]) -> Scene {
    if keys.is_empty() {
        return scene;
    }
    let width = scene.width as f32;
    let unit = width / COLUMNS;
    let (margin, sample, gap, row) = (6.0 * unit, 14.0 * unit, 9.0 * unit, 15.0 * unit);
    let mut at = Spot { x: margin, y: scene.height as f32 + row / 2.0 + 1.5 * unit };
    let mut words = Vec::new();
    for key in keys {
        let taken = sample + letters::width(key.words(), unit);
        if at.x > margin && at.x + taken > width - margin {
            at = Spot { x: margin, y: at.y + row };
        }
        scene.layers.extend(key.layers(Spot { x: at.x + 5.5 * unit, ..at }, unit));
        let corner = Spot { x: at.x + sample, y: at.y - (letters::HEIGHT - 2.0) * unit };
        words.extend(letters::lines(key.words(), corner, unit));
        at.x += taken + gap;
    }
    scene.layers.push(Layer::Lines { ink: Ink::Blocked, width: unit, lines: words });
    scene.height = (at.y + row / 2.0 + 1.5 * unit).ceil() as u32;
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Key; 12] = [
        Key::Start,
        Key::Goal,
        Key::Path,
        Key::Before,
        Key::Searched,
        Key::Walls,
        Key::Roads,
        Key::Edited,
        Key::Agents,
        Key::Tracks,
        Key::Exits,
        Key::Farther,
    ];

    #[test]
    fn the_legend_lies_under_the_picture_and_inside_it() {
        for (width, keys) in [(800, &ALL[..]), (40, &ALL), (4000, &ALL[..1])] {
            let scene = Scene { width, height: 100, layers: Vec::new() };
            let scene = with_legend(scene, keys);
            let spots = scene.layers.iter().flat_map(|layer| match layer {
                Layer::Lines { lines, .. } => lines.concat(),
                Layer::Discs { centres, .. } => centres.clone(),
                Layer::Cells(_) => panic!("a legend has no cells"),
            });
            let spots: Vec<Spot> = spots.collect();
            assert!(spots.len() > keys.len());
            for Spot { x, y } in spots {
                assert!(x > 0.0 && x < width as f32, "{width}: {x}");
                assert!(y > 100.0 && y < scene.height as f32, "{width}: {y}");
            }
        }
        let scene = with_legend(Scene { width: 8, height: 5, layers: Vec::new() }, &[]);
        assert_eq!((scene.height, scene.layers.len()), (5, 0));
    }
}
