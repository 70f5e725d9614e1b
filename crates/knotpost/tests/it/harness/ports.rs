//! Ports for programs that must be told theirs before they start.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

/// Ports below those that systems hand out by themselves (from 32768 on Linux), so that nobody who listens on port 0
/// or connects gets one before its program listens.
const FIRST: u16 = 10_000;
/// How many ports a process has: each test is a process of its own.
const OF_A_PROCESS: u16 = 8;
/// After how many processes the same ports are used again.
const PROCESSES: u32 = 2_500;

/// An address of loopback that is free now and stays free until the test uses it.
pub(crate) fn free_address() -> SocketAddr {
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    let block = u16::try_from(process::id() % PROCESSES).expect("is below 2,500");
    loop {
        let number = GIVEN.fetch_add(1, Ordering::Relaxed);
        assert!(number < OF_A_PROCESS, "all ports of this test are in use");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, FIRST + block * OF_A_PROCESS + number));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}
