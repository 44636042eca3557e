//! When and where an experiment ran.

use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, thread};

/// Today's date in Greenwich, as `2026-01-31`.
pub(crate) fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date_of(since.as_secs() / (24 * 60 * 60))
}

/// The processor and how many of its cores this process may use.
pub(crate) fn machine() -> String {
    let described = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let cores = if cores == 1 { "1 core".into() } else { format!("{cores} cores") };
    let system = format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH);
    match processor(&described) {
        Some(processor) => format!("{processor}, {cores}, {system}"),
        None => format!("{cores}, {system}"),
    }
}

/// How many processes wanted a core in the last minute, where the system says so.
pub(crate) fn load() -> Option<String> {
    let averages = fs::read_to_string("/proc/loadavg").ok()?;
    averages.split_whitespace().next().map(str::to_owned)
}

/// The processor's name in the text of `/proc/cpuinfo`.
fn processor(described: &str) -> Option<&str> {
    let line = described.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim())
}

/// The date so many days after the first of January 1970.
fn date_of(days: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut rest) = (1970, days);
    while rest >= 365 + u64::from(is_leap(year)) {
        rest -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", rest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (20_453, "2025-12-31"),
            (20_454, "2026-01-01"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date_of(days), date, "{days}");
        }
    }

    #[test]
    fn processors() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.6 GHz\nmodel name\t: Other\n";
        assert_eq!(processor(text), Some("Some CPU @ 2.6 GHz"));
        assert_eq!(processor(""), None);
        assert!(machine().contains("core"));
    }
}
