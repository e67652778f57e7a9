//! A Lua file as lines: its comments, and its code.

/// A file's text.
#[derive(Debug)]
pub struct Text<'t> {
    /// The comments that begin a line, without their `--`.
    pub comments: Vec<&'t str>,
    /// The code without comments, blank lines and indentation.
    pub code: Vec<Line<'t>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Line<'t> {
    pub text: &'t str,
    /// It is not indented, so it begins or ends a statement of the file itself.
    pub is_outermost: bool,
}

impl Text<'_> {
    /// The names that the comments with a tag list, with commas between them.
    pub fn names(&self, tag: &str) -> Vec<String> {
        let lists = self.comments.iter().filter_map(|comment| comment.trim().strip_prefix(tag));
        lists.flat_map(|list| list.split(',')).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    }

    /// All lines of code as one text.
    pub fn body(&self) -> String {
        self.code.iter().flat_map(|line| [line.text, "\n"]).collect()
    }

    /// The statements of the file itself, each with its line ends.
    pub fn statements(&self) -> Vec<String> {
        let goes_on = |text: &str| {
            !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || GO_ON.iter().any(|word| starts_with_word(text, word))
        };
        let mut statements: Vec<String> = Vec::new();
        for line in &self.code {
            match statements.last_mut() {
                Some(last) if !line.is_outermost || goes_on(line.text) => last.extend([line.text, "\n"]),
                _ => statements.push(format!("{}\n", line.text)),
            }
        }
        statements
    }
}

/// Reads the file `name`.
///
/// # Errors
/// One line that names the file and what is wrong with it.
pub fn read<'t>(name: &str, text: &'t str) -> Result<Text<'t>, String> {
    if !text.starts_with(&format!("-- {name}: ")) {
        return Err(format!("{name}: the first line must begin \"-- {name}: \""));
    }
    let mut read = Text { comments: Vec::new(), code: Vec::new() };
    for line in text.lines() {
        let code = line.trim();
        if let Some(comment) = line.strip_prefix("--") {
            read.comments.push(comment);
        } else if !code.is_empty() && !code.starts_with("--") {
            if line.contains("[[") || line.contains("[=") || line.ends_with('\\') {
                return Err(format!("{name}: a string goes over several lines, whose indentation would be lost"));
            }
            read.code.push(Line { text: code, is_outermost: !line.starts_with(char::is_whitespace) });
        }
    }
    Ok(read)
}

/// Words that begin no statement.
const GO_ON: [&str; 4] = ["end", "else", "elseif", "until"];

fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// Code without the spaces that only readers need, so that a bundle is smaller. Strings stay as they are, and so do spaces beside a
/// minus or a dot: two of them mean something else.
pub fn squeeze(code: &str) -> String {
    const NEEDS_NONE: &str = "=<>~,+*/%{}()\n";
    let mut out = String::with_capacity(code.len());
    let (mut quote, mut is_escaped) = (None, false);
    let mut remaining = code.chars().peekable();
    while let Some(c) = remaining.next() {
        match quote {
            Some(open) => {
                if c == open && !is_escaped {
                    quote = None;
                }
                is_escaped = c == '\\' && !is_escaped;
            }
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == ' ' => {
                let beside = |other: Option<char>| other.is_some_and(|other| NEEDS_NONE.contains(other));
                if beside(out.chars().next_back()) || beside(remaining.peek().copied()) {
                    continue;
                }
            }
            None => {}
        }
        out.push(c);
    }
    out
}
