//! The cache key of a read.

use std::fmt::Write;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ranking::name::Id;
use ranking::page::version_of;
use ranking::read::{PeriodRef, Read, ReadRequest};
use ranking::series::Span;
use ranking::standing::Asked;

/// The canonical form, the key of every cache: equal for requests that mean the same.
pub(super) fn key(request: &ReadRequest) -> String {
    let mut key = request.site.name.to_string();
    if let Some(made_ms) = request.site.made_ms {
        let _ = write!(key, "@{made_ms}");
    }
    for PeriodRef { board, window, period, hour_starts_at } in request.periods() {
        let period = number(hour_starts_at.or(period.map(|period| period.number)));
        let _ = write!(key, "/{}/{}:{period}", board.name, window.name);
    }
    // The key becomes an address, which a # would end.
    let encoded = |id: &Id| utf8_percent_encode(id.as_str(), NON_ALPHANUMERIC).to_string();
    let _ = match &request.read {
        Read::Top { offset, limit, .. } => write!(key, "?offset={offset}&limit={limit}"),
        // Those of a board that is filled up are never read without what they are filled from.
        Read::Tops { limit, .. } | Read::Filled { limit, .. } => write!(key, "?limit={limit}"),
        Read::Composed { offset, limit, view, .. } => write!(key, "?offset={offset}&limit={limit}&view={}", view.key()),
        Read::Ranks { ids, among, .. } => write!(key, "?among={among}&ranks={}", ids.iter().map(encoded).collect::<Vec<_>>().join(",")),
        Read::Place { by: Asked::Score(score), .. } => write!(key, "?score={score}"),
        Read::Place { by: Asked::Rank(rank), .. } => write!(key, "?rank={rank}"),
        Read::Distribution { .. } => write!(key, "?distribution"),
        Read::Member { id, around, .. } => write!(key, "?around={around}&member={}", encoded(id)),
        Read::Explain { id, before, .. } => write!(key, "?explain={}&before={}", encoded(id), number(*before)),
        // Many ids would be a long address.
        Read::Series { ids, span: Span { unit, from, until, ranks, actions, .. }, is_list, .. } => {
            let ids = version_of(ids.iter().map(encoded).collect::<Vec<_>>().join(",").as_bytes());
            let from = from.map_or_else(|back| format!("-{back}"), |from| format!("+{from}"));
            write!(key, "?series={ids}&list={is_list}&by={}&from={from}&to={}&ranks={ranks}&actions={actions}", unit.code(), number(*until))
        }
    };
    key
}

fn number(number: Option<i64>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}
