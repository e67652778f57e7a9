//! Times of day.

use super::error::ConfigError;
use super::node::Node;

pub(super) fn read_time_of_day(time: &Node) -> Result<u32, ConfigError> {
    let seconds = time.value.as_str().filter(|text| text.len() == 5).and_then(second_of_day);
    seconds.ok_or_else(|| time.not_allowed("a time of day from \"00:00\" to \"23:59\""))
}

pub(super) fn read_second_of_day(time: &Node) -> Result<u32, ConfigError> {
    time.value.as_str().and_then(second_of_day).ok_or_else(|| time.not_allowed("a time of day from \"00:00:00\" to \"23:59:59\""))
}

/// `02:01` or `02:01:00`
fn second_of_day(text: &str) -> Option<u32> {
    let mut parts = text.split(':');
    let mut next = |below: u32| parts.next().map(|part| part.parse::<u32>().ok().filter(|number| part.len() == 2 && *number < below));
    let (hour, minute, second) = (next(24)??, next(60)??, next(60).unwrap_or(Some(0))?);
    parts.next().is_none().then_some(hour * 3600 + minute * 60 + second)
}
