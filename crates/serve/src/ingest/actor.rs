//! The actor of an event, as far as it is known: the sender's claim, and its proof.

use ranking::actor_token::TokenFault;
use ranking::event::SenderClass;
use ranking::name::Id;
use ranking::site::{Actors, Site};
use ranking::token::Tokens;
use ranking::visitor::{Fingerprint, VisitorKey};
use serde_json::{Map, Value};

use super::{EventCode, Refusal};

/// Who sends a body.
pub enum Source<'t> {
    /// A page, with what is known of its visitor, what decides about tokens, and the edge's clock (Unix seconds).
    Browser { visitor: Option<Fingerprint>, tokens: &'t Tokens, now_s: u64 },
    /// The site's own server, which showed its token, with what its visitors are keyed with.
    Server(Option<&'t VisitorKey>),
}

/// Who sent a batch.
pub enum Sender<'t> {
    /// With what is known of its visitor, and the actor whose token it showed.
    Browser { visitor: Option<Fingerprint>, signed: Option<Id> },
    /// The site's own server, which showed its token, with what its visitors are keyed with.
    Server(Option<&'t VisitorKey>),
}

/// Why a browser's events count without the actor that it named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActorNotice {
    /// No token names that actor.
    Ignored,
    /// The token has expired.
    Expired,
    /// The token is not one that the site's server signed.
    Invalid,
}

impl ActorNotice {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::Expired => "expired",
            Self::Invalid => "invalid",
        }
    }

    fn of(fault: TokenFault) -> Self {
        match fault {
            TokenFault::Expired => Self::Expired,
            TokenFault::Invalid => Self::Invalid,
        }
    }
}

/// Who acts in one event.
pub(super) struct Acting {
    pub actor: Option<Id>,
    /// Whether more than the word of a browser says so.
    pub is_proven: bool,
}

impl<'t> Source<'t> {
    /// Who sent a body: a browser's token stands beside its events, and is taken out. A token that names nobody does not keep
    /// events from counting.
    ///
    /// # Errors
    /// When a browser's `token` is not text.
    pub(super) fn sender(self, site: &Site, body: &mut Map<String, Value>) -> Result<(Sender<'t>, Option<ActorNotice>), Refusal> {
        let (visitor, tokens, now_s) = match self {
            Self::Browser { visitor, tokens, now_s } => (visitor, tokens, now_s),
            Self::Server(key) => return Ok((Sender::Server(key), None)),
        };
        let (signed, notice) = match body.remove("token") {
            None | Some(Value::Null) => (None, None),
            Some(Value::String(token)) => match tokens.actor(&site.name, &token, now_s) {
                Ok(actor) => (Some(actor), None),
                Err(fault) => (None, Some(ActorNotice::of(fault))),
            },
            // Without its value, which is logged and may hold one.
            Some(_) => {
                let detail = "token = (not shown) is not allowed; allowed: the token of an actor, as text";
                return Err(Refusal::new(EventCode::InvalidActor, detail));
            }
        };
        Ok((Sender::Browser { visitor, signed }, notice))
    }
}

impl Sender<'_> {
    /// A browser that shows no token.
    pub fn browser(visitor: Option<Fingerprint>) -> Self {
        Self::Browser { visitor, signed: None }
    }

    pub fn is_server(&self) -> bool {
        matches!(self, Self::Server(_))
    }

    /// The browser, as far as it is known.
    pub(super) fn visitor(&self) -> Option<Fingerprint> {
        match self {
            Self::Browser { visitor, .. } => visitor.clone(),
            Self::Server(_) => None,
        }
    }

    pub fn class(&self) -> SenderClass {
        match self {
            Self::Browser { .. } => SenderClass::Browser,
            Self::Server(_) => SenderClass::Server,
        }
    }

    /// Who acts in an event that names somebody, or nobody. A token counts more than a name; without one, the site says whether
    /// browsers are believed.
    pub(super) fn acting(&self, site: &Site, named: Option<Id>) -> Acting {
        match self {
            Self::Server(_) => Acting { actor: named, is_proven: true },
            Self::Browser { signed: Some(signed), .. } => {
                let is_meant = named.is_none_or(|named| named == *signed);
                Acting { actor: is_meant.then(|| signed.clone()), is_proven: is_meant }
            }
            Self::Browser { signed: None, .. } => Acting { actor: named.filter(|_| site.actors == Actors::Any), is_proven: false },
        }
    }
}
