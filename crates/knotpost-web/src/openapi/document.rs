//! The OpenAPI 3.1 document, generated from the table of routes and the schemas of their bodies, so that it is
//! complete.

use std::collections::BTreeMap;

use schemars::generate::{Contract, SchemaSettings};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::operation::{Media, Operation, TAGS};
use crate::error::{PROBLEM_TYPE, ProblemDetails};
use crate::routes::{Role, Route, routes};
use knotpost_core::boards::Code;
use knotpost_core::identity::Scope;

/// Kept apart for requests and responses: a field with a default is optional in requests only.
pub(super) struct Schemas {
    incoming: SchemaGenerator,
    outgoing: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let generator = |contract| {
            let settings = SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
                settings.contract = contract;
            });
            settings.into_generator()
        };
        Self { incoming: generator(Contract::Deserialize), outgoing: generator(Contract::Serialize) }
    }

    fn into_components(mut self) -> Map<String, Value> {
        let mut all = self.incoming.take_definitions(true);
        all.extend(self.outgoing.take_definitions(true));
        all
    }
}

pub fn openapi() -> Value {
    let mut schemas = Schemas::new();
    let problem = Value::from(schemas.outgoing.subschema_for::<ProblemDetails>());
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for route in routes() {
        if let Some(operation) = &route.operation {
            let described = describe(route, operation, &mut schemas, &problem);
            paths.entry(route.path).or_default().insert(route.method.to_lowercase(), described);
        }
    }
    let tags = TAGS.map(|(tag, about)| json!({ "name": tag, "description": about }));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Knotpost",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "The server that this description was read from." }],
        "tags": tags,
        "paths": paths,
        "components": { "schemas": schemas.into_components(), "securitySchemes": security_schemes() },
    })
}

const ABOUT: &str = "Boards, moves and everything around them for programs. Errors are problem details (RFC 9457) \
     with a `code` that programs can test. Lists come in pages: `limit` says how many, and the `cursor` of an answer \
     goes into the next request; it is `null` at the end. An address asked in a way that is not described here \
     answers 405 with `Allow`, whoever asks.";

fn security_schemes() -> Value {
    json!({
        "key": {
            "type": "http", "scheme": "bearer",
            "description": "A key that its owner has made; it allows what its scopes say: `read`, `play`, `bot`, `admin`.",
        },
        "password": {
            "type": "http", "scheme": "basic",
            "description": "Userid and password.",
        },
        "session": {
            "type": "apiKey", "in": "cookie", "name": "__Host-knotpost",
            "description": "The session of a browser (`knotpost` on a server without TLS). A request that changes \
                            something must carry `Origin` or `Sec-Fetch-Site`, and they must be of this server.",
        },
    })
}

fn describe(route: &Route, operation: &Operation, schemas: &mut Schemas, problem: &Value) -> Value {
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "security": security(route, operation),
        "responses": responses(route, operation, schemas, problem),
    });
    let mut put = |name: &str, value: Value| {
        if let Some(fields) = described.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
    };
    if !operation.details.is_empty() {
        put("description", json!(operation.details));
    }
    let parameters = parameters(route, operation, schemas);
    if !parameters.is_empty() {
        put("parameters", json!(parameters));
    }
    let content = content(&operation.takes, &mut schemas.incoming);
    if !content.is_empty() {
        put("requestBody", json!({ "required": true, "content": content }));
    }
    described
}

fn security(route: &Route, operation: &Operation) -> Value {
    let key =
        |scopes: &[Scope]| json!({ "key": scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>() });
    let mut shown: Vec<Value> = operation.scopes.iter().map(|scope| key(&[*scope])).collect();
    if shown.is_empty() {
        shown.push(key(&[]));
    }
    shown.extend([json!({ "password": [] }), json!({ "session": [] })]);
    match route.role {
        Role::User | Role::Admin => json!(shown),
        _ if operation.traits.knows_caller => {
            let mut ways = vec![json!({})];
            ways.extend(shown);
            json!(ways)
        }
        _ => json!([]),
    }
}

fn content(media: &[Option<Media>], generator: &mut SchemaGenerator) -> Map<String, Value> {
    let entry = |media: &Media| match *media {
        Media::Json(schema) => ("application/json", json!({ "schema": schema(generator) })),
        Media::Text(kind) => (kind, json!({ "schema": { "type": "string" } })),
        Media::Bytes(kind) => (kind, json!({})),
    };
    media.iter().flatten().map(entry).map(|(kind, form)| (kind.to_owned(), form)).collect()
}

fn parameters(route: &Route, operation: &Operation, schemas: &mut Schemas) -> Vec<Value> {
    let names = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut all: Vec<Value> = names.map(path_parameter).collect();
    if let Some(query) = operation.query {
        all.extend(query_parameters(&query(&mut schemas.incoming)));
    }
    if operation.traits.tagged {
        all.push(json!({
            "name": "If-None-Match", "in": "header", "schema": { "type": "string" },
            "description": "The `ETag` of what is there already; the answer is 304 if it has not changed.",
        }));
    }
    if operation.traits.once {
        all.push(json!({
            "name": "Idempotency-Key", "in": "header",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
            "description": "The same request under the same key is carried out once in 24 hours.",
        }));
    }
    all
}

fn path_parameter(name: &str) -> Value {
    let (description, schema, example) = match name {
        "game" => ("The game's name.", json!({ "type": "string", "minLength": 1 }), json!("osbox")),
        "number" => (
            "The board's number among those of its game, from 101.",
            json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
            json!(101),
        ),
        "userid" => ("The user.", json!({ "type": "string", "minLength": 1 }), json!("ann")),
        "name" => {
            ("The tournament.", json!({ "type": "string", "pattern": "^[tT][1-9][0-9]{0,8}$" }), json!("t1"))
        }
        "other" => ("Another user.", json!({ "type": "string", "minLength": 1 }), json!("bob")),
        _ => ("Its number.", json!({ "type": "integer", "minimum": 1, "maximum": i64::MAX }), json!(1)),
    };
    json!({
        "name": name, "in": "path", "required": true, "description": description, "schema": schema,
        "example": example,
    })
}

fn query_parameters(query: &Schema) -> Vec<Value> {
    let Some(fields) = query.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let mut description = Value::Null;
        if let Some(schema) = schema.as_object_mut() {
            description = schema.remove("description").unwrap_or_default();
            // A missing parameter is omitted, never `null`.
            schema.retain(|name, value| !(name == "default" && (value.is_null() || value == "")));
            strip_null(schema);
        }
        json!({ "name": name, "in": "query", "description": description, "schema": schema })
    };
    fields.iter().map(parameter).collect()
}

fn strip_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get("type") {
        let kept: Vec<Value> = types.iter().filter(|one| *one != "null").cloned().collect();
        let kept = if let [one] = kept.as_slice() { one.clone() } else { Value::Array(kept) };
        schema.insert("type".to_owned(), kept);
    }
    if let Some(Value::Array(choices)) = schema.get("anyOf") {
        let kept: Vec<Value> =
            choices.iter().filter(|one| one.get("type") != Some(&json!("null"))).cloned().collect();
        if let [Value::Object(one)] = kept.as_slice() {
            let one = one.clone();
            schema.remove("anyOf");
            schema.extend(one);
        }
    }
}

fn responses(
    route: &Route,
    operation: &Operation,
    schemas: &mut Schemas,
    problem: &Value,
) -> Map<String, Value> {
    let gives = content(&operation.gives, &mut schemas.outgoing);
    let mut all = Map::new();
    let mut success = json!({ "description": operation.outcome });
    if !gives.is_empty() {
        success["content"] = json!(gives);
    }
    if operation.traits.tagged {
        let tag =
            json!({ "ETag": { "description": "Changes with the answer.", "schema": { "type": "string" } } });
        success["headers"].clone_from(&tag);
        all.insert(
            "304".to_owned(),
            json!({ "description": "It is as it was when it had that `ETag`.", "headers": tag }),
        );
    }
    all.insert(operation.status.to_string(), success);
    for (status, codes) in refusals(route, operation) {
        let codes: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
        let mut content = if operation.traits.refuses_likewise { gives.clone() } else { Map::new() };
        content.insert(PROBLEM_TYPE.to_owned(), json!({ "schema": problem }));
        let mut refusal = json!({ "description": codes.join(", "), "content": content });
        if [429, 503].contains(&status) {
            refusal["headers"] = json!({ "Retry-After": {
                "description": "After how many seconds a retry makes sense.", "schema": { "type": "integer" },
            }});
        }
        all.insert(status.to_string(), refusal);
    }
    all
}

fn refusals(route: &Route, operation: &Operation) -> BTreeMap<u16, Vec<&'static str>> {
    let mut codes = vec![Code::RateLimited, Code::Unavailable];
    let changes = route.method != "GET";
    if matches!(route.role, Role::User | Role::Admin) || operation.traits.knows_caller {
        codes.push(Code::BadCredentials);
    }
    if changes || matches!(route.role, Role::User | Role::Admin) {
        codes.push(Code::NotAllowed);
    }
    if operation.takes.iter().any(Option::is_some) {
        codes.extend([Code::WrongArguments, Code::TooLarge]);
    }
    if operation.query.is_some() || operation.traits.once {
        codes.push(Code::BadValue);
    }
    if operation.traits.once {
        codes.push(Code::Conflict);
    }
    codes.extend(operation.refusals);
    let mut by_status: BTreeMap<u16, Vec<&'static str>> = BTreeMap::new();
    for code in Code::all().iter().filter(|code| codes.contains(code)) {
        by_status.entry(code.status()).or_default().push(code.as_str());
    }
    if route.role == Role::Admin || route.path.contains('{') {
        by_status.entry(404).or_default().push("not_found");
    }
    by_status
}
