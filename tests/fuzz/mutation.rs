//! Changing inputs: bytes anywhere, and JSON as a tree.

use serde_json::Value;

use crate::random::Random;

/// The longest input that is made: more than a body may have.
const MAX_BYTES: usize = 70_000;

/// What texts of all targets are made of; put in where it does not belong.
const WORDS: [&[u8]; 48] = [
    b"\r\n",
    b"\n",
    b"\n\n",
    b"\0",
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"%",
    b"%00",
    b"%2F",
    b"%FF",
    b"%E9",
    b"+",
    b"&",
    b"=",
    b"?",
    b"/",
    b"//",
    b"/../",
    b"#",
    b",",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\u0000",
    b"\\ud800",
    b":",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"1e-999",
    b"4294967293",
    b"4294967295",
    b"4294967296",
    b"9223372036854775807",
    b"18446744073709551616",
    b"$",
    b"*",
    b"*-1\r\n",
    b"$-1\r\n",
    b"-ERR x\r\n",
    b"\"events\":",
    b"\"id\":",
    b"period=",
];

/// The input with one to four changes.
pub fn mutate(random: &mut Random, input: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(16)).min(bytes.len());
        match random.below(9) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => insert(&mut bytes, at, &[random.byte()]),
            3 => insert(&mut bytes, at, random.pick::<&[u8]>(&WORDS)),
            4 => insert(&mut bytes, at, random.whole().to_string().as_bytes()),
            5 => {
                let again = bytes[at..end].repeat(1 + random.below(40));
                insert(&mut bytes, at, &again);
            }
            6 => {
                let from = random.below(other.len() + 1);
                insert(&mut bytes, at, &other[from..(from + random.below(64)).min(other.len())]);
            }
            7 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            8 => replace_number(random, &mut bytes),
            _ => insert(&mut bytes, at, random.text().as_bytes()),
        }
        bytes.truncate(MAX_BYTES);
    }
    bytes
}

/// The same where an input is JSON: mostly as a tree.
pub fn mutate_document(random: &mut Random, input: &[u8], other: &[u8]) -> Vec<u8> {
    let parsed = if random.once_in(4) { None } else { serde_json::from_slice::<Value>(input).ok() };
    let Some(mut document) = parsed else { return mutate(random, input, other) };
    for _ in 0..=random.below(4) {
        mutate_json(random, &mut document);
    }
    document.to_string().into_bytes()
}

fn insert(bytes: &mut Vec<u8>, at: usize, more: &[u8]) {
    bytes.splice(at..at, more.iter().copied());
}

/// Another number in the place of one.
fn replace_number(random: &mut Random, bytes: &mut Vec<u8>) {
    let starts: Vec<usize> =
        (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[at - 1].is_ascii_digit())).collect();
    if starts.is_empty() {
        return;
    }
    let start = *random.pick(&starts);
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.splice(start..start + length, random.whole().to_string().into_bytes());
}

/// Changes the tree in one place: a value becomes another one, leaves, comes twice or gets another name.
pub fn mutate_json(random: &mut Random, value: &mut Value) {
    let goes_on = !random.once_in(4);
    match value {
        Value::Object(object) if goes_on && !object.is_empty() => {
            let names: Vec<String> = object.keys().cloned().collect();
            let name = random.pick(&names);
            match random.below(8) {
                0 => drop(object.remove(name)),
                1 => {
                    let moved = object.remove(name).unwrap_or_default();
                    object.insert(random.text(), moved);
                }
                2 => {
                    let copied = object[name].clone();
                    object.insert(random.pick(&names).clone(), copied);
                }
                _ => mutate_json(random, &mut object[name.as_str()]),
            }
        }
        Value::Array(items) if goes_on && !items.is_empty() => {
            let at = random.below(items.len());
            match random.below(6) {
                0 => drop(items.remove(at)),
                1 => {
                    let copies = vec![items[at].clone(); *random.pick(&[1, 2, 19, 20, 99, 100])];
                    items.extend(copies);
                }
                _ => mutate_json(random, &mut items[at]),
            }
        }
        _ => *value = random.json(2),
    }
}
