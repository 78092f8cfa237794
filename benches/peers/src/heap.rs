//! How much of the heap is in use, allocations of C libraries included.

#[repr(C)]
#[derive(Default)]
struct Mallinfo2 {
    arena: usize,
    ordblks: usize,
    smblks: usize,
    hblks: usize,
    hblkhd: usize,
    usmblks: usize,
    fsmblks: usize,
    uordblks: usize,
    fordblks: usize,
    keepcost: usize,
}

unsafe extern "C" {
    fn mallinfo2() -> Mallinfo2;
}

/// Bytes in use, as the allocator of the GNU C library counts them.
pub fn in_use() -> usize {
    // The call takes nothing and returns a plain structure; it is in glibc since 2.33.
    let info = unsafe { mallinfo2() };
    info.uordblks + info.hblkhd
}
