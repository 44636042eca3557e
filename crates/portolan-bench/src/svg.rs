//! Elements of SVG drawings, for pictures of maps and for plots.

use std::fmt::{Display, Write};

/// An element with these attributes, whose values are escaped. `contents` are elements or escaped
/// text.
pub(crate) fn element(name: &str, attributes: &[(&str, &dyn Display)], contents: &str) -> String {
    let mut text = format!("<{name}");
    for (attribute, value) in attributes {
        let _ = write!(text, " {attribute}=\"{}\"", escaped(&value.to_string()));
    }
    match contents {
        "" => text.push_str("/>"),
        contents => drop(write!(text, ">{contents}</{name}>")),
    }
    text
}

/// Text for HTML and SVG, for contents and quoted attributes alike.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|&c| is_printable(c)) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Neither HTML nor XML allows other characters.
pub(crate) fn is_printable(c: char) -> bool {
    (!c.is_control() || matches!(c, '\n' | '\t')) && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let hostile = "<script a=\"b\" c='d'>&amp;\u{0}\u{b}\u{ffff}";
        let safe = "&lt;script a=&quot;b&quot; c=&#39;d&#39;&gt;&amp;amp;";
        assert_eq!(escaped(hostile), safe);
        assert_eq!(escaped("Länge ≤ 3 — 路"), "Länge ≤ 3 — 路");
        assert_eq!(element("a", &[("b", &hostile)], ""), format!("<a b=\"{safe}\"/>"));
        assert_eq!(element("a", &[("b", &1.5)], "c"), "<a b=\"1.5\">c</a>");
    }
}
