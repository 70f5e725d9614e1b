//! The description as a page: the OpenAPI document for people.

use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::response::Response;
use minijinja::{Value as Fact, context};
use serde_json::{Map, Value};

use super::document::openapi;
use super::operation::Tag;
use crate::Web;
use crate::pages::asset_address;
use knotpost_core::identity::Visitor;

/// Rendered once: the page does not change while the program runs.
static FACTS: LazyLock<Fact> = LazyLock::new(|| facts(&openapi()));

pub(super) fn show(web: &Web, visitor: Option<&Visitor>) -> Response {
    web.pages.page_for(visitor, StatusCode::OK, "api.html", FACTS.clone())
}

fn facts(document: &Value) -> Fact {
    let chapters: Vec<Fact> = Tag::ALL
        .iter()
        .map(|tag| {
            let operations: Vec<Fact> = requests(document, tag.name());
            context! { name => tag.name(), about => marked(tag.about()), operations }
        })
        .collect();
    let shapes: Vec<Fact> = members(&document["components"]["schemas"])
        .map(|(name, schema)| {
            let words: Vec<Fact> = choices(schema);
            context! { name, about => marked(text(schema, "description")), fields => fields(schema), words }
        })
        .collect();
    let ways: Vec<Fact> = members(&document["components"]["securitySchemes"])
        .map(|(name, way)| context! { name, about => marked(text(way, "description")) })
        .collect();
    context! { about => marked(text(&document["info"], "description")), chapters, shapes, ways, docs_script => asset_address("docs.js"),
    version => text(&document["info"], "version") }
}

fn members(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flat_map(Map::iter)
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or("")
}

fn requests(document: &Value, tag: &str) -> Vec<Fact> {
    let all = members(&document["paths"]);
    let all = all
        .flat_map(|(path, methods)| members(methods).map(move |(method, request)| (path, method, request)));
    let of_chapter = all.filter(|(_, _, request)| request["tags"][0] == tag);
    of_chapter.map(|(path, method, request)| describe(path, method, request)).collect()
}

fn describe(path: &str, method: &str, request: &Value) -> Fact {
    let parameters: Vec<Fact> = items(&request["parameters"])
        .map(|parameter| {
            context! {
                name => text(parameter, "name"), place => text(parameter, "in"),
                kind => kind(&parameter["schema"]), needed => parameter["required"] == true,
                about => marked(text(parameter, "description")),
            }
        })
        .collect();
    let bodies: Vec<Fact> = media(&request["requestBody"]["content"]);
    let answers: Vec<Fact> = members(&request["responses"])
        .map(|(status, answer)| {
            let about = marked(text(answer, "description"));
            context! { status, about, bodies => media(&answer["content"]) }
        })
        .collect();
    context! {
        id => text(request, "operationId"), method => method.to_uppercase(), path => Fact::from_safe_string(escape(path)), parameters, bodies, answers,
        summary => marked(text(request, "summary")), about => marked(text(request, "description")),
        shown => shown(&request["security"]),
    }
}

fn shown(security: &Value) -> Fact {
    let ways: Vec<String> = items(security)
        .map(|way| match members(way).next() {
            None => "nothing".to_owned(),
            Some((name, scopes)) => match items(scopes).next().and_then(Value::as_str) {
                Some(scope) => format!("{name} with `{scope}`"),
                None => name.clone(),
            },
        })
        .collect();
    marked(&ways.join(" or "))
}

fn media(content: &Value) -> Vec<Fact> {
    members(content)
        .map(|(name, media)| context! { name, kind => kind(media.get("schema").unwrap_or(&Value::Null)) })
        .collect()
}

fn fields(schema: &Value) -> Vec<Fact> {
    let needed: Vec<&str> = items(&schema["required"]).filter_map(Value::as_str).collect();
    members(&schema["properties"])
        .map(|(name, field)| {
            context! {
                name, kind => kind(field), needed => needed.contains(&name.as_str()),
                about => marked(text(field, "description")),
            }
        })
        .collect()
}

fn choices(schema: &Value) -> Vec<Fact> {
    let described = items(&schema["oneOf"]).map(|one| {
        let word = one["const"].as_str().or(one["enum"][0].as_str()).unwrap_or("");
        context! { word, about => marked(text(one, "description")) }
    });
    let plain =
        items(&schema["enum"]).map(|word| context! { word => word.as_str().unwrap_or(""), about => "" });
    described.chain(plain).collect()
}

fn kind(schema: &Value) -> Fact {
    Fact::from_safe_string(kind_html(schema))
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
