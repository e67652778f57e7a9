//! A part of an archived period: some members in the order of the ranking, a line of JSON each; and the index of the members by part.
//!
//! A rank follows from the manifest and one part: the manifest has the number of members of each part, and of those with its
//! last score. A member is found by four bytes of its digest, which an index holds for each part. A chance hit costs the
//! reading of a part.

use std::collections::BTreeSet;
use std::fmt::Write;

use engine::store::archive::Member;
use ranking::name::Id;
use ranking::score::Score;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::tally;

/// What is known of a part without reading it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    /// Its object, below that of its period.
    pub object: String,
    /// SHA-256 of its lines, in hexadecimal.
    pub sha256: String,
    pub count: u64,
    /// The score of its first member, and the last member.
    pub first: f64,
    pub last: f64,
    pub last_id: String,
    /// Members that have the last one's score.
    pub last_ties: u64,
    /// Different scores.
    pub distinct: u64,
}

impl Part {
    /// Of members, best first; `None` of nobody.
    pub fn of(object: String, members: &[Member], lines: &[u8]) -> Option<Self> {
        let (first, Member { id: last_id, score: last, .. }) = (members.first()?.score, members.last()?);
        let last_ties = members.iter().rev().take_while(|member| member.score == *last).count() as u64;
        let distinct = 1 + members.windows(2).filter(|pair| pair[0].score != pair[1].score).count() as u64;
        Some(Self {
            object,
            sha256: sha256(lines),
            count: members.len() as u64,
            first: first.value(),
            last: last.value(),
            last_id: last_id.as_str().into(),
            last_ties,
            distinct,
        })
    }

    /// Whether a member would stand behind all of the part, where ids decide among equal scores.
    pub fn is_before(&self, Member { id, score, .. }: &Member) -> bool {
        self.last > score.value() || self.last.total_cmp(&score.value()).is_eq() && self.last_id.as_str() > id.as_str()
    }
}

/// Whether the first of two stands higher, where ids decide among equal scores, as in Redis.
pub(super) fn stands_higher(one: &Member, other: &Member) -> bool {
    one.score > other.score || one.score == other.score && one.id > other.id
}

/// `{"id":"/posts/1","score":42}`, a line each, and what it did by action where that is known: `"actions":{"view":[40,40],"like":[1,2]}`, how
/// often, and what that was worth.
pub(super) fn lines_of(members: &[Member]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(members.len() * 40);
    for Member { id, score, tally } in members {
        let mut line = json!({ "id": id, "score": score });
        if !tally.is_empty() {
            line["actions"] = tally::to_json(tally);
        }
        lines.extend_from_slice(line.to_string().as_bytes());
        lines.push(b'\n');
    }
    lines
}

/// The members of such lines; `None` where one of them is something else.
pub(super) fn members_of(lines: &[u8]) -> Option<Vec<Member>> {
    let member = |line: &[u8]| {
        let line: Value = serde_json::from_slice(line).ok()?;
        let tally = line.get("actions").map_or(Some(String::new()), tally::from_json)?;
        Some(Member { id: Id::kept(line.get("id")?.as_str()?)?, score: Score::new(line.get("score")?.as_f64()?)?, tally })
    };
    lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(member).collect()
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    let digits = hmac_sha256::Hash::hash(bytes).into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// Four bytes of an id's digest, by which indexes know it.
pub(super) fn mark_of(id: &Id) -> u32 {
    let digest = hmac_sha256::Hash::hash(id.as_str().as_bytes());
    u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// The marks of the members of some parts: a line for each part, of eight hexadecimal digits for each mark.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Index(pub Vec<BTreeSet<u32>>);

impl Index {
    pub fn lines(&self) -> Vec<u8> {
        let mut lines = String::new();
        for marks in &self.0 {
            for mark in marks {
                let _ = write!(lines, "{mark:08x}");
            }
            lines.push('\n');
        }
        lines.into_bytes()
    }

    /// `None` where the bytes are no index.
    pub fn read(lines: &[u8]) -> Option<Self> {
        let mark = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).ok().filter(|text| text.len() == 8)?, 16).ok();
        let part = |line: &[u8]| line.chunks(8).map(mark).collect();
        let lines = lines.strip_suffix(b"\n")?;
        lines.split(|byte| *byte == b'\n').map(part).collect::<Option<_>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(id: &str, score: f64, tally: &str) -> Member {
        Member { id: Id::new(id).expect("an id"), score: Score::new(score).expect("a score"), tally: tally.into() }
    }

    fn members(of: &[(&str, f64)]) -> Vec<Member> {
        of.iter().map(|(id, score)| member(id, *score, "")).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut members = members(&[("/ä\"\\", 3.0), ("b", 0.1 + 0.2), ("c", -2.0), ("d", 9_007_199_254_740_992.0)]);
        members.push(member("e", 0.3, "like -1 -2 view 3 0.30000000000000004"));
        let lines = lines_of(&members);
        assert_eq!(members_of(&lines).as_ref(), Some(&members));
        assert_eq!(members_of(&[&lines[..], b"{}\n"].concat()), None);
        let index = Index(vec![members.iter().map(|member| mark_of(&member.id)).collect(), BTreeSet::new(), [7].into()]);
        assert_eq!(Index::read(&index.lines()), Some(index));
        assert_eq!(Index::read(b"0000000100\n"), None);
        assert_eq!(Index::read(b"00000001"), None);
    }

    #[test]
    fn a_part_knows_its_ties() {
        let members = members(&[("d", 3.0), ("c", 2.0), ("b", 1.0), ("a", 1.0)]);
        let part = Part::of("x".into(), &members, b"").expect("a part");
        assert_eq!((part.count, part.last_ties, part.distinct, &*part.last_id), (4, 2, 3, "a"));
        let before = |id: &str, score: f64| part.is_before(&member(id, score, ""));
        assert!(before("0", 1.0) && before("z", 0.0));
        assert!(!before("b", 1.0) && !before("a", 1.0) && !before("0", 2.0));
        assert_eq!(Part::of("x".into(), &[], b""), None);
    }
}
