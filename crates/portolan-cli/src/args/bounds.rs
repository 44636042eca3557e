//! Lower bounds as the command line spells them: names joined by `+`.

use std::str::FromStr;

use portolan::heuristic::HeuristicChoice;
use portolan::true_distance::StoredKind;
use portolan_bench::names;

/// The geometric bound and the stored ones that were named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundNames {
    pub(crate) geometric: HeuristicChoice,
    pub(crate) stored: Vec<StoredKind>,
}

const GEOMETRIC: [(&str, HeuristicChoice); 6] = [
    ("auto", HeuristicChoice::Auto),
    ("zero", HeuristicChoice::Zero),
    ("manhattan", HeuristicChoice::Manhattan),
    ("octile", HeuristicChoice::Octile),
    ("hex", HeuristicChoice::Hex),
    ("euclidean", HeuristicChoice::Euclidean),
];

impl FromStr for BoundNames {
    type Err = String;

    /// Where no geometric bound is named, there is none.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut geometric, mut stored) = (None, Vec::new());
        for name in text.split('+').map(str::trim) {
            let choice = GEOMETRIC.into_iter().find(|&(known, _)| known == name);
            match (choice, StoredKind::from_name(name)) {
                (Some((_, choice)), _) if geometric.is_none() => geometric = Some(choice),
                (Some(_), _) => {
                    return Err("only one bound can come from where nodes lie".into());
                }
                (None, Some(kind)) => stored.push(kind),
                (None, None) => return Err(unknown(name)),
            }
        }
        Ok(Self { geometric: geometric.unwrap_or(HeuristicChoice::Zero), stored })
    }
}

fn unknown(name: &str) -> String {
    let known = GEOMETRIC.iter().map(|&(known, _)| known);
    let known = known.chain(StoredKind::ALL.iter().map(|kind| kind.name()));
    format!("`{name}` is no bound; {}; + joins them", names::suggestion(name, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_by_a_plus() {
        let read = |text: &str| text.parse::<BoundNames>();
        let landmarks = vec![StoredKind::Differential];
        for (text, geometric, stored) in [
            ("auto", HeuristicChoice::Auto, vec![]),
            ("octile+differential", HeuristicChoice::Octile, landmarks.clone()),
            ("differential + hex", HeuristicChoice::Hex, landmarks.clone()),
            ("differential", HeuristicChoice::Zero, landmarks),
        ] {
            assert_eq!(read(text), Ok(BoundNames { geometric, stored }), "{text}");
        }
        for refused in ["", "+", "octile+", "octile+hex", "straight"] {
            assert!(read(refused).is_err(), "{refused}");
        }
        assert!(read("landmarks").unwrap_err().contains("differential"));
    }
}
