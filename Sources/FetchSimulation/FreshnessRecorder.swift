/// Records the fetches and openings of one program under one strategy.
struct FreshnessRecorder {
    let content: SimulatedContent
    /// The minimum interval of the program in seconds.
    let minimumInterval: Int
    private(set) var figures = SimulationFigures()
    /// The times of all fetches, in order.
    private(set) var fetchTimes: [Int] = []
    private var lastSuccess: Int?
    private var knownVersion = -1

    init(content: SimulatedContent, minimumInterval: Int) {
        self.content = content
        self.minimumInterval = minimumInterval
    }

    /// Records a fetch and returns whether it succeeds, and whether it brings new content.
    mutating func fetch(at time: Int) -> (succeeds: Bool, isNew: Bool) {
        if let last = fetchTimes.last, time - last < minimumInterval { figures.earlyFetches += 1 }
        figures.fetches += 1
        fetchTimes.append(time)
        guard !content.isFailing(at: time) else {
            figures.failedFetches += 1
            return (false, false)
        }
        let version = content.version(at: time)
        let isNew = version > max(knownVersion, 0)
        if !isNew { figures.emptyFetches += 1 }
        knownVersion = version
        lastSuccess = time
        return (true, isNew)
    }

    /// Whether the program would show fresh content at a time.
    func isFresh(at time: Int) -> Bool {
        guard let lastSuccess else { return false }
        return time - lastSuccess <= minimumInterval || content.version(at: time) == knownVersion
    }

    mutating func open(at time: Int) {
        figures.openings += 1
        if isFresh(at: time) { figures.freshOpenings += 1 }
    }

    mutating func addRadioSessions(_ count: Int) { figures.radioSessions += count }

    /// Counts the fetches that come after `limit` others within 24 hours.
    mutating func countBudgetBreaches(limit: Int) {
        for index in fetchTimes.indices.dropFirst(limit)
        where fetchTimes[index] - fetchTimes[index - limit] < 86_400 { figures.budgetBreaches += 1 }
    }
}
