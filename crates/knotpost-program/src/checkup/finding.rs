//! Findings: a problem, and advice for the operator.

use std::fmt;

use knotpost_core::config::{ConfigError, Warning};

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Broken.
    Error,
    Warning,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    pub level: Level,
    pub subject: String,
    pub problem: String,
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

#[derive(Clone, Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    pub fn error(&mut self, subject: &str, problem: impl fmt::Display, mend: impl Into<String>) {
        self.push(Level::Error, subject, &problem, &mend.into());
    }

    pub fn warning(&mut self, subject: &str, problem: impl fmt::Display, mend: impl Into<String>) {
        self.push(Level::Warning, subject, &problem, &mend.into());
    }

    fn push(&mut self, level: Level, subject: &str, problem: &impl fmt::Display, mend: &str) {
        let problem = one_line(&problem.to_string());
        self.0.push(Finding { level, subject: subject.to_owned(), problem, mend: one_line(mend) });
    }

    pub fn refused(&mut self, error: &ConfigError) {
        let problem = match error {
            ConfigError::Value { problem, .. } => problem.clone(),
            other => other.to_string(),
        };
        self.error(error.key().unwrap_or("configuration"), problem, error.mend());
    }

    pub fn accept<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|error| self.refused(&error)).ok()
    }

    pub fn warn(&mut self, warnings: Vec<Warning>) {
        for Warning { subject, problem, mend } in warnings {
            self.warning(&subject, problem, mend);
        }
    }

    pub fn list(&self) -> &[Finding] {
        &self.0
    }

    pub fn has_error(&self) -> bool {
        self.0.iter().any(|finding| finding.level == Level::Error)
    }
}

/// A finding is one line, and ends without a full stop.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
}
