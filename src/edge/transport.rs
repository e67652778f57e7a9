//! The transport that `REDIS_URL` names.

use std::rc::Rc;

use super::rest::Rest;
use super::settings::Settings;
use super::tcp::Connection;
use crate::adapter::url::RedisUrl;
use crate::adapter::{Cmd, Error, Mode, Transport, Value};

/// A way to Redis, for one request or one object: neither a socket nor a response may outlive what made it.
pub enum EdgeTransport {
    Tcp(Connection),
    Rest(Rest),
}

impl EdgeTransport {
    pub fn new(settings: &Settings) -> Self {
        match &settings.redis {
            RedisUrl::Tcp(to) => Self::Tcp(Connection::new(to.clone(), Rc::clone(&settings.handshake_accepted))),
            RedisUrl::Rest(endpoint) => Self::Rest(Rest::new(endpoint.clone(), settings.redis_token.clone())),
        }
    }
}

impl Transport for EdgeTransport {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        match self {
            Self::Tcp(connection) => connection.send(commands, mode).await,
            Self::Rest(rest) => rest.send(commands, mode).await,
        }
    }
}
