//! Dropping what has decayed: `lua/trim.lua`, a bounded number of members at a time.

use super::target::Target;
use super::{Store, TRIM, WindowArgs, Zones, calendar_args, malformed};
use crate::adapter::{Error, Invocation, Transport, Value};
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Window;
use crate::ranking::zone::ZoneSpan;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Drops at most `limit` members of a half-life or step window, and answers how many it dropped.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn trim(&self, site: &Site, board: &Board, window: &Window, limit: u32) -> Result<u64, Error> {
        let invocation = |zone: &ZoneSpan| {
            let WindowArgs { kind, unit, amount, .. } = WindowArgs::of(window.kind);
            let mut args = vec![
                window.name.to_string(),
                kind.into(),
                unit.into(),
                amount,
                Score::new(board.floor()).map_or(String::new(), |floor| floor.to_string()),
                limit.to_string(),
            ];
            args.extend(calendar_args(site, zone));
            debug_assert_eq!(args.len(), TRIM.args.len());
            Invocation { script: &TRIM, keys: vec![self.key(site, Target::Board(board))], args }
        };
        match self.ask(site, self.years(), &invocation).await?.as_slice() {
            [_, _, Value::Int(dropped)] => u64::try_from(*dropped).map_err(|_| malformed(&TRIM)),
            _ => Err(malformed(&TRIM)),
        }
    }
}
