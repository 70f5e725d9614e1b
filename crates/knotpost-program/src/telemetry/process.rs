//! Resources of this process, read from `/proc`; absent elsewhere than on Linux.

use std::fs;

use knotpost_platform::clock::{Clock as _, SystemClock};

/// Linux shows processor time in hundredths of a second.
const TICKS: u64 = 100;

pub(super) fn report_start() {
    metrics::gauge!("process_start_time_seconds").set(SystemClock.now().0 as f64 / 1000.0);
    report_process();
}

pub(crate) fn report_process() {
    if let Some(ticks) = fs::read_to_string("/proc/self/stat").ok().and_then(|stat| ticks_of(&stat)) {
        metrics::counter!("process_cpu_seconds_total").absolute(ticks / TICKS);
    }
    if let Some(bytes) = fs::read_to_string("/proc/self/status").ok().and_then(|status| memory_of(&status)) {
        metrics::gauge!("process_resident_memory_bytes").set(bytes as f64);
    }
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        metrics::gauge!("process_open_fds").set(files.count() as f64);
    }
}

/// User and system time. The name of the program stands before them in parentheses, and may hold anything.
fn ticks_of(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(user + system)
}

fn memory_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_process_are_read() {
        let stat = "7 (a) b (c)) S 1 7 7 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 1 0";
        assert_eq!(ticks_of(stat), Some(200));
        assert_eq!(memory_of("Name:\tx\nVmRSS:\t    12 kB\n"), Some(12 * 1024));
        assert_eq!((ticks_of(""), memory_of("")), (None, None));
    }
}
