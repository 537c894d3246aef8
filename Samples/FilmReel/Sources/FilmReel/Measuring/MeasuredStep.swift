/// A step of the sample's story, which `film-reel measure` measures.
enum MeasuredStep: String, CaseIterable, Codable {
    /// All posters are decoded before the window opens.
    case eager
    /// A cache keeps posters that were used last.
    case cached
    /// A larger cache, whose posters the kernel may take.
    case purgeable
    /// Posters in a mapped file that is empty at first.
    case mappedFirst = "mapped-first"
    /// The same file after a restart, in the kernel's memory.
    case mappedWarm = "mapped-warm"
    /// The same file, which must be read from the disk.
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
