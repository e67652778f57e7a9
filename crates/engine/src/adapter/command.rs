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

    /// The first key that it names, or what stands in its place.
    pub fn key(&self) -> &[u8] {
        // `FCALL function 1 key`
        let at = if self.0.first().is_some_and(|name| name.starts_with(b"FCALL") || name.starts_with(b"EVAL")) { 3 } else { 1 };
        self.0.get(at).map_or(b"", Vec::as_slice)
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
