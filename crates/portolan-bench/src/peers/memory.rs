//! Bytes that a piece of work takes, counted by the allocator.
//!
//! [`Counting`] counts only while [`counted`] runs, so that what is timed at other times pays for
//! one look at a flag. Programs that do not install it count nothing, and every [`Need`] is zero.
//! What C code allocates (METIS does, and frees it again) is not seen.

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

use portolan::NodeId;
use portolan::search::Counter;

use crate::judge::Answered;
use crate::timing::Contestant;

/// The system's allocator, counting.
///
/// ```
/// use portolan_bench::peers::{Counting, counted};
///
/// #[global_allocator]
/// static ALLOCATOR: Counting = Counting;
///
/// let (kept, need) = counted(|| {
///     drop(vec![0_u8; 5000]);
///     vec![0_u8; 3000]
/// });
/// assert_eq!((kept.len(), need.kept, need.peak), (3000, 3000, 5000));
/// ```
pub struct Counting;

/// What a piece of work takes, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Need {
    /// Allocated by the work and not freed by it; negative where it freed what was there before.
    pub kept: isize,
    /// The most that it held at once.
    pub peak: isize,
}

/// Does the work and counts. One piece at a time: all threads are counted together.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Need) {
    HELD.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    COUNTS.store(true, Relaxed);
    let result = work();
    COUNTS.store(false, Relaxed);
    (result, Need { kept: HELD.load(Relaxed), peak: PEAK.load(Relaxed) })
}

/// A contestant whose memory is counted while its answers are checked, and that answers "no path"
/// where it panics.
pub(crate) struct Guarded<'a> {
    contestant: Box<dyn Contestant + 'a>,
    kept: isize,
    most: usize,
}

impl<'a> Guarded<'a> {
    /// Guards a contestant whose creation left so many bytes allocated.
    pub(crate) fn new(contestant: Box<dyn Contestant + 'a>, kept: isize) -> Self {
        Self { contestant, kept, most: kept.max(0) as usize }
    }

    fn guarded(&mut self, from: NodeId, to: NodeId) -> Answered {
        let find = AssertUnwindSafe(|| self.contestant.find(from, to));
        catch_unwind(find).unwrap_or(Ok(None))
    }
}

impl Contestant for Guarded<'_> {
    fn name(&self) -> &str {
        self.contestant.name()
    }

    fn exact(&self) -> bool {
        self.contestant.exact()
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Answered {
        self.guarded(from, to)
    }

    fn find_counted(&mut self, from: NodeId, to: NodeId, _: &mut Counter) -> Answered {
        let (answered, need) = counted(|| self.guarded(from, to));
        self.most = self.most.max((self.kept + need.peak).max(0) as usize);
        self.kept += need.kept;
        answered
    }

    fn path(&self) -> Vec<NodeId> {
        self.contestant.path()
    }

    fn has_costs(&self) -> bool {
        self.contestant.has_costs()
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> Option<Answered> {
        self.contestant.distance(from, to)
    }

    fn working_bytes(&self) -> usize {
        self.most
    }
}

static COUNTS: AtomicBool = AtomicBool::new(false);
static HELD: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

fn add(bytes: isize) {
    if COUNTS.load(Relaxed) {
        let held = bytes + HELD.fetch_add(bytes, Relaxed);
        PEAK.fetch_max(held, Relaxed);
    }
}

// The crates that offer this zero memory by hand and copy where the system could enlarge a block,
// which would be measured along with the peers.
//
// SAFETY: everything is passed on to the system's allocator as it came.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size as isize - layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(memory, layout) }
    }
}
