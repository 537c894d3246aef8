/// The times of one person with one machine. All times are seconds since the start of the simulation.
struct SimulatedLife: Sendable {
    /// What happens at a time.
    enum Event: Hashable, Sendable {
        /// A program comes to the foreground, or leaves it.
        case open(Int)
        case close(Int)
        case sleep, wake
        /// The person begins or ends to use the machine.
        case use, leave
        /// The time zone or the summer time changes.
        case zone
    }

    /// The local time at which a simulation starts: Monday, 1 January 2024, 0:00.
    static let firstDay = 19_723
    static let openingDuration = 300

    let person: SimulatedPerson
    let dayCount: Int
    /// The openings of each program, in order.
    private(set) var openings: [[Int]] = []
    /// All events, in order.
    private(set) var events: [(time: Int, event: Event)] = []
    /// The periods in which the machine is awake, in order.
    private(set) var awakePeriods: [Range<Int>] = []
    /// The time and the offset to UTC of each change of the zone.
    private var zones: [(time: Int, offset: Int)] = []

    init(person: SimulatedPerson, programCount: Int, dayCount: Int, random: inout SimulationRandom) {
        self.person = person
        self.dayCount = dayCount
        zones = [(0, person.utcOffset(day: 0))]
        for day in 1..<max(dayCount, 2) where person.utcOffset(day: day) != person.utcOffset(day: day - 1) {
            let time = day * 86_400 - person.utcOffset(day: day - 1) + zones[0].offset + 3 * 3600
            zones.append((time, person.utcOffset(day: day)))
            events.append((time, .zone))
        }
        addMachine()
        for program in 0..<programCount { addOpenings(of: program, random: &random) }
        events.sort { $0.time < $1.time }
    }

    /// Returns the offset to UTC in seconds at a time.
    func utcOffset(at time: Int) -> Int { zones.last { $0.time <= time }?.offset ?? zones[0].offset }

    /// The wall-clock time in seconds since 1970 of a time.
    func wallSeconds(at time: Int) -> Int64 { Int64(Self.firstDay * 86_400 - zones[0].offset + time) }

    /// Returns the time of a local minute of a day.
    private func time(day: Int, minute: Double) -> Int {
        day * 86_400 + Int(minute * 60) - person.utcOffset(day: day) + zones[0].offset
    }

    private mutating func addMachine() {
        for day in 0..<dayCount {
            let isAway = person.isAway(day: day)
            for minutes in person.awakeMinutes {
                let period =
                    time(
                        day: day, minute: Double(minutes.lowerBound))..<max(
                        time(day: day, minute: Double(minutes.lowerBound)),
                        time(day: day, minute: Double(minutes.upperBound)))
                if let last = awakePeriods.last, last.upperBound >= period.lowerBound {
                    awakePeriods[awakePeriods.count - 1] = last.lowerBound..<max(last.upperBound, period.upperBound)
                } else {
                    awakePeriods.append(period)
                }
            }
            for minutes in person.usedMinutes where !isAway {
                events.append((time(day: day, minute: Double(minutes.lowerBound)), .use))
                events.append((time(day: day, minute: Double(minutes.upperBound)) - 1, .leave))
            }
        }
        for period in awakePeriods {
            events.append((period.lowerBound, .wake))
            events.append((period.upperBound, .sleep))
        }
    }

    private mutating func addOpenings(of program: Int, random: inout SimulationRandom) {
        var times: [Int] = []
        // The first program follows all habits; the others follow each with a chance.
        let followed = (0..<3).map { _ in program == 0 || random.happens(0.6) }
        let habits = followed.contains(true) && person != .movedHabit ? followed : [true, false, false]
        let rate = Double.random(in: 2...8, using: &random)
        for day in 0..<dayCount where !person.isAway(day: day) {
            if person == .irregular {
                let period = time(day: day, minute: 480)..<time(day: day, minute: 1400)
                times += random.times(in: period, perDay: rate * 24 / 15.3)
                continue
            }
            let isWeekend = (Self.firstDay + day + 3) % 7 >= 5
            for (index, habit) in person.habits(day: day, isWeekend: isWeekend).enumerated()
            where habits[index] && random.happens(habit.probability) {
                times.append(time(day: day, minute: habit.minute + habit.deviation * random.normal()))
            }
            // Sometimes a program is opened without a habit.
            if random.happens(0.15) {
                times.append(time(day: day, minute: Double.random(in: 480...1380, using: &random)))
            }
        }
        times = times.filter { time in time >= 0 && awakePeriods.contains { $0.contains(time) } }.sorted()
        // An opening shortly after another one is not counted as one.
        openings.append(
            times.reduce(into: []) { kept, time in
                if time - (kept.last ?? -3600) >= 1200 + Self.openingDuration { kept.append(time) }
            })
        for time in openings[program] {
            events.append((time, .open(program)))
            events.append((time + Self.openingDuration, .close(program)))
        }
    }
}
