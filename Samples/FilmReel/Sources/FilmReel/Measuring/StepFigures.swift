/// The figures of a measured step. Times are seconds, sizes are bytes.
struct StepFigures: Codable {
    /// The time from the start of the process to the complete first page.
    var firstPage = 0.0
    /// The figures of the way from the first page to the last one.
    var down = ScrollFigures()
    /// The figures of the way back.
    var up = ScrollFigures()
    /// The time from a jump to a distant page until the page was complete, for each jump.
    var restingPages: [Double] = []
    /// The number of posters that were made.
    var made = 0
    /// The largest dirty memory.
    var peakDirty = 0
    /// The part of ``peakDirty`` that the kernel may take at any time.
    var lazilyFreed = 0
    /// The pages of files in the process at the end.
    var mapped = 0
    /// How often the main thread waited for a page from the disk while the wall moved.
    var majorFaults = 0
    /// The share of the store's file that was in the kernel's memory at the start; nil for other steps.
    var residentShare: Double?
}
