//! Where a site hands its counted events on to.

use ranking::name::{Name, Named};
use ranking::site::{Action, Forward, Receiver};
use serde_json::Value;

use super::error::ConfigError;
use super::node::Node;
use super::rule::{Boolean, Rule};

pub(super) fn read_forward(forward: &Node, actions: &Named<Action>) -> Result<Forward, ConfigError> {
    let fields = forward.fields(&["queue", "webhook", "actions", "periods"])?;
    let to = match (fields.get("queue"), fields.get("webhook")) {
        (Some(queue), None) => Receiver::Queue(queue.read(&Binding)?),
        (None, Some(webhook)) => Receiver::Webhook(webhook.read(&Webhook)?),
        _ => return Err(forward.not_allowed("a table with either queue or webhook")),
    };
    let actions = fields.get("actions").map(|list| read_actions(&list, actions)).transpose()?;
    Ok(Forward { to, actions, periods: fields.or("periods", false, &Boolean)? })
}

fn read_actions(list: &Node, actions: &Named<Action>) -> Result<Vec<Name>, ConfigError> {
    let refuse = || list.not_allowed(&format!("a list of actions of the site: {}", actions.list()));
    let Value::Array(names) = list.value else { return Err(refuse()) };
    let known = |name: &Value| name.as_str().and_then(Name::new).filter(|name| actions.get(name.as_str()).is_some());
    names.iter().map(|name| known(name).ok_or_else(refuse)).collect()
}

/// The name of a binding of wrangler.toml.
struct Binding;

impl Rule for Binding {
    type Read = String;

    fn allowed(&self) -> String {
        "the name of a queue's binding, which has letters, digits and _ only".into()
    }

    fn read(&self, value: &Value) -> Option<String> {
        let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        value.as_str().filter(is_name).map(String::from)
    }
}

/// An address that events are sent to. Actors' ids do not travel in the clear, but on this machine.
pub(super) struct Webhook;

impl Rule for Webhook {
    type Read = String;

    fn allowed(&self) -> String {
        "an address that begins with https://, or with http://localhost or http://127.0.0.1".into()
    }

    fn read(&self, value: &Value) -> Option<String> {
        let address = value.as_str()?;
        let uri: http::Uri = address.parse().ok()?;
        let is_near = uri.host().is_some_and(|host| ["localhost", "127.0.0.1"].contains(&host));
        let is_allowed = uri.host().is_some() && (uri.scheme_str() == Some("https") || (uri.scheme_str() == Some("http") && is_near));
        is_allowed.then(|| address.into())
    }
}
