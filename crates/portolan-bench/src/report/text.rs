//! Plain text made safe for Markdown.

use crate::svg::is_printable;

/// Text for one line of Markdown, within a table cell or without.
pub(crate) fn markdown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut out = String::with_capacity(text.len());
    for c in words.join(" ").chars().filter(|&c| is_printable(c)) {
        if r"\`*_[]<>|&~$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    guard_start(out)
}

/// A place a Markdown link may point to, for use between `<` and `>`.
pub(crate) fn markdown_link(link: &str) -> String {
    let keep = |c: char| !matches!(c, '<' | '>' | '\\' | '|') && is_printable(c) && c != '\n';
    link.chars().filter(|&c| keep(c)).collect::<String>().replace(' ', "%20")
}

/// The paragraphs of a text, which blank lines separate.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text.lines().map(str::trim) {
        let last = paragraphs.len() - 1;
        match (line.is_empty(), paragraphs[last].is_empty()) {
            (true, true) => {}
            (true, false) => paragraphs.push(String::new()),
            (false, true) => paragraphs[last].push_str(line),
            (false, false) => paragraphs[last].extend([" ", line]),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// Keeps a line from turning into a heading, a list or a rule by how it starts.
fn guard_start(line: String) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let at = match line.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => digits,
        Some(b'#' | b'+' | b'-' | b'=') if digits == 0 => 0,
        _ => return line,
    };
    let (before, after) = line.split_at(at);
    // A decimal or negative number starts no list; leave it readable.
    let harmless = after[1..].starts_with(|c: char| c.is_ascii_digit());
    if harmless { line } else { format!("{before}\\{after}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_text() {
        for (text, escaped) in [
            ("PPA* and A*", r"PPA\* and A\*"),
            ("a|b\nc", r"a\|b c"),
            ("<b>&amp;", r"\<b\>\&amp;"),
            ("[x](y) ![z]", r"\[x\](y) !\[z\]"),
            ("# no heading", r"\# no heading"),
            ("- no list", r"\- no list"),
            ("1. no list", r"1\. no list"),
            ("-1.5", "-1.5"),
            ("1.5 ms", "1.5 ms"),
            ("--- ", r"\---"),
            ("    no code", "no code"),
            ("5.", r"5\."),
            ("", ""),
        ] {
            assert_eq!(markdown(text), escaped, "{text:?}");
        }
    }

    #[test]
    fn links_stay_within_their_brackets() {
        assert_eq!(markdown_link("a b>(c)<d\n|e.png"), "a%20b(c)de.png");
    }

    #[test]
    fn blank_lines_part_paragraphs() {
        assert_eq!(paragraphs("\n a\nb \n\n \n c\n"), ["a b", "c"]);
        assert!(paragraphs(" \n").is_empty());
    }
}
