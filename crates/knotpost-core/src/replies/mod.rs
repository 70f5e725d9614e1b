//! Content of replies and mails, as plain data. Layout and sending are decided elsewhere.

pub(crate) mod analysis;
pub(crate) mod answer;
pub(crate) mod answers;
pub(crate) mod facts;
pub(crate) mod hint;
pub(crate) mod letter;
pub(crate) mod puzzle;
pub(crate) mod sheet;
pub(crate) mod style;
pub(crate) mod times;

pub use analysis::{Analysis, Mistake, Point};
pub use answer::{
    Answer, AnyContent, Audience, BoardLine, Column, Content, ErrorReply, Fact, Facts, Failure, GameCount,
    Holds, LineResult, PoolLine, Reply, SeekLine, StandingLine, StandingsTable, Table,
};
pub use answers::Answers;
pub use facts::{BoardFacts, Heading, Note, Spared};
pub use hint::Hint;
pub use letter::{
    Addressee, Auto, Composer, Depicted, Draft, Drawn, Envelope, Letter, MailForm, PICTURE_ENDS, Refusing,
    StoredDraft, picture_begins,
};
pub use sheet::{ListedMove, Listing, Seat, Sheet, Spoken, Submitted, Verdict};
pub use style::Style;
pub use times::TimeFacts;

pub(crate) use facts::Ruling;
