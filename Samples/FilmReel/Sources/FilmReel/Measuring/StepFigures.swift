/// The results of a measured step. Times are in seconds, sizes in bytes.
struct StepFigures: Codable {
    /// The time from the start of the process until all posters of the first page were drawn.
    var firstPageTime = 0.0
    /// The results of scrolling from the first page to the last page.
    var down = ScrollFigures()
    /// The results of scrolling back to the first page.
    var up = ScrollFigures()
    /// The time from a jump to a distant page until the page was complete, for each jump.
    var jumpTimes: [Double] = []
    /// The number of posters that the loader made, from the opening of the window to the end of scrolling.
    var madeCount = 0
    /// The largest size of the dirty memory, see ``ProcessFigures/dirty``; nil if the kernel did not report it.
    var peakDirtyMemory: Int?
    /// The part of the dirty memory at the end that the kernel may reclaim at any time; nil if the kernel did not
    /// report it.
    var lazilyFreed: Int?
    /// The size of the mapped pages of files at the end; nil if the kernel did not report it.
    var mappedSize: Int?
    /// The number of times that the main thread waited for a page from the disk during the jumps and while the wall
    /// scrolled.
    var majorFaultCount = 0
    /// The share of the store's file that was in the page cache at the start, 0 to 1; nil for steps without a store.
    var residentShare: Double?
}
