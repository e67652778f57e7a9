//! The words of Lua code, told apart without parsing it.

/// What a word is where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The name of a variable or function whose value is used, or a keyword.
    Used,
    /// The name of a new local, a parameter or a function.
    Declared,
    /// The name of a field, or of what is assigned to.
    Named,
}

/// The words of `code` with where each begins. Strings and comments have none.
pub fn words(code: &str) -> Vec<(usize, &str, Role)> {
    let mut found = Vec::new();
    let mut names = Names::None;
    let (mut at, mut before) = (0, ' ');
    while let Some(c) = code[at..].chars().next() {
        let rest = &code[at..];
        if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if c == '\'' || c == '"' {
            at += string_len(rest, c);
            before = c;
        } else if is_word_char(c) {
            let word = &rest[..rest.find(|c| !is_word_char(c)).unwrap_or(rest.len())];
            let is_field = matches!(before, '.' | ':') && !code[..at].trim_end().ends_with("..");
            let role = names.role_of(word, is_field, &rest[word.len()..]);
            if !c.is_ascii_digit() {
                found.push((at, word, role));
            }
            at += word.len();
            before = c;
        } else {
            names.pass(c);
            at += c.len_utf8();
            if !c.is_whitespace() {
                before = c;
            }
        }
    }
    found
}

/// Whether `code` uses the value of a variable `name`.
pub fn uses(code: &str, name: &str) -> bool {
    words(code).iter().any(|&(_, word, role)| word == name && role == Role::Used)
}

/// What the names of keys begin with: a board, a home, a site, or another key.
const OWNERS: [&str; 5] = ["board", "home", "site", "key", "keys"];

/// Whether `code` makes the name of a key: it appends a text that begins with a colon; or an owner is the first of what a format with a colon or a list
/// joins.
pub fn makes_key(code: &str) -> bool {
    let behind = |what: &'static str| code.match_indices(what).map(move |(at, _)| code[at + what.len()..].trim_start());
    let is_quoted = |text: &str, begins: &str| text.strip_prefix(['\'', '"']).is_some_and(|text| text.starts_with(begins));
    let of_format = |text: &str| {
        let quote = text.chars().next().filter(|_| is_quoted(text, "%s:"))?;
        Some(begins_with_owner(text[string_len(text, quote)..].trim_start_matches([',', ' ', '\n'])))
    };
    behind("..").any(|text| is_quoted(text, ":"))
        || behind("format(").any(|text| of_format(text).unwrap_or(false))
        || behind("concat({").any(begins_with_owner)
}

/// Whether the first item of a list is an owner: `c.board`, `keys[i]`, `actions_key(board)`.
fn begins_with_owner(list: &str) -> bool {
    let first = &list[..list.find([',', '}']).unwrap_or(list.len())];
    words(first).iter().any(|(_, word, _)| OWNERS.contains(word) || word.ends_with("_key"))
}

/// The names that a declaration goes on with.
#[derive(Clone, Copy)]
enum Names {
    None,
    /// After `local` or `for`; `true` when a name may come.
    List(bool),
    /// After `function`, before the parameters.
    Function,
    Parameters,
}

impl Names {
    fn role_of(&mut self, word: &str, is_field: bool, rest: &str) -> Role {
        let (role, next) = match (word, *self) {
            ("local" | "for", _) => (Role::Used, Self::List(true)),
            ("function", _) => (Role::Used, Self::Function),
            (_, Self::List(true)) => (Role::Declared, Self::List(false)),
            (_, Self::Function) if !is_field => (Role::Declared, Self::Function),
            (_, Self::Parameters) => (Role::Declared, Self::Parameters),
            (_, Self::Function) => (Role::Named, Self::Function),
            _ if is_field || is_assigned(rest) => (Role::Named, Self::None),
            _ => (Role::Used, Self::None),
        };
        *self = next;
        role
    }

    /// Goes over a character that is not of a word.
    fn pass(&mut self, c: char) {
        *self = match (*self, c) {
            (names, c) if c.is_whitespace() => names,
            (Self::List(false), ',') => Self::List(true),
            (Self::Function, '.' | ':') => Self::Function,
            (Self::Function, '(') | (Self::Parameters, ',' | '.') => Self::Parameters,
            _ => Self::None,
        };
    }
}

fn is_assigned(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with('=') && !rest.starts_with("==")
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The length of the string that `text` begins with, its quotes included.
fn string_len(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}
