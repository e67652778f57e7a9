//! The saved inputs of a target: `corpus/NAME.txt`, one input a line, escaped as Rust escapes byte strings.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

pub struct Corpus {
    path: PathBuf,
    pub inputs: Vec<Vec<u8>>,
}

impl Corpus {
    pub fn load(target: &str) -> Self {
        let path = PathBuf::from(format!("{}/tests/fuzz/corpus/{target}.txt", env!("CARGO_MANIFEST_DIR")));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, inputs: text.lines().map(unescape).collect() }
    }

    /// Keeps an input, for good.
    pub fn save(&mut self, input: &[u8]) {
        let mut file = OpenOptions::new().append(true).open(&self.path).expect("the corpus can be written");
        writeln!(file, "{}", input.escape_ascii()).expect("the corpus can be written");
        self.inputs.push(input.into());
    }
}

/// # Panics
/// For an escape that `escape_ascii` does not write.
fn unescape(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line.bytes();
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escaped {
            None => byte,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'x') => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).unwrap_or_else(|_| panic!("\\x{digits} in the corpus"))
            }
            Some(quoted @ (b'\\' | b'\'' | b'"')) => quoted,
            Some(other) => panic!("\\{} in the corpus", char::from(other)),
        });
    }
    bytes
}

#[test]
fn what_is_saved_is_read_again() {
    let every: Vec<u8> = (0..=255).collect();
    assert_eq!(unescape(&every.escape_ascii().to_string()), every);
}
