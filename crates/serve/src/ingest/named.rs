//! The boards of templates that an event names.

use ranking::name::Name;
use ranking::site::Site;
use ranking::template::Template;
use serde_json::{Map, Value};

use super::actor::Sender;
use super::event::{misplaced, wrong};
use super::{EventCode, Refusal};

const ALLOWED: &str = "a list of 1 to 10 boards of templates, each once, like [\"level:42\"]";

/// `["level:42"]`
pub(super) fn read(site: &Site, sender: &Sender, event: &Map<String, Value>) -> Result<Vec<Name>, Refusal> {
    let Some(boards) = event.get("boards").filter(|boards| !boards.is_null()) else { return Ok(Vec::new()) };
    let Some(list) = boards.as_array().filter(|list| (1..=Template::MOST_NAMED).contains(&list.len())) else {
        return Err(wrong(event, "boards", ALLOWED));
    };
    let mut names: Vec<Name> = Vec::new();
    for board in list {
        let name = board.as_str().and_then(Name::of_board).filter(|name| !names.contains(name));
        let name = name.ok_or_else(|| wrong(event, "boards", ALLOWED))?;
        let Some(template) = site.template_of(&name) else { return Err(unknown(site, &name)) };
        if !sender.is_server() && !template.public {
            let detail = format!("browsers may not name boards of {}, which is not public", template.board.name);
            return Err(Refusal::new(EventCode::BoardNotPublic, detail));
        }
        // What the board does not weigh would be lost without a word.
        let action = event.get("action").and_then(Value::as_str).unwrap_or_default();
        if template.board.weights.get(action).is_none() {
            return Err(misplaced(event, "boards", &format!(" with {action:?}, which {} does not count", template.board.name)));
        }
        names.push(name);
    }
    Ok(names)
}

fn unknown(site: &Site, name: &Name) -> Refusal {
    let templates = if site.templates.is_empty() { "no templates".into() } else { format!("the templates {}", site.templates.list()) };
    let detail = format!("{:?} is no board: the site {} has {templates}", name.as_str(), site.name);
    Refusal::new(EventCode::UnknownBoard, detail)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use ranking::name::Named;
    use ranking::score::Score;
    use ranking::site::Board;
    use ranking::template::Template;
    use serde_json::json;

    use super::*;

    fn site() -> Site {
        let name = |text| Name::new(text).expect("a name");
        let template = |(text, public)| {
            let weights: Named<Score> = [(name("view"), Score::from_integer(1))].into_iter().collect();
            let board = Board { weights, ..Board::new(name(text)) };
            (name(text), Rc::new(Template { board, public, on_event: false, max_boards: 1 }))
        };
        Site { templates: [("level", false), ("open", true)].map(template).into_iter().collect(), ..Site::new(name("game")) }
    }

    #[test]
    fn events_name_boards_of_templates() {
        let (server, browser) = (Sender::Server(None), Sender::Browser { visitor: None, signed: None });
        let all: Vec<String> = (0..11).map(|n| format!("level:{n}")).collect();
        for (sender, boards, expected) in [
            (&server, json!(["level:42", "open:1"]), Ok(2)),
            (&server, json!(null), Ok(0)),
            (&server, json!(all[..10]), Ok(10)),
            (&server, json!(all), Err(EventCode::InvalidBoards)),
            (&server, json!([]), Err(EventCode::InvalidBoards)),
            (&server, json!("level:42"), Err(EventCode::InvalidBoards)),
            (&server, json!(["level:42", "level:42"]), Err(EventCode::InvalidBoards)),
            (&server, json!(["level"]), Err(EventCode::InvalidBoards)),
            (&server, json!(["level:A"]), Err(EventCode::InvalidBoards)),
            (&server, json!([42]), Err(EventCode::InvalidBoards)),
            (&server, json!(["world:1"]), Err(EventCode::UnknownBoard)),
            (&browser, json!(["open:1"]), Ok(1)),
            (&browser, json!(["open:1", "level:1"]), Err(EventCode::BoardNotPublic)),
        ] {
            let event = json!({ "action": "view", "boards": boards });
            let read = read(&site(), sender, event.as_object().expect("an object"));
            assert_eq!(read.map(|names| names.len()).map_err(|refusal| refusal.code), expected, "{event}");
        }
        let event = json!({ "action": "like", "boards": ["level:42"] });
        let refusal = read(&site(), &server, event.as_object().expect("an object")).expect_err("what it does not weigh is lost");
        assert_eq!(refusal.code, EventCode::InvalidBoards);
        assert_eq!(refusal.detail, r#"boards = ["level:42"] is not allowed with "like", which level does not count"#);
    }
}
