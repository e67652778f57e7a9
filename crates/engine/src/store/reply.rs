//! Reading a script's reply as its header says.

use ranking::name::Id;
use ranking::score::Score;

use crate::adapter::{Error, Fault, Invocation, Script, Value};

/// A call of a script, with its arguments by name. `build.rs` implements it from the script's header.
pub trait Call {
    /// What the script answers.
    type Reply;

    fn invocation(self) -> Invocation;

    /// Reads a reply whose status is not `SPAN`.
    ///
    /// # Errors
    /// When it is not as the header says: `Fault::Malformed`, which names the field.
    fn read(reply: &mut ReplyReader) -> Result<Self::Reply, Error>;
}

/// Reads the items of a reply one after the other.
#[derive(Debug)]
pub struct ReplyReader {
    script: &'static Script,
    items: std::vec::IntoIter<Value>,
    /// How many groups of arguments the call had.
    argument_groups: usize,
    /// The repeated group that is being read.
    group: &'static str,
}

impl ReplyReader {
    /// A text alone is what follows the status `OK`: Redis asks a table for eight fields before it takes its items.
    ///
    /// # Errors
    /// When the reply is neither a list nor a text.
    pub fn new(call: &Invocation, reply: Value) -> Result<Self, Error> {
        let repeated = call.args.len().saturating_sub(call.script.texts());
        let argument_groups = repeated.checked_div(call.script.each.len()).unwrap_or(0);
        let reader = |items: Vec<Value>| Self { script: call.script, items: items.into_iter(), argument_groups, group: "" };
        match reply {
            Value::Array(items) => Ok(reader(items)),
            text @ Value::BulkString(_) => Ok(reader(vec![Value::BulkString("OK".into()), text])),
            _ => Err(reader(Vec::new()).malformed("the reply")),
        }
    }

    /// Whether the next item is this text.
    pub(super) fn next_is(&self, text: &str) -> bool {
        matches!(self.items.as_slice(), [Value::BulkString(bytes), ..] if bytes == text.as_bytes())
    }

    pub(super) fn status(&mut self) -> Result<String, Error> {
        self.text("the status")
    }

    pub(super) fn text(&mut self, field: &'static str) -> Result<String, Error> {
        match self.items.next() {
            Some(Value::BulkString(bytes)) => String::from_utf8(bytes).map_err(|_| self.malformed(field)),
            _ => Err(self.malformed(field)),
        }
    }

    /// A whole number that Lua can hold: up to 2^53 on either side of zero. A thousand times as much is still an `i64`, so what
    /// counts seconds can be made milliseconds.
    pub(super) fn int(&mut self, field: &'static str) -> Result<i64, Error> {
        const MAX: u64 = 1 << 53;
        match self.items.next() {
            Some(Value::Int(number)) if number.unsigned_abs() <= MAX => Ok(number),
            _ => Err(self.malformed(field)),
        }
    }

    pub(super) fn count(&mut self, field: &'static str) -> Result<u64, Error> {
        u64::try_from(self.int(field)?).map_err(|_| self.malformed(field))
    }

    pub(super) fn flag(&mut self, field: &'static str) -> Result<bool, Error> {
        match self.int(field)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.malformed(field)),
        }
    }

    pub(super) fn number(&mut self, field: &'static str) -> Result<Score, Error> {
        Score::parse(&self.text(field)?).ok_or_else(|| self.malformed(field))
    }

    pub(super) fn id(&mut self, field: &'static str) -> Result<Id, Error> {
        Id::kept(&self.text(field)?).ok_or_else(|| self.malformed(field))
    }

    /// A field that is empty text when there is none.
    pub(super) fn optional<F>(
        &mut self,
        field: &'static str,
        read: impl Fn(&mut Self, &'static str) -> Result<F, Error>,
    ) -> Result<Option<F>, Error> {
        if self.next_is("") {
            self.items.next();
            return Ok(None);
        }
        read(self, field).map(Some)
    }

    /// A group of so many fields that repeats to the reply's end.
    pub(super) fn groups<G>(
        &mut self,
        group: &'static str,
        fields: usize,
        read: impl Fn(&mut Self) -> Result<G, Error>,
    ) -> Result<Vec<G>, Error> {
        self.repeat(group, self.items.len().div_ceil(fields), read)
    }

    /// A group that repeats once for each group of arguments.
    pub(super) fn groups_per_argument<G>(
        &mut self,
        group: &'static str,
        read: impl Fn(&mut Self) -> Result<G, Error>,
    ) -> Result<Vec<G>, Error> {
        self.repeat(group, self.argument_groups, read)
    }

    fn repeat<G>(&mut self, group: &'static str, times: usize, read: impl Fn(&mut Self) -> Result<G, Error>) -> Result<Vec<G>, Error> {
        self.group = group;
        let groups = (0..times).map(|_| read(self)).collect();
        self.group = "";
        groups
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<(), Error> {
        if self.items.as_slice().is_empty() { Ok(()) } else { Err(self.malformed("the end")) }
    }

    /// That a field is not what the header says.
    pub fn malformed(&self, field: &str) -> Error {
        let dot = if self.group.is_empty() { "" } else { "." };
        malformed(self.script, &format!("{}{dot}{field}", self.group))
    }
}

/// That a field of a script's reply is not what its header says.
pub(super) fn malformed(script: &Script, field: &str) -> Error {
    Error::new(Fault::Malformed, format!("{} answered otherwise than its header says: {field}", script.name))
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::super::scripts::{
        CURATE, CurateArgs, CurateReply, RANKS, RECORD_EVENT, RanksArgs, RanksReply, RecordEventArgs, RecordEventReply, TOP, TopArgs,
        TopReply,
    };
    use super::*;

    fn text(text: &str) -> Value {
        Value::BulkString(text.into())
    }

    /// A reply to a call with so many groups of arguments.
    fn read<C: Call>(script: &'static Script, groups: usize, items: Vec<Value>) -> Result<C::Reply, Error> {
        let args = vec![String::new(); script.texts() + groups * script.each.len()];
        C::read(&mut ReplyReader::new(&Invocation { script, keys: Vec::new(), args, varies: false }, Value::Array(items))?)
    }

    /// The reply must read; with what is no right item in the place of one of them, that one must be named.
    #[track_caller]
    fn check<C: Call<Reply: Debug>>(script: &'static Script, groups: usize, right: &[Value], fields: &[&str]) {
        read::<C>(script, groups, right.to_vec()).expect("a right reply");
        assert_eq!(right.len(), fields.len());
        let malformed = |items: Vec<Value>, field: &str| {
            let error = read::<C>(script, groups, items).expect_err(field);
            let detail = format!("{} answered otherwise than its header says: {field}", script.name);
            assert_eq!((error.fault, error.detail), (Fault::Malformed, detail));
        };
        for (at, field) in fields.iter().enumerate() {
            let mut items = right.to_vec();
            items[at] = Value::Nil;
            malformed(items, field);
        }
        // A reply that ends too early.
        malformed(right[..right.len() - 1].to_vec(), fields[fields.len() - 1]);
    }

    fn period() -> [Value; 12] {
        let [empty, version, curated] = ["", "7", "0"].map(text);
        [
            text("OK"),
            Value::Int(1),
            Value::Int(20_777),
            Value::Int(0),
            empty.clone(),
            empty.clone(),
            Value::Int(1),
            empty.clone(),
            empty.clone(),
            empty,
            version,
            curated,
        ]
    }

    const PERIOD: [&str; 12] = [
        "the status",
        "now_ms",
        "number",
        "named_at",
        "starts_at",
        "ends_at",
        "complete",
        "scored_at",
        "counted_since",
        "lost",
        "version",
        "curated",
    ];

    /// What stands between the period and the entries of a page.
    fn counts() -> [Value; 7] {
        let empty = text("");
        [Value::Int(2), Value::Int(0), Value::Int(0), empty.clone(), empty.clone(), empty.clone(), empty]
    }

    const COUNTS: [&str; 7] = ["total", "refused", "pinned", "metas", "ranks", "previous_ranks", "tallies"];

    #[test]
    fn a_page() {
        let entry = |id| [text(id), text("2.5")];
        let fields = ["entry.id", "entry.score"];
        let items = [&period()[..], &counts(), &entry("a"), &entry("b")].concat();
        check::<TopArgs>(&TOP, 0, &items, &[&PERIOD[..], &COUNTS, &fields, &fields].concat());
        let Ok(TopReply::Ok { period, total, ranks, entries, .. }) = read::<TopArgs>(&TOP, 0, items) else { panic!("a right reply") };
        assert_eq!((period.number, period.named_at, period.starts_at, period.complete), (20_777, Some(0), None, true));
        assert_eq!((total, entries.len(), entries[1].id.as_str()), (2, 2, "b"));
        assert_eq!((entries[0].score, ranks.as_str()), (Score::new(2.5).expect("finite"), ""));
        assert!(matches!(read::<TopArgs>(&TOP, 0, vec![text("GONE")]), Ok(TopReply::Gone {})));
    }

    #[test]
    fn items_of_a_page() {
        for (at, wrong, field) in [
            (0, text("NO"), "the status"),
            (1, text("1"), "now_ms"),
            (6, Value::Int(2), "complete"),
            (8, text("-"), "counted_since"),
            (9, Value::Int(7), "lost"),
            (10, Value::Int(7), "version"),
            (12, Value::Int(-1), "total"),
            (15, Value::Int(0), "metas"),
            (16, Value::Int(0), "ranks"),
            (17, Value::Int(0), "previous_ranks"),
            (18, Value::Int(0), "tallies"),
            (19, text(""), "entry.id"),
            (20, text("nan"), "entry.score"),
            (20, text(""), "entry.score"),
        ] {
            let mut items = [&period()[..], &counts(), &[text("a"), text("1")]].concat();
            items[at] = wrong;
            let error = read::<TopArgs>(&TOP, 0, items).expect_err(field);
            assert!(error.detail.ends_with(&format!("says: {field}")), "{error}");
        }
    }

    /// A group for each that was asked for, and then others.
    #[test]
    fn standings() {
        let nobody = [text(""), text(""), text("")];
        let somebody = [Value::Int(1), text("5"), Value::Int(0)];
        let neighbor = [text("a"), text("5")];
        let items =
            [&period()[..], &[Value::Int(1), text("dense"), text("9"), text(""), Value::Int(1), text("")], &nobody, &somebody, &neighbor]
                .concat();
        let standing = ["standing.rank", "standing.score", "standing.higher"];
        let fields = [
            &PERIOD[..],
            &["total", "ranked_by", "next_score", "metas", "place", "around_ranks"],
            &standing,
            &standing,
            &["neighbor.id", "neighbor.score"],
        ]
        .concat();
        check::<RanksArgs>(&RANKS, 2, &items, &fields);
        let Ok(RanksReply::Ok { standings, neighbors, .. }) = read::<RanksArgs>(&RANKS, 2, items) else { panic!("a right reply") };
        assert_eq!((standings[0].rank, standings[1].rank, neighbors.len()), (None, Some(1), 1));
    }

    #[test]
    fn a_text_alone() {
        let read = |reply| {
            let mut reply =
                ReplyReader::new(&Invocation { script: &RECORD_EVENT, keys: Vec::new(), args: Vec::new(), varies: false }, reply)?;
            RecordEventArgs::read(&mut reply).map(|RecordEventReply { outcomes }| outcomes)
        };
        for reply in [text("c"), Value::Array(vec![text("OK"), text("c")])] {
            assert_eq!(read(reply).expect("a right reply"), "c");
        }
        assert_eq!(read(Value::Int(1)).expect_err("no text").detail, "record_event answered otherwise than its header says: the reply");
    }

    #[test]
    fn statuses() {
        check::<CurateArgs>(&CURATE, 0, &[text("FULL"), Value::Int(1)], &["the status", "size"]);
        let read = |items| read::<CurateArgs>(&CURATE, 0, items);
        assert!(matches!(read(vec![text("FULL"), Value::Int(9)]), Ok(CurateReply::Full { size: 9 })));
        assert!(matches!(read(vec![text("OK"), Value::Int(1), text("a")]), Ok(CurateReply::Ok { size: 1, members }) if members.len() == 1));
        let error = read(vec![text("FULL"), Value::Int(9), text("a")]).expect_err("more than its fields");
        assert_eq!(error.detail, "curate answered otherwise than its header says: the end");
    }
}
