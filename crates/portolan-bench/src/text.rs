//! Numbers for people.

/// `1234567` as `1,234,567`.
pub fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many things: `1 query`, `1,000 queries`.
pub fn count(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = grouped(number);
    let what = if number == "1" { one } else { many };
    format!("{number} {what}")
}

/// `all 1,000`, or `the one`.
pub fn all(number: usize) -> String {
    if number == 1 { "the one".into() } else { format!("all {}", grouped(number)) }
}

/// An amount of memory in the unit that suits it, and to the byte: `12.3 MiB (12,902,400 bytes)`.
pub fn exact_bytes(amount: impl TryInto<u64>) -> String {
    let amount = amount.try_into().unwrap_or(u64::MAX);
    match amount {
        0..1024 => bytes(amount),
        _ => format!("{} ({} bytes)", bytes(amount), grouped(amount)),
    }
}

/// An amount of memory in the unit that suits it.
pub fn bytes(amount: impl TryInto<u64>) -> String {
    let amount = amount.try_into().unwrap_or(u64::MAX);
    const UNITS: [&str; 4] = ["bytes", "KiB", "MiB", "GiB"];
    let mut value = amount as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{amount} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// A time in microseconds in the unit that suits it.
pub fn micros(time: f64) -> String {
    match time {
        _ if time >= 10_000_000.0 => format!("{:.1} s", time / 1e6),
        _ if time >= 10_000.0 => format!("{:.1} ms", time / 1e3),
        _ if time >= 100.0 => format!("{time:.0} µs"),
        _ => format!("{time:.2} µs"),
    }
}

/// A time in microseconds, or a dash.
pub fn time(time: Option<f64>) -> String {
    time.map_or("-".into(), micros)
}

/// A share as a percentage.
pub fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "0 %".into() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// A length in the map's own unit, with as many decimals as it needs.
pub fn length(length: f64) -> String {
    if length.fract() == 0.0 { format!("{length:.0}") } else { format!("{length:.5}") }
}

/// A number for JSON, without the digits that mean nothing.
pub fn rounded(number: f64, decimals: i32) -> f64 {
    let unit = 10f64.powi(decimals);
    (number * unit).round() / unit
}

/// A name as a shell takes it.
pub fn shell_word(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=@%".contains(c);
    if name.chars().all(is_plain) {
        name.into()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0u32), "0");
        assert_eq!(grouped(999u32), "999");
        assert_eq!(grouped(1_234_567u32), "1,234,567");
        assert_eq!(count(1u32, "query", "queries"), "1 query");
        assert_eq!(count(1000u32, "query", "queries"), "1,000 queries");
        assert_eq!(bytes(12u32), "12 bytes");
        assert_eq!(bytes(1536u32), "1.5 KiB");
        assert_eq!(exact_bytes(12u32), "12 bytes");
        assert_eq!(exact_bytes(12_902_400u32), "12.3 MiB (12,902,400 bytes)");
        assert_eq!(bytes(usize::MAX), "17179869184.0 GiB");
        assert_eq!(micros(1.234), "1.23 µs");
        assert_eq!(micros(1234.0), "1234 µs");
        assert_eq!(micros(12_340.0), "12.3 ms");
        assert_eq!(percent(1, 8), "12.5 %");
        assert_eq!(percent(0, 0), "0 %");
        assert_eq!(rounded(1.414_213_562_057_320_6, 8).to_string(), "1.41421356");
        assert_eq!((all(1), all(1000)), ("the one".into(), "all 1,000".into()));
        assert_eq!(length(3.0), "3");
        assert_eq!(length(4.414_213_56), "4.41421");
    }
}
