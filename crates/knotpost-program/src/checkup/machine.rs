//! The machine: owners, permissions, disk space, and the certificate.

use std::path::{Path, PathBuf};
use std::time::Duration;

use knotpost_core::config::Config;
use knotpost_model::Millis;
use knotpost_platform::clock::{Clock as _, SystemClock};
use knotpost_platform::files::{Space, folder_of, free_space, is_open_to_all, owner};
use secrecy::ExposeSecret as _;

use super::{Findings, Setup};
use crate::server::{absolute, find_unusable, is_within_reach, load_certificates};

/// Below it the server is unreliable.
const NO_SPACE: u64 = 64 << 20;
/// Below it an operator is warned.
const LITTLE_SPACE: u64 = 512 << 20;
/// Least number for a server and an upgrade of its database.
const FEW_FILES: u64 = 1000;
/// Age up to which an operator may want to return to the earlier program.
const OLD_COPY: Duration = Duration::from_hours(30 * 24);
const DAY_MS: i64 = 86_400_000;
/// Days; certificates are renewed a month before their end.
const SOON_DAYS: i64 = 14;

pub(super) fn check(setup: &Setup<'_>, findings: &mut Findings) {
    let config = setup.config;
    check_owners(config, findings);
    check_private_files(setup, findings);
    check_space(config, findings);
    check_copies(config, findings);
    check_certificate(config, findings);
    if config.store_settings().sqlite_file().is_some() {
        findings.warn(crate::build::warning().into_iter().collect());
    }
}

/// Finds files that block the server, mostly made by root.
fn check_owners(config: &Config, findings: &mut Findings) {
    let data = &config.server.data;
    let Some(user) = owner(data) else { return };
    let shown = absolute(data);
    let folders = [data.clone(), data.join("mail"), data.join("mail/out")];
    let database = config.store_settings().sqlite_file();
    let outside = database.into_iter().chain([config.key_file()]).filter(|file| !file.starts_with(data));
    let entries = folders.iter().flat_map(|folder| list(folder));
    let foreign: Vec<PathBuf> =
        entries.chain(outside).filter(|path| owner(path).is_some_and(|owner| owner != user)).collect();
    // One that cannot be used was found before.
    let Some(first) = foreign.first().filter(|_| find_unusable(config).is_none()) else { return };
    let more = match foreign.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let problem = format!(
        "{}{more} in the way of the server: it belongs to another user than the data folder, user {user}",
        absolute(first).display()
    );
    let mend = format!("run `chown -R {user} {}`", shared_place(&foreign, &shown).display());
    findings.error("server.data", problem, mend);
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn shared_place(files: &[PathBuf], data: &Path) -> PathBuf {
    match files {
        [file] => absolute(file),
        _ => data.to_owned(),
    }
}

fn check_private_files(setup: &Setup<'_>, findings: &mut Findings) {
    let config = setup.config;
    let signing = config.dkim.key.expose_secret();
    let mut files: Vec<(&str, &Path)> = Vec::new();
    if !signing.is_empty() && !signing.contains("-----BEGIN") {
        files.push(("dkim.key", Path::new(signing)));
    }
    if !config.smtp.tls_key.is_empty() {
        files.push(("smtp.tls_key", Path::new(&config.smtp.tls_key)));
    }
    if let Some(file) = setup.file.filter(|file| Config::file_has_secrets(file)) {
        files.push(("configuration", file));
    }
    for (subject, file) in files {
        if !is_within_reach(file) || is_open_to_all(file) != Some(true) {
            continue;
        }
        let shown = absolute(file);
        let problem =
            format!("everybody on this machine may read {}, and it holds a secret", shown.display());
        let mend = format!(
            "run `chmod 640 {}`, and give it to the user or the group that runs the server",
            shown.display()
        );
        findings.warning(subject, problem, mend);
    }
}

fn check_space(config: &Config, findings: &mut Findings) {
    let data = &config.server.data;
    let database = config.store_settings().sqlite_file();
    let elsewhere = database.as_deref().and_then(Path::parent).filter(|folder| *folder != data);
    for folder in [Some(data.as_path()), elsewhere].into_iter().flatten() {
        let Ok(space) = free_space(folder) else { continue };
        judge_space(&absolute(folder), space, findings);
    }
}

fn judge_space(folder: &Path, space: Space, findings: &mut Findings) {
    let mib = space.bytes >> 20;
    let problem = format!("{mib} MiB are left on the disk of {}", folder.display());
    let mend = "remove what is not needed there, or give it more space; mail waits while there is none";
    if space.bytes < NO_SPACE {
        findings.error("disk", problem, mend);
    } else if space.bytes < LITTLE_SPACE {
        findings.warning("disk", problem, mend);
    }
    if let Some(files) = space.files.filter(|files| *files < FEW_FILES) {
        let problem = format!("only {files} more files can be made on the disk of {}", folder.display());
        findings.warning("disk", problem, "remove files that are not needed there");
    }
}

/// Finds copies from before upgrades, which nothing else removes.
fn check_copies(config: &Config, findings: &mut Findings) {
    let Some(file) = config.store_settings().sqlite_file() else { return };
    let stem = format!("{}.schema-", file.file_stem().unwrap_or_default().to_string_lossy());
    let is_old = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let age =
            std::fs::metadata(path).and_then(|found| found.modified()).ok().and_then(|at| at.elapsed().ok());
        name.starts_with(&stem) && name.ends_with(".db") && age.is_some_and(|age| age > OLD_COPY)
    };
    for copy in list(folder_of(&file)).iter().filter(|path| is_old(path)) {
        let copy = absolute(copy);
        let mib = std::fs::metadata(&copy).map_or(0, |found| found.len() >> 20);
        let problem = format!(
            "{} ({mib} MiB) is the database as it was before an upgrade more than 30 days ago",
            copy.display()
        );
        let mend = format!("remove it, unless you mean to go back: `rm {}`", copy.display());
        findings.warning("disk", problem, mend);
    }
}

fn check_certificate(config: &Config, findings: &mut Findings) {
    // One that cannot be read was found before.
    let Ok(Some(certificates)) = load_certificates(config) else { return };
    if let Some(end) = certificates.ends_at() {
        judge_end(&config.smtp.tls_cert, end, SystemClock.now(), findings);
    }
}

fn judge_end(file: &str, end: Millis, now: Millis, findings: &mut Findings) {
    let mend = "renew it, put the new one there, and run `systemctl reload knotpost` (SIGHUP)";
    let days = (end.0 - now.0).div_euclid(DAY_MS);
    if end <= now {
        let problem = format!("the certificate {file} ended {} days ago", -days);
        findings.error("smtp.tls_cert", problem, mend);
    } else if days < SOON_DAYS {
        findings.warning("smtp.tls_cert", format!("the certificate {file} ends in {days} days"), mend);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkup::Level;

    fn levels(check: impl FnOnce(&mut Findings)) -> Vec<Level> {
        let mut findings = Findings::default();
        check(&mut findings);
        findings.list().iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn little_space_is_a_warning_and_none_an_error() {
        let found = |bytes, files| {
            levels(|findings| judge_space(Path::new("/data"), Space { bytes, files }, findings))
        };
        assert_eq!(found(1 << 30, None), []);
        assert_eq!(found(1 << 30, Some(FEW_FILES)), []);
        assert_eq!(found(LITTLE_SPACE - 1, None), [Level::Warning]);
        assert_eq!(found(NO_SPACE - 1, None), [Level::Error]);
        assert_eq!(found(1 << 30, Some(FEW_FILES - 1)), [Level::Warning]);
    }

    #[test]
    fn a_certificate_is_told_of_before_it_ends() {
        let now = Millis(1_000 * DAY_MS);
        let found =
            |days: i64| levels(|findings| judge_end("c", Millis(now.0 + days * DAY_MS), now, findings));
        assert_eq!(found(SOON_DAYS), []);
        assert_eq!(found(SOON_DAYS - 1), [Level::Warning]);
        assert_eq!(found(0), [Level::Error]);
    }
}
