//! The application with sites of run time: for messages of a queue or of a group, for downloads, and for scheduled runs.

use std::rc::Rc;

use ranking::name::Name;
use ranking::token::Tokens;
use serde_json::json;
use serve::app::counting::gather::Gather;
use serve::app::sites::{Found, Serving, State, Unknown};
use serve::app::{App, Runtime};
use serve::config::Config;
use serve::ingest::message;
use serve::ingest::queued::Opened;

use super::admin::Admin;
use super::deliveries::{Delivered, Fate};
use super::sites::due::Due;

/// By so much the clocks of who sends messages may differ.
const MARGIN_MS: i64 = 60_000;

/// What becomes of a message before it is read.
enum Arrival {
    Counted,
    /// It is of a site that is going or gone, or had the name before.
    Dropped,
    /// Its site is not known now, or not served by this version.
    Waits,
}

/// The application with sites of run time.
pub struct Served<'a, R>(pub(super) &'a App<R>);

impl<R: Runtime> Served<'_, R> {
    /// The application with some sites.
    fn with_all(&self, serving: &[Rc<Serving>]) -> App<R> {
        let is_there = |serving: &&Rc<Serving>| serving.state != State::Going;
        let configured = serving.iter().filter(is_there).filter_map(|serving| serving.configured.as_ref().ok());
        let config: Config = self.0.config.with_stored(configured.map(|configured| (&configured.site, &*configured.lacks)));
        App { config: Rc::new(config), ..self.0.clone() }
    }

    /// The application that has the site of a name, if there is one.
    ///
    /// # Errors
    /// Why it is not known whether there is.
    pub async fn with_name(&self, name: &str) -> Result<App<R>, Unknown> {
        let found = self.0.sites().find(name).await?;
        Ok(found.and_then(|serving| self.0.with_serving(&serving)).unwrap_or_else(|| self.0.clone()))
    }

    /// Counts the messages of a delivery, see [`Deliveries::consume`](crate::app::deliveries::Deliveries::consume).
    ///
    /// 1. Look up the sites of run time that they are of. What is of one that the database does not tell of comes again.
    /// 2. Drop what is of a site that is going or gone, or was sent before its site was made.
    /// 3. Count the others.
    pub async fn consume(&self, tokens: &Tokens, delivered: &[Delivered]) -> Vec<Fate> {
        if !self.0.config.makes_sites() {
            return Admin(self.0).deliveries().consume(tokens, delivered).await;
        }
        let mut known: Vec<(Name, Found)> = Vec::new();
        let mut arrivals = Vec::new();
        for message in delivered {
            let Ok(opened) = Opened::read(&message.body, &message.id, message.sent_ms) else {
                arrivals.push(Arrival::Counted);
                continue;
            };
            if known.iter().all(|(name, _)| *name != opened.site) {
                let found = self.0.sites().find(opened.site.as_str()).await;
                known.push((opened.site.clone(), found));
            }
            let found = known.iter().find(|(name, _)| *name == opened.site).map(|(_, found)| found);
            let sent_ms = i64::try_from(opened.sent_ms).unwrap_or(i64::MAX);
            arrivals.push(match found {
                Some(Ok(Some(serving))) if serving.state == State::Going => Arrival::Dropped,
                Some(Ok(Some(serving))) if serving.configured.is_err() => Arrival::Waits,
                Some(Ok(None)) if self.0.config.sites.get(opened.site.as_str()).is_none() => {
                    match self.0.sites().freed_ms(&opened.site).await {
                        Ok(Some(freed_ms)) if sent_ms <= freed_ms.saturating_add(MARGIN_MS) => Arrival::Dropped,
                        Ok(_) => Arrival::Counted,
                        Err(_) => Arrival::Waits,
                    }
                }
                Some(Ok(Some(serving))) if sent_ms.saturating_add(MARGIN_MS) < serving.made_ms() => Arrival::Dropped,
                Some(Err(_)) => Arrival::Waits,
                _ => Arrival::Counted,
            });
        }
        let dropped = arrivals.iter().filter(|arrival| matches!(arrival, Arrival::Dropped)).count();
        if dropped > 0 {
            let detail = "their sites are being deleted, are gone, or were made after they were sent";
            self.0.runtime.log(&json!({ "level": "info", "code": "messages-dropped", "messages": dropped, "detail": detail }));
        }
        let waits = arrivals.iter().filter(|arrival| matches!(arrival, Arrival::Waits)).count();
        if waits > 0 {
            let detail = "it is not known now whether there are their sites, or their configurations are refused";
            self.0.runtime.log(&json!({ "level": "error", "code": "queue-waits", "messages": waits, "detail": detail }));
        }
        let found: Vec<Rc<Serving>> = known.into_iter().filter_map(|(_, found)| found.ok().flatten()).collect();
        let app = self.with_all(&found);
        for configured in found.iter().filter_map(|serving| serving.configured.as_ref().ok()) {
            app.sites().enter_later(&configured.site);
        }
        let counted: Vec<Delivered> = delivered
            .iter()
            .zip(&arrivals)
            .filter(|(_, arrival)| matches!(arrival, Arrival::Counted))
            .map(|(message, _)| message.clone())
            .collect();
        let mut fates = Admin(&app).deliveries().consume(tokens, &counted).await.into_iter();
        let mut all = Vec::new();
        for (message, arrival) in delivered.iter().zip(&arrivals) {
            all.push(match arrival {
                Arrival::Counted => fates.next().unwrap_or(Fate::Done),
                Arrival::Dropped => Fate::Done,
                Arrival::Waits => Admin(&app).deliveries().unread_again(message).await,
            });
        }
        all
    }

    /// Counts the batch of a message with those that wait, see [`Counting::gather`](serve::app::counting::Counting::gather).
    pub async fn gather(&self, gather: &Rc<Gather>, message: &str) -> String {
        let name = message::site_of(message).filter(|_| self.0.config.makes_sites());
        // Of a site that is not known, gathering says so.
        let served = match name {
            Some(name) => self.with_name(&name).await.ok(),
            None => None,
        };
        served.as_ref().unwrap_or(self.0).counting().gather(gather, message).await
    }

    /// Does what is due, see [`App::run_scheduled`]; also of the sites of run time that are due, see [`Sites::due`](crate::app::sites::Sites::due).
    pub async fn run_scheduled(&self, tokens: &Tokens, until_ms: u64) {
        let log =
            |detail: String| self.0.runtime.log_error(&json!({ "level": "error", "code": "upkeep", "detail": format!("sites: {detail}") }));
        let due = Admin(self.0).sites().due().await.unwrap_or_else(|detail| {
            log(detail);
            Due::default()
        });
        let with_due = if due.served.is_empty() { None } else { Some(self.with_all(&due.served)) };
        let is_done = Admin(with_due.as_ref().unwrap_or(self.0)).run_scheduled(tokens, until_ms).await;
        if let Err(detail) = Admin(self.0).sites().rest_due(due, is_done).await {
            log(detail);
        }
    }
}
