//! Why batches end.

use crate::connection::StoreError;

/// Why no further job joined a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    /// No other job was waiting.
    QueueEmpty,
    /// It had as many jobs as a batch may have.
    Full,
    /// A job failed or asked to be undone, which undoes what the others wrote.
    JobFailed,
}

/// How the transaction of a batch ended.
#[derive(Debug)]
pub(super) enum BatchEnd {
    Committed,
    /// One of its jobs met a write of another transaction. Nothing is written.
    Conflict,
    /// One of its jobs failed. Nothing is written.
    JobFailed,
    /// One of its jobs asked for everything that it wrote to be undone. Nothing is written.
    JobUndone,
    /// Its jobs took too long: one waits for another transaction, or the connection was cut unnoticed. Nothing is
    /// written.
    TimedOut,
    /// It could not begin. Nothing is written.
    NotBegun,
    /// The connection is of no use any more. Nothing is written.
    ConnectionLost,
    /// Whether it is committed is unknown.
    Unknown(StoreError),
}

impl BatchEnd {
    /// How a batch ends whose transaction failed before it was committed.
    pub(super) fn before_commit(error: &StoreError) -> Self {
        match error {
            StoreError::Busy(_) => Self::Conflict,
            error if error.is_away() => Self::ConnectionLost,
            _ => Self::JobFailed,
        }
    }

    /// How a batch ends whose commit failed.
    pub(super) fn at_commit(error: StoreError) -> Self {
        match error {
            StoreError::Busy(_) => Self::Conflict,
            error => Self::Unknown(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BatchEnd;
    use crate::connection::StoreError;

    fn failure(wrap: fn(sqlx::Error) -> StoreError) -> StoreError {
        wrap(sqlx::Error::PoolTimedOut)
    }

    #[test]
    fn an_error_before_the_commit_leaves_nothing_in_doubt() {
        for (error, end) in [
            (failure(StoreError::Busy), "Conflict"),
            (failure(StoreError::Unreachable), "ConnectionLost"),
            (failure(StoreError::Conflict), "JobFailed"),
            (StoreError::Panicked, "JobFailed"),
            (StoreError::Shared, "JobFailed"),
        ] {
            assert_eq!(format!("{:?}", BatchEnd::before_commit(&error)), end);
        }
    }

    #[test]
    fn a_failed_commit_is_in_doubt_unless_it_met_another_write() {
        assert!(matches!(BatchEnd::at_commit(failure(StoreError::Busy)), BatchEnd::Conflict));
        let lost = BatchEnd::at_commit(failure(StoreError::Unreachable));
        assert!(matches!(lost, BatchEnd::Unknown(StoreError::Unreachable(_))));
    }
}
