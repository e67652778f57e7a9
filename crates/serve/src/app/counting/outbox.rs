//! Keeping events in a queue: instead of counting them, or while Redis is out. `queue` counts them then.
//!
//! A message keeps the class of its sender. Its ids are looked for and remembered among those of that class, since the sender
//! may send the same itself, before the delivery or after it. They are also remembered among the queue's own ids, which makes a
//! message count once for as long as the queue may deliver it. There are two classes of these, `queued-browser` and
//! `queued-server`. So no id that a browser guesses uses up a server's message. Only a delivery pays for its second class of
//! ids.

use ranking::event::Batch;
use ranking::name::ReplayId;
use ranking::site::Site;
use serde_json::json;

use super::Counting;
use crate::app::counters::Series;
use crate::app::failure::Failure;
use crate::app::ports::{Queue, Runtime};
use crate::ingest::message::{self, Kept};
use crate::ingest::needs_order;

impl<R: Runtime> Counting<'_, R> {
    /// Has the queue keep a batch. It gets an id, since a queue may deliver a message twice. See [`Kept`].
    ///
    /// # Errors
    /// There is no queue, or it is not known whether it has the batch.
    pub async fn keep(&self, site: &Site, batch: &Batch, since_ms: u64, is_tried: bool) -> Result<(), Failure> {
        let mut batch = batch.clone();
        if batch.id.is_none() {
            batch.id = ReplayId::new(&self.random.token());
        }
        let failed = |nothing_written, detail: String| Failure { nothing_written, is_transient: true, script: None, detail };
        let queue = self.queue.queue().ok_or_else(|| failed(true, "there is no queue".into()))?;
        let message = message::write(site, &batch, Some(Kept { sent_ms: since_ms, is_tried }));
        let sent = queue.send(&message, 0).await;
        self.counters.add(Series::Queue, site.name.as_str(), if sent.is_ok() { "sent" } else { "not-sent" }, 1);
        sent.map_err(|detail| failed(false, detail))
    }

    /// Has the queue keep a batch that could not be counted, where that does no harm:
    ///
    /// 1. not where Redis refused it, or where an order matters that a queue does not keep;
    /// 2. not where Redis may have it and nothing would show that later.
    ///
    /// # Errors
    /// The batch is not kept: `failure`, and not even that may be all.
    pub async fn keep_instead(&self, site: &Site, batch: &Batch, since_ms: u64, failure: Failure) -> Result<(), Failure> {
        let counts_once = batch.id.is_some() || batch.events.iter().all(|event| event.id.is_some());
        let may_be_tried = failure.nothing_written || counts_once;
        if !failure.is_transient || !may_be_tried || batch.events.iter().any(|event| needs_order(site, event)) {
            return Err(failure);
        }
        let kept = self.keep(site, batch, since_ms, !failure.nothing_written).await;
        match kept {
            Ok(()) => {
                self.log.log(&json!({ "level": "warn", "code": "kept", "detail": failure.detail }));
                Ok(())
            }
            Err(kept) => Err(failure.after(kept.nothing_written)),
        }
    }
}
