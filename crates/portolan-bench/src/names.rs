//! Mistyped names, and what was probably meant.

/// The known name most like this one, if any is. Case does not count.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&name, &known.to_lowercase());
    let known = known.into_iter().map(|known| (distance(known), known));
    known.min().filter(|&(distance, known)| distance <= known.len() / 2).map(|(_, known)| known)
}

/// The end of a message about an unknown name: what was probably meant, and all that are known.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let all = known.join(", ");
    match nearest(name, known) {
        Some(nearest) => format!("did you mean `{nearest}`? There are: {all}"),
        None => format!("there are: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let known = ["astar", "atlas", "dijkstra"];
        for (given, expected) in [
            ("ATLAS", Some("atlas")),
            ("Atlas", Some("atlas")),
            ("atals", Some("atlas")),
            ("a-star", Some("astar")),
            ("dikstra", Some("dijkstra")),
            ("qqqqqqqqqqq", None),
        ] {
            assert_eq!(nearest(given, known), expected, "{given}");
        }
    }
}
