/// A kind of person whose year is simulated.
package enum SimulatedPerson: String, CaseIterable, Sendable {
    /// Opens programs in the morning, at noon and in the evening of working days, and late on weekends.
    case office
    /// Opens programs in the afternoon and around midnight.
    case nightOwl
    /// Works early for four days and is free for two.
    case shifts
    /// Opens programs at any time of the day.
    case irregular
    /// As `office`, with two holidays of two weeks without the machine.
    case holiday
    /// Opens programs at 13:00, and from one day on at 19:00.
    case movedHabit
    /// As `office`, and lives three weeks in a zone eight hours behind.
    case traveller
    /// As `office`, with a laptop that is asleep for sixteen hours a day.
    case laptop

    /// The day on which the habit of ``movedHabit`` moves.
    package static let moveDay = 120
    static let travelDays = 150..<171
    static let holidays = [100..<114, 200..<214]
    /// The days with summer time.
    static let summerDays = 87..<298

    /// A time of the day at which a program is opened.
    struct Habit {
        /// The local time in minutes of the day.
        let minute: Double
        /// The standard deviation in minutes.
        let deviation: Double
        let probability: Double
    }

    /// Returns the difference of local time to UTC in seconds.
    func utcOffset(day: Int) -> Int {
        let summerOffset = Self.summerDays.contains(day) ? 3600 : 0
        return 3600 + summerOffset - (self == .traveller && Self.travelDays.contains(day) ? 8 * 3600 : 0)
    }

    /// Whether the machine is not used on a day.
    func isAway(day: Int) -> Bool { self == .holiday && Self.holidays.contains { $0.contains(day) } }

    /// The local minutes of the day in which the machine is awake.
    var awakeMinutes: [Range<Int>] { self == .laptop ? [480..<720, 1050..<1290] : [0..<1440] }

    /// The local minutes of the day in which the person may use the machine.
    var usedMinutes: [Range<Int>] {
        switch self {
        case .nightOwl: [0..<180, 780..<1440]
        case .shifts: [300..<1380]
        case .laptop: awakeMinutes
        default: [420..<1410]
        }
    }

    /// Returns the habits of a day; a program follows some of them.
    func habits(day: Int, isWeekend: Bool) -> [Habit] {
        switch self {
        case .office, .holiday, .traveller, .laptop:
            isWeekend
                ? [
                    Habit(minute: 600, deviation: 50, probability: 0.7),
                    Habit(minute: 1110, deviation: 60, probability: 0.5),
                    Habit(minute: 1230, deviation: 40, probability: 0.5),
                ]
                : [
                    Habit(minute: 500, deviation: 12, probability: 0.95),
                    Habit(minute: 690, deviation: 15, probability: 0.8),
                    Habit(minute: 1120, deviation: 25, probability: 0.9),
                ]
        case .nightOwl:
            [
                Habit(minute: 870, deviation: 25, probability: 0.9),
                Habit(minute: 1400, deviation: 30, probability: 0.9),
                Habit(minute: 90, deviation: 30, probability: 0.8),
            ]
        case .shifts:
            day % 6 < 4
                ? [
                    Habit(minute: 330, deviation: 8, probability: 0.95),
                    Habit(minute: 880, deviation: 20, probability: 0.9),
                    Habit(minute: 1200, deviation: 30, probability: 0.6),
                ]
                : [
                    Habit(minute: 630, deviation: 45, probability: 0.8),
                    Habit(minute: 960, deviation: 60, probability: 0.4),
                    Habit(minute: 1230, deviation: 45, probability: 0.8),
                ]
        case .movedHabit:
            [Habit(minute: day < Self.moveDay ? 780 : 1140, deviation: 10, probability: 0.95)]
        case .irregular: []
        }
    }
}
