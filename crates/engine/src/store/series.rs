//! The scores of members in each of some periods: `lua/series.lua`.

use ranking::name::Id;
use ranking::period::Period;
use ranking::score::Score;
use ranking::series::Span;
use ranking::site::{Board, Site};
use ranking::zone::{Years, ZoneSpan, Zones};

use super::Store;
use super::scripts::{SeriesArgs, SeriesMember, SeriesPoint, SeriesReply};
use super::window::calendar_fields;
use crate::adapter::{Error, Transport};

/// What was found of a member in a period.
#[derive(Clone, Debug)]
pub struct Point {
    pub number: i64,
    /// Unix seconds; `None` of all time.
    pub starts_at: Option<i64>,
    pub is_current: bool,
    /// Whether it is kept, and whether anything is there.
    pub is_kept: bool,
    pub is_there: bool,
    pub score: Option<Score>,
    /// Members that have more.
    pub higher: Option<u64>,
    /// What it did: "action count sum …".
    pub tally: String,
}

/// What Redis answers.
#[derive(Debug)]
pub struct Series {
    /// Which of the members are hidden.
    pub hidden: Vec<bool>,
    /// Of all of them in each period, the oldest first.
    pub points: Vec<Point>,
    /// Milliseconds until the current period ends; `None` of all time.
    pub ends_in_ms: Option<u64>,
    /// The period that the next page begins with, and when it starts (Unix seconds).
    pub next: Option<(i64, Option<i64>)>,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads what members had in each of some periods.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn series(&self, site: &Site, board: &Board, members: &[Id], span: &Span) -> Result<Series, Error> {
        let Span { unit, from, until, most, ranks, actions } = *span;
        let first = from.ok().and_then(|number| Period { unit, number }.about(site.week_starts_on)).unwrap_or(self.guess_s);
        let earliest = first.min(self.guess_s).saturating_sub_unsigned(unit.needed_s(most));
        let call = |zone: &ZoneSpan| SeriesArgs {
            board: self.board_key(site, board),
            unit: unit.code().into(),
            from: from.unwrap_or_else(i64::from),
            is_back: from.is_err().into(),
            until_number: until.map_or(String::new(), |number| number.to_string()),
            most: most.into(),
            kept: board.kept_s(unit).try_into().unwrap_or(i64::MAX),
            has_ranks: ranks.into(),
            has_actions: actions.into(),
            calendar: calendar_fields(site, zone),
            members: members.iter().map(|id| SeriesMember { id: id.as_str().into() }).collect(),
        };
        let SeriesReply { now_ms, current, ends_at, next, next_starts_at, hidden, points } =
            self.call(site, Years::around(earliest, self.guess_s), call).await?;
        Ok(Series {
            hidden: hidden.chars().map(|is_hidden| is_hidden == '1').collect(),
            points: points.into_iter().map(|point| read(point, current, board)).collect(),
            ends_in_ms: ends_at.map(|ends_at| u64::try_from(ends_at * 1_000 - now_ms).unwrap_or(0)),
            next: next.map(|number| (number, next_starts_at)),
        })
    }
}

fn read(point: SeriesPoint, current: i64, board: &Board) -> Point {
    let SeriesPoint { number, starts_at, is_kept, is_there, score, higher, tally } = point;
    let score = score.map(|score| board.shown(score));
    Point { number, starts_at, is_current: number == current, is_kept, is_there, score, higher, tally }
}
