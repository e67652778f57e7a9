//! Counts a click on a Redis, and prints the ranking of the day: `cargo run -p edgeboard-engine --example count redis://127.0.0.1`.
//!
//! The engine has no socket. A program brings one as a [`Transport`]; this one is of the standard library, and opens a connection a trip.

#![expect(clippy::disallowed_methods, reason = "no Worker, so there is a clock")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::adapter::resp::{self, Decoder, Request};
use engine::adapter::url::{RedisUrl, Tcp};
use engine::adapter::{Cmd, Error, Fault, Mode, Transport, Value};
use engine::store::Store;
use ranking::counting::{Target, TargetBatch, TargetEvent};
use ranking::event::When;
use ranking::name::{Id, Name, ReplayId};
use ranking::read::{PeriodRef, Read, ReadReply, ReadRequest};
use ranking::score::Score;
use ranking::site::{Board, Site};
use ranking::window::Window;
use ranking::zone::Utc;

/// No send takes longer.
const LIMIT: Duration = Duration::from_secs(5);

struct Socket(Tcp);

impl Transport for Socket {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let handshake = resp::handshake(&self.0);
        let request = Request::new(commands, mode);
        let bytes = resp::encode(handshake.iter().chain(request.sent()));
        let mut stream =
            TcpStream::connect((self.0.host.as_str(), self.0.port)).map_err(|error| Error::new(Fault::Connect, error.to_string()))?;
        // Whether Redis did what was asked is not known from here on: the caller sends it again, with the same id.
        let lost = |error: std::io::Error| Error::new(Fault::Lost, error.to_string());
        stream.set_read_timeout(Some(LIMIT)).map_err(lost)?;
        stream.write_all(&bytes).map_err(lost)?;
        let mut decoder = Decoder::new(handshake.len() + request.sent().count());
        let mut buffer = [0; 16 * 1024];
        loop {
            let count = stream.read(&mut buffer).map_err(lost)?;
            if count == 0 {
                return Err(Error::new(Fault::Lost, "the server closed the connection"));
            }
            if let Some(mut replies) = decoder.push(&buffer[..count])? {
                return request.answers(replies.split_off(handshake.len()));
            }
        }
    }
}

/// Counts a view of an item, and answers who is first today.
///
/// # Errors
/// When Redis does not answer, or its answer is not understood.
pub fn count_and_read(url: &str, item: &str, event_id: &str) -> Result<Vec<(String, f64)>, Error> {
    let wrong = |what: &str| Error::new(Fault::Malformed, what.to_owned());
    let Some(RedisUrl::Tcp(to)) = RedisUrl::parse(url) else { return Err(wrong("this example speaks redis:// alone")) };
    let name = |text| Name::new(text).ok_or_else(|| wrong("a name"));
    let (view, day) = (name("view")?, Window::parse("day").ok_or_else(|| wrong("a window"))?);
    let weights = [(view.clone(), Score::new(1.0).ok_or_else(|| wrong("a score"))?)].into_iter().collect();
    let board = Rc::new(Board { weights, windows: vec![day.clone()], ..Board::new(name("articles")?) });
    let site = Rc::new(Site { boards: [(board.name.clone(), Rc::clone(&board))].into_iter().collect(), ..Site::new(name("example")?) });
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let store = Store {
        transport: Socket(to),
        zones: &Utc,
        guess_s: i64::try_from(now.as_secs()).unwrap_or_default(),
        key_prefix: "eb",
        replica: None,
    };

    let item = Id::new(item).ok_or_else(|| wrong("an id"))?;
    let id = ReplayId::new(event_id).ok_or_else(|| wrong("an id of an event"))?;
    let event = TargetEvent {
        member: &item,
        weight: board.weights["view"],
        when: When::Now,
        id: Some(&id),
        batch: None,
        index: 0,
        action: &view,
        item: Some(&item),
        count: 1,
        meta: None,
        tracked: None,
        number: 0,
    };
    let batch = TargetBatch { events: vec![event], senders: vec![(1, None)], ..TargetBatch::empty(Target::Board(&board)) };
    pollster::block_on(async {
        store.record(&site, &[batch], "").await?.into_iter().collect::<Result<Vec<_>, _>>()?;
        let of = PeriodRef { board: Rc::clone(&board), window: day, period: None, hour_starts_at: None };
        let request = ReadRequest { site: Rc::clone(&site), read: Read::Top { of, offset: 0, limit: 10 }, by: String::new() };
        let ReadReply::Pages(pages) = store.read(&request, &[]).await? else { return Err(wrong("no page")) };
        Ok(pages.iter().flat_map(|page| &page.entries).map(|entry| (entry.id.as_str().to_owned(), entry.score.value())).collect())
    })
}

fn main() {
    let url = std::env::args().nth(1).unwrap_or_else(|| "redis://127.0.0.1".into());
    let id = format!("{:?}", SystemTime::now()).replace(|char: char| !char.is_ascii_digit(), "");
    match count_and_read(&url, "/posts/1", &id) {
        Ok(ranking) => ranking.iter().enumerate().for_each(|(i, (item, score))| println!("{}. {item} {score}", i + 1)),
        Err(error) => eprintln!("{url}: {}", error.detail),
    }
}
