//! Received and outgoing mail: its content, its outcome, retrying and cancelling.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::{CurrentAdmin, Fields, LINES, field, given, next_page, page_or};
use crate::Web;
use crate::extract::{PagePath, PageQuery};
use knotpost_core::admin::{AdminAction, MAIL_ACTS};
use knotpost_core::identity::Visitor;
use knotpost_core::mailing::{
    MailQuery, MailQueue, masked_fields, view_inbox, view_outbox, view_outgoing, view_received,
};
use knotpost_model::{Millis, Source, Verdict, Verdicts};

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
    let facts = view_inbox(&web.app.store, &query(&fields)).await.map(|found| {
        let more = found.cursor.map(|id| next_page("/admin/inbox", &fields, "before", &id));
        context! { mails => Serde(&found.mails), more, asked => asked(&fields) }
    });
    page_or(&web, &visitor, "admin/inbox.html", facts, "/admin/inbox")
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
    let facts = view_received(&web.app, id).await.map(|seen| {
        let masked = seen.message.as_deref().map(|message| masked_fields(&web.app.vocabulary, message));
        context! {
            mail => Serde(&seen), fields => masked.map(|fields| Value::from(Serde(fields))),
            proof => seen.mail.verdicts_text.as_deref().map(proof_lines).unwrap_or_default(),
            done => !field(&fields, "done").is_empty(),
        }
    });
    page_or(&web, &visitor, "admin/received.html", facts, "/admin/inbox")
}

pub(super) async fn list_outbox(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    let facts = view_outbox(&web.app.store, &query(&fields)).await.map(|found| {
        let more = found.cursor.map(|id| next_page("/admin/outbox", &fields, "before", &id));
        context! { mails => Serde(&found.mails), more, asked => asked(&fields) }
    });
    page_or(&web, &visitor, "admin/outbox.html", facts, "/admin/outbox")
}

pub(super) async fn show_outgoing(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(id): PagePath<i64>,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    let done = !field(&fields, "done").is_empty();
    let facts = view_outgoing(&web.app.store, id).await.map(|mail| context! { mail => Serde(&mail), done });
    page_or(&web, &visitor, "admin/outgoing.html", facts, "/admin/outbox")
}

pub(super) async fn act_on_received(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(id): PagePath<i64>,
    Form(fields): Form<Fields>,
) -> Response {
    act(&web, &visitor, (MailQueue::Inbox, id), &fields, &format!("/admin/inbox/{id}")).await
}

pub(super) async fn act_on_outgoing(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(id): PagePath<i64>,
    Form(fields): Form<Fields>,
) -> Response {
    act(&web, &visitor, (MailQueue::Outbox, id), &fields, &format!("/admin/outbox/{id}")).await
}

async fn act(web: &Web, visitor: &Visitor, mail: (MailQueue, i64), fields: &Fields, back: &str) -> Response {
    super::act(web, visitor, AdminAction::named(MAIL_ACTS, field(fields, "act"), mail), fields, back).await
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
