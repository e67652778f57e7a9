//! Messages that a site's receiver of counted events did not take. Redis keeps them for a day, in the order of their instants, up to so many
//! bytes; upkeep sends them when the receiver is back. What is dropped is counted and logged.
//!
//! While nothing waits, only upkeep asks Redis about it, every five minutes. An isolate that kept a message has later ones wait
//! behind it, and asks no more when none waits. Messages that come while upkeep sends the last ones go straight, since upkeep
//! could never end while clicks come.

use engine::adapter::Error;
use engine::store::backlog::{Ask, Kept};
use ranking::site::Site;
use serde_json::json;

use super::Forwarding;
use crate::app::agenda::Resting;
use crate::app::counters::Series;
use crate::app::ports::Runtime;

/// For how long an isolate that kept a message asks whether others wait, before it sends one. It asks no more when none does.
const ASKED_MS: u64 = 86_400_000;

impl<R: Runtime> Forwarding<'_, R> {
    /// Hands a message on.
    ///
    /// 1. Where this isolate saw that others wait, keep it behind these.
    /// 2. Send it, some times where that may help.
    /// 3. Keep it, where the receiver may take it later.
    pub async fn hand_over(&self, site: &Site, message: String) {
        let Some(forward) = &site.forward else { return };
        let (began_ms, waits) = (self.clock.clock_ms(), Resting::ForwardWaits(site.name.clone()));
        if self.agenda.rests(&waits, began_ms) {
            match self.keep_message(site, &message, 0, true).await {
                Ok(true) => return,
                Ok(false) => self.agenda.wake(&waits),
                // Redis is out; the receiver may be back.
                Err(_) => {}
            }
        }
        let Err(error) = self.receivers.forward(&forward.to, &message, true).await else { return };
        let mut detail = error.detail;
        if !error.is_final {
            let now_ms = self.clock.clock_ms();
            match self.keep_message(site, &message, now_ms.saturating_sub(began_ms), false).await {
                Ok(_) => {
                    self.agenda.wake(&Resting::Forward(site.name.clone()));
                    if !self.agenda.rests(&waits, now_ms) {
                        self.tell_waiting(site, 1, &detail);
                    }
                    return self.agenda.rest(waits, now_ms, ASKED_MS);
                }
                Err(error) => detail = format!("{detail}; and it could not be kept: {}", error.detail),
            }
        }
        self.tell_dropped(site, 1, &detail);
    }

    /// Keeps a message, where others wait if `only_behind`. Answers whether it is kept.
    async fn keep_message(&self, site: &Site, message: &str, ago_ms: u64, only_behind: bool) -> Result<bool, Error> {
        let kept = Kept { place: String::new(), ago_ms, text: message.into() };
        let ask = Ask { keep: vec![kept], only_behind, ..Ask::default() };
        let Some(backlog) = self.redis.store()?.backlog(site, &ask).await? else { return Ok(false) };
        if backlog.is_kept {
            self.counters.add(Series::Forward, site.name.as_str(), "kept", 1);
        }
        self.tell_overdue(site, backlog.dropped);
        Ok(backlog.is_kept)
    }

    fn tell_overdue(&self, site: &Site, messages: u64) {
        self.tell_dropped(site, messages, "the receiver did not take them for a day, or too many wait");
    }

    fn tell_dropped(&self, site: &Site, messages: u64, detail: &str) {
        if messages > 0 {
            let name = site.name.as_str();
            self.counters.add(Series::Forward, name, "dropped", messages);
            self.log.log(&json!({ "level": "error", "code": "not-forwarded", "site": name, "messages": messages, "detail": detail }));
        }
    }

    fn tell_waiting(&self, site: &Site, messages: u64, detail: &str) {
        let name = site.name.as_str();
        self.log.log(&json!({ "level": "warn", "code": "forward-waits", "site": name, "messages": messages, "detail": detail }));
    }
}

mod sending {
    use std::collections::VecDeque;
    use std::mem::take;

    use serde_json::{Value, json};

    use super::{Ask, Error, Forwarding, Kept, Resting, Series, Site};
    use crate::app::failure::Failure;
    use crate::app::ports::Runtime;
    use ranking::name::Id;

    /// Messages that are read together.
    const PAGE: u32 = 200;
    /// What is sent together: a queue takes 128 KB.
    const MAX_EVENTS: usize = 500;
    const MAX_BYTES: usize = 100_000;
    /// While nothing waits, a site is asked that often at most: 8,640 commands a month for each that hands on.
    const LOOK_MS: u64 = 300_000;

    /// Messages that are sent as one.
    struct Group {
        messages: Vec<(String, String)>,
        events: Vec<Value>,
        bytes: usize,
    }

    impl<R: Runtime> Forwarding<'_, R> {
        /// Sends what waits for the receivers of all sites, the oldest first, until `until_ms`. Answers a line for each site where Redis failed.
        pub async fn forward_due(&self, until_ms: u64) -> Vec<String> {
            let mut failures = Vec::new();
            for site in self.config.sites.values().filter(|site| site.forward.is_some()) {
                if self.agenda.rests(&Resting::Forward(site.name.clone()), self.clock.clock_ms()) {
                    continue;
                }
                if let Err(error) = self.send_backlog(site, until_ms).await {
                    failures.push(format!("{}: forward: {}", site.name, error.detail));
                }
            }
            failures
        }

        /// Sends what waits, page by page. It ends where the receiver does not take a message: the others wait behind it.
        async fn send_backlog(&self, site: &Site, until_ms: u64) -> Result<(), Error> {
            let (owner, mut sent) = (self.random.token(), Vec::new());
            loop {
                let limit = if self.clock.clock_ms() < until_ms { PAGE } else { 0 };
                let ask = Ask { owner: owner.clone(), limit, sent: take(&mut sent), ..Ask::default() };
                let Some(backlog) = self.redis.store()?.backlog(site, &ask).await? else { return Ok(()) };
                self.tell_overdue(site, backlog.dropped);
                if backlog.waiting == 0 {
                    self.agenda.rest(Resting::Forward(site.name.clone()), self.clock.clock_ms(), LOOK_MS);
                    self.agenda.wake(&Resting::ForwardWaits(site.name.clone()));
                }
                if backlog.messages.is_empty() {
                    return Ok(());
                }
                if let Err(detail) = self.send_page(site, backlog.messages, &mut sent, until_ms).await {
                    let waiting = backlog.waiting.saturating_sub(sent.len() as u64);
                    self.tell_waiting(site, waiting, &detail);
                    let ask = Ask { owner, sent, ..Ask::default() };
                    return self.redis.store()?.backlog(site, &ask).await.map(drop);
                }
            }
        }

        /// Sends messages in their order, those of several requests as one. `sent` gets the places of what need not be sent again. What is
        /// refused together is sent one by one.
        ///
        /// # Errors
        /// Why the receiver does not take them now.
        async fn send_page(
            &self,
            site: &Site,
            messages: Vec<(String, String)>,
            sent: &mut Vec<String>,
            until_ms: u64,
        ) -> Result<(), String> {
            let Some(forward) = &site.forward else { return Ok(()) };
            let mut remaining: VecDeque<Group> = grouped(messages).into();
            while let Some(group) = remaining.pop_front().filter(|_| self.clock.clock_ms() < until_ms) {
                let count = group.messages.len();
                let text = json!({ "site": site.name.as_str(), "events": group.events }).to_string();
                match self.receivers.forward(&forward.to, &text, false).await {
                    Err(error) if !error.is_final => return Err(error.detail),
                    Err(_) if count > 1 => {
                        let alone = group.messages.into_iter().map(|message| Group::of(vec![message]));
                        alone.rev().for_each(|group| remaining.push_front(group));
                        continue;
                    }
                    Err(error) => self.tell_dropped(site, 1, &error.detail),
                    Ok(()) => self.counters.add(Series::Forward, site.name.as_str(), "sent", count as u64),
                }
                sent.extend(group.messages.into_iter().map(|(place, _)| place));
            }
            Ok(())
        }

        /// Takes the events of an actor out of what waits.
        ///
        /// # Errors
        /// When Redis does not answer; some of it may be done.
        pub async fn erase_backlog(&self, site: &Site, actor: &Id) -> Result<(), Failure> {
            let failed = |error: Error| Failure::of_write(&error);
            let mut ask = Ask { limit: PAGE, ..Ask::default() };
            loop {
                let found = self.redis.store().map_err(failed)?.backlog(site, &ask).await.map_err(failed)?;
                let messages = found.map(|backlog| backlog.messages).unwrap_or_default();
                if messages.is_empty() {
                    return Ok(());
                }
                ask = Ask { after: take(&mut ask.after), limit: PAGE, ..Ask::default() };
                for (place, text) in messages {
                    let events = events_of(&text);
                    let remaining: Vec<&Value> = events.iter().filter(|event| event["actor"] != actor.as_str()).collect();
                    if remaining.is_empty() {
                        ask.sent.push(place);
                        continue;
                    }
                    ask.after.clone_from(&place);
                    if remaining.len() < events.len() {
                        let text = json!({ "site": site.name.as_str(), "events": remaining }).to_string();
                        ask.keep.push(Kept { place, ago_ms: 0, text });
                    }
                }
            }
        }
    }

    impl Group {
        fn of(messages: Vec<(String, String)>) -> Self {
            let events = messages.iter().flat_map(|(_, text)| events_of(text)).collect();
            let bytes = messages.iter().map(|(_, text)| text.len()).sum();
            Self { messages, events, bytes }
        }
    }

    /// Messages in their order, as many together as may be.
    fn grouped(messages: Vec<(String, String)>) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for message in messages {
            let next = Group::of(vec![message]);
            match groups.last_mut() {
                Some(last) if last.events.len() + next.events.len() <= MAX_EVENTS && last.bytes + next.bytes <= MAX_BYTES => {
                    last.messages.extend(next.messages);
                    last.events.extend(next.events);
                    last.bytes += next.bytes;
                }
                _ => groups.push(next),
            }
        }
        groups
    }

    fn events_of(text: &str) -> Vec<Value> {
        match serde_json::from_slice::<Value>(text.as_bytes()) {
            Ok(Value::Object(mut message)) => match message.remove("events") {
                Some(Value::Array(events)) => events,
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}
