//! The engine in a program that is no Worker.

#[expect(dead_code, reason = "`main` is the program's")]
#[path = "../../crates/engine/examples/count.rs"]
mod example;

use super::support::server::Server;

#[test]
fn the_example_of_the_engine_counts_each_event_once() {
    let server = Server::start_at(1_790_000_000_000);
    let url = format!("redis://127.0.0.1:{}", server.port());
    let ranking = |item, id| example::count_and_read(&url, item, id).expect("Redis answers");
    assert_eq!(ranking("/a", "1"), [("/a".to_owned(), 1.0)]);
    assert_eq!(ranking("/b", "2").len(), 2);
    assert_eq!(ranking("/b", "3")[0], ("/b".to_owned(), 2.0));
    assert_eq!(ranking("/b", "3")[0], ("/b".to_owned(), 2.0), "the same event again");
}
