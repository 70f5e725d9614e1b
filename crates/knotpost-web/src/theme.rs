//! Light or dark: the choice of a browser, in a cookie of its own.

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::Web;
use super::credentials;
use super::session::{cookie, page_before};

const NAME: &str = "theme";
/// Seconds: a year.
const AGE: i64 = 365 * 24 * 60 * 60;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Theme {
    /// Follows the reader's system.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub(super) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(super) const fn scheme(self) -> &'static str {
        match self {
            Self::System => "light dark",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(super) const fn style(self) -> &'static str {
        match self {
            Self::System => "style.css",
            Self::Light => "style-light.css",
            Self::Dark => "style-dark.css",
        }
    }

    /// Derives the style sheet of this theme from the one that follows the system.
    pub(super) fn fix(self, style: &str) -> String {
        let dark = match self {
            Self::System => return style.to_owned(),
            Self::Light => "not all",
            Self::Dark => "all",
        };
        style
            .replace("color-scheme: light dark;", &format!("color-scheme: {};", self.scheme()))
            .replace("@media (prefers-color-scheme: dark)", &format!("@media {dark}"))
    }

    fn read(word: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.as_str() == word).unwrap_or_default()
    }

    pub(super) fn of_request() -> Self {
        credentials::cookie_of_request(NAME).map_or(Self::default(), |word| Self::read(&word))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    theme: String,
}

pub(super) async fn choose(
    State(web): State<Web>,
    headers: HeaderMap,
    Form(choice): Form<Choice>,
) -> Response {
    let theme = Theme::read(&choice.theme);
    let age = if theme == Theme::System { 0 } else { AGE };
    let cookie = cookie(&web.app.config, (NAME, theme.as_str()), "/", age, "Lax");
    ([(header::SET_COOKIE, cookie)], Redirect::to(&page_before(&headers))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::STYLE;

    #[test]
    fn a_fixed_style_asks_the_system_nothing() {
        assert!(STYLE.contains("@media (prefers-color-scheme: dark)"));
        for theme in [Theme::Light, Theme::Dark] {
            let style = theme.fix(STYLE);
            assert!(!style.contains("prefers-color-scheme"), "{theme:?}");
            assert!(style.contains(&format!("color-scheme: {};", theme.scheme())), "{theme:?}");
        }
        assert_eq!(Theme::System.fix(STYLE), STYLE);
    }
}
