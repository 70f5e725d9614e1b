//! Policy for mail of strangers, stored in the database so that all servers on it follow at once.

use schemars::JsonSchema;
use serde::Serialize;

use crate::boards::{Code, Refusal, ServiceError};
use crate::config::{Config, StrangerPolicy};
use crate::identity::Origin;
use knotpost_model::Address;
use knotpost_storage::{ReadTx, Store, StoreError, WriteTx};

const FACT: &str = "strangers";
/// Addresses mailed by one signup of a stranger.
const MOST_AT_SIGN_UP: usize = 2;

/// The administrators' choice, or else the configuration.
async fn stranger_policy(tx: &mut ReadTx, config: &Config) -> Result<StrangerPolicy, StoreError> {
    let agreed = tx.server_metadata(FACT).await?;
    Ok(agreed.as_deref().and_then(StrangerPolicy::from_word).unwrap_or(config.limits.strangers))
}

/// Policy for mail from strangers.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Strangers {
    /// `open`, `known` or `closed`.
    pub policy: &'static str,
    /// True if an administrator set it, rather than the configuration.
    pub is_set: bool,
}

pub async fn view_stranger_policy(store: &Store, config: &Config) -> Result<Strangers, StoreError> {
    let mut tx = store.read().await?;
    let is_set = tx.server_metadata(FACT).await?.is_some();
    Ok(Strangers { policy: stranger_policy(&mut tx, config).await?.as_str(), is_set })
}

pub(crate) async fn set(tx: &mut WriteTx, policy: Option<StrangerPolicy>) -> Result<(), StoreError> {
    match policy {
        Some(policy) => tx.save_server_metadata(FACT, policy.as_str()).await,
        None => tx.forget_server_metadata(FACT).await,
    }
}

/// True if unauthenticated mail from this address is accepted. `aligned`: its domain vouches for it.
pub async fn is_welcome(
    tx: &mut ReadTx,
    config: &Config,
    address: &Address,
    aligned: bool,
) -> Result<bool, StoreError> {
    let key = address.key();
    Ok(match stranger_policy(tx, config).await? {
        StrangerPolicy::Open => true,
        StrangerPolicy::Known if tx.is_proven_address(&key).await? => true,
        StrangerPolicy::Known | StrangerPolicy::Closed => aligned && tx.is_registered_address(&key).await?,
    })
}

/// Refuses signups where strangers are not welcome, and signups with many addresses everywhere, as each gets
/// a mail.
pub(crate) async fn check_sign_up(
    tx: &mut ReadTx,
    config: &Config,
    origin: &Origin,
    addresses: usize,
) -> Result<(), ServiceError> {
    let is_mail = origin.channel == knotpost_model::Channel::Mail;
    if addresses > MOST_AT_SIGN_UP && origin.channel != knotpost_model::Channel::Operator {
        let message = format!("a new account begins with at most {MOST_AT_SIGN_UP} addresses");
        return Err(Refusal::new(Code::BadValue, message)
            .hint("`add` takes more addresses, once the account is there.")
            .into());
    }
    let refusal = match stranger_policy(tx, config).await? {
        StrangerPolicy::Open => return Ok(()),
        StrangerPolicy::Known if !is_mail => return Ok(()),
        StrangerPolicy::Known => {
            Refusal::new(Code::NotAllowed, "this server takes no new accounts by mail at the moment")
                .hint(format!("Sign up on the web: {}", config.server.public_url.trim_end_matches('/')))
        }
        StrangerPolicy::Closed if origin.channel == knotpost_model::Channel::Operator => return Ok(()),
        StrangerPolicy::Closed => {
            Refusal::new(Code::NotAllowed, "this server takes no new accounts at the moment")
        }
    };
    Err(refusal.into())
}
