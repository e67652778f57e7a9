//! The services of the application: each holds the stores and ports that it may touch, and nothing else. Each is made where it is needed, of references.

use std::rc::Rc;

use ranking::name::{Name, Named};
use ranking::site::Site;

use super::actors::ActorData;
use super::admission::Admissions;
use super::archive::Archive;
use super::archive::bucket::ArchiveFiles;
use super::archive::erase::Amendments;
use super::archive::read::ArchiveReads;
use super::archive::restore::ArchiveRestore;
use super::audit::Audit;
use super::catalog::Catalog;
use super::copies::Copies;
use super::copies::document::Documents;
use super::copies::runs::Runs;
use super::corrections::Corrections;
use super::counting::Counting;
use super::database::Tables;
use super::deliveries::Deliveries;
use super::failure::Failure;
use super::forwarding::Forwarding;
use super::health::Health;
use super::history::History;
use super::history::frozen::FrozenReads;
use super::items::Items;
use super::later::{App, Later};
use super::moving::Moving;
use super::ports::Runtime;
use super::quota::Quotas;
use super::rankings::Rankings;
use super::recovery::Recovery;
use super::redis::Redis;
use super::served::Served;
use super::sites::Sites;
use super::sites::going::SiteDeletions;
use super::snapshots::Snapshots;
use super::templates::Templates;
use super::templates::chunks::Concerned;
use super::templates::going::BoardDeletions;
use super::totals::RunningTotals;
use super::upkeep::Upkeep;
use crate::config::Config;

impl<R: Runtime> App<R> {
    pub(super) fn redis(&self) -> Redis<'_, R> {
        Redis { runtime: &self.runtime, key_prefix: self.config.key_prefix.as_str() }
    }

    fn later(&self) -> Later<'_, R> {
        Later::new(self)
    }

    /// The application of which the site of this name, or every site, has the boards of its sections.
    ///
    /// # Errors
    /// When Redis does not answer, and nothing is remembered.
    pub async fn with_sections(&self, name: Option<&str>) -> Result<Self, Failure> {
        let is_asked = |site: &Site| site.has_sections() && name.is_none_or(|name| site.name.as_str() == name);
        if !self.config.sites.values().any(|site| is_asked(site)) {
            return Ok(self.clone());
        }
        let mut sites = Vec::new();
        for (name, site) in self.config.sites.iter() {
            let site = if is_asked(site) { self.catalog().site_with_sections(site, false).await? } else { Rc::clone(site) };
            sites.push((name.clone(), site));
        }
        Ok(self.with_sites(sites.into_iter().collect()))
    }

    /// The application whose site has some boards of its templates besides, each with whether it is archived.
    pub fn with_boards(&self, site: &Site, names: &[(Name, bool)]) -> Self {
        self.with_site(site.with_boards_as(names))
    }

    /// The application whose site has the boards of the chunk behind a board, see [`super::templates::chunks`]; and its last board, where others follow.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn with_chunk(&self, site: &Site, behind: Option<&Name>, concerned: Concerned) -> Result<(Self, Option<Name>), Failure> {
        let chunk = self.templates().chunk_behind(site, behind, concerned).await?;
        Ok((self.with_site(chunk.site), chunk.next))
    }

    fn with_site(&self, site: Site) -> Self {
        let site = Rc::new(site);
        let place =
            |(name, known): (&Name, &Rc<Site>)| (name.clone(), if *name == site.name { Rc::clone(&site) } else { Rc::clone(known) });
        self.with_sites(self.config.sites.iter().map(place).collect())
    }

    fn with_sites(&self, sites: Named<Rc<Site>>) -> Self {
        let config = Config { sites, ..Config::clone(&self.config) };
        Self { config: Rc::new(config), ..self.clone() }
    }

    pub fn served(&self) -> Served<'_, R> {
        Served(self)
    }

    pub fn sites(&self) -> Sites<'_, R> {
        Sites {
            redis: self.redis(),
            admission: self.admission(),
            tables: self.tables(),
            agenda: &self.memory.agenda,
            background: &self.runtime,
            clock: &self.runtime,
            config: &self.config,
            edge_cache: &self.runtime,
            known: &self.memory.sites,
            log: &self.runtime,
            random: &self.runtime,
            timer: &self.runtime,
            usages: &self.memory.usages,
            zones: self.runtime.known_zones(),
        }
    }

    pub fn tables(&self) -> Tables<'_, R> {
        Tables { clock: &self.runtime, config: &self.config, counters: &self.memory.counters, database: &self.runtime }
    }

    pub fn health(&self) -> Health<'_, R> {
        Health {
            redis: self.redis(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            log: &self.runtime,
            readiness: &self.memory.readiness,
        }
    }

    pub fn audit(&self) -> Audit<'_, R> {
        Audit { redis: self.redis() }
    }

    pub fn admission(&self) -> Admissions<'_, R> {
        Admissions {
            client: &self.runtime,
            clock: &self.runtime,
            counters: &self.memory.counters,
            log: &self.runtime,
            quotas: Quotas {
                redis: self.redis(),
                background: &self.runtime,
                clock: &self.runtime,
                counters: &self.memory.counters,
                usages: &self.memory.usages,
            },
            rates: &self.memory.rates,
        }
    }

    pub fn catalog(&self) -> Catalog<'_, R> {
        Catalog { redis: self.redis(), clock: &self.runtime, config: &self.config, remembered: &self.memory.remembered }
    }

    pub fn templates(&self) -> Templates<'_, R> {
        Templates {
            redis: self.redis(),
            copies: self.copies(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            known: &self.memory.boards,
        }
    }

    pub(super) fn board_deletions(&self) -> BoardDeletions<'_, R> {
        BoardDeletions {
            redis: self.redis(),
            copies: self.copies(),
            files: self.files(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            random: &self.runtime,
        }
    }

    pub(super) fn site_deletions(&self) -> SiteDeletions<'_, R> {
        SiteDeletions {
            redis: self.redis(),
            tables: self.tables(),
            agenda: &self.memory.agenda,
            bucket: &self.runtime,
            clock: &self.runtime,
            config: &self.config,
            random: &self.runtime,
        }
    }

    pub(super) fn documents(&self) -> Documents<'_, R> {
        Documents { tables: self.tables(), bucket: &self.runtime, config: &self.config }
    }

    fn runs(&self) -> Runs<'_> {
        Runs { agenda: &self.memory.agenda, clock: &self.runtime, config: &self.config, counters: &self.memory.counters }
    }

    pub fn copies(&self) -> Copies<'_, R> {
        Copies {
            redis: self.redis(),
            documents: self.documents(),
            health: self.health(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            log: &self.runtime,
            losses: &self.memory.losses,
        }
    }

    pub fn forwarding(&self) -> Forwarding<'_, R> {
        Forwarding {
            redis: self.redis(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            counters: &self.memory.counters,
            later: self.later(),
            log: &self.runtime,
            random: &self.runtime,
            receivers: &self.runtime,
        }
    }

    pub fn files(&self) -> ArchiveFiles<'_, R> {
        ArchiveFiles { redis: self.redis(), bucket: &self.runtime, clock: &self.runtime, config: &self.config }
    }

    pub fn archive(&self) -> Archive<'_, R> {
        Archive {
            redis: self.redis(),
            audit: self.audit(),
            copies: self.copies(),
            files: self.files(),
            health: self.health(),
            runs: self.runs(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            random: &self.runtime,
        }
    }

    pub fn amendments(&self) -> Amendments<'_, R> {
        Amendments {
            redis: self.redis(),
            archive: self.archive(),
            files: self.files(),
            clock: &self.runtime,
            config: &self.config,
            random: &self.runtime,
        }
    }

    pub fn archive_reads(&self) -> ArchiveReads<'_, R> {
        ArchiveReads { redis: self.redis(), files: self.files(), clock: &self.runtime, config: &self.config }
    }

    pub fn restore(&self) -> ArchiveRestore<'_, R> {
        ArchiveRestore {
            redis: self.redis(),
            archive: self.archive(),
            files: self.files(),
            clock: &self.runtime,
            config: &self.config,
            random: &self.runtime,
        }
    }

    pub fn upkeep(&self) -> Upkeep<'_, R> {
        Upkeep {
            redis: self.redis(),
            archive: self.archive(),
            copies: self.copies(),
            restore: self.restore(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            counters: &self.memory.counters,
            log: &self.runtime,
            random: &self.runtime,
            settled: &self.memory.settled,
        }
    }

    pub fn frozen(&self) -> FrozenReads<'_, R> {
        FrozenReads { catalog: self.catalog(), tables: self.tables(), clock: &self.runtime, log: &self.runtime }
    }

    pub fn history(&self) -> History<'_, R> {
        History {
            redis: self.redis(),
            archive: self.archive(),
            archive_reads: self.archive_reads(),
            audit: self.audit(),
            copies: self.copies(),
            forwarding: self.forwarding(),
            health: self.health(),
            runs: self.runs(),
            tables: self.tables(),
            upkeep: self.upkeep(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            log: &self.runtime,
        }
    }

    pub fn totals(&self) -> RunningTotals<'_, R> {
        RunningTotals {
            redis: self.redis(),
            copies: self.copies(),
            runs: self.runs(),
            tables: self.tables(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            random: &self.runtime,
            receivers: &self.runtime,
        }
    }

    pub fn corrections(&self) -> Corrections<'_, R> {
        Corrections {
            redis: self.redis(),
            amendments: self.amendments(),
            archive: self.archive(),
            catalog: self.catalog(),
            copies: self.copies(),
            files: self.files(),
            clock: &self.runtime,
            random: &self.runtime,
            settled: &self.memory.settled,
        }
    }

    pub fn items(&self) -> Items<'_, R> {
        Items {
            redis: self.redis(),
            amendments: self.amendments(),
            catalog: self.catalog(),
            corrections: self.corrections(),
            tables: self.tables(),
            templates: self.templates(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            log: &self.runtime,
            members: &self.memory.members,
            pages: &self.runtime,
            random: &self.runtime,
            timer: &self.runtime,
        }
    }

    pub fn moving(&self) -> Moving<'_, R> {
        Moving { redis: self.redis(), corrections: self.corrections(), items: self.items(), templates: self.templates() }
    }

    pub fn recovery(&self) -> Recovery<'_, R> {
        Recovery {
            redis: self.redis(),
            copies: self.copies(),
            documents: self.documents(),
            items: self.items(),
            tables: self.tables(),
            clock: &self.runtime,
            log: &self.runtime,
        }
    }

    pub fn rankings(&self) -> Rankings<'_, R> {
        Rankings {
            redis: self.redis(),
            admission: self.admission(),
            archive_reads: self.archive_reads(),
            frozen: self.frozen(),
            tables: self.tables(),
            upkeep: self.upkeep(),
            agenda: &self.memory.agenda,
            client: &self.runtime,
            clock: &self.runtime,
            config: &self.config,
            counters: &self.memory.counters,
            edge_cache: &self.runtime,
            later: self.later(),
            log: &self.runtime,
            members: &self.memory.members,
            memory: &self.memory,
            timer: &self.runtime,
        }
    }

    pub fn snapshots(&self) -> Snapshots<'_, R> {
        Snapshots {
            redis: self.redis(),
            admission: self.admission(),
            copies: self.copies(),
            health: self.health(),
            history: self.history(),
            rankings: self.rankings(),
            runs: self.runs(),
            tables: self.tables(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            log: &self.runtime,
        }
    }

    pub fn counting(&self) -> Counting<'_, R> {
        Counting {
            redis: self.redis(),
            admission: self.admission(),
            catalog: self.catalog(),
            forwarding: self.forwarding(),
            frozen: self.frozen(),
            templates: self.templates(),
            clock: &self.runtime,
            config: &self.config,
            counters: &self.memory.counters,
            groups: &self.runtime,
            later: self.later(),
            log: &self.runtime,
            queue: &self.runtime,
            random: &self.runtime,
            settled: &self.memory.settled,
            timer: &self.runtime,
        }
    }

    pub fn deliveries(&self) -> Deliveries<'_, R> {
        Deliveries {
            redis: self.redis(),
            counting: self.counting(),
            frozen: self.frozen(),
            health: self.health(),
            agenda: &self.memory.agenda,
            clock: &self.runtime,
            config: &self.config,
            counters: &self.memory.counters,
            log: &self.runtime,
            queue: &self.runtime,
        }
    }

    pub fn actors(&self) -> ActorData<'_, R> {
        ActorData { redis: self.redis(), deliveries: self.deliveries(), forwarding: self.forwarding(), clock: &self.runtime }
    }
}
