//! What a score is made of: `lua/explain.lua`.

use super::target::Target;
use super::{EXPLAIN, Store, WindowRef, Zones, malformed, optional_int, score, text};
use crate::adapter::{Error, Invocation, Transport, Value};
use crate::ranking::explained::{Explained, ExplainedPeriod, Share};
use crate::ranking::name::{Id, Name};
use crate::ranking::score::Score;
use crate::ranking::zone::ZoneSpan;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads what a member's score is made of, by base period and action.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn explain(&self, of: WindowRef<'_>, id: &Id) -> Result<Explained, Error> {
        let invocation = |zone: &ZoneSpan| {
            let mut args = of.window_args();
            args.extend([of.number_arg(), id.as_str().into()]);
            args.extend(of.calendar_args(zone));
            debug_assert_eq!(args.len(), EXPLAIN.args.len());
            Invocation { script: &EXPLAIN, keys: vec![self.key(of.site, Target::Board(of.board))], args }
        };
        let reply = self.ask(of.site, of.years(self.guess_s), &invocation).await?;
        let (head, rest) = of.head(&EXPLAIN, &reply)?;
        let [total, scale, periods @ ..] = rest else { return Err(malformed(&EXPLAIN)) };
        let period = |fields: &[Value]| {
            let [Value::Int(number), starts_at, sum, actions] = fields else { return Err(malformed(&EXPLAIN)) };
            Ok(ExplainedPeriod {
                number: *number,
                starts_at: optional_int(starts_at).ok_or_else(|| malformed(&EXPLAIN))?,
                score: score(&EXPLAIN, sum)?,
                shares: text(actions).and_then(shares).ok_or_else(|| malformed(&EXPLAIN))?,
            })
        };
        Ok(Explained {
            head,
            score: score(&EXPLAIN, total)?,
            scale: score(&EXPLAIN, scale)?,
            periods: periods.chunks(4).map(period).collect::<Result<_, _>>()?,
        })
    }
}

/// Reads `action count sum …`; `None` when it is something else.
pub(super) fn shares(text: &str) -> Option<Vec<Share>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let share = |words: &[&str]| match words {
        [action, count, sum] => Some(Share { action: Name::new(action)?, count: count.parse().ok()?, sum: Score::parse(sum)? }),
        _ => None,
    };
    words.chunks(3).map(share).collect()
}
