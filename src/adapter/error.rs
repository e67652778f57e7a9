//! What went wrong, whether the command was applied, and whether trying again makes sense.

use std::fmt;

/// A command, or a whole send, that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub fault: Fault,
    /// For logs: what the server or the runtime said. Never shown to clients.
    pub detail: String,
}

/// Kinds of failure. The label is static; the rest is detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `REDIS_URL` or a token is not usable.
    Configuration,
    /// No connection was made in time.
    Connect,
    /// The server, or the gateway before it, refused our credentials.
    Unauthorized,
    /// The server cannot serve now: loading, busy, out of memory, read only, over its quota.
    Unavailable,
    /// The server does not know the script; handled inside the adapter.
    NoScript,
    /// The server refused the command as wrong.
    Refused,
    /// The connection ended, or the time was up, after the commands were sent and before their replies came.
    Lost,
    /// A reply came that does not read as one.
    Malformed,
    /// A gateway answered with an HTTP error of its own.
    Gateway,
}

/// Whether a failed command took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    No,
    Yes,
    Unknown,
}

impl Error {
    pub fn new(fault: Fault, detail: impl Into<String>) -> Self {
        Self { fault, detail: detail.into() }
    }

    /// Sorts a reply that is an error by the word it begins with.
    pub fn from_reply(code: &str, detail: &str) -> Self {
        let fault = match code {
            "NOSCRIPT" => Fault::NoScript,
            "NOAUTH" | "WRONGPASS" | "NOPERM" | "DENIED" => Fault::Unauthorized,
            // More than a few words from who has not said the password.
            "ERR" if detail.starts_with("Protocol error: unauthenticated") => Fault::Unauthorized,
            "LOADING" | "BUSY" | "OOM" | "READONLY" | "MISCONF" | "MASTERDOWN" | "CLUSTERDOWN" | "TRYAGAIN" | "NOREPLICAS" => {
                Fault::Unavailable
            }
            // Upstash: over the plan's daily commands, bandwidth or size.
            "ERR" if detail.starts_with("max ") || detail.starts_with("DB capacity") => Fault::Unavailable,
            _ => Fault::Refused,
        };
        Self::new(fault, format!("{code} {detail}"))
    }

    /// Whether the command took effect.
    pub fn applied(&self) -> Applied {
        match self.fault {
            // Our scripts answer errors only before their first write, and other commands are refused whole.
            Fault::Configuration | Fault::Connect | Fault::Unauthorized | Fault::Unavailable | Fault::NoScript | Fault::Refused => {
                Applied::No
            }
            Fault::Malformed => Applied::Yes,
            Fault::Lost | Fault::Gateway => Applied::Unknown,
        }
    }

    /// Whether sending again at once may succeed. That is safe when nothing was applied, or when ids make it so.
    pub fn is_transient(&self) -> bool {
        matches!(self.fault, Fault::Connect | Fault::Unavailable | Fault::Lost | Fault::Gateway)
    }
}

impl Fault {
    /// The label, for logs.
    pub fn label(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Connect => "connect",
            Self::Unauthorized => "unauthorized",
            Self::Unavailable => "unavailable",
            Self::NoScript => "no-script",
            Self::Refused => "refused",
            Self::Lost => "lost",
            Self::Malformed => "malformed",
            Self::Gateway => "gateway",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.fault.label(), self.detail)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_sorted() {
        for (code, detail, fault, applied, transient) in [
            ("NOSCRIPT", "No matching script. Please use EVAL.", Fault::NoScript, Applied::No, false),
            ("LOADING", "Redis is loading the dataset in memory", Fault::Unavailable, Applied::No, true),
            ("BUSY", "Redis is busy running a script.", Fault::Unavailable, Applied::No, true),
            ("OOM", "command not allowed when used memory > 'maxmemory'.", Fault::Unavailable, Applied::No, true),
            ("WRONGPASS", "invalid username-password pair", Fault::Unauthorized, Applied::No, false),
            ("ERR", "max requests limit exceeded.", Fault::Unavailable, Applied::No, true),
            ("ERR", "DB capacity quota exceeded", Fault::Unavailable, Applied::No, true),
            ("ERR", "record: an argument is not a number", Fault::Refused, Applied::No, false),
        ] {
            let error = Error::from_reply(code, detail);
            assert_eq!((error.fault, error.applied(), error.is_transient()), (fault, applied, transient), "{code} {detail}");
        }
    }
}
