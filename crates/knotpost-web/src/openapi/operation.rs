//! The description of one route. It is written beside the handler, and names the types that the handler reads and writes.

use schemars::{JsonSchema, Schema, SchemaGenerator};

use knotpost_core::boards::Code;
use knotpost_core::identity::Scope;

/// Writes the schema of a type, and of those it is made of into the generator.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Media {
    /// JSON of this form.
    Json(SchemaOf),
    /// Text of this media type.
    Text(&'static str),
    /// Bytes of this media type.
    Bytes(&'static str),
}

/// The description of a request.
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

/// Further properties of a request.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "four things that have nothing to do with one another")]
pub(super) struct Traits {
    /// With an `Idempotency-Key` it is executed once.
    pub(super) once: bool,
    /// Its answer has an entity tag.
    pub(super) tagged: bool,
    /// The response depends on the caller, if there is one.
    pub(super) knows_caller: bool,
    /// Refusals have the media types of the answer.
    pub(super) refuses_likewise: bool,
}

/// A chapter of the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Commands,
    Games,
    Boards,
    Users,
    Keys,
    Webhooks,
    Administration,
    Description,
}

impl Tag {
    pub(super) const ALL: [Self; 8] = [
        Self::Commands,
        Self::Games,
        Self::Boards,
        Self::Users,
        Self::Keys,
        Self::Webhooks,
        Self::Administration,
        Self::Description,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Commands => "Commands",
            Self::Games => "Games",
            Self::Boards => "Boards",
            Self::Users => "Users",
            Self::Keys => "Keys",
            Self::Webhooks => "Webhooks",
            Self::Administration => "Administration",
            Self::Description => "Description",
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Commands => "The language of the mails, over HTTP: whatever a mail can do, a request can.",
            Self::Games => "The games on offer and who plays them how well.",
            Self::Boards => "Boards to be looked at, played on and watched.",
            Self::Users => "The players.",
            Self::Keys => {
                "Keys for programs. They are made with the password or a passkey, never with a key."
            }
            Self::Webhooks => "Programs that are told what happens, by signed requests.",
            Self::Administration => {
                "For those who look after the server. To everybody else these addresses answer 404."
            }
            Self::Description => "This description.",
        }
    }
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn fields_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

impl Operation {
    /// A request without a body that is answered with 200. `id` is its name for programs, `summary` one line for people.
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

    /// The same request with the name, chapter, summary and scope of another one.
    pub(crate) const fn renamed(self, other: Self) -> Self {
        Self { id: other.id, tag: other.tag, summary: other.summary, scopes: other.scopes, ..self }
    }

    /// Further details in sentences.
    pub(crate) const fn details(self, details: &'static str) -> Self {
        Self { details, ..self }
    }

    /// The scope that a key needs.
    pub(crate) const fn scope(self, scope: Scope) -> Self {
        let scopes: &[Scope] = match scope {
            Scope::Read => &[Scope::Read],
            Scope::Play => &[Scope::Play],
            Scope::Bot => &[Scope::Bot],
            Scope::Admin => &[Scope::Admin],
        };
        Self { scopes, ..self }
    }

    /// The scopes of which a key needs one.
    pub(crate) const fn scopes(self, scopes: &'static [Scope]) -> Self {
        Self { scopes, ..self }
    }

    /// The query: each field of the type is a parameter.
    pub(crate) const fn asks<T: JsonSchema>(self) -> Self {
        Self { query: Some(fields_of::<T>), ..self }
    }

    /// The body, as JSON.
    pub(crate) const fn takes<T: JsonSchema>(self) -> Self {
        let [_, other] = self.takes;
        Self { takes: [Some(Media::Json(schema_of::<T>)), other], ..self }
    }

    /// The body may also be text.
    pub(crate) const fn or_takes_text(self) -> Self {
        let [first, _] = self.takes;
        Self { takes: [first, Some(Media::Text("text/plain"))], ..self }
    }

    /// The answer on success, as JSON.
    pub(crate) const fn gives<T: JsonSchema>(self, outcome: &'static str) -> Self {
        let [_, other] = self.gives;
        Self { outcome, gives: [Some(Media::Json(schema_of::<T>)), other], ..self }
    }

    /// The answer may also be plain text, also when the request is refused.
    pub(crate) const fn or_gives_text(self) -> Self {
        let [first, _] = self.gives;
        let traits = Traits { refuses_likewise: true, ..self.traits };
        Self { gives: [first, Some(Media::Text("text/plain"))], traits, ..self }
    }

    /// The answer is text of this media type.
    pub(crate) const fn gives_text(self, kind: &'static str, outcome: &'static str) -> Self {
        Self { outcome, gives: [Some(Media::Text(kind)), None], ..self }
    }

    /// The answer is bytes of this media type.
    pub(crate) const fn gives_bytes(self, kind: &'static str, outcome: &'static str) -> Self {
        Self { outcome, gives: [Some(Media::Bytes(kind)), None], ..self }
    }

    /// The answer has this status instead of 200.
    pub(crate) const fn status(self, status: u16, outcome: &'static str) -> Self {
        Self { status, outcome, ..self }
    }

    /// The codes that it may be refused with, besides those of every request.
    pub(crate) const fn refuses(self, refusals: &'static [Code]) -> Self {
        Self { refusals, ..self }
    }

    /// With an `Idempotency-Key` it is executed once.
    pub(crate) const fn once(self) -> Self {
        Self { traits: Traits { once: true, ..self.traits }, ..self }
    }

    /// The answer has an `ETag`, and is not sent again to clients that have it.
    pub(crate) const fn tagged(self) -> Self {
        Self { traits: Traits { tagged: true, ..self.traits }, ..self }
    }

    /// Anyone may send it; authenticated callers get more.
    pub(crate) const fn knows_caller(self) -> Self {
        Self { traits: Traits { knows_caller: true, ..self.traits }, ..self }
    }
}
