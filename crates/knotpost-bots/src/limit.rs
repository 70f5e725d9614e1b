//! The end of a search.

/// A number of nodes or play-outs, and a function of the caller that says when time is up.
pub(crate) struct Limit<'a> {
    most: u64,
    used: u64,
    stop: &'a mut dyn FnMut() -> bool,
    cut: bool,
}

/// Nodes that pass between two looks at the clock.
const STRIDE: u64 = 64;

impl<'a> Limit<'a> {
    pub(crate) fn new(most: u64, stop: &'a mut dyn FnMut() -> bool) -> Self {
        Self { most, used: 0, stop, cut: false }
    }

    /// Counts a node, or as many as a costlier step stands for; `false` when the search is to end.
    pub(crate) fn spend(&mut self, nodes: u64) -> bool {
        if self.cut || self.used >= self.most {
            return false;
        }
        let before = self.used / STRIDE;
        self.used += nodes;
        if self.used / STRIDE != before && (self.stop)() {
            self.cut = true;
        }
        !self.cut
    }

    /// Nodes counted so far.
    pub(crate) const fn used(&self) -> u64 {
        self.used
    }

    /// True if time ended the search, so that its result cannot be repeated.
    pub(crate) const fn is_cut(&self) -> bool {
        self.cut
    }
}
