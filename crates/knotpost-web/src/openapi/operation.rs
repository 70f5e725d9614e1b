//! The description of one route, written beside its handler.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use knotpost_core::boards::Code;
use knotpost_core::identity::Scope;

/// Adds the schema of a type, and of its parts, to the generator.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

#[derive(Clone, Copy, Debug)]
pub(super) enum Media {
    Json(SchemaOf),
    Text(&'static str),
    Bytes(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(super) id: &'static str,
    pub(super) tag: Tag,
    pub(super) summary: &'static str,
    pub(super) details: &'static str,
    pub(super) scopes: &'static [Scope],
    pub(super) query: Option<SchemaOf>,
    pub(super) takes: [Option<Media>; 2],
    pub(super) status: u16,
    pub(super) outcome: &'static str,
    pub(super) gives: [Option<Media>; 2],
    pub(super) refusals: &'static [Code],
    pub(super) traits: Traits,
}

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "four things that have nothing to do with one another")]
pub(super) struct Traits {
    /// Executed once for an `Idempotency-Key`.
    pub(super) once: bool,
    /// Answers with an `ETag`; known content is not sent again.
    pub(super) tagged: bool,
    /// The response depends on the caller, if there is one.
    pub(super) knows_caller: bool,
    /// Refusals have the media types of the answer.
    pub(super) refuses_likewise: bool,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) enum Tag {
    Commands,
    Games,
    Boards,
    Tournaments,
    Users,
    Keys,
    Webhooks,
    Administration,
    Description,
}

pub(super) const TAGS: [(Tag, &str); 9] = [
    (Tag::Commands, "The language of the mails, over HTTP: whatever a mail can do, a request can."),
    (Tag::Games, "The games on offer and who plays them how well."),
    (Tag::Boards, "Boards to be looked at, played on and watched."),
    (Tag::Tournaments, "Boards that belong together, with tables: looked at, entered and directed."),
    (Tag::Users, "The players."),
    (Tag::Keys, "Keys for programs. They are made with the password or a passkey, never with a key."),
    (Tag::Webhooks, "Programs that are told what happens, by signed requests."),
    (
        Tag::Administration,
        "For those who look after the server. To everybody else these addresses answer 404.",
    ),
    (Tag::Description, "This description."),
];

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn fields_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

impl Operation {
    /// A request without a body that is answered with 200. `id` is its name for programs, `summary` one line for
    /// people.
    pub(crate) const fn new(id: &'static str, tag: Tag, summary: &'static str) -> Self {
        Self {
            id,
            tag,
            summary,
            details: "",
            scopes: &[],
            query: None,
            takes: [None, None],
            status: 200,
            outcome: "",
            gives: [None, None],
            refusals: &[],
            traits: Traits { once: false, tagged: false, knows_caller: false, refuses_likewise: false },
        }
    }

    pub(crate) const fn renamed(self, other: Self) -> Self {
        Self { id: other.id, tag: other.tag, summary: other.summary, scopes: other.scopes, ..self }
    }

    pub(crate) const fn details(self, details: &'static str) -> Self {
        Self { details, ..self }
    }

    pub(crate) const fn scope(self, scope: Scope) -> Self {
        let scopes: &[Scope] = match scope {
            Scope::Read => &[Scope::Read],
            Scope::Play => &[Scope::Play],
            Scope::Bot => &[Scope::Bot],
            Scope::Admin => &[Scope::Admin],
        };
        Self { scopes, ..self }
    }

    pub(crate) const fn scopes(self, scopes: &'static [Scope]) -> Self {
        Self { scopes, ..self }
    }

    /// Each field of the type is a parameter of the query.
    pub(crate) const fn asks<T: JsonSchema>(self) -> Self {
        Self { query: Some(fields_of::<T>), ..self }
    }

    pub(crate) const fn takes<T: JsonSchema>(self) -> Self {
        let [_, other] = self.takes;
        Self { takes: [Some(Media::Json(schema_of::<T>)), other], ..self }
    }

    pub(crate) const fn or_takes_text(self) -> Self {
        let [first, _] = self.takes;
        Self { takes: [first, Some(Media::Text("text/plain"))], ..self }
    }

    pub(crate) const fn gives<T: JsonSchema>(self, outcome: &'static str) -> Self {
        let [_, other] = self.gives;
        Self { outcome, gives: [Some(Media::Json(schema_of::<T>)), other], ..self }
    }

    /// For refusals, too.
    pub(crate) const fn or_gives_text(self) -> Self {
        let [first, _] = self.gives;
        let traits = Traits { refuses_likewise: true, ..self.traits };
        Self { gives: [first, Some(Media::Text("text/plain"))], traits, ..self }
    }

    pub(crate) const fn gives_text(self, kind: &'static str, outcome: &'static str) -> Self {
        Self { outcome, gives: [Some(Media::Text(kind)), None], ..self }
    }

    pub(crate) const fn gives_bytes(self, kind: &'static str, outcome: &'static str) -> Self {
        Self { outcome, gives: [Some(Media::Bytes(kind)), None], ..self }
    }

    pub(crate) const fn status(self, status: u16, outcome: &'static str) -> Self {
        Self { status, outcome, ..self }
    }

    /// Adds refusals to those of every request.
    pub(crate) const fn refuses(self, refusals: &'static [Code]) -> Self {
        Self { refusals, ..self }
    }

    pub(crate) const fn once(self) -> Self {
        Self { traits: Traits { once: true, ..self.traits }, ..self }
    }

    pub(crate) const fn tagged(self) -> Self {
        Self { traits: Traits { tagged: true, ..self.traits }, ..self }
    }

    pub(crate) const fn knows_caller(self) -> Self {
        Self { traits: Traits { knows_caller: true, ..self.traits }, ..self }
    }
}
