/// What is known about the times at which a person opens one program. It contains no titles and no addresses.
package struct UsageHistory: Hashable, Sendable {
    /// The openings of one day.
    package struct Day: Hashable, Sendable {
        package let day: LocalDay
        /// The quarter hours with an opening.
        package fileprivate(set) var slots: Set<Int>

        package init(day: LocalDay, slots: Set<Int> = []) {
            self.day = day
            self.slots = slots
        }
    }

    /// The number of days whose openings are kept one by one.
    package static let recentDayLimit = 21
    /// The openings within ``recentDayLimit`` days that a peak needs.
    package static let leastOpenings = 3
    /// The days of one kind from which on weekdays and weekends are told apart.
    static let leastDays = 3.0
    /// A peak is dormant if so many days without an opening had at most this chance.
    static let dormantChance = 0.05
    static let leastMissedDays = 2

    package private(set) var weekdays = UsageHistogram()
    package private(set) var weekends = UsageHistogram()
    /// The newest days on which the machine was used, oldest first.
    package private(set) var recentDays: [Day] = []
    /// The peaks of weekdays and weekends, computed when a day or an opening is recorded.
    private var weekdayPeaks: [UsagePeak] = []
    private var weekendPeaks: [UsagePeak] = []
    /// For each quarter hour, the expected openings in the hour that begins with it.
    private var weekdayHourChances = [Double](repeating: 0, count: FetchTime.slotsPerDay)
    private var weekendHourChances = [Double](repeating: 0, count: FetchTime.slotsPerDay)

    package init() {}

    /// Creates a stored history.
    package init(weekdays: UsageHistogram, weekends: UsageHistogram, recentDays: [Day]) {
        self.weekdays = weekdays
        self.weekends = weekends
        self.recentDays = recentDays.sorted { $0.day < $1.day }.suffix(Self.recentDayLimit)
        refresh()
    }

    /// The number of openings on the recent days.
    package var recentOpeningCount: Int { recentDays.reduce(0) { $0 + $1.slots.count } }

    /// Whether too few openings are known to predict any.
    package var isTooShort: Bool { recentOpeningCount < Self.leastOpenings }

    /// Records that the machine is used at a time. Days without use say nothing about habits.
    package mutating func handleUse(at time: FetchTime) {
        if begin(time.day) { refresh() }
    }

    /// Records that the program was opened.
    package mutating func handleOpening(at time: FetchTime) {
        _ = begin(time.day)
        guard let index = recentDays.lastIndex(where: { $0.day == time.day }),
            recentDays[index].slots.insert(time.slot).inserted
        else { return refresh() }
        if time.day.isWeekend {
            weekends.addOpening(slot: time.slot)
        } else {
            weekdays.addOpening(slot: time.slot)
        }
        refresh()
    }

    /// Returns the peaks of a day that are likely to come.
    package func peaks(on day: LocalDay) -> [UsagePeak] { day.isWeekend ? weekendPeaks : weekdayPeaks }

    /// Returns the expected number of openings in the hour from a quarter hour on.
    package func hourChance(on day: LocalDay, slot: Int) -> Double {
        (day.isWeekend ? weekendHourChances : weekdayHourChances)[slot]
    }

    /// Begins a day, and returns whether it is a new one. A day before the last one means that the clock was set: later
    /// days are forgotten.
    private mutating func begin(_ day: LocalDay) -> Bool {
        if recentDays.last?.day == day { return false }
        if let last = recentDays.last?.day, last < day {
            let days = day.number - last.number
            weekdays.decay(days: days)
            weekends.decay(days: days)
        }
        recentDays.removeAll { $0.day >= day || $0.day.number <= day.number - Self.recentDayLimit }
        recentDays.append(Day(day: day))
        if day.isWeekend { weekends.addDay() } else { weekdays.addDay() }
        return true
    }

    /// Computes the peaks and chances anew.
    private mutating func refresh() {
        (weekdayPeaks, weekdayHourChances) = prediction(isWeekend: false)
        (weekendPeaks, weekendHourChances) = prediction(isWeekend: true)
    }

    private func prediction(isWeekend: Bool) -> (peaks: [UsagePeak], hourChances: [Double]) {
        let own = isWeekend ? weekends : weekdays
        let isShared = own.dayWeight < Self.leastDays
        let histogram = isShared ? weekdays + weekends : own
        let other = isWeekend ? weekdays : weekends
        var chances = histogram.chances
        var likelyPeaks: [UsagePeak] = []
        for peak in histogram.peaks {
            // A habit of all days is judged by all days, so that it is forgotten as fast on weekends.
            let isCommon = isShared || other.chance(of: peak) >= peak.chance / 2
            let days = recentDays.filter { isCommon || $0.day.isWeekend == isWeekend }
            if isDormant(peak, days: days) {
                for slot in peak.slots { chances[slot] = 0 }
            } else if hasEnoughOpenings(peak, days: days) {
                likelyPeaks.append(peak)
            }
        }
        let hourChances = (0..<FetchTime.slotsPerDay).map { slot in
            (0..<4).reduce(0) { $0 + chances[(slot + $1) % FetchTime.slotsPerDay] }
        }
        return (likelyPeaks, hourChances)
    }

    private func hasEnoughOpenings(_ peak: UsagePeak, days: [Day]) -> Bool {
        let slots = Set(peak.slots)
        return days.reduce(0) { $0 + $1.slots.count { slots.contains($0) } } >= Self.leastOpenings
    }

    /// Whether a peak was missed so often in a row that the habit must have changed. The last day is not over and
    /// counts only if it has an opening.
    private func isDormant(_ peak: UsagePeak, days: [Day]) -> Bool {
        let slots = Set(peak.slots)
        let lastDay = recentDays.last?.day
        let wasOpened = days.filter { $0.day != lastDay || !$0.slots.isDisjoint(with: slots) }
            .map { !$0.slots.isDisjoint(with: slots) }
        guard let lastOpening = wasOpened.lastIndex(of: true) else { return wasOpened.count >= Self.leastMissedDays }
        let missedDays = wasOpened.count - 1 - lastOpening
        let chance = Double(wasOpened.count { $0 }) / Double(lastOpening + 2)
        let missChance = (0..<missedDays).reduce(1.0) { product, _ in product * (1 - chance) }
        return missedDays >= Self.leastMissedDays && missChance <= Self.dormantChance
    }
}
