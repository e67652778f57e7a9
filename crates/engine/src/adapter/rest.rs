//! The Upstash REST protocol: commands as JSON, replies as JSON with base64 strings.
//!
//! <https://upstash.com/docs/redis/features/restapi>. One command goes to `/`, several to `/pipeline` or, as a
//! transaction, to `/multi-exec`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;

use super::value::ServerError;
use super::{Cmd, Error, Fault, Mode, Value};

/// An HTTP POST to make, with `Authorization: Bearer <token>` and `Upstash-Encoding: base64`.
#[derive(Debug, PartialEq, Eq)]
pub struct Post {
    /// Follows the endpoint's address.
    pub path: &'static str,
    pub body: String,
}

/// # Errors
/// `Refused` when an argument is not UTF-8, which JSON cannot carry. `Configuration` where a replica is to be waited for: that is asked over
/// the connection that wrote, and here nobody knows which one that is.
pub fn encode(commands: &[Cmd], mode: Mode) -> Result<Post, Error> {
    let commands = commands.iter().map(arguments).collect::<Result<Vec<_>, _>>()?;
    if matches!(mode, Mode::Replicated { .. }) {
        return Err(Error::new(Fault::Configuration, "over REST no replica is waited for"));
    }
    let (path, body) = match (commands.as_slice(), mode) {
        ([one], _) => ("/", serde_json::to_string(one)),
        (several, Mode::Pipeline) => ("/pipeline", serde_json::to_string(several)),
        (several, _) => ("/multi-exec", serde_json::to_string(several)),
    };
    let body = body.map_err(|error| Error::new(Fault::Refused, error.to_string()))?;
    Ok(Post { path, body })
}

fn arguments(command: &Cmd) -> Result<Vec<&str>, Error> {
    let text = |word| std::str::from_utf8(word).map_err(|error| Error::new(Fault::Refused, error.to_string()));
    command.words().map(text).collect()
}

/// Reads the answer to [`encode`]'s request for `count` commands.
///
/// # Errors
/// `Unauthorized` for 401 and 403. `Unavailable` for 429, which refuses the request before it is passed on. `Gateway` for 5xx and
/// for what is not Upstash's JSON, such as an error page of something between: a gateway answers 503 also when what it had passed
/// the commands to went away. `Malformed` for JSON that does not hold the replies. Else what Redis refused all the commands with.
pub fn decode(count: usize, status: u16, body: &[u8]) -> Result<Vec<Value>, Error> {
    let message = || format!("HTTP {status}: {}", String::from_utf8_lossy(&body[..body.len().min(200)]));
    if status == 401 || status == 403 {
        return Err(Error::new(Fault::Unauthorized, message()));
    }
    if status == 429 {
        return Err(Error::new(Fault::Unavailable, message()));
    }
    let gateway = || Error::new(Fault::Gateway, message());
    if status >= 500 {
        return Err(gateway());
    }
    let json: Json = serde_json::from_slice(body).map_err(|_| gateway())?;
    let items = match json {
        Json::Array(items) => items,
        // One command's answer, or the refusal of a whole pipeline or transaction.
        object if count == 1 => vec![object],
        object => {
            let error = object.get("error").and_then(Json::as_str).ok_or_else(gateway)?;
            return Err(reply_error(error));
        }
    };
    if items.len() != count {
        return Err(Error::new(Fault::Malformed, format!("{} replies to {count} commands", items.len())));
    }
    items.into_iter().map(item).collect()
}

fn item(mut item: Json) -> Result<Value, Error> {
    if let Some(error) = item.get("error").and_then(Json::as_str) {
        return Ok(Value::ServerError(ServerError::new(error)));
    }
    item.get_mut("result").map(Json::take).ok_or_else(|| Error::new(Fault::Malformed, "neither result nor error")).and_then(value)
}

fn reply_error(line: &str) -> Error {
    let (code, detail) = line.split_once(' ').unwrap_or((line, ""));
    Error::from_reply(code, detail)
}

fn value(json: Json) -> Result<Value, Error> {
    let malformed = |what: String| Error::new(Fault::Malformed, what);
    Ok(match json {
        Json::Null => Value::Nil,
        Json::Number(number) => Value::Int(number.as_i64().ok_or_else(|| malformed(format!("the number {number}")))?),
        // The one string that is not encoded.
        Json::String(text) if text == "OK" => Value::Okay,
        Json::String(text) => Value::BulkString(STANDARD.decode(&text).map_err(|_| malformed(format!("not base64: {text}")))?),
        Json::Array(items) => Value::Array(items.into_iter().map(value).collect::<Result<_, _>>()?),
        other => return Err(malformed(format!("a reply like {other}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> Cmd {
        words.iter().collect()
    }

    #[test]
    fn requests() {
        let one = [command(&["ZADD", "k", "1", "é/\""])];
        let two = [command(&["PING"]), command(&["TIME"])];
        for (commands, mode, path, body) in [
            (&one[..], Mode::Pipeline, "/", r#"["ZADD","k","1","é/\""]"#),
            (&one, Mode::Transaction, "/", r#"["ZADD","k","1","é/\""]"#),
            (&two, Mode::Pipeline, "/pipeline", r#"[["PING"],["TIME"]]"#),
            (&two, Mode::Transaction, "/multi-exec", r#"[["PING"],["TIME"]]"#),
        ] {
            assert_eq!(encode(commands, mode), Ok(Post { path, body: body.into() }));
        }
        let mut binary = Cmd::new("SET");
        binary.arg("k").arg([255_u8]);
        assert_eq!(encode(&[binary], Mode::Pipeline).map_err(|error| error.fault), Err(Fault::Refused));
        let replicated = encode(&[Cmd::new("PING")], Mode::Pipeline.replicated());
        assert_eq!(replicated.map_err(|error| error.fault), Err(Fault::Configuration));
    }

    #[track_caller]
    fn check(count: usize, status: u16, body: &str, expected: Result<Vec<Value>, Fault>) {
        assert_eq!(decode(count, status, body.as_bytes()).map_err(|error| error.fault), expected, "{status} {body}");
    }

    #[test]
    fn answers() {
        check(1, 200, r#"{"result":"UE9ORw=="}"#, Ok(vec![Value::BulkString(b"PONG".to_vec())]));
        check(
            1,
            200,
            r#"{"result":["T0s=",null,7,"OK"]}"#,
            Ok(vec![Value::Array(vec![Value::BulkString(b"OK".to_vec()), Value::Nil, Value::Int(7), Value::Okay])]),
        );
        check(2, 200, r#"[{"result":1},{"result":null}]"#, Ok(vec![Value::Int(1), Value::Nil]));
        check(1, 401, r#"{"error":"Unauthorized"}"#, Err(Fault::Unauthorized));
        check(2, 400, r#"{"error":"ERR max request size exceeded"}"#, Err(Fault::Unavailable));
        check(2, 400, r#"{"error":"ERR syntax error"}"#, Err(Fault::Refused));
        check(2, 400, r#"{"error":"EXECABORT Transaction discarded because of previous errors."}"#, Err(Fault::Refused));
        check(1, 429, "<html>Too Many Requests</html>", Err(Fault::Unavailable));
        check(1, 503, "<html>Service Unavailable</html>", Err(Fault::Gateway));
        check(1, 503, r#"{"error":"ERR unavailable"}"#, Err(Fault::Gateway));
        check(1, 502, "<html>Bad Gateway</html>", Err(Fault::Gateway));
        check(1, 200, "<html>captive portal</html>", Err(Fault::Gateway));
        check(2, 200, r#"[{"result":1}]"#, Err(Fault::Malformed));
        check(1, 200, r#"{"result":"not base64!"}"#, Err(Fault::Malformed));
        check(1, 200, "{}", Err(Fault::Malformed));
    }

    #[test]
    fn a_refused_command_leaves_the_others() {
        let replies = decode(2, 200, br#"[{"error":"NOSCRIPT No matching script."},{"result":1}]"#).expect("replies");
        let Value::ServerError(error) = &replies[0] else { panic!("{replies:?}") };
        assert_eq!(error.code(), "NOSCRIPT");
        assert_eq!(replies[1], Value::Int(1));
        assert!(matches!(decode(1, 400, br#"{"error":"ERR wrong number of arguments"}"#).expect("a reply")[0], Value::ServerError(_)));
    }
}
