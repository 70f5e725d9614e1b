//! The description as a page: the OpenAPI document for people.

use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Environment, Value as Fact, context};
use serde_json::{Map, Value};

use super::document::openapi;
use crate::Web;
use crate::pages::asset_address;
use knotpost_core::identity::Visitor;

/// Made once: the document does not change while the program runs.
static FACTS: LazyLock<Fact> = LazyLock::new(|| {
    context! { document => Serde(openapi()), docs_script => asset_address("docs.js") }
});

pub(super) fn show(web: &Web, visitor: Option<&Visitor>) -> Response {
    web.pages.page_for(visitor, StatusCode::OK, "api.html", FACTS.clone())
}

/// Adds the filters with which the page shows parts of the document.
pub(crate) fn add_filters(templates: &mut Environment<'_>) {
    templates.add_filter("marked", marked);
    templates.add_filter("shape", |schema: &Fact| Fact::from_safe_string(kind_html(&json_of(schema))));
    templates.add_filter("choices", |schema: &Fact| choices(&json_of(schema)));
    templates.add_filter("shown", |security: &Fact| shown(&json_of(security)));
}

fn json_of(part: &Fact) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// Names the credentials that a request may show.
fn shown(security: &Value) -> Fact {
    let ways: Vec<String> = items(security)
        .map(|way| match way.as_object().into_iter().flat_map(Map::iter).next() {
            None => "nothing".to_owned(),
            Some((name, scopes)) => match items(scopes).next().and_then(Value::as_str) {
                Some(scope) => format!("{name} with `{scope}`"),
                None => name.clone(),
            },
        })
        .collect();
    marked(&ways.join(" or "))
}

/// Lists the words of an enumeration, with what they mean.
fn choices(schema: &Value) -> Vec<Fact> {
    let described = items(&schema["oneOf"]).map(|one| {
        let word = one["const"].as_str().or(one["enum"][0].as_str()).unwrap_or("");
        context! { word, about => marked(one["description"].as_str().unwrap_or("")) }
    });
    let plain =
        items(&schema["enum"]).map(|word| context! { word => word.as_str().unwrap_or(""), about => "" });
    described.chain(plain).collect()
}

fn kind_html(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("<a href=\"#{name}\">{name}</a>", name = escape(name));
    }
    let either = items(&schema["anyOf"]).map(kind_html).collect::<Vec<_>>();
    if !either.is_empty() {
        return either.join(" or ");
    }
    let words =
        items(&schema["enum"]).filter_map(Value::as_str).map(|word| format!("<code>{}</code>", escape(word)));
    let words = words.collect::<Vec<_>>();
    if !words.is_empty() {
        return words.join(", ");
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        kinds => items(kinds).filter_map(Value::as_str).collect(),
    };
    let kinds: Vec<String> = kinds.into_iter().map(|kind| one_kind(kind, schema)).collect();
    if kinds.is_empty() { "anything".to_owned() } else { kinds.join(" or ") }
}

fn one_kind(kind: &str, schema: &Value) -> String {
    match kind {
        "array" => format!("list of {}", kind_html(&schema["items"])),
        "string" if schema["format"] == "date-time" => "moment".to_owned(),
        "integer" => match (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
            (Some(least), Some(most)) if most <= 100_000 => format!("number, {least} to {most}"),
            (Some(least), _) if least > 0 => format!("number from {least}"),
            _ => "number".to_owned(),
        },
        "boolean" => "<code>true</code> or <code>false</code>".to_owned(),
        other => escape(other),
    }
}

fn marked(sentence: &str) -> Fact {
    let parts = sentence.split('`').enumerate().map(|(index, part)| {
        if index % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) }
    });
    Fact::from_safe_string(parts.collect())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
