//! What went wrong, whether the command was applied, and whether trying again makes sense.
//!
//! # Decisions
//!
//! - An error inside a script is of unknown outcome, since Redis does not take back what the script wrote before. A script that
//!   had written nothing says so with `UNTOUCHED`, followed by the error.
//! - `UNTOUCHED FAILED` is a script that failed and took back its writes. `UNTOUCHED ERR` is a call that the script itself
//!   refuses.
//! - A gateway's 429 counts as not applied, its other HTTP errors as unknown. 503 is among the unknown ones: a gateway answers
//!   it also when the Redis behind it goes away in mid-work.

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
    /// `REDIS_URL` or a token is not usable, or Redis holds data of another version.
    Configuration,
    /// No connection was made in time.
    Connect,
    /// The server, or the gateway before it, refused our credentials.
    Unauthorized,
    /// The server cannot serve now: loading, busy, out of memory, read only, over its quota.
    Unavailable,
    /// The server does not know the script or function; handled inside the adapter.
    NoScript,
    /// The server has no functions, or lets us have none; handled inside the adapter.
    NoFunctions,
    /// The server refused the command as wrong.
    Refused,
    /// A script failed on its way in a manner that it does not know, and does not say that it had written nothing.
    Script,
    /// The same of a script that says so: it had written nothing, or has taken it back.
    ScriptUndone,
    /// It is done, and no replica had it in time.
    Unreplicated,
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
            UNTOUCHED => {
                let message = detail.strip_prefix(FAILED);
                let (code, detail) = message.unwrap_or(detail).split_once(' ').unwrap_or((message.unwrap_or(detail), ""));
                match Fault::of_refusal(code, detail) {
                    Fault::Refused if message.is_some() => Fault::ScriptUndone,
                    fault => fault,
                }
            }
            // Redis kills no script that has written.
            _ if detail.starts_with(KILLED) => Fault::Unavailable,
            _ if is_raised_in_script(code, detail) => Fault::Script,
            _ => Fault::of_refusal(code, detail),
        };
        Self::new(fault, format!("{code} {detail}"))
    }

    /// Whether the command took effect.
    pub fn applied(&self) -> Applied {
        match self.fault {
            // Our scripts answer errors only before their first write, and other commands are refused whole.
            Fault::Configuration
            | Fault::Connect
            | Fault::Unauthorized
            | Fault::Unavailable
            | Fault::NoScript
            | Fault::NoFunctions
            | Fault::Refused
            | Fault::ScriptUndone => Applied::No,
            Fault::Malformed => Applied::Yes,
            // What no replica has is gone when its server is.
            Fault::Script | Fault::Lost | Fault::Gateway | Fault::Unreplicated => Applied::Unknown,
        }
    }

    /// Whether a script failed in a manner that it does not know. That is the fault of neither the sender nor the server. A command that the
    /// server has no memory or no right for is none.
    pub fn is_of_script(&self) -> bool {
        let (code, detail) = self.detail.split_once(' ').unwrap_or((&self.detail, ""));
        match self.fault {
            Fault::Script => Fault::of_refusal(code, detail) == Fault::Refused,
            fault => fault == Fault::ScriptUndone,
        }
    }

    /// Whether the server takes no writes now: it has no memory, is a replica, has too few of them, or cannot save. It refuses a function
    /// that may write before that begins.
    pub fn refuses_writes(&self) -> bool {
        let code = self.detail.split(' ').next().unwrap_or_default();
        self.fault == Fault::Unavailable && matches!(code, "OOM" | "READONLY" | "NOREPLICAS" | "MISCONF")
    }

    /// Whether sending again at once may succeed. That is safe when nothing was applied, or when ids make it so.
    pub fn is_transient(&self) -> bool {
        matches!(self.fault, Fault::Connect | Fault::Unavailable | Fault::Unreplicated | Fault::Lost | Fault::Gateway)
    }
}

/// What a script's error begins with when the script failed before its first write. The error that it met follows.
const UNTOUCHED: &str = "UNTOUCHED";
/// What follows where the error is none that the script gives by itself: of Lua, or of a command that it did not expect to fail.
const FAILED: &str = "FAILED ";
/// What Redis 7 answers for a script that ran too long for its operator.
const KILLED: &str = "Script killed by user with ";

/// Whether a script that was running raised an error. Redis 7 and Valkey say so at the end: `… script: SHA, on @user_script:1.`, of a
/// function `… script: NAME, on @user_function:1.`;
/// older ones and Dragonfly at the beginning: `ERR Error running script (call to f_SHA): @user_script:1: …`. Only commands inside
/// scripts find a key of the wrong type: we send no others to keys of ours. What a script returns by itself is not marked.
fn is_raised_in_script(code: &str, detail: &str) -> bool {
    let is_compiled = !detail.starts_with("Error compiling script");
    code == "WRONGTYPE"
        || (is_compiled
            && (detail.split('@').skip(1).any(|named| named.starts_with("user_script:") || named.starts_with("user_function:"))
                || detail.starts_with("Error running script")))
}

/// Whether a server says that it does not know the commands of functions: Redis 6 and Dragonfly, or Upstash of before.
fn lacks_functions(detail: &str) -> bool {
    let detail = detail.to_ascii_lowercase();
    (detail.starts_with("unknown command") || detail.starts_with("command is not available"))
        && ["fcall", "function"].iter().any(|command| detail.contains(command))
}

impl Fault {
    /// In an order that stays.
    pub(super) const EACH: [Self; 13] = [
        Self::Configuration,
        Self::Connect,
        Self::Unauthorized,
        Self::Unavailable,
        Self::NoScript,
        Self::NoFunctions,
        Self::Refused,
        Self::Script,
        Self::ScriptUndone,
        Self::Unreplicated,
        Self::Lost,
        Self::Malformed,
        Self::Gateway,
    ];

    /// Why a command was refused that did nothing.
    fn of_refusal(code: &str, detail: &str) -> Self {
        match code {
            "NOSCRIPT" => Self::NoScript,
            "ERR" if detail == "Function not found" => Self::NoScript,
            "ERR" if lacks_functions(detail) => Self::NoFunctions,
            "NOPERM" if detail.contains("'fcall") || detail.contains("'function") => Self::NoFunctions,
            // What a script says of data that another version laid out.
            "LAYOUT" => Self::Configuration,
            "NOAUTH" | "WRONGPASS" | "NOPERM" | "DENIED" => Self::Unauthorized,
            // What a script meets that runs a command without the right: of Redis 7, and of later ones.
            "ERR" if detail.starts_with("The user executing the script") || detail.starts_with("ACL failure in script") => {
                Self::Unauthorized
            }
            // More than a few words from who has not said the password.
            "ERR" if detail.starts_with("Protocol error: unauthenticated") => Self::Unauthorized,
            // The last four: of a node of a cluster that does not have the key's slot, or not all of it.
            "LOADING" | "BUSY" | "OOM" | "READONLY" | "MISCONF" | "MASTERDOWN" | "NOREPLICAS" | "CLUSTERDOWN" | "TRYAGAIN" | "MOVED"
            | "ASK" => Self::Unavailable,
            // What a script meets on such a node.
            "ERR" if detail.starts_with("Script attempted to access a non local key") => Self::Unavailable,
            "ERR" if detail.starts_with("Script attempted to execute a") && detail.contains("while the cluster is down") => {
                Self::Unavailable
            }
            // Upstash: over the plan's daily commands, bandwidth or size.
            "ERR" if detail.starts_with("max ") || detail.starts_with("DB capacity") => Self::Unavailable,
            _ => Self::Refused,
        }
    }

    /// The label, for logs and metrics.
    pub fn label(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Connect => "connect",
            Self::Unauthorized => "unauthorized",
            Self::Unavailable => "unavailable",
            Self::NoScript => "no-script",
            Self::NoFunctions => "no-functions",
            Self::Refused => "refused",
            Self::Script | Self::ScriptUndone => "script",
            Self::Unreplicated => "unreplicated",
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
            ("ERR", "Function not found", Fault::NoScript, Applied::No, false),
            ("ERR", "unknown command 'FCALL', with args beginning with: 'f' '0' ", Fault::NoFunctions, Applied::No, false),
            ("ERR", "Command is not available: 'Function'.", Fault::NoFunctions, Applied::No, false),
            ("NOPERM", "this user has no permissions to run the 'fcall_ro' command", Fault::NoFunctions, Applied::No, false),
            ("NOPERM", "User u has no permissions to run the 'function|load' command", Fault::NoFunctions, Applied::No, false),
            ("LOADING", "Redis is loading the dataset in memory", Fault::Unavailable, Applied::No, true),
            ("BUSY", "Redis is busy running a script.", Fault::Unavailable, Applied::No, true),
            ("OOM", "command not allowed when used memory > 'maxmemory'.", Fault::Unavailable, Applied::No, true),
            ("WRONGPASS", "invalid username-password pair", Fault::Unauthorized, Applied::No, false),
            ("ERR", "max requests limit exceeded.", Fault::Unavailable, Applied::No, true),
            ("ERR", "DB capacity quota exceeded", Fault::Unavailable, Applied::No, true),
            ("ERR", "record: an argument is not a number", Fault::Refused, Applied::No, false),
            ("ERR", "wrong number of arguments for 'evalsha' command", Fault::Refused, Applied::No, false),
            ("ERR", "Error compiling script (new function): user_script:1: '=' expected near 'x'", Fault::Refused, Applied::No, false),
            ("NOPERM", "this user has no permissions to run the 'evalsha' command", Fault::Unauthorized, Applied::No, false),
            ("MASTERDOWN", "Link with MASTER is down", Fault::Unavailable, Applied::No, true),
            ("MOVED", "3999 127.0.0.1:6381", Fault::Unavailable, Applied::No, true),
            ("ASK", "3999 127.0.0.1:6381", Fault::Unavailable, Applied::No, true),
            ("TRYAGAIN", "Multiple keys request during rehashing of slot", Fault::Unavailable, Applied::No, true),
            ("CLUSTERDOWN", "Hash slot not served", Fault::Unavailable, Applied::No, true),
            ("LAYOUT", "Redis holds layout 3, this version knows 2", Fault::Configuration, Applied::No, false),
            // Raised inside a script, which may have written before.
            ("WRONGTYPE", "Operation against a key script: 980e9058, on @user_script:1.", Fault::Script, Applied::Unknown, false),
            (
                "ERR",
                "user_script:1: attempt to index a nil value script: cd204846, on @user_script:1.",
                Fault::Script,
                Applied::Unknown,
                false,
            ),
            ("OOM", "command not allowed script: e3398974, on @user_script:7.", Fault::Script, Applied::Unknown, false),
            ("ERR", "Error running script (call to f_980e): @user_script:1: WRONGTYPE", Fault::Script, Applied::Unknown, false),
            ("ERR", "Error running script: WRONGTYPE", Fault::Script, Applied::Unknown, false),
            ("WRONGTYPE", "Operation against a key script: eb_1_top, on @user_function:1.", Fault::Script, Applied::Unknown, false),
            (
                "ERR",
                "user_function:1: attempt to index a nil value script: eb_1_top, on @user_function:1.",
                Fault::Script,
                Applied::Unknown,
                false,
            ),
            // It had not, or it would not have been killed.
            (
                "ERR",
                "Script killed by user with FUNCTION KILL. script: eb_1_top, on @user_function:1.",
                Fault::Unavailable,
                Applied::No,
                true,
            ),
            (
                "ERR",
                "Script killed by user with SCRIPT KILL... script: 694a5fe1, on @user_script:1.",
                Fault::Unavailable,
                Applied::No,
                true,
            ),
            // The script says that it had not.
            ("UNTOUCHED", "FAILED WRONGTYPE Operation against a key", Fault::ScriptUndone, Applied::No, false),
            ("UNTOUCHED", "FAILED user_script:7: attempt to compare nil with number", Fault::ScriptUndone, Applied::No, false),
            ("UNTOUCHED", "FAILED OOM command not allowed script: e3398974, on @user_script:7.", Fault::Unavailable, Applied::No, true),
            ("UNTOUCHED", "FAILED READONLY You can't write against a read only replica.", Fault::Unavailable, Applied::No, true),
            ("UNTOUCHED", "FAILED NOPERM User default has no permissions", Fault::Unauthorized, Applied::No, false),
            ("UNTOUCHED", "FAILED ERR The user executing the script can't run this command", Fault::Unauthorized, Applied::No, false),
            (
                "UNTOUCHED",
                "FAILED ERR Script attempted to access a non local key in a cluster node script: eb_1, on @user_function:1.",
                Fault::Unavailable,
                Applied::No,
                true,
            ),
            ("UNTOUCHED", "FAILED ", Fault::ScriptUndone, Applied::No, false),
            ("UNTOUCHED", "ERR replay_window must be above 0", Fault::Refused, Applied::No, false),
            ("UNTOUCHED", "", Fault::Refused, Applied::No, false),
        ] {
            let error = Error::from_reply(code, detail);
            assert_eq!((error.fault, error.applied(), error.is_transient()), (fault, applied, transient), "{code} {detail}");
        }
    }
}
