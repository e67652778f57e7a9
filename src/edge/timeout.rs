//! Bounding the time of anything awaited.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use worker::Delay;

/// The future's output, or `None` when it takes longer.
pub async fn within<T>(ms: u64, future: impl Future<Output = T>) -> Option<T> {
    match select(pin!(future), Delay::from(Duration::from_millis(ms))).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}
