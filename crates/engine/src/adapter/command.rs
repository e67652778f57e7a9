//! Commands, and how they are written as RESP: <https://redis.io/docs/latest/develop/reference/protocol-spec/>.

/// A command: its name, then its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cmd(Vec<Vec<u8>>);

impl Cmd {
    pub fn new(name: &str) -> Self {
        Self(vec![name.into()])
    }

    pub fn arg(&mut self, argument: impl AsRef<[u8]>) -> &mut Self {
        self.0.push(argument.as_ref().into());
        self
    }

    pub fn args<A: AsRef<[u8]>>(&mut self, arguments: impl IntoIterator<Item = A>) -> &mut Self {
        for argument in arguments {
            self.arg(argument);
        }
        self
    }

    /// Its name and arguments.
    pub fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }

    /// Its name, as it is written here: in capitals.
    pub fn name(&self) -> &[u8] {
        self.0.first().map_or(b"", Vec::as_slice)
    }

    /// Whether it runs a script or a function, which may touch other keys than those that it names.
    pub fn runs_script(&self) -> bool {
        [&b"FCALL"[..], b"EVAL"].iter().any(|name| self.name().starts_with(name))
    }

    /// The first key that it names.
    pub fn key(&self) -> Option<&[u8]> {
        let at = match self.name() {
            // `FCALL function 1 key`
            _ if self.runs_script() => 3,
            b"MEMORY" => 2,
            b"CLUSTER" | b"FUNCTION" | b"INFO" | b"PING" | b"SCAN" | b"SCRIPT" | b"TIME" => return None,
            _ => 1,
        };
        self.0.get(at).map(Vec::as_slice)
    }

    /// How many bytes it is written with, at most.
    pub fn max_bytes(&self) -> usize {
        /// Its kind, the digits of a length and the ends of two lines.
        const AROUND: usize = 1 + 10 + 2 + 2;
        AROUND + self.0.iter().map(|word| AROUND + word.len()).sum::<usize>()
    }

    /// Appends it as an array of bulk strings.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let head = |bytes: &mut Vec<u8>, kind: u8, count: usize| {
            bytes.push(kind);
            bytes.extend_from_slice(count.to_string().as_bytes());
            bytes.extend_from_slice(b"\r\n");
        };
        head(bytes, b'*', self.0.len());
        for word in &self.0 {
            head(bytes, b'$', word.len());
            bytes.extend_from_slice(word);
            bytes.extend_from_slice(b"\r\n");
        }
    }
}

/// From a name and its arguments.
impl<W: AsRef<[u8]>> FromIterator<W> for Cmd {
    fn from_iter<I: IntoIterator<Item = W>>(words: I) -> Self {
        Self(words.into_iter().map(|word| word.as_ref().into()).collect())
    }
}
