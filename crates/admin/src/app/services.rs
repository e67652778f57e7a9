//! The services of administration: each holds the stores and ports that it may touch, and nothing else. Each is made where it is needed, of
//! references.

use serve::app::Runtime;

use super::actors::ActorData;
use super::admin::Admin;
use super::archive::Archive;
use super::archive::bucket::ArchiveFiles;
use super::archive::erase::Amendments;
use super::archive::read::ArchiveReads;
use super::archive::restore::ArchiveRestore;
use super::audit::Audit;
use super::copies::Copies;
use super::copies::document::Documents;
use super::copies::runs::Runs;
use super::corrections::Corrections;
use super::deliveries::Deliveries;
use super::history::History;
use super::items::Items;
use super::moving::Moving;
use super::recovery::Recovery;
use super::served::Served;
use super::sites::SiteAdministration;
use super::sites::going::SiteDeletions;
use super::snapshots::Snapshots;
use super::templates::BoardAdministration;
use super::templates::going::BoardDeletions;
use super::totals::RunningTotals;
use super::upkeep::Upkeep;

impl<'a, R: Runtime> Admin<'a, R> {
    pub fn served(&self) -> Served<'a, R> {
        Served(self.0)
    }

    pub fn audit(&self) -> Audit<'a, R> {
        Audit { redis: self.0.redis() }
    }

    pub fn sites(&self) -> SiteAdministration<'a, R> {
        SiteAdministration { sites: self.0.sites() }
    }

    pub fn boards(&self) -> BoardAdministration<'a, R> {
        BoardAdministration { templates: self.0.templates(), copies: self.copies() }
    }

    pub fn board_deletions(&self) -> BoardDeletions<'a, R> {
        BoardDeletions {
            redis: self.0.redis(),
            copies: self.copies(),
            files: self.files(),
            agenda: &self.0.memory.agenda,
            clock: &self.0.runtime,
            config: &self.0.config,
            random: &self.0.runtime,
        }
    }

    pub fn site_deletions(&self) -> SiteDeletions<'a, R> {
        SiteDeletions {
            redis: self.0.redis(),
            tables: self.0.tables(),
            agenda: &self.0.memory.agenda,
            bucket: &self.0.runtime,
            clock: &self.0.runtime,
            config: &self.0.config,
            random: &self.0.runtime,
        }
    }

    pub fn documents(&self) -> Documents<'a, R> {
        Documents { tables: self.0.tables(), bucket: &self.0.runtime, config: &self.0.config }
    }

    pub fn runs(&self) -> Runs<'a> {
        Runs { agenda: &self.0.memory.agenda, clock: &self.0.runtime, config: &self.0.config, counters: &self.0.memory.counters }
    }

    pub fn copies(&self) -> Copies<'a, R> {
        Copies {
            redis: self.0.redis(),
            documents: self.documents(),
            health: self.0.health(),
            agenda: &self.0.memory.agenda,
            clock: &self.0.runtime,
            config: &self.0.config,
            log: &self.0.runtime,
            losses: self.0.memory.of(),
        }
    }

    pub fn files(&self) -> ArchiveFiles<'a, R> {
        ArchiveFiles { redis: self.0.redis(), bucket: &self.0.runtime, clock: &self.0.runtime, config: &self.0.config }
    }

    pub fn archive(&self) -> Archive<'a, R> {
        Archive {
            redis: self.0.redis(),
            audit: self.audit(),
            copies: self.copies(),
            files: self.files(),
            health: self.0.health(),
            runs: self.runs(),
            agenda: &self.0.memory.agenda,
            clock: &self.0.runtime,
            config: &self.0.config,
            random: &self.0.runtime,
        }
    }

    pub fn amendments(&self) -> Amendments<'a, R> {
        Amendments {
            redis: self.0.redis(),
            archive: self.archive(),
            files: self.files(),
            clock: &self.0.runtime,
            config: &self.0.config,
            random: &self.0.runtime,
        }
    }

    pub fn archive_reads(&self) -> ArchiveReads<'a, R> {
        ArchiveReads { redis: self.0.redis(), files: self.files(), clock: &self.0.runtime, config: &self.0.config }
    }

    pub fn restore(&self) -> ArchiveRestore<'a, R> {
        ArchiveRestore {
            redis: self.0.redis(),
            archive: self.archive(),
            files: self.files(),
            clock: &self.0.runtime,
            config: &self.0.config,
            random: &self.0.runtime,
        }
    }

    pub fn upkeep(&self) -> Upkeep<'a, R> {
        Upkeep {
            redis: self.0.redis(),
            archive: self.archive(),
            copies: self.copies(),
            restore: self.restore(),
            agenda: &self.0.memory.agenda,
            clock: &self.0.runtime,
            config: &self.0.config,
            counters: &self.0.memory.counters,
            log: &self.0.runtime,
            random: &self.0.runtime,
            settled: &self.0.memory.settled,
        }
    }

    pub fn history(&self) -> History<'a, R> {
        History {
            redis: self.0.redis(),
            archive: self.archive(),
            archive_reads: self.archive_reads(),
            audit: self.audit(),
            copies: self.copies(),
            forwarding: self.0.forwarding(),
            health: self.0.health(),
            runs: self.runs(),
            tables: self.0.tables(),
            upkeep: self.upkeep(),
            agenda: &self.0.memory.agenda,
            clock: &self.0.runtime,
            log: &self.0.runtime,
        }
    }

    pub fn totals(&self) -> RunningTotals<'a, R> {
        RunningTotals {
            redis: self.0.redis(),
            copies: self.copies(),
            runs: self.runs(),
            tables: self.0.tables(),
            agenda: &self.0.memory.agenda,
            clock: &self.0.runtime,
            config: &self.0.config,
            random: &self.0.runtime,
            receivers: &self.0.runtime,
        }
    }

    pub fn corrections(&self) -> Corrections<'a, R> {
        Corrections {
            redis: self.0.redis(),
            amendments: self.amendments(),
            archive: self.archive(),
            catalog: self.0.catalog(),
            copies: self.copies(),
            files: self.files(),
            clock: &self.0.runtime,
            random: &self.0.runtime,
            settled: &self.0.memory.settled,
        }
    }

    pub fn items(&self) -> Items<'a, R> {
        Items {
            redis: self.0.redis(),
            amendments: self.amendments(),
            catalog: self.0.catalog(),
            corrections: self.corrections(),
            tables: self.0.tables(),
            templates: self.0.templates(),
            agenda: &self.0.memory.agenda,
            clock: &self.0.runtime,
            config: &self.0.config,
            log: &self.0.runtime,
            members: &self.0.memory.members,
            pages: &self.0.runtime,
            random: &self.0.runtime,
            timer: &self.0.runtime,
        }
    }

    pub fn moving(&self) -> Moving<'a, R> {
        Moving { redis: self.0.redis(), corrections: self.corrections(), items: self.items(), templates: self.0.templates() }
    }

    pub fn recovery(&self) -> Recovery<'a, R> {
        Recovery {
            redis: self.0.redis(),
            copies: self.copies(),
            documents: self.documents(),
            items: self.items(),
            tables: self.0.tables(),
            clock: &self.0.runtime,
            log: &self.0.runtime,
        }
    }

    pub fn snapshots(&self) -> Snapshots<'a, R> {
        Snapshots {
            redis: self.0.redis(),
            admission: self.0.admission(),
            copies: self.copies(),
            health: self.0.health(),
            history: self.history(),
            rankings: self.0.rankings(),
            runs: self.runs(),
            tables: self.0.tables(),
            agenda: &self.0.memory.agenda,
            clock: &self.0.runtime,
            config: &self.0.config,
            log: &self.0.runtime,
        }
    }

    pub fn deliveries(&self) -> Deliveries<'a, R> {
        Deliveries {
            redis: self.0.redis(),
            counting: self.0.counting(),
            frozen: self.0.frozen(),
            health: self.0.health(),
            agenda: &self.0.memory.agenda,
            clock: &self.0.runtime,
            config: &self.0.config,
            counters: &self.0.memory.counters,
            log: &self.0.runtime,
            queue: &self.0.runtime,
        }
    }

    pub fn actors(&self) -> ActorData<'a, R> {
        ActorData { redis: self.0.redis(), deliveries: self.deliveries(), forwarding: self.0.forwarding(), clock: &self.0.runtime }
    }
}
