/// A way to store the posters, or a condition of the store, that `film-reel measure` measures.
enum MeasuredStep: String, CaseIterable, Codable {
    /// The program decodes all posters before the window opens.
    case eager
    /// A cache keeps the most recently used posters.
    case cached
    /// A larger cache keeps posters whose memory the kernel may reclaim.
    case purgeable
    /// A mapped file stores the posters; the file is empty at the start.
    case mappedFirst = "mapped-first"
    /// A mapped file contains all posters, and its pages are in the kernel's page cache.
    case mappedWarm = "mapped-warm"
    /// A mapped file contains all posters, and the kernel must read its pages from the disk.
    case mappedCold = "mapped-cold"

    /// The name of the step in the table.
    var title: String {
        switch self {
        case .eager: "eager"
        case .cached: "cached"
        case .purgeable: "purgeable"
        case .mappedFirst: "mapped, first run"
        case .mappedWarm: "mapped, warm"
        case .mappedCold: "mapped, cold"
        }
    }
}
