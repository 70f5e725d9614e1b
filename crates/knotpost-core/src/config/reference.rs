//! Documentation of the settings, for the manual page and `docs/reference/settings.md`.

use toml::{Table, Value};

use super::{Config, SECTIONS, sections::About};

/// In the order of the documentation.
#[derive(Clone, Debug)]
pub struct SectionText {
    pub name: &'static str,
    pub about: String,
    pub settings: Vec<SettingText>,
}

#[derive(Clone, Debug)]
pub struct SettingText {
    pub key: &'static str,
    /// Markdown: code, or the word `empty`.
    pub default: String,
    /// Markdown without links.
    pub meaning: String,
}

pub fn describe() -> Vec<SectionText> {
    let defaults = Table::try_from(Config::default()).unwrap_or_default();
    let section = |&(name, about): &(&'static str, About)| {
        let settings = about.keys.iter().map(|&(key, words)| {
            let default = defaults.get(name).and_then(|section| section.get(key));
            SettingText { key, default: shown(default), meaning: joined(words) }
        });
        SectionText { name, about: joined(about.section), settings: settings.collect() }
    };
    SECTIONS.iter().map(section).collect()
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => "empty".to_owned(),
        Some(Value::String(text)) if text.is_empty() => "empty".to_owned(),
        Some(Value::Table(pairs)) if pairs.is_empty() => "empty".to_owned(),
        Some(Value::String(text)) => format!("`{text}`"),
        Some(value) => format!("`{value}`"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_setting_is_described_once_and_in_sentences() {
        let described = describe();
        let count: usize = described.iter().map(|section| section.settings.len()).sum();
        let names = described.iter().flat_map(|section| {
            section.settings.iter().map(move |setting| format!("{}.{}", section.name, setting.key))
        });
        let names: BTreeSet<String> = names.collect();
        let all = Table::try_from(Config::default()).expect("TOML");
        let all = all.iter().flat_map(|(section, keys)| {
            let keys = keys.as_table().expect("a section").keys();
            keys.map(move |key| format!("{section}.{key}"))
        });
        assert_eq!(names, all.collect());
        assert_eq!(names.len(), count);
        for section in &described {
            assert!(section.about.ends_with('.'), "{}", section.name);
            for SettingText { key, meaning, .. } in &section.settings {
                let begins = meaning.chars().next();
                assert!(begins.is_some_and(|first| first.is_uppercase() || first == '`'), "{key}: {meaning}");
                assert!(meaning.ends_with('.') && !meaning.contains('|'), "{key}: {meaning}");
            }
        }
    }
}
