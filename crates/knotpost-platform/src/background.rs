//! Work for which nothing else should wait.

use std::thread;

/// Runs the work on a thread that is this much nicer than others (up to 19), and waits for its end; `None`: it panicked,
/// or there is no thread. Where niceness is not permitted, the thread is like the others.
pub fn in_background<T: Send>(nice: i32, work: impl FnOnce() -> T + Send) -> Option<T> {
    let work = || {
        let _ = rustix::process::setpriority_process(None, nice);
        work()
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("background".to_owned()).spawn_scoped(scope, work).ok()?;
        thread.join().ok()
    })
}

#[cfg(test)]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn a_thread_in_the_background_is_nicer_than_the_one_that_waits_for_it() {
        let own = getpriority_process(None).unwrap();
        let nicer = (own + 3).min(19);
        assert_eq!(in_background(nicer, || getpriority_process(None).unwrap()), Some(nicer));
        assert_eq!(getpriority_process(None).unwrap(), own);
        assert_eq!(in_background(own, || -> () { panic!("as a drawing may") }), None);
    }
}
