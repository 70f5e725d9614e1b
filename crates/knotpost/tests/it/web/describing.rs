//! The API described by itself: complete, true to the table of routes, readable without scripts.

use std::collections::BTreeSet;

use knotpost_web::{openapi, routes};
use serde_json::Value;

use crate::harness::{Place, TestApp};

/// What the table of routes has for programs.
fn of_the_table() -> BTreeSet<(String, String)> {
    let is_for_programs = |path: &str| path.starts_with("/api/") || path == "/commands";
    let routes = routes().filter(|route| is_for_programs(route.path));
    routes.map(|route| (route.path.to_owned(), route.method.to_lowercase())).collect()
}

fn of_the_description(description: &Value) -> BTreeSet<(String, String)> {
    let paths = description["paths"].as_object().unwrap();
    let asked = paths.iter().flat_map(|(path, methods)| {
        methods.as_object().unwrap().keys().map(move |method| (path.clone(), method.clone()))
    });
    asked.collect()
}

#[test]
fn every_address_for_programs_is_described_and_no_other() {
    let (table, description) = (of_the_table(), of_the_description(&openapi()));
    let missing: Vec<_> = table.difference(&description).collect();
    let made_up: Vec<_> = description.difference(&table).collect();
    assert!(missing.is_empty() && made_up.is_empty(), "missing: {missing:?}; made up: {made_up:?}");
    assert!(table.len() >= 35, "{}", table.len());
}

#[test]
fn every_reference_leads_somewhere_and_every_parameter_of_a_path_is_described() {
    let description = openapi();
    let mut references = Vec::new();
    collect_references(&description, &mut references);
    assert!(references.len() > 50, "{}", references.len());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(description.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    let mut ids = BTreeSet::new();
    for (path, method) in of_the_description(&description) {
        let request = &description["paths"][&path][&method];
        assert!(ids.insert(request["operationId"].as_str().unwrap().to_owned()), "{method} {path}");
        let parameters = request["parameters"].as_array().into_iter().flatten();
        let described: BTreeSet<&str> = parameters
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        let named: BTreeSet<&str> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(described, named, "{method} {path}");
        for (status, answer) in request["responses"].as_object().unwrap() {
            assert!(!answer["description"].as_str().unwrap().is_empty(), "{method} {path} {status}");
        }
    }
}

fn collect_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| collect_references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| collect_references(value, found)),
        _ => {}
    }
}

#[test]
fn what_is_said_of_a_request_is_what_its_handler_reads_and_writes() {
    let description = openapi();
    let request = &description["paths"]["/api/v1/boards/{game}/{number}/moves"]["post"];
    insta::assert_snapshot!("openapi_play", serde_json::to_string_pretty(request).unwrap());
    let schemas = &description["components"]["schemas"];
    insta::assert_snapshot!("openapi_turn", serde_json::to_string_pretty(&schemas["Turn"]).unwrap());
    let list = &description["paths"]["/api/v1/boards"]["get"]["parameters"];
    insta::assert_snapshot!("openapi_boards_query", serde_json::to_string_pretty(list).unwrap());
}

#[tokio::test]
async fn the_description_is_served_for_programs_and_for_people() {
    let app = TestApp::with_players(Place::Sqlite, &["ann"]).await;
    let page = app.get("/api/openapi.json").await;
    assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "application/json"));
    assert_eq!(page.json(), openapi());
    assert!(!page.header("etag").is_empty());
    let docs = app.get("/api/docs").await;
    assert!(docs.header("content-type").starts_with("text/html"), "{}", docs.text);
    for (path, method) in of_the_table() {
        let title = format!("<code>{} {path}</code>", method.to_uppercase());
        assert!(docs.text.contains(&format!("<summary><h3>{title}</h3>")), "{title} is on the page");
    }
    assert_eq!(docs.text.matches("<script").count(), 1, "the filter, which nothing else needs");
    assert!(!docs.text.contains("<details class=\"entry\" hidden"), "all is there without scripts");
    assert!(!docs.text.contains("&lt;code"), "what is HTML is not escaped twice");
    for (name, _) in openapi()["components"]["schemas"].as_object().unwrap() {
        assert!(docs.text.contains(&format!("<h3>{name}</h3></summary>\n<div id=\"{name}\">")), "{name}");
    }
}

#[tokio::test]
async fn what_cannot_be_asked_so_is_answered_with_what_can() {
    let app = TestApp::with_players(Place::Sqlite, &["ann"]).await;
    for path in ["/api/v1/games", "/api/v1/admin/jobs", "/api/v1/tokens"] {
        let request = axum::http::Request::put(path).body(axum::body::Body::empty()).unwrap();
        let page = app.send(request).await;
        assert_eq!(
            (page.status.as_u16(), page.json()["code"].as_str()),
            (405, Some("method_not_allowed")),
            "{path}"
        );
        assert!(page.header("allow").contains("GET"), "{path}: {}", page.header("allow"));
    }
}
