//! What bounds clients of a site, and the site itself.

/// What one client may ask of a site in a minute; 0: as much as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Beacons and pixels, by what their events cost.
    pub beacons: u32,
    /// Reads that no cache answers, by what they cost.
    pub misses: u32,
}

impl Limits {
    /// Those that the bindings of the shipped wrangler.toml have.
    pub const DEFAULT: Self = Self { beacons: 120, misses: 300 };
    /// The highest.
    pub const MAX: u32 = 100_000;
}

/// Members that are on no board yet, and that the browsers of one visitor or of one address may put on each in an hour; 0: any number. Wider
/// networks of IPv6 may put more, see [`VisitorKey::fingerprint`](super::visitor::VisitorKey::fingerprint).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewMembers {
    pub visitor: u32,
    pub address: u32,
}

impl NewMembers {
    /// A reader hardly opens a hundred pages in an hour that nobody opened before, nor does an office a thousand.
    pub const DEFAULT: Self = Self { visitor: 100, address: 1000 };
    /// The highest.
    pub const MAX: u32 = 1_000_000;

    pub fn is_bounded(self) -> bool {
        self.visitor > 0 || self.address > 0
    }
}

/// What a site may have and use that was made while the deployment runs; `None`: as much as it likes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quota {
    /// Boards, those that were made of templates included.
    pub boards: Option<u32>,
    /// Members: of each board those of its fullest window, added up.
    pub members: Option<u32>,
    /// Commands of Redis that its events and readers cause in a calendar month of UTC, as they are estimated.
    pub commands_per_month: Option<u32>,
}

impl Quota {
    pub fn is_bounded(self) -> bool {
        self != Self::default()
    }
}
