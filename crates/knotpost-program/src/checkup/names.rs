//! DNS records of the mail domain, for receiving and for sending.

use std::net::IpAddr;

use knotpost_core::config::{AuthPolicy, Config};
use knotpost_model::Address;
use knotpost_transport::inbound::{NoAnswer, Records};
use knotpost_transport::outbound::{Signer, Transport};

use super::Findings;

const SUBJECT: &str = "dns";

pub(super) async fn check(config: &Config, findings: &mut Findings) {
    let Ok(address) = config.server.address.parse::<Address>() else { return };
    let checked = match Records::new(config) {
        Ok(records) => check_domain(config, address.domain(), &records, findings).await,
        // Reported by another check.
        Err(_) if config.inbound.auth_policy != AuthPolicy::Off => Ok(()),
        Err(error) => Err(error),
    };
    if let Err(error) = checked {
        let problem =
            format!("the name servers do not answer: {error}; senders of mail cannot be checked either");
        findings.error(SUBJECT, problem, "correct /etc/resolv.conf, or let `inbound.dns` name others");
    }
}

async fn check_domain(
    config: &Config,
    domain: &str,
    records: &Records,
    findings: &mut Findings,
) -> Result<(), NoAnswer> {
    let hosts = check_mail_servers(domain, records, findings).await?;
    check_spf(domain, records, findings).await?;
    check_dkim(config, records, findings).await?;
    check_dmarc(domain, records, findings).await?;
    if sends_itself(config) {
        check_reverse(&hosts, records, findings).await?;
    }
    check_mta_sts(domain, records, findings).await?;
    check_web(config, records, findings).await
}

/// True if mail leaves by a mail server on this machine, so that others see its address.
fn sends_itself(config: &Config) -> bool {
    match Transport::examine(config) {
        Ok(Transport::Smtp(relay)) => relay.is_near(),
        Ok(Transport::Sendmail(_)) => true,
        _ => false,
    }
}

/// RFC 5321, section 5.1, and RFC 7505. Returns the mail servers and their addresses.
async fn check_mail_servers(
    domain: &str,
    records: &Records,
    findings: &mut Findings,
) -> Result<Vec<(String, Vec<IpAddr>)>, NoAnswer> {
    let servers = records.mail_servers(domain).await?;
    if servers.iter().any(String::is_empty) {
        let problem = format!("the MX record of {domain} says that it takes no mail");
        findings.error(
            SUBJECT,
            problem,
            format!("publish `{domain}. IN MX 10 HOST.` with the host that takes it"),
        );
        return Ok(Vec::new());
    }
    let names = if servers.is_empty() { vec![domain.to_owned()] } else { servers.clone() };
    let mut found = Vec::new();
    for name in names {
        let addresses = records.addresses(&name).await?;
        if addresses.is_empty() && !servers.is_empty() {
            findings.error(
                SUBJECT,
                format!("the mail server of {domain}, {name}, has no address"),
                format!("publish an A or AAAA record for {name}, or correct the MX record"),
            );
        }
        found.push((name, addresses));
    }
    if servers.is_empty() {
        let problem = format!("{domain} has no MX record");
        let mend = format!("publish `{domain}. IN MX 10 HOST.` with the host that takes its mail");
        if found.iter().any(|(_, addresses)| !addresses.is_empty()) {
            findings.warning(SUBJECT, format!("{problem}: its mail goes to its web server"), mend);
        } else {
            findings.error(SUBJECT, format!("{problem}: no player can write"), mend);
        }
    }
    Ok(found)
}

/// RFC 7208.
async fn check_spf(domain: &str, records: &Records, findings: &mut Findings) -> Result<(), NoAnswer> {
    let texts = records.texts(domain).await?;
    let policies: Vec<&String> =
        texts.iter().filter(|text| text.split_whitespace().next() == Some("v=spf1")).collect();
    let publish = format!(
        "publish one TXT record at {domain}, such as `v=spf1 mx -all`, with what your relay asks for (`include:…`)"
    );
    match policies[..] {
        [] => findings.warning(
            SUBJECT,
            format!("{domain} has no SPF record: others may not take its mail"),
            publish,
        ),
        [policy] => {
            if policy.split_whitespace().any(|word| word == "+all" || word == "all") {
                let problem = format!("the SPF record of {domain} lets everybody send in its name (`+all`)");
                findings.warning(SUBJECT, problem, "let it end with `-all` or `~all`");
            }
        }
        _ => findings.error(
            SUBJECT,
            format!("{domain} has {} SPF records, and none of them counts", policies.len()),
            publish,
        ),
    }
    Ok(())
}

/// RFC 6376, section 3.6.1.
async fn check_dkim(config: &Config, records: &Records, findings: &mut Findings) -> Result<(), NoAnswer> {
    // A key that cannot be used was found before.
    let Ok(signer) = Signer::from_config(config) else { return Ok(()) };
    let Some(signer) = signer else {
        findings.warning(
            "dkim.selector",
            "mail is not signed here: others may not take it, unless the relay signs it",
            "make a key and set `dkim.selector` and `dkim.key`, see docs/operations/mail-out.md",
        );
        return Ok(());
    };
    let name = signer.record_name();
    let texts = records.texts(&name).await?;
    let mend = "publish what `knotpost config dkim-record` prints";
    let ours = public_key(&signer.record());
    if texts.is_empty() {
        findings.error(SUBJECT, format!("there is no DKIM key at {name}: signatures count as broken"), mend);
    } else if !texts.iter().any(|text| public_key(text) == ours) {
        findings.error(SUBJECT, format!("the DKIM key at {name} is not that of `dkim.key`"), mend);
    }
    Ok(())
}

fn public_key(record: &str) -> Option<String> {
    let tags = record.split(';').filter_map(|tag| tag.split_once('='));
    let mut keys = tags.filter(|(name, _)| name.trim() == "p").map(|(_, key)| key);
    keys.next().map(|key| key.split_whitespace().collect())
}

/// RFC 7489, section 6.6.3: the record of the domain, or of the organisational domain above.
async fn check_dmarc(domain: &str, records: &Records, findings: &mut Findings) -> Result<(), NoAnswer> {
    let mut name = domain;
    loop {
        let texts = records.texts(&format!("_dmarc.{name}")).await?;
        if texts.iter().any(|text| text.starts_with("v=DMARC1")) {
            return Ok(());
        }
        match name.split_once('.') {
            Some((_, above)) if above.contains('.') => name = above,
            _ => break,
        }
    }
    findings.warning(
        SUBJECT,
        format!("{domain} has no DMARC record: large providers want one"),
        format!("publish `_dmarc.{domain}. IN TXT \"v=DMARC1; p=quarantine\"`"),
    );
    Ok(())
}

/// Mail servers resolve the connecting address to a name, and that name to an address.
async fn check_reverse(
    hosts: &[(String, Vec<IpAddr>)],
    records: &Records,
    findings: &mut Findings,
) -> Result<(), NoAnswer> {
    for (host, addresses) in hosts {
        for address in addresses {
            let mut is_good = false;
            let names = records.names_of(*address).await?;
            for name in &names {
                is_good |= records.addresses(name).await?.contains(address);
            }
            if is_good {
                continue;
            }
            let problem = match names.first() {
                None => format!("the address {address} of {host} has no name (PTR record)"),
                Some(name) => {
                    format!("the address {address} of {host} has the name {name}, which is not its own")
                }
            };
            let mend = format!("ask whoever gives you the address for a PTR record with the name {host}");
            findings.warning(SUBJECT, format!("{problem}: others may not take mail from it"), mend);
        }
    }
    Ok(())
}

/// RFC 8461. A policy is optional.
async fn check_mta_sts(domain: &str, records: &Records, findings: &mut Findings) -> Result<(), NoAnswer> {
    let texts = records.texts(&format!("_mta-sts.{domain}")).await?;
    let Some(policy) = texts.iter().find(|text| text.starts_with("v=STSv1")) else { return Ok(()) };
    let mut tags = policy.split(';').filter_map(|tag| tag.split_once('='));
    let id = tags.find(|(name, _)| name.trim() == "id").map(|(_, id)| id.trim());
    let is_id =
        |id: &str| (1..=32).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !id.is_some_and(is_id) {
        findings.warning(
            SUBJECT,
            format!("the MTA-STS record of {domain} has no usable id"),
            format!("publish `_mta-sts.{domain}. IN TXT \"v=STSv1; id=1\"`, with another id at every change"),
        );
    }
    let host = format!("mta-sts.{domain}");
    if records.addresses(&host).await?.is_empty() {
        findings.warning(
            SUBJECT,
            format!("{domain} has an MTA-STS record, and {host}, where its policy would be, has no address"),
            format!("publish an A or AAAA record for {host}, or take the record away"),
        );
    }
    Ok(())
}

/// Links in mails need this name.
async fn check_web(config: &Config, records: &Records, findings: &mut Findings) -> Result<(), NoAnswer> {
    let Some(host) = config.public_host() else { return Ok(()) };
    let has_name = host.parse::<IpAddr>().is_err() && !config.has_loopback_url();
    if has_name && records.addresses(&host).await?.is_empty() {
        findings.error(
            "server.public_url",
            format!("links in mails lead to {host}, which has no address"),
            format!("publish an A or AAAA record for {host}, or correct `server.public_url`"),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_record_is_found_however_it_is_written() {
        for record in ["v=DKIM1; k=rsa; p=AB/C=", "p=AB/ C=", "v=DKIM1;p = AB/C= ;t=s"] {
            assert_eq!(public_key(record).as_deref(), Some("AB/C="), "{record}");
        }
        assert_eq!(public_key("v=DKIM1; k=rsa"), None);
    }
}
