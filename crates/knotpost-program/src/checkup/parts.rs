//! Folders, keys and files that a server opens at its start.

use std::path::Path;

use knotpost_core::app::check_games;
use knotpost_core::config::Config;
use knotpost_platform::files::{foreign_owner, owner, this_user};
use knotpost_platform::secret::KeyRing;
use knotpost_platform::with_causes;
use knotpost_transport::outbound::{Courier, Maildir, Renderer, Sendmail, Transport};
use secrecy::ExposeSecret as _;

use super::{Findings, Setup};
use crate::server::{
    absolute, check_data, find_unusable, load_certificates, open_composer, refuse_transport, watched_folder,
};

pub(super) fn check_folder(config: &Config, findings: &mut Findings) -> bool {
    check_users(config, findings);
    let Err(error) = check_data(config) else { return true };
    let mend = format!(
        "make it with `install -d -o USER -m 700 {}` for the user that runs the server, or let `server.data` name \
         another folder",
        absolute(&config.server.data).display()
    );
    findings.error("server.data", format!("{error:#}"), mend);
    false
}

/// Assumes a server of the user that runs this command; files of others block it.
fn check_users(config: &Config, findings: &mut Findings) {
    let (data, this) = (&config.server.data, this_user());
    if let Some(user) = foreign_owner(data) {
        let problem = format!(
            "the folder {} belongs to user {user}, and this command is run by user {this}: what was found holds for \
             that user, and `knotpost serve` is for the owner of the folder",
            absolute(data).display()
        );
        let mend = format!("run it as the user of the server: `sudo -u '#{user}' knotpost …`");
        findings.warning("server.data", problem, mend);
    }
    if let Some(file) = find_unusable(config) {
        let (file, owner) = (file.display(), owner(&file).unwrap_or_default());
        let problem = format!("{file} belongs to user {owner}, and user {this} cannot read and write it");
        findings.error("server.data", problem, format!("run `chown {this} {file}` as root"));
    }
}

pub(super) fn check(setup: &Setup<'_>, findings: &mut Findings) {
    let config = setup.config;
    findings.accept(check_games(config, setup.registry));
    if let Err(error) = KeyRing::read(config.secrets.key.expose_secret(), &config.key_file()) {
        let mend = "put the key file back from the backup, readable for the user that runs the server, or let \
                    `secrets.key_file` name another";
        findings.error("secrets.key_file", with_causes(&error), mend);
    }
    findings.accept(open_composer(config).map(drop));
    findings.accept(load_certificates(config).map(drop));
    let transport = Transport::examine(config).map_err(|error| refuse_transport(&error));
    let transport = findings.accept(transport);
    let out = transport.as_ref().and_then(Transport::maildir).map(Maildir::root);
    findings.accept(watched_folder(config, out).map(drop));
    if config.webhooks.enabled
        && let Err(error) = Courier::new(config)
    {
        findings.error("webhooks.enabled", with_causes(&error), "set `webhooks.enabled` to false");
    }
    if let Some(Transport::Sendmail(Sendmail { program })) = &transport {
        check_program(program, findings);
    }
    check_templates(config, findings);
    check_ways_in(config, findings);
}

/// Without the program a server starts, and each mail waits.
fn check_program(program: &Path, findings: &mut Findings) {
    // A name without a folder is looked up in `PATH`.
    let is_missing = program.components().count() > 1 && !program.is_file();
    if is_missing {
        let problem = format!("there is no program {}: no mail would leave", absolute(program).display());
        findings.error(
            "mail.transport",
            problem,
            "install it, or let `mail.transport` name the way mail leaves",
        );
    }
}

fn check_templates(config: &Config, findings: &mut Findings) {
    for template in Renderer::new(config).own_templates() {
        if let Some(problem) = template.problem {
            let file = config.mail_templates().join(&template.file);
            let problem =
                format!("{} is not used, the built-in one is: {problem}", absolute(&file).display());
            findings.warning("mail.templates", problem, "correct or remove the file");
        }
    }
}

fn check_ways_in(config: &Config, findings: &mut Findings) {
    let listens = [&config.http.listen, &config.smtp.listen, &config.lmtp.listen, &config.maildir.watch];
    if listens.iter().all(|listen| listen.is_empty()) {
        findings.warning(
            "http.listen",
            "everything is switched off by which players could reach the server, but `knotpost deliver`",
            "set `http.listen`, `smtp.listen`, `lmtp.listen` or `maildir.watch`",
        );
    }
}
