//! The do-not-mail list of addresses and domains: viewing, adding and removing entries.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use minijinja::context;

use super::{CurrentAdmin, Fields, carry_out, field, next_page, page, page_of_refusal, refused};
use crate::Web;
use crate::extract::PageQuery;
use crate::pages::join;
use knotpost_core::admin::AdminAction;
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::Visitor;
use knotpost_core::mailing::{DoNotMailEntry, UNMAILED_PER_PAGE, view_unmailed};

const PATH: &str = "/admin/do-not-mail";

pub(super) async fn list(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    show(&web, &visitor, &fields, None).await
}

async fn show(web: &Web, visitor: &Visitor, fields: &Fields, refusal: Option<&Refusal>) -> Response {
    let found = match view_unmailed(&web.app, field(fields, "after")).await {
        Ok(found) => found,
        Err(error) => return refused(web, visitor, error, PATH),
    };
    let more = found.last().filter(|_| found.len() == UNMAILED_PER_PAGE);
    let more = more.map(|entry| next_page(PATH, fields, "after", &entry.target));
    let line = |entry: &DoNotMailEntry| {
        context! { target => entry.target.clone(), reason => entry.reason.clone(), since => entry.at.to_readable() }
    };
    let entries: Vec<_> = found.iter().map(line).collect();
    let typed = |name| field(fields, name).to_owned();
    let facts = context! { entries, more, done => !field(fields, "done").is_empty() };
    match refusal {
        None => {
            let facts = join([context! { target => "", reason => "" }, facts]);
            page(web, visitor, "admin/do_not_mail.html", facts)
        }
        Some(refusal) => {
            let facts = join([context! { target => typed("target"), reason => typed("reason") }, facts]);
            page_of_refusal(web, visitor, refusal, "admin/do_not_mail.html", facts)
        }
    }
}

pub(super) async fn act(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    Form(fields): Form<Fields>,
) -> Response {
    let done = async { carry_out(&web, &visitor, read_action(&fields)?, PATH).await };
    match done.await {
        Ok(response) => response,
        Err(ServiceError::Refused(refusal)) => show(&web, &visitor, &fields, Some(&refusal)).await,
        Err(error) => refused(&web, &visitor, error, PATH),
    }
}

fn read_action(fields: &Fields) -> Result<AdminAction, ServiceError> {
    let target = field(fields, "target").to_owned();
    match field(fields, "act") {
        "add" => Ok(AdminAction::Block { target, reason: field(fields, "reason").to_owned() }),
        "remove" => Ok(AdminAction::Unblock { target }),
        _ => Err(Refusal::new(Code::WrongArguments, "choose what is to be done").into()),
    }
}
