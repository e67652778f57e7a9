//! The scheduled run, once a minute: one job after the other, each for a share of the time, so that one that has much to do leaves time for those
//! after it. What is left is the next run's work.

use std::cell::Cell;

use ranking::token::Tokens;
use serde_json::json;
use serve::app::Runtime;

use super::admin::Admin;

/// What a run does besides the upkeep of boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    ReplayFailed,
    Watch,
    CopyCuration,
    Freeze,
    Archive,
    HandOnTotals,
    Forward,
    TakeSnapshots,
    TakeDown,
    MergeAliases,
    DeleteBoards,
    DeleteSites,
    ReadPages,
    KeepLibraries,
    LookAtFullness,
    FinishIntents,
    CountMembers,
}

/// When a job runs, and what its failure means.
struct Row {
    job: Job,
    /// It is left out where something failed before: Redis is out, and the log has that already.
    needs_success: bool,
    /// Its failure is one of the run.
    fails_run: bool,
    /// It has a share of the time.
    shares: bool,
}

const fn row(job: Job) -> Row {
    Row { job, needs_success: false, fails_run: true, shares: true }
}

/// The jobs in their order.
const JOBS: [Row; 17] = [
    Row { shares: false, ..row(Job::FinishIntents) },
    row(Job::ReplayFailed),
    Row { needs_success: true, fails_run: false, ..row(Job::Watch) },
    Row { needs_success: true, fails_run: false, ..row(Job::CopyCuration) },
    row(Job::Freeze),
    row(Job::Archive),
    row(Job::HandOnTotals),
    row(Job::Forward),
    row(Job::TakeSnapshots),
    row(Job::TakeDown),
    row(Job::MergeAliases),
    row(Job::DeleteBoards),
    row(Job::DeleteSites),
    row(Job::ReadPages),
    Row { needs_success: true, fails_run: false, shares: false, ..row(Job::KeepLibraries) },
    Row { needs_success: true, ..row(Job::LookAtFullness) },
    Row { needs_success: true, shares: false, ..row(Job::CountMembers) },
];

/// Jobs that share the time.
const SHARING: u64 = {
    let (mut sharing, mut i) = (0, 0);
    while i < JOBS.len() {
        sharing += JOBS[i].shares as u64;
        i += 1;
    }
    sharing
};

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

impl<R: Runtime> Admin<'_, R> {
    /// Does what is due: upkeep of every site, the freezing and archiving of periods that are over, totals that changed, what is left of deletions
    /// and aliases, and a look at how full boards are. Logs what failed. It ends about when `until_ms` (by the edge's clock) has come.
    ///
    /// Upkeep has half of the time. Upkeep and the archive have what the others leave. Answers whether nothing failed, and nothing that is due is left.
    pub async fn run_scheduled(&self, tokens: &Tokens, until_ms: u64) -> bool {
        let failed = Cell::new(false);
        // The log says once an hour what a missing binding does.
        let is_reported = |detail: &str| self.0.config.lacks.iter().any(|lack| detail.contains(&lack.line));
        let note = |detail: String| {
            if !is_reported(&detail) {
                self.0.runtime.log_error(&json!({ "level": "error", "code": "upkeep", "detail": detail }));
            }
        };
        let log = |detail: String| {
            failed.set(failed.get() || !is_reported(&detail));
            note(detail);
        };
        self.0.health().tell_lacks();
        self.0.health().look_at_nodes().await;
        let now_ms = || self.0.runtime.clock_ms();
        self.items().file_due(now_ms() + until_ms.saturating_sub(now_ms()) / 4).await.into_iter().for_each(log);
        let (app, unreadable) = self.0.with_readable_sections().await;
        for (site, failure) in unreadable {
            log(format!("sections of {site}: {}", failure.detail));
        }
        let kept_until_ms = now_ms() + until_ms.saturating_sub(now_ms()) / 2;
        Admin(&app).upkeep().keep_due(kept_until_ms).await.into_iter().for_each(log);
        let is_kept = now_ms() < kept_until_ms;

        let mut shares = Shares { until_ms, jobs: SHARING };
        let mut is_archived = true;
        for Row { job, fails_run, shares: has_share, .. } in JOBS.iter().filter(|row| !(row.needs_success && failed.get())) {
            let job_until_ms = if *has_share { shares.next(now_ms()) } else { until_ms };
            let failures = Admin(&app).run_job(*job, tokens, job_until_ms).await;
            for detail in failures {
                if *fails_run { log(detail) } else { note(detail) }
            }
            is_archived &= *job != Job::Archive || now_ms() < job_until_ms;
        }
        if failed.get() {
            return false;
        }
        if !is_archived {
            Admin(&app).archive().archive_due(now_ms() + until_ms.saturating_sub(now_ms()) / 2).await.into_iter().for_each(log);
        }
        if !is_kept {
            Admin(&app).upkeep().keep_due(until_ms).await.into_iter().for_each(log);
        }
        !failed.get() && now_ms() < until_ms
    }

    /// Does a job until about an instant. Answers a line for each failure.
    async fn run_job(&self, job: Job, tokens: &Tokens, until_ms: u64) -> Vec<String> {
        match job {
            Job::ReplayFailed => self.deliveries().replay_failed_due(tokens, until_ms).await,
            Job::Watch => self.copies().watch_due(until_ms).await,
            Job::CopyCuration => self.copies().copy_curation_due(until_ms).await,
            Job::Freeze => self.history().freeze_due(until_ms).await,
            Job::Archive => self.archive().archive_due(until_ms).await,
            Job::HandOnTotals => self.totals().hand_on_due(until_ms).await,
            Job::Forward => self.0.forwarding().forward_due(until_ms).await,
            Job::TakeSnapshots => self.snapshots().take_snapshots_due(until_ms).await,
            Job::TakeDown => self.items().take_down_due(until_ms).await,
            Job::MergeAliases => self.items().merge_aliases_due(until_ms).await,
            Job::DeleteBoards => self.board_deletions().delete_boards_due(until_ms).await,
            Job::DeleteSites => self.site_deletions().delete_sites_due(until_ms).await,
            Job::ReadPages => self.items().read_pages_due(until_ms).await,
            Job::KeepLibraries => self.upkeep().keep_libraries_due().await.into_iter().collect(),
            Job::LookAtFullness => self.0.rankings().look_at_fullness_due(until_ms).await,
            Job::CountMembers => self.0.rankings().count_members_due(&self.0.templates(), until_ms).await,
            Job::FinishIntents => self.upkeep().finish_intents_due(&self.0.templates()).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_with_much_to_do_leaves_time_for_the_others() {
        let mut shares = Shares { until_ms: 30_000, jobs: SHARING };
        assert_eq!(shares.next(0), 4_000);
        // That one took all of it, and those after it nothing.
        let ends: Vec<u64> = (1..SHARING).map(|_| shares.next(4_000)).collect();
        assert_eq!(ends.first(), Some(&7_714));
        assert_eq!(ends.last(), Some(&30_000), "the last one has all that is left");
        assert!(ends.is_sorted());
    }

    #[test]
    fn jobs_that_take_all_of_their_shares_end_in_time() {
        let mut shares = Shares { until_ms: 25_000, jobs: SHARING };
        let mut now_ms = 0;
        for _ in 0..SHARING {
            let until_ms = shares.next(now_ms);
            assert!(until_ms > now_ms);
            now_ms = until_ms;
        }
        assert_eq!(now_ms, 25_000);
        assert_eq!(shares.next(now_ms), 25_000);
    }
}
