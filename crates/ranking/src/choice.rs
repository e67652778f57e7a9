//! Enumerations whose members have names in configuration and URLs.

use chrono::Weekday;

/// One of a few named things. What may be written is read and listed from here only.
pub trait Choice: Copy + 'static {
    /// All of them, in the order of their documentation.
    const EACH: &'static [Self];

    /// The name in configuration and URLs.
    fn name(self) -> &'static str;
}

/// Makes an enum a [`Choice`], with the same things as its own: those who name the type need not import the trait. A variant
/// without a name does not compile.
macro_rules! choice {
    ($type:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// All of them.
            pub const EACH: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name in configuration and URLs.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl $crate::choice::Choice for $type {
            const EACH: &'static [Self] = &Self::EACH;

            fn name(self) -> &'static str {
                self.name()
            }
        }
    };
}

pub(crate) use choice;

impl Choice for Weekday {
    const EACH: &'static [Self] = &[Self::Mon, Self::Tue, Self::Wed, Self::Thu, Self::Fri, Self::Sat, Self::Sun];

    fn name(self) -> &'static str {
        match self {
            Self::Mon => "monday",
            Self::Tue => "tuesday",
            Self::Wed => "wednesday",
            Self::Thu => "thursday",
            Self::Fri => "friday",
            Self::Sat => "saturday",
            Self::Sun => "sunday",
        }
    }
}
