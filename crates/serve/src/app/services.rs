//! The services of the application: each holds the stores and ports that it may touch, and nothing else. Each is made where it is needed, of references.

use std::rc::Rc;

use ranking::name::{Name, Named};
use ranking::site::Site;

use super::admission::Admissions;
use super::catalog::Catalog;
use super::counting::Counting;
use super::database::Tables;
use super::failure::Failure;
use super::forwarding::Forwarding;
use super::frozen::FrozenReads;
use super::health::Health;
use super::later::{App, Later};
use super::ports::Runtime;
use super::quota::Quotas;
use super::rankings::Rankings;
use super::redis::Redis;
use super::sites::{Serving, Sites, State};
use super::templates::Templates;
use super::templates::chunks::Concerned;
use crate::config::Config;

impl<R: Runtime> App<R> {
    pub fn redis(&self) -> Redis<'_, R> {
        Redis { runtime: &self.runtime, key_prefix: self.config.key_prefix.as_str() }
    }

    fn later(&self) -> Later<'_, R> {
        Later::new(self)
    }

    /// The application of which the site of this name has the boards of its sections.
    ///
    /// # Errors
    /// When Redis does not answer, and nothing is remembered.
    pub async fn with_sections(&self, name: &str) -> Result<Self, Failure> {
        let Some(site) = self.config.sites.get(name).filter(|site| site.has_sections()) else { return Ok(self.clone()) };
        Ok(self.with_site(self.catalog().site_with_sections(site, false).await?))
    }

    /// The application of which every site has the boards of its sections. Sites whose sections cannot be read are left out, and answered.
    pub async fn with_readable_sections(&self) -> (Self, Vec<(Name, Failure)>) {
        let (mut sites, mut failures) = (Vec::new(), Vec::new());
        for (name, site) in self.config.sites.iter() {
            let read = if site.has_sections() { self.catalog().site_with_sections(site, false).await } else { Ok(Rc::clone(site)) };
            match read {
                Ok(site) => sites.push((name.clone(), site)),
                Err(failure) => failures.push((name.clone(), failure)),
            }
        }
        (self.with_sites(sites.into_iter().collect()), failures)
    }

    /// The application whose site has some boards of its templates besides, each with whether it is archived.
    pub fn with_boards(&self, site: &Site, names: &[(Name, bool)]) -> Self {
        self.with_site(Rc::new(site.with_boards_as(names)))
    }

    /// The application whose site has the boards of the chunk behind a board, see [`super::templates::chunks`]; and its last board, where others follow.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn with_chunk(&self, site: &Site, behind: Option<&Name>, concerned: Concerned) -> Result<(Self, Option<Name>), Failure> {
        let chunk = self.templates().chunk_behind(site, behind, concerned).await?;
        Ok((self.with_site(Rc::new(chunk.site)), chunk.next))
    }

    /// The application with a site; `None`: it is being deleted, or this version of the worker refuses its configuration.
    pub fn with_serving(&self, serving: &Serving) -> Option<App<R>> {
        let configured = serving.configured.as_ref().ok().filter(|_| serving.state != State::Going)?;
        Some(App { config: Rc::clone(&configured.config), ..self.clone() })
    }

    fn with_site(&self, site: Rc<Site>) -> Self {
        let place =
            |(name, known): (&Name, &Rc<Site>)| (name.clone(), if *name == site.name { Rc::clone(&site) } else { Rc::clone(known) });
        self.with_sites(self.config.sites.iter().map(place).collect())
    }

    fn with_sites(&self, sites: Named<Rc<Site>>) -> Self {
        let config = Config { sites, ..Config::clone(&self.config) };
        Self { config: Rc::new(config), ..self.clone() }
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
        Templates { redis: self.redis(), agenda: &self.memory.agenda, clock: &self.runtime, known: &self.memory.boards }
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

    pub fn frozen(&self) -> FrozenReads<'_, R> {
        FrozenReads { catalog: self.catalog(), tables: self.tables(), clock: &self.runtime, log: &self.runtime }
    }

    pub fn rankings(&self) -> Rankings<'_, R> {
        Rankings {
            redis: self.redis(),
            admission: self.admission(),
            frozen: self.frozen(),
            tables: self.tables(),
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
}
