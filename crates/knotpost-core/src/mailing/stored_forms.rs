//! JSON that waits in the database was written by the program of before an upgrade: each form is read, and
//! written in the same form for another server that is not upgraded yet. A variant without an example does
//! not compile.

use std::fmt::Debug;

use knotpost_model::{DmarcPolicy, ProposalKind, Source, Verdict, Verdicts};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::pending_confirmation::Words;
use super::postmaster::ToPostmaster;
use super::references::Reference;
use super::reply_grant::{Sight, Subject};
use crate::boards::{PictureRef, TimeUp};
use crate::replies::{Auto, BoardFacts, Heading, MailForm, Note, Ruling, Style, TimeFacts};
use crate::signals::Notice;

/// Reads it and writes it again.
fn read_again<T: Serialize + DeserializeOwned + Debug>(json: &str) -> T {
    let value: T = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
    assert_eq!(serde_json::to_string(&value).expect("a stored value"), json);
    value
}

/// An enum whose every variant has an example.
macro_rules! variants {
    ($name:ident: $kind:ty { $($pattern:pat => $json:literal,)+ }) => {
        #[test]
        fn $name() {
            // Exhaustive: a new variant needs a line.
            fn example(value: &$kind) -> &'static str {
                match value { $($pattern => $json),+ }
            }
            $(assert_eq!(example(&read_again::<$kind>($json)), $json);)+
        }
    };
}

variants! { headings: Heading {
    Heading::New => r#""new""#,
    Heading::Summary => r#""summary""#,
    Heading::Show => r#""show""#,
    Heading::Preview => r#""preview""#,
    Heading::Puzzle => r#""puzzle""#,
    Heading::Submit => r#""submit""#,
    Heading::Chat => r#""chat""#,
    Heading::Notification => r#""notification""#,
    Heading::Nag => r#""nag""#,
}}

variants! { notes: Note {
    Note::Restarted { .. } => r#"{"restarted":{"declined":"cyd"}}"#,
    Note::Left { .. } => r#"{"left":{"userid":"cyd","restarted":true}}"#,
    Note::Unrated => r#""unrated""#,
    Note::Programs { .. } => r#"{"programs":{"userids":["knotbot-3"]}}"#,
    Note::Substituted { .. } => r#"{"substituted":{"bot":"knotbot-3","userid":"cyd"}}"#,
    Note::Unheard { .. } => r#"{"unheard":{"userid":"bob"}}"#,
    Note::Swapped { .. } => r#"{"swapped":{"by":"bob"}}"#,
    Note::Paired => r#""paired""#,
    Note::Challenged { .. } => r#"{"challenged":{"by":null}}"#,
    Note::Rematch { .. } => r#"{"rematch":{"by":"bob","number":101,"same_deal":true}}"#,
    Note::Limits { .. } => r#"{"limits":{"nag":"3 days","forfeit":"7 days","total":null,"is_floored":true}}"#,
    Note::Reminder { .. } => r#"{"reminder":{"userid":"ann","since":"2026-11-20","end":"2026-11-27"}}"#,
    Note::Forfeited { .. } => r#"{"forfeited":{"userid":"ann","up":"move"}}"#,
    Note::NeverMoved { .. } => r#"{"never_moved":{"userid":"ann"}}"#,
    Note::Away { .. } => r#"{"away":{"userid":"bob","until":"2026-11-29 15:22 UTC"}}"#,
    Note::Suspended { .. } => r#"{"suspended":{"userid":"bob"}}"#,
    Note::Unreached { .. } => r#"{"unreached":{"userid":"bob"}}"#,
    Note::Proposed { .. } =>
        r#"{"proposed":{"by":"bob","kind":"undo","waiting":["cid"],"answer":"obsidio move 102 cid PASSWORD","silent":"cid"}}"#,
    Note::SilentDraw => r#""silent_draw""#,
    Note::Rejected { .. } => r#"{"rejected":{"by":"bob","kind":"draw"}}"#,
    Note::Agreed { .. } => r#"{"agreed":{"kind":"substitute"}}"#,
    Note::Stopped { .. } => r#"{"stopped":{"address":"ann@example.org"}}"#,
    Note::Ruled { .. } => r#"{"ruled":{"ruling":"paused","why":""}}"#,
    Note::Submitted { .. } => r#"{"submitted":{"game":"osbox","number":101,"userid":"ann"}}"#,
    Note::OutOfTournament { .. } => r#"{"out_of_tournament":{"userid":"ann","why":"time"}}"#,
    Note::Deadline { .. } => r#"{"deadline":{"tournament":"t12"}}"#,
    Note::Awarded { .. } => r#"{"awarded":{"by":"ann","why":""}}"#,
}}

variants! { rulings: Ruling {
    Ruling::Paused => r#""paused""#,
    Ruling::Resumed => r#""resumed""#,
    Ruling::Adjudicated => r#""adjudicated""#,
    Ruling::TakenBack => r#""taken_back""#,
}}

variants! { proposals: ProposalKind {
    ProposalKind::Draw => r#""draw""#,
    ProposalKind::Undo => r#""undo""#,
    ProposalKind::Substitute => r#""substitute""#,
}}

variants! { times_that_are_up: TimeUp {
    TimeUp::Move => r#""move""#,
    TimeUp::Total => r#""total""#,
}}

variants! { forms_of_mails: MailForm {
    MailForm::Both => r#""both""#,
    MailForm::Text => r#""text""#,
}}

variants! { causes_of_mails: Auto {
    Auto::Generated => r#""generated""#,
    Auto::Replied => r#""replied""#,
}}

variants! { references: Reference {
    Reference::Broadcast(_) => r#"{"broadcast":1}"#,
    Reference::Reset(_) => r#"{"reset":1795706539345}"#,
    Reference::Magic(_) => r#"{"magic":1795706539345}"#,
    Reference::Puzzles(_) => r#"{"puzzles":332}"#,
    Reference::Postmaster(_) => r#"{"postmaster":"c2VhbGVk"}"#,
    Reference::Letter(_) => r#"{"letter":{"letter":{"from":["Knotpost","games@example.org"],"to":"ann@example.org","subject":"Osbox Board 101","text":"Text","html":"<p>Text</p>","message_id":"1@example.org","date":1795706539345,"in_reply_to":null,"references":[],"auto":"generated","list_id":["Osbox Board 101","osbox.101.example.org"],"reply_to":null,"x_loop":"games@example.org","unsubscribe":null,"unsubscribe_to":null},"pictures":[["board-1",{"board":9,"game":"osbox","options":"","seats":2,"ply":3,"viewer":1,"position":"........"}]]}}"#,
}}

variants! { subjects_of_replies: Subject {
    Subject::Board { .. } => r#"{"board":{"reader":1,"board":9,"ply":3,"submitted":"f2"}}"#,
    Subject::Tournament { .. } => r#"{"tournament":{"tournament":"t12"}}"#,
    Subject::Message { .. } => r#"{"message":{"author":1}}"#,
    Subject::Held { .. } => r#"{"held":{"id":1,"mark":513}}"#,
    Subject::Address { .. } => r#"{"address":{"asked":1795706539345}}"#,
    Subject::Change { .. } => r#"{"change":{"change":1}}"#,
}}

variants! { verdicts: Verdict {
    Verdict::Pass => r#""pass""#,
    Verdict::Fail => r#""fail""#,
    Verdict::SoftFail => r#""softfail""#,
    Verdict::Neutral => r#""neutral""#,
    Verdict::None => r#""none""#,
    Verdict::TempError => r#""temperror""#,
    Verdict::PermError => r#""permerror""#,
}}

variants! { sources_of_verdicts: Source {
    Source::Own => r#""own""#,
    Source::Host(_) => r#"{"host":"mx.example.org"}"#,
}}

variants! { policies: DmarcPolicy {
    DmarcPolicy::None => r#""none""#,
    DmarcPolicy::Quarantine => r#""quarantine""#,
    DmarcPolicy::Reject => r#""reject""#,
}}

variants! { notices: Notice {
    Notice::Inbox => r#""inbox""#,
    Notice::Outbox => r#""outbox""#,
    Notice::Board(_) => r#"{"board":{"game":"osbox","number":101}}"#,
    Notice::InSight { .. } => r#"{"in_sight":{"board":{"game":"osbox","number":101},"user":7}}"#,
    Notice::Counted { .. } => r#"{"counted":{"share":{"rate":"signup","scope":"sender","channel":"mail"},"key":"a7"}}"#,
}}

#[test]
fn what_consists_of_parts() {
    read_again::<BoardFacts>(
        r#"{"heading":"chat","remark":14,"subscribers":["cid"],"notes":["unrated"],"made":0,"times":null}"#,
    );
    read_again::<BoardFacts>(
        r#"{"heading":"summary","remark":null,"earlier":[3],"begins":true,"subscribers":[],"notes":[],"made":2,"times":{"started":"2026-11-20","last_move":null,"until":"2026-11-21","ended":false,"limits":null,"used":[["ann","1 day"]],"total":"1 day"},"style":{"zone":"Europe/Berlin"},"waits":true,"others_waiting":3}"#,
    );
    read_again::<Style>(r#"{"layout":"narrow","zone":"UTC","form":"text","fixed_subject":true}"#);
    read_again::<TimeFacts>(
        r#"{"started":"a","last_move":"b","until":"c","ended":true,"limits":"d","used":[],"total":"e"}"#,
    );
    read_again::<PictureRef>(
        r#"{"board":0,"game":"osbox","options":"-size=6","seats":2,"start":"x","ply":0,"tried":[[1,"f2"]],"viewer":null,"position":"y"}"#,
    );
    read_again::<Sight>(r#"{"ply":3,"at":1795706539345,"submitted":null}"#);
    read_again::<Verdicts>(
        r#"{"source":"own","spf":{"result":"pass","domain":"example.org","helo":"none"},"dkim":[{"result":"fail","domain":"example.org","selector":"a"}],"dmarc":{"result":"none","domain":"","policy":null}}"#,
    );
    read_again::<Words>(r#"{"line":"move 101 f2","comment":"Good luck!"}"#);
    read_again::<ToPostmaster>(
        r#"{"from":"ann@example.org","to":"abuse@example.net","subject":"Help","text":"Please","about":{"address":"bob@example.org","mail":null}}"#,
    );
}
