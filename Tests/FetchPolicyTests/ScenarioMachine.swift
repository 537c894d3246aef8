@testable import FetchPolicy

/// Plays a scheduler with events at given times. Times are seconds since Monday, 1 January 2024, 0:00 local time.
struct ScenarioMachine {
    struct Start: Equatable {
        let time: Int
        let program: Int64
        let reason: FetchReason
        /// The local second of the day.
        let secondOfDay: Int
    }

    static let day = 86_400
    static let hour = 3600
    static let firstDay: Int64 = 19_723

    var scheduler = FetchScheduler(spread: 0.5)
    private(set) var now = 0
    private(set) var starts: [Start] = []
    /// The shift of the wall clock and of the time zone, in seconds.
    var wallShift = 0
    var utcOffset = 0
    /// The outcome of a fetch that starts at a time.
    var outcome: @Sendable (_ program: Int64, _ time: Int) -> FetchOutcome = { _, _ in FetchOutcome(.newData) }
    private var isAsleep = false
    private var timer: Int?
    private var ends: [(time: Int, token: Int, outcome: FetchOutcome)] = []

    var time: FetchTime {
        let wallSeconds = Self.firstDay * 86_400 + Int64(now + wallShift)
        return FetchTime(bootTime: .seconds(now), wallSeconds: wallSeconds, utcOffset: utcOffset)
    }

    init(programs: Int64 = 1, interval: FetchSettings.Interval = .minimum, declaresMode: Bool = true) {
        for id in 0..<programs {
            scheduler.add(
                FetchProgram(settings: FetchSettings(declaresMode: declaresMode, interval: interval)), id: id)
        }
    }

    /// Plays timers and ends of fetches until a time.
    mutating func advance(to limit: Int) {
        while !isAsleep, let next = (ends.map(\.time) + [timer].compactMap { $0 }).min(), next <= limit {
            now = max(now, next)
            if let end = ends.first(where: { $0.time == next }) {
                ends.removeAll { $0.token == end.token }
                send(.completed(token: end.token, end.outcome))
            } else {
                timer = nil
                send(.timer)
            }
        }
        now = max(now, limit)
    }

    /// Sends an event now.
    mutating func send(_ event: FetchScheduler.Event) {
        if event == .suspended { isAsleep = true }
        if event == .resumed { isAsleep = false }
        for action in scheduler.handle(event, at: time) {
            switch action {
            case .setTimer(let moment): timer = moment.map { max(now, Int($0.components.seconds) + 1) }
            case .start(let token, let program, let reason):
                let localSeconds = time.localSeconds
                let secondOfDay = Int(localSeconds - LocalDay(containing: localSeconds).start)
                starts.append(Start(time: now, program: program, reason: reason, secondOfDay: secondOfDay))
                let outcome = outcome(program, now)
                ends.append((now + max(1, Int(outcome.wallTime.components.seconds)), token, outcome))
            }
        }
    }

    /// Opens a program for five minutes.
    mutating func open(_ program: Int64 = 0, at time: Int) {
        advance(to: time)
        send(.foreground(program))
        advance(to: time + 300)
        send(.background(program))
    }

    /// Opens a program every day at a second of the day.
    mutating func openDaily(_ program: Int64 = 0, days: Range<Int>, at second: Int) {
        for day in days { open(program, at: day * Self.day + second) }
    }

    /// Returns the days of a range with a fetch within local seconds of the day.
    func days(_ days: Range<Int>, withFetchIn seconds: ClosedRange<Int>) -> Int {
        days.count { day in
            starts.contains { $0.time / Self.day == day && seconds.contains($0.secondOfDay) }
        }
    }

    /// The shortest time between two fetches of a program.
    func shortestInterval(of program: Int64 = 0) -> Int? {
        let times = starts.filter { $0.program == program }.map(\.time)
        return zip(times, times.dropFirst()).map { $1 - $0 }.min()
    }
}
