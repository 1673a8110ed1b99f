//! The registration of parts. Each part is a module with one type for its state and one implementation of the trait of
//! its kind. One line of [`choice!`] registers it; scenario files, schema, lists, the tables of the docs, the swarm and
//! the conformance suite get its name from there.

use crate::units::Segments;

/// Generates the code that has a line for each part: the enum, the names, the descriptions, and the calls of the
/// module.
macro_rules! choice {
    (
        $(#[$about:meta])*
        $choice:ident of $part:ident $parts:tt
        $($(#[$says_about:meta])* $visible:vis fn $says:ident -> $what:ty = $constant:ident;)*
    ) => {
        choice! { @names $(#[$about])* $choice $parts }

        impl $choice {
            $(
                $(#[$says_about])*
                $visible const fn $says(self) -> $what {
                    choice!(@says self $choice $part $constant $parts)
                }
            )*
        }
    };
    (@names $(#[$about:meta])* $choice:ident { $($(#[doc = $doc:literal])+ $name:literal $variant:ident: $module:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $choice {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $choice {
            /// What users write for each choice.
            pub const NAMES: &'static [(&'static str, $choice)] = &[$(($name, $choice::$variant),)+];

            /// What each does, in the order of the names: one sentence or two, with the source.
            pub const SUMMARIES: &'static [&'static str] = &[$(concat!($($doc),+).trim_ascii(),)+];
        }
    };
    (@says $self:ident $choice:ident $part:ident $constant:ident { $($(#[doc = $doc:literal])+ $name:literal $variant:ident: $module:ident,)+ }) => {
        match $self {
            $($choice::$variant => <$module::$variant as $part>::$constant,)+
        }
    };
}

pub(crate) use choice;

/// Whether a part's code is compiled in. The kernel's copy leaves out the parts that it does not carry, as the verifier
/// examines every path.
pub(crate) const fn is_there(is_carried: bool) -> bool {
    is_carried || !cfg!(vegas_kernel)
}

/// The state as if it had just been read. The kernel's verifier follows each way through a function on its own as long
/// as values tell the ways apart; what is read from the state after this is known on none, so that they meet again.
#[inline(always)]
pub(crate) fn anew<T>(state: &mut T) -> &mut T {
    if cfg!(vegas_kernel) { core::hint::black_box(state) } else { state }
}

/// What a slow start may do at an acknowledgement; the conformance suite checks it. The default is Reno's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowStartPromise {
    /// One acknowledgement adds what it acknowledges and no more than this, or one segment (RFC 5681, section 3.1).
    pub most_added: Segments,
    /// Segments added for each one that counts.
    pub times: u32,
    /// The window that it may jump to.
    pub leap: Leap,
    /// It takes back more than a segment and more than an eighth at once.
    pub steps_down: bool,
    /// It lowers or raises the threshold while it lasts.
    pub moves_threshold: bool,
    /// A test of its own ends it, other than one of the backlog.
    pub ends_itself: bool,
    /// Its first cut leaves more than the composition's cut, and its recovery takes more away.
    pub drains: bool,
}

/// The window that a slow start may jump to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leap {
    /// None.
    Nowhere,
    /// Twice the window, which it paces out.
    Twice,
    /// Half the threshold.
    HalfThreshold,
    /// The initial window, where it began with less.
    InitialWindow,
}

impl SlowStartPromise {
    /// Reno's.
    pub(crate) const RENO: SlowStartPromise = SlowStartPromise {
        most_added: Segments(1),
        times: 1,
        leap: Leap::Nowhere,
        steps_down: false,
        moves_threshold: false,
        ends_itself: false,
        drains: false,
    };
}

/// What a congestion avoidance may do at an acknowledgement; the conformance suite checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AvoidancePromise {
    /// It takes back more than a segment and more than an eighth at once.
    pub steps_down: bool,
    /// It adds up to half of the window at once.
    pub steps_up: bool,
    /// It sets the window to whole segments.
    pub whole_segments: bool,
    /// It lowers or raises the threshold.
    pub moves_threshold: bool,
}

impl AvoidancePromise {
    /// Reno's.
    pub(crate) const RENO: AvoidancePromise =
        AvoidancePromise { steps_down: false, steps_up: false, whole_segments: false, moves_threshold: false };
}

/// The slow-start threshold after a timeout, as a share of the window; 2 segments at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// A fraction of 1024.
    Of1024(u64),
    /// The threshold before, or a segment less than the window.
    OneLessOrThreshold,
}
