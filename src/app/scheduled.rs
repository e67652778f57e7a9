//! The scheduled run, once a minute: one job after the other, each for a share of the time, so that one that has much to do leaves time for those
//! after it. What is left is the next run's work.

use std::cell::Cell;

use ranking::token::Tokens;
use serde_json::json;

use super::{App, Runtime};

/// Jobs that share the time.
const JOBS: u64 = 12;

/// The time that is left of a run, and for how many jobs.
struct Shares {
    until_ms: u64,
    jobs: u64,
}

impl Shares {
    /// Until when (by the edge's clock) the next job goes on: twice an equal share, since most have nothing to do. The last one has all that is left.
    fn next(&mut self, now_ms: u64) -> u64 {
        let share_ms = 2 * self.until_ms.saturating_sub(now_ms) / (self.jobs + 1);
        self.jobs = self.jobs.saturating_sub(1).max(1);
        now_ms + share_ms
    }
}

impl<R: Runtime> App<R> {
    /// Does what is due: upkeep of every site, the freezing and archiving of periods that are over, totals that changed, what is left of deletions
    /// and aliases, and a look at how full boards are. Logs what failed. It ends about when `until_ms` (by the edge's clock) has come.
    ///
    /// Upkeep has half of the time. Upkeep and the archive have what the others leave.
    pub async fn run_scheduled(&self, tokens: &Tokens, until_ms: u64) {
        let failed = Cell::new(false);
        // What a missing binding does is said once an hour.
        let is_said = |detail: &str| self.config.lacks.iter().any(|lack| detail.contains(&lack.line));
        let note = |detail: String| {
            if !is_said(&detail) {
                self.runtime.log_error(&json!({ "level": "error", "code": "upkeep", "detail": detail }));
            }
        };
        let log = |detail: String| {
            failed.set(failed.get() || !is_said(&detail));
            note(detail);
        };
        self.tell_lacks();
        let now_ms = || self.runtime.clock_ms();
        self.file_due(now_ms() + until_ms.saturating_sub(now_ms()) / 4).await.into_iter().for_each(log);
        let app = match self.with_sections(None).await {
            Ok(app) => app,
            Err(failure) => return log(failure.detail),
        };
        let kept_until_ms = now_ms() + until_ms.saturating_sub(now_ms()) / 2;
        app.keep_due(kept_until_ms).await.into_iter().for_each(log);
        let is_kept = now_ms() < kept_until_ms;

        let mut shares = Shares { until_ms, jobs: JOBS };
        let mut next_ms = || shares.next(now_ms());
        app.replay_failed_due(tokens, next_ms()).await.into_iter().for_each(log);
        if !failed.get() {
            app.watch_due(next_ms()).await.into_iter().for_each(note);
            app.copy_curation_due(next_ms()).await.into_iter().for_each(note);
        }
        app.freeze_due(next_ms()).await.into_iter().for_each(log);
        let archived_until_ms = next_ms();
        app.archive_due(archived_until_ms).await.into_iter().for_each(log);
        let is_archived = now_ms() < archived_until_ms;
        app.hand_on_due(next_ms()).await.into_iter().for_each(log);
        app.forward_due(next_ms()).await.into_iter().for_each(log);
        app.take_snapshots_due(next_ms()).await.into_iter().for_each(log);
        app.take_down_due(next_ms()).await.into_iter().for_each(log);
        app.merge_aliases_due(next_ms()).await.into_iter().for_each(log);
        app.read_pages_due(next_ms()).await.into_iter().for_each(log);
        // That Redis is out was said already.
        if !failed.get() {
            app.keep_libraries_due().await.into_iter().for_each(note);
            app.look_at_fullness_due(next_ms()).await.into_iter().for_each(log);
        }
        if failed.get() {
            return;
        }
        if !is_archived {
            app.archive_due(now_ms() + until_ms.saturating_sub(now_ms()) / 2).await.into_iter().for_each(log);
        }
        if !is_kept {
            app.keep_due(until_ms).await.into_iter().for_each(log);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_with_much_to_do_leaves_time_for_the_others() {
        let mut shares = Shares { until_ms: 26_000, jobs: JOBS };
        assert_eq!(shares.next(0), 4_000);
        // That one took all of it, and those after it nothing.
        let ends: Vec<u64> = (1..JOBS).map(|_| shares.next(4_000)).collect();
        assert_eq!(ends.first(), Some(&7_666));
        assert_eq!(ends.last(), Some(&26_000), "the last one has all that is left");
        assert!(ends.is_sorted());
    }

    #[test]
    fn jobs_that_take_all_of_their_shares_end_in_time() {
        let mut shares = Shares { until_ms: 25_000, jobs: JOBS };
        let mut now_ms = 0;
        for _ in 0..JOBS {
            let until_ms = shares.next(now_ms);
            assert!(until_ms > now_ms);
            now_ms = until_ms;
        }
        assert_eq!(now_ms, 25_000);
        assert_eq!(shares.next(now_ms), 25_000);
    }
}
