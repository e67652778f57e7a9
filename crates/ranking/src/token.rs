//! Tokens: what proves that a request comes from a site's server or from its owners.

use hmac_sha256::Hash;
use subtle::{Choice, ConstantTimeEq};

use super::name::Name;
use super::visitor::VisitorKey;

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// What the site's servers do.
    Write,
    /// What its owners do.
    Admin,
    /// To read its metrics, and nothing else.
    Metrics,
    /// To sign the tokens of its actors, see [`super::actor_token`].
    Sign,
}

impl Right {
    pub const EACH: [Self; 4] = [Self::Write, Self::Admin, Self::Metrics, Self::Sign];

    /// The variable that holds the tokens for all sites.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Write => "WRITE_TOKEN",
            Self::Admin => "ADMIN_TOKEN",
            Self::Metrics => "METRICS_TOKEN",
            Self::Sign => "ACTOR_SECRET",
        }
    }

    /// The variable that holds the tokens for one site: `WRITE_TOKEN_MY_SHOP` for `my-shop`. Names of sites have no capitals and no
    /// `_`, so no two sites share one.
    pub fn variable_of(self, site: &Name) -> String {
        format!("{}_{}", self.variable(), site.as_str().to_ascii_uppercase().replace('-', "_"))
    }
}

#[derive(Clone)]
struct Token {
    right: Right,
    /// `None`: of every site.
    site: Option<Name>,
    secret: Secret,
}

/// What is known of a token.
#[derive(Clone)]
enum Secret {
    Text(String),
    /// Its SHA-256. It was made of random bytes, so nobody finds it by trying.
    Digest([u8; 32]),
}

impl Token {
    fn is(&self, given: &str) -> Choice {
        match &self.secret {
            Secret::Text(text) => text.as_bytes().ct_eq(given.as_bytes()),
            Secret::Digest(digest) => digest.ct_eq(&digest_of(given)),
        }
    }

    fn text(&self) -> Option<&str> {
        if let Secret::Text(text) = &self.secret { Some(text) } else { None }
    }

    fn is_short(&self) -> bool {
        self.text().is_some_and(|text| text.len() < LONG)
    }

    fn variable(&self) -> String {
        self.site.as_ref().map_or_else(|| self.right.variable().into(), |site| self.right.variable_of(site))
    }
}

/// Characters of a token or secret that nobody finds by trying, at least: of random letters as base64 has them, 2^96 are possible.
pub const LONG: usize = 16;

/// What is kept of a token that is shown once.
pub fn digest_of(token: &str) -> [u8; 32] {
    Hash::hash(token.as_bytes())
}

/// The tokens of a deployment, and what visitors are keyed with. Not `Debug`, since they are secrets.
#[derive(Clone, Default)]
pub struct Tokens {
    tokens: Vec<Token>,
    /// `None`: visitors are not told apart.
    pub visitors: Option<VisitorKey>,
}

impl Tokens {
    /// The bearer of this text has the right, on one site or on all.
    pub fn grant(&mut self, right: Right, site: Option<&Name>, text: &str) {
        self.tokens.push(Token { right, site: site.cloned(), secret: Secret::Text(text.into()) });
    }

    /// The bearer of the text with this digest has the right on a site.
    pub fn grant_digest(&mut self, right: Right, site: &Name, digest: [u8; 32]) {
        self.tokens.push(Token { right, site: Some(site.clone()), secret: Secret::Digest(digest) });
    }

    /// Whether anybody can have the right on a site.
    pub fn any(&self, right: Right, site: &Name) -> bool {
        self.giving(right, site).next().is_some()
    }

    /// Whether a token gives the right on a site, compared in a time that does not tell how much of it was right, or of which.
    pub fn allow(&self, right: Right, site: &Name, given: &str) -> bool {
        self.giving(right, site).fold(Choice::from(0), |found, token| found | token.is(given)).into()
    }

    /// Whether no token that gives the right on a site can be found by trying.
    pub fn are_long(&self, right: Right, site: &Name) -> bool {
        !self.giving(right, site).any(Token::is_short)
    }

    /// The variables that have a token which can be found by trying, each once.
    pub fn short(&self) -> Vec<String> {
        self.short_where(|_| true)
    }

    /// Those of them that hold a token of a site.
    pub fn short_of(&self, site: &Name) -> Vec<String> {
        self.short_where(|token| token.site.as_ref().is_none_or(|of| of == site))
    }

    fn short_where(&self, is_asked: impl Fn(&Token) -> bool) -> Vec<String> {
        let is_short = |token: &&Token| token.is_short() && is_asked(token);
        let mut names: Vec<String> = self.tokens.iter().filter(is_short).map(Token::variable).collect();
        names.dedup();
        names
    }

    /// Whether a token gives the right on every site.
    pub fn allow_all(&self, right: Right, given: &str) -> bool {
        let gives = |token: &Token| token.right == right && token.site.is_none();
        self.tokens.iter().filter(|token| gives(token)).fold(Choice::from(0), |found, token| found | token.is(given)).into()
    }

    /// Whether a token gives any right on any site.
    pub fn knows(&self, given: &str) -> bool {
        self.tokens.iter().fold(Choice::from(0), |found, token| found | token.is(given)).into()
    }

    /// The texts that give the right on a site.
    pub(super) fn of(&self, right: Right, site: &Name) -> impl Iterator<Item = &str> {
        self.giving(right, site).filter_map(Token::text)
    }

    fn giving(&self, right: Right, site: &Name) -> impl Iterator<Item = &Token> {
        let gives = move |token: &&Token| token.right == right && token.site.as_ref().is_none_or(|of| of == site);
        self.tokens.iter().filter(gives)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_open_their_site_and_no_other() {
        let [shop, my_shop] = ["shop", "my-shop"].map(|name| Name::new(name).expect("a name"));
        let mut tokens = Tokens::default();
        tokens.grant(Right::Write, Some(&my_shop), "mine");
        tokens.grant(Right::Admin, None, "all");
        for (right, site, given, expected) in [
            (Right::Write, &my_shop, "mine", true),
            (Right::Write, &my_shop, "min", false),
            (Right::Write, &my_shop, "all", false),
            (Right::Write, &shop, "mine", false),
            (Right::Admin, &my_shop, "all", true),
            (Right::Admin, &shop, "all", true),
            (Right::Admin, &shop, "mine", false),
            (Right::Admin, &shop, "", false),
        ] {
            assert_eq!(tokens.allow(right, site, given), expected, "{right:?} {site} {given}");
        }
        assert_eq!((tokens.allow_all(Right::Admin, "all"), tokens.allow_all(Right::Write, "mine")), (true, false));
        assert_eq!((tokens.knows("mine"), tokens.knows("all"), tokens.knows("al")), (true, true, false));
        assert_eq!((tokens.any(Right::Write, &shop), tokens.any(Right::Write, &my_shop)), (false, true));
        assert_eq!(Right::Write.variable_of(&my_shop), "WRITE_TOKEN_MY_SHOP");
    }

    #[test]
    fn a_token_is_known_by_its_digest() {
        let [shop, blog] = ["shop", "blog"].map(|name| Name::new(name).expect("a name"));
        let mut tokens = Tokens::default();
        tokens.grant_digest(Right::Write, &shop, digest_of("one"));
        for (right, site, given, expected) in [
            (Right::Write, &shop, "one", true),
            (Right::Write, &shop, "two", false),
            (Right::Write, &blog, "one", false),
            (Right::Admin, &shop, "one", false),
        ] {
            assert_eq!(tokens.allow(right, site, given), expected, "{right:?} {site} {given}");
        }
        assert_eq!((tokens.allow_all(Right::Write, "one"), tokens.knows("one")), (false, true));
        assert_eq!((tokens.any(Right::Write, &shop), tokens.are_long(Right::Write, &shop), tokens.short()), (true, true, Vec::new()));
    }

    #[test]
    fn short_tokens_are_named_by_their_variables() {
        let [shop, blog] = ["shop", "blog"].map(|name| Name::new(name).expect("a name"));
        let mut tokens = Tokens::default();
        tokens.grant(Right::Write, None, "sixteen-letters.");
        tokens.grant(Right::Write, Some(&shop), "fifteen-letters");
        tokens.grant(Right::Write, Some(&shop), "short");
        tokens.grant(Right::Admin, None, "short");
        assert_eq!(tokens.short(), ["WRITE_TOKEN_SHOP", "ADMIN_TOKEN"]);
        assert_eq!(tokens.short_of(&shop), ["WRITE_TOKEN_SHOP", "ADMIN_TOKEN"]);
        assert_eq!(tokens.short_of(&blog), ["ADMIN_TOKEN"]);
        let are_long = [(Right::Write, &blog), (Right::Write, &shop), (Right::Admin, &blog)];
        assert_eq!(are_long.map(|(right, site)| tokens.are_long(right, site)), [true, false, false]);
    }
}
