//! What a check found, and what an operator does about it.

use std::fmt;

use knotpost_core::config::{ConfigError, Warning};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It does not work.
    Error,
    /// It works, and not as it should.
    Warning,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// How much it matters.
    pub level: Level,
    /// The setting, or the part of the machine, it is about.
    pub subject: String,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub mend: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        write!(out, "{level}: {}: {}. To fix it: {}", self.subject, self.problem, self.mend)
    }
}

/// All that was found, in the order of the checks.
#[derive(Clone, Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Something that does not work.
    pub fn error(&mut self, subject: &str, problem: impl fmt::Display, mend: impl Into<String>) {
        self.push(Level::Error, subject, &problem, &mend.into());
    }

    /// Something that works, and not as it should.
    pub fn warning(&mut self, subject: &str, problem: impl fmt::Display, mend: impl Into<String>) {
        self.push(Level::Warning, subject, &problem, &mend.into());
    }

    fn push(&mut self, level: Level, subject: &str, problem: &impl fmt::Display, mend: &str) {
        let problem = one_line(&problem.to_string());
        self.0.push(Finding { level, subject: subject.to_owned(), problem, mend: one_line(mend) });
    }

    /// A setting that is refused.
    pub fn refused(&mut self, error: &ConfigError) {
        let problem = match error {
            ConfigError::Value { problem, .. } => problem.clone(),
            other => other.to_string(),
        };
        self.error(error.key().unwrap_or("configuration"), problem, error.mend());
    }

    /// The value, or the finding that there is none.
    pub fn accept<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|error| self.refused(&error)).ok()
    }

    /// What a server tells in its log when it starts.
    pub fn warn(&mut self, warnings: Vec<Warning>) {
        for Warning { subject, problem, mend } in warnings {
            self.warning(&subject, problem, mend);
        }
    }

    pub fn list(&self) -> &[Finding] {
        &self.0
    }

    /// Whether something does not work.
    pub fn has_error(&self) -> bool {
        self.0.iter().any(|finding| finding.level == Level::Error)
    }
}

/// A finding is one line, and ends without a full stop.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
}
