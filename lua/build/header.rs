//! The header of a script: its contract, in comments that are read by machine.
//!
//! ```lua
//! -- name: what it does.
//! --
//! -- @key board           one line per key
//! -- @frees members         it runs also while Redis has no memory, since it frees them; the little that it writes is less
//! -- @locks sender          where servers lock by key a call declares its keys: which they are depends on the key and these arguments
//! -- @arg limit     int   one line per argument: its name, its type, what it means
//! -- @args calendar       the arguments that lua/fields/calendar.lua lists
//! -- @table c target batch  the arguments that such files list, and the keys, in a table `c`
//! -- @packed about said target  the arguments that such files list, as one text `about` with a line for each, before all others; and as a table `said`
//! -- @each event          a group of arguments that repeats, after all others
//! -- @field member  text  a field of it
//! -- @fields tracked_event  or all of them: those that lua/fields/tracked_event.lua lists
//! -- @returns OK          a reply that begins with this status; where a text alone follows, the script may answer that without it
//! -- @field total   count a field of the reply
//! -- @fields period       the fields that lua/fields/period.lua lists
//! -- @group entry         a group of fields that repeats; `@group entry per event` when there is one for each event
//! -- @field score   number
//! ```
//!
//! A comment line that begins with more than two spaces goes on with what the line before it means.

use std::collections::BTreeMap;

/// What the text of an argument or a field of a reply is. A `?` after it says that it may be missing, and then is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// An integer.
    Int,
    /// A finite number.
    Number,
    /// In replies: an integer that is not negative.
    Count,
    /// In replies: 1 or 0.
    Flag,
    /// In replies: an item's or an actor's id.
    Id,
}

impl Kind {
    const EACH: [(&str, Self); 6] = [
        ("text", Self::Text),
        ("int", Self::Int),
        ("number", Self::Number),
        ("count", Self::Count),
        ("flag", Self::Flag),
        ("id", Self::Id),
    ];

    pub fn is_numeric(self) -> bool {
        matches!(self, Self::Int | Self::Number)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub kind: Kind,
    pub optional: bool,
    pub meaning: String,
}

/// A field, or a list of fields that headers share.
#[derive(Clone, Debug)]
pub enum Item {
    Field(Field),
    Shared {
        name: String,
        fields: Vec<Field>,
    },
    /// Lists that headers share, as one text: each field is a line. A body finds them in a table.
    Packed {
        name: String,
        table: String,
        lists: Vec<(String, Vec<Field>)>,
        fields: Vec<Field>,
    },
}

impl Item {
    pub fn fields(&self) -> &[Field] {
        match self {
            Self::Field(field) => std::slice::from_ref(field),
            Self::Shared { fields, .. } | Self::Packed { fields, .. } => fields,
        }
    }
}

/// Fields that repeat.
#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub meaning: String,
    pub fields: Vec<Field>,
    /// The list of lua/fields that these are.
    pub shared: Option<String>,
    /// Of a reply: repeats once for each group of arguments.
    pub per_argument: bool,
}

/// What a script answers with one of its statuses.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: String,
    pub meaning: String,
    pub items: Vec<Item>,
    pub groups: Vec<Group>,
}

#[derive(Clone, Debug, Default)]
pub struct Header {
    /// It runs also while Redis has no memory.
    pub frees: bool,
    /// The arguments on which it depends which keys a call needs; none where keys are not declared.
    pub locks: Vec<String>,
    pub keys: Vec<String>,
    pub args: Vec<Item>,
    /// The name of a table, and the keys and arguments that it holds.
    pub table: Option<(String, Vec<String>)>,
    pub each: Option<Group>,
    pub replies: Vec<Reply>,
}

impl Header {
    /// The names of the text that holds the first arguments and of the table that a body finds them in, and these.
    pub fn packed(&self) -> Option<(&str, &str, &[Field])> {
        match self.args.first() {
            Some(Item::Packed { name, table, fields, .. }) => Some((name, table, fields)),
            _ => None,
        }
    }

    /// Every argument before the repeated ones.
    pub fn arg_fields(&self) -> impl Iterator<Item = &Field> {
        self.args.iter().flat_map(Item::fields)
    }

    /// The locals that a body finds.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let packed = self.packed().into_iter().flat_map(|(name, table, _)| [name, table]);
        let table = self.table.as_ref().map(|(name, _)| name.as_str());
        self.keys.iter().map(String::as_str).chain(packed).chain(table).chain(self.arg_fields().map(|field| field.name.as_str()))
    }

    /// Whether a table holds a key or an argument.
    pub fn is_in_table(&self, named: &str) -> bool {
        self.table.as_ref().is_some_and(|(_, names)| names.iter().any(|name| name == named))
    }

    fn add_table(&mut self, name: &str, rest: &str, shared: &BTreeMap<String, Vec<Field>>) -> Result<(), String> {
        let mut names = self.keys.clone();
        for list in rest.split_whitespace() {
            let item = find_shared(list, shared, false).map_err(|problem| format!("{list} {problem}"))?;
            names.extend(item.fields().iter().map(|field| field.name.clone()));
            self.args.push(item);
        }
        if rest.is_empty() {
            return Err("names no list".into());
        }
        self.table = Some((name.into(), names));
        Ok(())
    }

    /// `@fields` before any reply: what is repeated has the fields of a list.
    fn share_each(&mut self, name: &str, shared: &BTreeMap<String, Vec<Field>>) -> Result<(), String> {
        let each = self.each.as_mut().ok_or("stands before any @each or @returns")?;
        each.fields = find_shared(name, shared, false)?.fields().to_vec();
        each.shared = Some(name.into());
        Ok(())
    }

    fn reply(&mut self) -> Result<&mut Reply, String> {
        self.replies.last_mut().ok_or_else(|| "stands before any @returns".into())
    }

    /// The fields that a `@field` line belongs to are those of the last `@each`, `@returns` or `@group`.
    fn add_field(&mut self, field: Field) -> Result<(), String> {
        let in_reply = !self.replies.is_empty();
        check_kind(&field, in_reply)?;
        match self.replies.last_mut() {
            Some(reply) => match reply.groups.last_mut() {
                Some(group) => group.fields.push(field),
                None => reply.items.push(Item::Field(field)),
            },
            None => self.each.as_mut().ok_or("stands before any @each or @returns")?.fields.push(field),
        }
        Ok(())
    }
}

/// Reads the tags of a header. `shared` holds the lists of lua/fields; `comments` are lines without their `--`.
///
/// # Errors
/// What is wrong with which tag.
pub fn read(comments: &[&str], shared: &BTreeMap<String, Vec<Field>>) -> Result<Header, String> {
    let mut header = Header::default();
    for line in joined(comments) {
        let (tag, rest) = split_word(&line);
        if !tag.starts_with('@') {
            continue;
        }
        let (name, rest) = split_word(rest);
        if name.is_empty() {
            return Err(format!("unknown or empty tag {tag}"));
        }
        let result = match tag {
            "@key" => {
                header.keys.push(name.into());
                Ok(())
            }
            "@arg" => read_field(name, rest).and_then(|field| {
                check_kind(&field, false)?;
                header.args.push(Item::Field(field));
                Ok(())
            }),
            "@args" => find_shared(name, shared, false).map(|item| header.args.push(item)),
            "@table" if header.table.is_some() => Err("is a second table".into()),
            "@table" => header.add_table(name, rest, shared),
            "@packed" if !header.args.is_empty() => Err("does not stand before all other arguments".into()),
            "@packed" => read_packed(name, rest, shared).map(|item| header.args.push(item)),
            "@each" | "@returns" | "@group" | "@frees" if rest.is_empty() => Err("does not say what it means".into()),
            "@frees" => {
                header.frees = true;
                Ok(())
            }
            "@locks" => {
                header.locks = [name].into_iter().chain(rest.split_whitespace()).map(str::to_owned).collect();
                Ok(())
            }
            "@each" => {
                header.each =
                    Some(Group { name: name.into(), meaning: rest.into(), fields: Vec::new(), shared: None, per_argument: false });
                Ok(())
            }
            "@returns" => {
                header.replies.push(Reply { status: name.into(), meaning: rest.into(), items: Vec::new(), groups: Vec::new() });
                Ok(())
            }
            "@field" => read_field(name, rest).and_then(|field| header.add_field(field)),
            "@fields" if header.replies.is_empty() => header.share_each(name, shared),
            "@fields" => find_shared(name, shared, true).and_then(|item| {
                header.reply()?.items.push(item);
                Ok(())
            }),
            "@group" => read_group(name, rest, header.each.as_ref()).and_then(|group| {
                header.reply()?.groups.push(group);
                Ok(())
            }),
            _ => return Err(format!("unknown or empty tag {tag}")),
        };
        result.map_err(|problem| format!("{tag} {name} {problem}"))?;
    }
    check_groups(&header)?;
    check_locks(&header)?;
    Ok(header)
}

/// Reads a file of lua/fields: a list of fields.
///
/// # Errors
/// What is wrong with which field.
pub fn read_fields(comments: &[&str]) -> Result<Vec<Field>, String> {
    let mut fields = Vec::new();
    for line in joined(comments) {
        let (tag, rest) = split_word(&line);
        let (name, rest) = split_word(rest);
        match tag {
            "@field" => fields.push(read_field(name, rest).map_err(|problem| format!("{tag} {name} {problem}"))?),
            _ if tag.starts_with('@') => return Err(format!("unknown or empty tag {tag}")),
            _ => {}
        }
    }
    Ok(fields)
}

/// The comments with those that go on with the line before joined to it.
fn joined(comments: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for comment in comments {
        match lines.last_mut() {
            Some(last) if comment.starts_with("   ") && last.starts_with('@') => {
                last.push(' ');
                last.push_str(comment.trim());
            }
            _ => lines.push(comment.trim().into()),
        }
    }
    lines
}

/// The first word of a text, and the rest.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

fn read_field(name: &str, rest: &str) -> Result<Field, String> {
    let (kind, meaning) = split_word(rest);
    let (kind, optional) = kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true));
    let Some((_, kind)) = Kind::EACH.into_iter().find(|(known, _)| *known == kind) else {
        return Err(format!("must be one of {}", Kind::EACH.map(|(known, _)| known).join(", ")));
    };
    if meaning.is_empty() {
        return Err("does not say what it means".into());
    }
    Ok(Field { name: name.into(), kind, optional, meaning: meaning.into() })
}

/// Arguments are text or numbers, and are always there.
fn check_kind(field: &Field, in_reply: bool) -> Result<(), String> {
    let fits = in_reply || (!field.optional && matches!(field.kind, Kind::Text | Kind::Int | Kind::Number));
    if fits { Ok(()) } else { Err("must be text, int or number".into()) }
}

fn find_shared(name: &str, shared: &BTreeMap<String, Vec<Field>>, in_reply: bool) -> Result<Item, String> {
    let fields = shared.get(name).ok_or("is not in lua/fields")?.clone();
    fields.iter().try_for_each(|field| check_kind(field, in_reply))?;
    Ok(Item::Shared { name: name.into(), fields })
}

fn read_packed(name: &str, rest: &str, shared: &BTreeMap<String, Vec<Field>>) -> Result<Item, String> {
    let (table, rest) = split_word(rest);
    let mut lists = Vec::new();
    for list in rest.split_whitespace() {
        let item = find_shared(list, shared, false).map_err(|problem| format!("{list} {problem}"))?;
        lists.push((list.to_owned(), item.fields().to_vec()));
    }
    let fields = lists.iter().flat_map(|(_, fields)| fields.clone()).collect();
    if lists.is_empty() { Err("names no list".into()) } else { Ok(Item::Packed { name: name.into(), table: table.into(), lists, fields }) }
}

fn read_group(name: &str, rest: &str, each: Option<&Group>) -> Result<Group, String> {
    let (per, after) = split_word(rest);
    let (per_argument, meaning) = match per {
        "per" => {
            let (of, meaning) = split_word(after);
            if each.is_none_or(|each| each.name != of) {
                return Err(format!("is per {of}, which no @each names"));
            }
            (true, meaning)
        }
        _ => (false, rest),
    };
    Ok(Group { name: name.into(), meaning: meaning.into(), fields: Vec::new(), shared: None, per_argument })
}

/// What `@locks` names are arguments that are not repeated. A line of a text stands for all of that.
fn check_locks(header: &Header) -> Result<(), String> {
    let is_argument = |name: &&String| header.arg_fields().any(|field| field.name == **name);
    match header.locks.iter().find(|name| !is_argument(name)) {
        Some(name) => Err(format!("@locks {name} is no argument")),
        None => Ok(()),
    }
}

/// Groups have fields. Of a reply's groups only the last may repeat freely, or their ends could not be found.
fn check_groups(header: &Header) -> Result<(), String> {
    for reply in &header.replies {
        let free = reply.groups.iter().position(|group| !group.per_argument);
        if free.is_some_and(|at| at + 1 < reply.groups.len()) {
            return Err(format!("@group {} must come last", reply.groups[free.unwrap_or(0)].name));
        }
    }
    let mut groups = header.replies.iter().flat_map(|reply| &reply.groups).chain(&header.each);
    match groups.find(|group| group.fields.is_empty()) {
        Some(group) => Err(format!("the group {} has no @field", group.name)),
        None => Ok(()),
    }
}
