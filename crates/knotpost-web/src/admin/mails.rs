//! Received and outgoing mail: its content, its outcome, retrying and cancelling.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use minijinja::{Value, context};

use super::{CurrentAdmin, Fields, LINES, carry_out, field, given, next_page, page, refused};
use crate::Web;
use crate::extract::{PagePath, PageQuery};
use crate::pages::join;
use knotpost_core::admin::AdminAction;
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::Visitor;
use knotpost_core::mailing::{
    Author, MailChange, MailQuery, MailQueue, OutgoingMail, ReceivedMail, described, masked_fields,
    masked_text, view_inbox, view_outbox, view_outgoing, view_received,
};
use knotpost_model::{Millis, Moment, Source, Verdict, Verdicts};

fn query(fields: &Fields) -> MailQuery {
    MailQuery {
        state: given(fields, "state"),
        reason: given(fields, "reason"),
        since: given(fields, "since").and_then(|since| Millis::read(&since)),
        userid: given(fields, "user"),
        address: given(fields, "address"),
        before: field(fields, "before").parse().ok(),
        limit: LINES,
    }
}

fn asked(fields: &Fields) -> Value {
    context! {
        state => field(fields, "state"), reason => field(fields, "reason"), since => field(fields, "since"),
        user => field(fields, "user"), address => field(fields, "address"),
    }
}

pub(super) async fn list_inbox(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    match view_inbox(&web.app, &query(&fields)).await {
        Ok(found) => {
            let mails: Vec<Value> = found.mails.iter().map(received_facts).collect();
            let more = found.next.map(|id| next_page("/admin/inbox", &fields, "before", &id.to_string()));
            page(&web, &visitor, "admin/inbox.html", context! { mails, more, asked => asked(&fields) })
        }
        Err(error) => refused(&web, &visitor, error, "/admin/inbox"),
    }
}

fn readable(at: Moment) -> String {
    at.millis().to_readable()
}

fn received_facts(mail: &ReceivedMail) -> Value {
    context! {
        id => mail.id, at => readable(mail.received), way => mail.way.clone(), peer => mail.peer.clone(),
        mail_from => mail.mail_from.clone(), recipients => mail.recipients.clone(), size => mail.size,
        sender => mail.sender.clone().or_else(|| mail.mail_from.clone()),
        message_id => mail.message_id.clone(), subject => mail.subject.clone(), text => mail.text.clone(),
        proof => mail.verdicts_text.as_deref().map(proof_lines).unwrap_or_default(), kept => mail.kept,
        state => mail.state.clone(),
        reason => mail.reason.clone(), attempts => mail.attempts,
        due => mail.due.map(readable),
        done_at => mail.done.map(readable),
        may_retry => mail.state == "failed" && mail.kept,
        may_drop => mail.state == "failed" || mail.state == "new",
    }
}

/// Shows SPF, DKIM and DMARC, one line each; a value that does not parse is shown as it is.
fn proof_lines(stored: &str) -> Vec<String> {
    let Some(verdicts) = Verdicts::from_json(stored) else { return vec![stored.to_owned()] };
    let of = |domain: &str| if domain.is_empty() { String::new() } else { format!(" for {domain}") };
    let Verdicts { source, spf, dkim, dmarc } = &verdicts;
    let helo = if spf.helo == Verdict::None {
        String::new()
    } else {
        format!(", {} for the name of the host", spf.helo.as_str())
    };
    let mut lines = vec![format!("SPF: {}{}{helo}", spf.result.as_str(), of(&spf.domain))];
    lines.extend(dkim.iter().map(|signature| {
        let key = if signature.selector.is_empty() {
            String::new()
        } else {
            format!(", key {}", signature.selector)
        };
        format!("DKIM: {}{}{key}", signature.result.as_str(), of(&signature.domain))
    }));
    if dkim.is_empty() {
        lines.push("DKIM: no signature".to_owned());
    }
    let policy = dmarc.policy.map(|policy| format!("; the domain asks for {}", policy.as_str()));
    lines.push(format!(
        "DMARC: {}{}{}",
        dmarc.result.as_str(),
        of(&dmarc.domain),
        policy.unwrap_or_default()
    ));
    if let Source::Host(host) = source {
        lines.push(format!("according to {host}"));
    }
    lines
}

pub(super) async fn show_received(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(id): PagePath<i64>,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    match view_received(&web.app, id).await {
        Ok((mail, message)) => {
            let message = message.map(|bytes| {
                let fields: Vec<Value> = masked_fields(&web.app, &bytes)
                    .into_iter()
                    .map(|(name, value)| context! { name, value })
                    .collect();
                context! {
                    parts => described(&bytes), fields,
                    text => masked_text(&web.app, &bytes, Author::Somebody),
                }
            });
            let done = !field(&fields, "done").is_empty();
            let facts = join([context! { message, done }, received_facts(&mail)]);
            page(&web, &visitor, "admin/received.html", facts)
        }
        Err(error) => refused(&web, &visitor, error, "/admin/inbox"),
    }
}

pub(super) async fn list_outbox(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    match view_outbox(&web.app, &query(&fields)).await {
        Ok(found) => {
            let mails: Vec<Value> = found.mails.iter().map(outgoing_facts).collect();
            let more = found.next.map(|id| next_page("/admin/outbox", &fields, "before", &id.to_string()));
            page(&web, &visitor, "admin/outbox.html", context! { mails, more, asked => asked(&fields) })
        }
        Err(error) => refused(&web, &visitor, error, "/admin/outbox"),
    }
}

fn outgoing_facts(mail: &OutgoingMail) -> Value {
    context! {
        id => mail.id, kind => mail.kind.clone(), recipient => mail.recipient.clone(), userid => mail.userid.clone(),
        game => mail.game.clone(), number => mail.number, ply => mail.ply, message_id => mail.message_id.clone(),
        at => readable(mail.date), state => mail.state.clone(), attempts => mail.attempts,
        due => mail.due.map(readable),
        done_at => mail.done.map(readable), error => mail.error.clone(),
        may_retry => mail.state == "failed" || mail.state == "dropped",
        may_drop => mail.state == "failed" || mail.state == "queued",
    }
}

pub(super) async fn show_outgoing(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(id): PagePath<i64>,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    match view_outgoing(&web.app, id).await {
        Ok(mail) => {
            let done = !field(&fields, "done").is_empty();
            page(&web, &visitor, "admin/outgoing.html", join([context! { done }, outgoing_facts(&mail)]))
        }
        Err(error) => refused(&web, &visitor, error, "/admin/outbox"),
    }
}

pub(super) async fn act_on_received(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(id): PagePath<i64>,
    Form(fields): Form<Fields>,
) -> Response {
    act(&web, &visitor, MailQueue::Inbox, id, &fields).await
}

pub(super) async fn act_on_outgoing(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(id): PagePath<i64>,
    Form(fields): Form<Fields>,
) -> Response {
    act(&web, &visitor, MailQueue::Outbox, id, &fields).await
}

async fn act(web: &Web, visitor: &Visitor, queue: MailQueue, id: i64, fields: &Fields) -> Response {
    let place = if queue == MailQueue::Inbox { "inbox" } else { "outbox" };
    let back = format!("/admin/{place}/{id}");
    let done = async {
        let change = read_change(fields)?;
        carry_out(web, visitor, AdminAction::Mail { queue, id, change }, &back).await
    };
    match done.await {
        Ok(response) => response,
        Err(error) => refused(web, visitor, error, &back),
    }
}

fn read_change(fields: &Fields) -> Result<MailChange, ServiceError> {
    match field(fields, "act") {
        "retry" => Ok(MailChange::Retry),
        "drop" if field(fields, "sure").is_empty() => {
            Err(Refusal::new(Code::BadValue, "tick the box to drop this mail").into())
        }
        "drop" => Ok(MailChange::Drop),
        _ => Err(Refusal::new(Code::WrongArguments, "choose what is to be done").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proof_is_told_line_by_line() {
        let stored = r#"{"source":{"host":"mx.example.net"},"spf":{"result":"softfail","domain":"a.example","helo":"pass"},
            "dkim":[{"result":"pass","domain":"b.example","selector":"s1"},{"result":"permerror","domain":"","selector":""}],
            "dmarc":{"result":"fail","domain":"c.example","policy":"reject"}}"#;
        let lines = [
            "SPF: softfail for a.example, pass for the name of the host",
            "DKIM: pass for b.example, key s1",
            "DKIM: permerror",
            "DMARC: fail for c.example; the domain asks for reject",
            "according to mx.example.net",
        ];
        assert_eq!(proof_lines(stored), lines);
        assert_eq!(
            proof_lines(&Verdicts::default().to_json()),
            ["SPF: none", "DKIM: no signature", "DMARC: none"]
        );
        assert_eq!(proof_lines("<odd>"), ["<odd>"]);
    }
}
