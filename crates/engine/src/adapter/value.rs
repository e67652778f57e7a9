//! Replies, and how they are read from RESP: <https://redis.io/docs/latest/develop/reference/protocol-spec/>.

use super::{Error, Fault};

/// What Redis answers to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Nil,
    Int(i64),
    BulkString(Vec<u8>),
    SimpleString(String),
    /// The simple string OK.
    Okay,
    Array(Vec<Value>),
    ServerError(ServerError),
    /// None came from the server that this command went to. What went to other servers has its replies.
    Missing(Error),
}

/// An error reply: `NOSCRIPT No matching script.`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    line: String,
}

impl ServerError {
    pub fn new(line: impl Into<String>) -> Self {
        Self { line: line.into() }
    }

    /// Its first word, which says of what kind it is.
    pub fn code(&self) -> &str {
        self.line.split_once(' ').map_or(&self.line, |(code, _)| code)
    }

    /// What follows the code.
    pub fn detail(&self) -> &str {
        self.line.split_once(' ').map_or("", |(_, detail)| detail)
    }
}

/// How deep arrays may lie in one another. Scripts answer with lists, and `EXEC` with a list of those.
const MAX_DEPTH: u32 = 8;

/// The bytes of some replies.
pub struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes were read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Whether the next reply is there as a whole. That is cheap to ask, and nothing is read.
    ///
    /// # Errors
    /// `Malformed` when the bytes are not RESP.
    pub fn is_whole(&self) -> Result<bool, Error> {
        let mut ahead = Self { ..*self };
        // Replies still to pass; an array adds its items.
        let mut remaining = 1_usize;
        while remaining > 0 {
            let Some((kind, text)) = ahead.line()? else { return Ok(false) };
            remaining -= 1;
            match kind {
                b'+' | b'-' | b':' => {}
                b'$' => match length(text)? {
                    Some(length) if ahead.bytes.len() - ahead.at < length.saturating_add(2) => return Ok(false),
                    Some(length) => ahead.at += length + 2,
                    None => {}
                },
                // An item has at least three bytes.
                b'*' => match length(text)?.unwrap_or(0) {
                    count if count > (ahead.bytes.len() - ahead.at) => return Ok(false),
                    count => remaining += count,
                },
                _ => return Err(malformed()),
            }
        }
        Ok(true)
    }

    /// The next reply, which [is whole](Self::is_whole).
    ///
    /// # Errors
    /// `Malformed` when the bytes are not RESP.
    pub fn value(&mut self) -> Result<Value, Error> {
        self.value_in(0)
    }

    fn value_in(&mut self, depth: u32) -> Result<Value, Error> {
        let (kind, text) = self.line()?.ok_or_else(malformed)?;
        let message = || String::from_utf8_lossy(text).into_owned();
        Ok(match kind {
            b'+' if text == b"OK" => Value::Okay,
            b'+' => Value::SimpleString(message()),
            b'-' => Value::ServerError(ServerError::new(message())),
            b':' => Value::Int(number(text)?),
            b'$' => match length(text)? {
                None => Value::Nil,
                Some(length) => Value::BulkString(self.bulk(length)?),
            },
            b'*' if depth < MAX_DEPTH => match length(text)? {
                None => Value::Nil,
                Some(count) => Value::Array((0..count).map(|_| self.value_in(depth + 1)).collect::<Result<_, _>>()?),
            },
            _ => return Err(malformed()),
        })
    }

    /// The kind and text of the next line; `None` when its end is not there yet.
    fn line(&mut self) -> Result<Option<(u8, &'b [u8])>, Error> {
        let rest = &self.bytes[self.at..];
        let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") else { return Ok(None) };
        let (kind, text) = rest[..end].split_first().ok_or_else(malformed)?;
        self.at += end + 2;
        Ok(Some((*kind, text)))
    }

    fn bulk(&mut self, length: usize) -> Result<Vec<u8>, Error> {
        let rest = &self.bytes[self.at..];
        let text = rest.get(..length).filter(|_| rest[length..].starts_with(b"\r\n")).ok_or_else(malformed)?;
        self.at += length + 2;
        Ok(text.into())
    }
}

/// The length of a string or an array; `None` for one that is nil.
fn length(text: &[u8]) -> Result<Option<usize>, Error> {
    match number(text)? {
        -1 => Ok(None),
        length => usize::try_from(length).map(Some).map_err(|_| malformed()),
    }
}

fn number(text: &[u8]) -> Result<i64, Error> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(malformed)
}

fn malformed() -> Error {
    Error::new(Fault::Malformed, "not a RESP reply")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &Result<Option<Value>, Fault>) {
        let mut reader = Reader::new(bytes);
        let read = reader.is_whole().and_then(|is_whole| is_whole.then(|| reader.value()).transpose());
        assert_eq!(&read.map_err(|error| error.fault), expected, "{}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn replies() {
        let message = |text: &str| Value::SimpleString(text.into());
        for (bytes, value) in [
            ("+OK\r\n", Value::Okay),
            ("+PONG\r\n", message("PONG")),
            ("+\r\n", message("")),
            (":-7\r\n", Value::Int(-7)),
            ("$0\r\n\r\n", Value::BulkString(Vec::new())),
            ("$4\r\na\r\nb\r\n", Value::BulkString(b"a\r\nb".into())),
            ("$-1\r\n", Value::Nil),
            ("*-1\r\n", Value::Nil),
            ("*0\r\n", Value::Array(Vec::new())),
            ("*2\r\n*1\r\n:1\r\n$-1\r\n", Value::Array(vec![Value::Array(vec![Value::Int(1)]), Value::Nil])),
        ] {
            check(bytes.as_bytes(), &Ok(Some(value)));
            for end in 0..bytes.len() {
                check(&bytes.as_bytes()[..end], &Ok(None));
            }
        }
        let error = |line: &str| Reader::new(line.as_bytes()).value();
        let Ok(Value::ServerError(message)) = error("-NOSCRIPT No matching script.\r\n") else { panic!("an error") };
        assert_eq!((message.code(), message.detail()), ("NOSCRIPT", "No matching script."));
        let Ok(Value::ServerError(message)) = error("-ERR\r\n") else { panic!("an error") };
        assert_eq!((message.code(), message.detail()), ("ERR", ""));
    }

    #[test]
    fn garbage() {
        let deep = format!("{}:1\r\n", "*1\r\n".repeat(100_000));
        for bytes in
            ["HTTP/1.1 400 Bad Request\r\n", "$x\r\n", "\r\n", "$-2\r\n", "$1\r\nabc", "*-5\r\n", "$99999999999999999999\r\n", &deep]
        {
            check(bytes.as_bytes(), &Err(Fault::Malformed));
        }
        // Lengths that no memory holds are waited for, and no sum of them overflows.
        for bytes in ["$4294967295\r\nab", "$9223372036854775807\r\nab", "*4294967295\r\n:1\r\n", "*3\r\n*9223372036854775807\r\n:1\r\n"] {
            check(bytes.as_bytes(), &Ok(None));
        }
    }
}
