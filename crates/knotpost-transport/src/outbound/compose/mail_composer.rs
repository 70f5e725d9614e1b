//! Composes replies as messages: rendered text in a letter with the headers of its thread.

use std::sync::{Arc, PoisonError, RwLock};

use minijinja::Value;

use super::board_text::wrapped;
use super::fitting;
use super::letter::compose;
use super::page::{MailFacts, Page};
use super::render::{Rendered, Renderer};
use super::templates::OwnTemplate;
use crate::outbound::dkim::Signer;
use crate::outbound::dkim_key::KeyError;
use knotpost_core::config::Config;
use knotpost_core::replies::{Auto, Composer, Draft, Drawn, Envelope, Letter, MailForm, Reply};
use knotpost_model::{BoardRef, Millis};
use knotpost_platform::with_causes;

/// Writes the server's mails.
#[derive(Debug)]
pub struct MailComposer {
    config: Config,
    files: RwLock<Arc<LoadedFiles>>,
}

/// Templates and key, as read from files.
#[derive(Debug)]
struct LoadedFiles {
    renderer: Renderer,
    signer: Option<Signer>,
}

impl MailComposer {
    /// A composer for the server of this configuration, whose mails are not signed.
    pub fn new(config: &Config) -> Self {
        Self::with(config, None)
    }

    /// The same, with its mails signed before they leave when the configuration names a key.
    ///
    /// # Errors
    /// When that cannot be used.
    pub fn signing(config: &Config) -> Result<Self, KeyError> {
        Ok(Self::with(config, Signer::from_config(config)?))
    }

    fn with(config: &Config, signer: Option<Signer>) -> Self {
        let files = LoadedFiles { renderer: Renderer::new(config), signer };
        Self { config: config.clone(), files: RwLock::new(Arc::new(files)) }
    }

    fn files(&self) -> Arc<LoadedFiles> {
        Arc::clone(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A reply as text, and as a page where its reader wants one.
    fn set(
        renderer: &Renderer,
        reply: &Reply,
        envelope: &Envelope,
        notices: &[String],
    ) -> Result<(Rendered, Option<Page>), String> {
        let facts = renderer.facts(reply).map_err(|error| with_causes(&error))?;
        let rendered = renderer.render_by(reply, &facts).map_err(|error| with_causes(&error))?;
        let mail = MailFacts {
            addressee: sharing(envelope),
            message_id: &envelope.message_id,
            reply_to: envelope.reply_to.as_deref(),
            notices,
        };
        let page = match envelope.form {
            MailForm::Text => None,
            MailForm::Both => Self::page(renderer, reply, (&rendered, &facts), mail),
        };
        Ok((rendered, page))
    }

    /// The page beside the text. When it fails, the mail is sent without it.
    fn page(
        renderer: &Renderer,
        reply: &Reply,
        rendered: (&Rendered, &Value),
        mail: MailFacts<'_>,
    ) -> Option<Page> {
        match renderer.page(reply, rendered, mail) {
            Ok(page) => Some(page),
            Err(error) => {
                tracing::error!(error = with_causes(&error), "a mail goes as text alone");
                None
            }
        }
    }

    fn letter(&self, rendered: Rendered, html: Option<String>, envelope: &Envelope) -> Letter {
        let server = &self.config.server;
        let domain = server.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
        let thread = envelope.board.as_ref().map(|board| thread_id(board, domain));
        let in_reply_to = envelope.in_reply_to.clone().or(thread);
        Letter {
            from: (server.name.clone(), server.address.clone()),
            to: envelope.recipient.clone(),
            to_name: envelope.addressee.as_ref().map(|addressee| addressee.userid.clone()),
            subject: rendered.subject,
            text: rendered.text,
            html,
            message_id: envelope.message_id.clone(),
            date: envelope.date.0,
            references: in_reply_to.iter().cloned().collect(),
            in_reply_to,
            auto: if envelope.is_answer { Auto::Replied } else { Auto::Generated },
            list_id: envelope.board.as_ref().map(|board| {
                (format!("{} on {}", board.game, server.name), format!("{}.{domain}", board.game))
            }),
            reply_to: envelope.reply_to.clone(),
            x_loop: server.address.clone(),
            unsubscribe: envelope.unsubscribe.as_ref().map(|ways| ways.page.clone()),
            unsubscribe_to: envelope.unsubscribe.as_ref().and_then(|ways| ways.reply_to.clone()),
        }
    }
}

/// The Message-ID that all mails about a board name as their parent, so that mail programs group them in one thread.
/// There is no message with it.
fn thread_id(board: &BoardRef, domain: &str) -> String {
    format!("knotpost.board.{}.{}@{domain}", board.game, board.number)
}

/// The userid of the reader, where others read mail at the same address.
fn sharing(envelope: &Envelope) -> Option<&str> {
    let addressee = envelope.addressee.as_ref().filter(|addressee| addressee.is_shared)?;
    Some(&addressee.userid)
}

impl Composer for MailComposer {
    fn draft(&self, reply: &Reply, envelope: &Envelope) -> Result<Draft, String> {
        let files = self.files();
        let mut notices = envelope.notices.clone();
        let (mut rendered, mut page) = Self::set(&files.renderer, reply, envelope, &notices)?;
        let (subject, mut parts) = (rendered.subject.clone(), fitting::count_parts(reply));
        while let Some(size) = fitting::excess(&rendered, page.as_ref()) {
            let Some(fewer) = fitting::fewer(parts, size) else {
                // One part that is as large is text that nobody reads in a mail: the page adds nothing to it.
                page = None;
                break;
            };
            parts = fewer;
            let url = self.config.server.public_url.trim_end_matches('/');
            let (short, notice) = fitting::keep(reply, parts, url);
            notices.truncate(envelope.notices.len());
            notices.push(notice);
            (rendered, page) = Self::set(&files.renderer, &short, envelope, &notices)?;
        }
        rendered.subject = subject;
        notices.extend(fitting::cut(&mut rendered.text, self.config.server.public_url.trim_end_matches('/')));
        let (html, pictures) = page.map(|page| (page.html, page.pictures)).unzip();
        if let Some(userid) = sharing(envelope) {
            rendered.text.insert_str(0, &format!("For {userid}\n\n"));
        }
        // Those of the envelope have their lines.
        for notice in notices.iter_mut().skip(envelope.notices.len()) {
            *notice = wrapped("", "", notice);
        }
        for notice in &notices {
            rendered.text.push('\n');
            rendered.text.push_str(notice);
            rendered.text.push('\n');
        }
        Ok(Draft { letter: self.letter(rendered, html, envelope), pictures: pictures.unwrap_or_default() })
    }

    fn write(&self, letter: &Letter, pictures: &[Drawn]) -> Result<Vec<u8>, String> {
        compose(letter, pictures).map_err(|error| error.to_string())
    }

    fn sign(&self, message: &[u8], date: Millis) -> Result<Option<Vec<u8>>, String> {
        let signed = self.files().signer.as_ref().map(|signer| signer.sign(message, date));
        signed.transpose().map_err(|error| error.to_string())
    }

    fn text(&self, reply: &Reply) -> Result<(String, String), String> {
        let rendered = self.files().renderer.render(reply).map_err(|error| with_causes(&error))?;
        Ok((rendered.subject, rendered.text))
    }

    fn reload(&self) -> Result<(), String> {
        let signer = Signer::from_config(&self.config).map_err(|error| format!("dkim.key: {error}"))?;
        let renderer = Renderer::new(&self.config);
        if let Some(OwnTemplate { file, problem: Some(problem) }) =
            renderer.own_templates().into_iter().find(|template| template.problem.is_some())
        {
            return Err(format!("the mail template {file}: {problem}"));
        }
        *self.files.write().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(LoadedFiles { renderer, signer });
        Ok(())
    }
}
