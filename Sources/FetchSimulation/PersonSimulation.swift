import FetchPolicy

/// Plays the scheduler over the life of one person.
struct PersonSimulation {
    private let life: SimulatedLife
    private(set) var recorders: [FreshnessRecorder]
    /// The fetches before a peak: time and target of each, for each program.
    private(set) var peakFetches: [[(time: Int, target: Int64)]]
    private var scheduler: FetchScheduler
    private var random: SimulationRandom
    private var timer: Int?
    /// The ends of the running fetches.
    private var ends: [(time: Int, token: Int, outcome: FetchOutcome)] = []
    private var lastActivity = Int.min / 2
    private var isAsleep = false

    init(life: SimulatedLife, contents: [SimulatedContent], minimumIntervals: [Int], random: SimulationRandom) {
        self.life = life
        self.random = random
        recorders = zip(contents, minimumIntervals).map { FreshnessRecorder(content: $0, minimumInterval: $1) }
        peakFetches = contents.map { _ in [] }
        scheduler = FetchScheduler(spread: Double.random(in: 0..<1, using: &self.random))
        for (index, interval) in minimumIntervals.enumerated() {
            let settings = FetchSettings(declaresMode: true, interval: .atLeast(.seconds(interval)))
            scheduler.add(FetchProgram(settings: settings), id: Int64(index))
        }
    }

    /// Plays the whole life.
    mutating func run() {
        for (time, event) in life.events {
            playFetches(until: time)
            switch event {
            case .open(let program):
                recorders[program].open(at: time)
                handle(.foreground(Int64(program)), at: time)
            case .close(let program): handle(.background(Int64(program)), at: time)
            case .sleep:
                isAsleep = true
                handle(.suspended, at: time)
            case .wake:
                isAsleep = false
                handle(.resumed, at: time)
            case .use: handle(.machineUse(true), at: time)
            case .leave: handle(.machineUse(false), at: time)
            case .zone: handle(.clockChanged, at: time)
            }
        }
        playFetches(until: life.dayCount * 86_400)
        for index in recorders.indices { recorders[index].countBudgetBreaches(limit: FetchBudget.wakeLimit) }
    }

    /// Plays timers and ends of fetches until a time. A sleeping machine does neither.
    private mutating func playFetches(until limit: Int) {
        while !isAsleep {
            let end = ends.min { $0.time < $1.time }
            guard let next = [end?.time, timer].compactMap({ $0 }).min(), next <= limit else { return }
            if let end, end.time == next {
                ends.removeAll { $0.token == end.token }
                handle(.completed(token: end.token, end.outcome), at: next)
            } else {
                timer = nil
                handle(.timer, at: next)
            }
        }
    }

    private mutating func handle(_ event: FetchScheduler.Event, at time: Int) {
        let now = FetchTime(
            bootTime: .seconds(time), wallSeconds: life.wallSeconds(at: time), utcOffset: life.utcOffset(at: time))
        for action in scheduler.handle(event, at: now) {
            switch action {
            case .setTimer(let moment):
                // Rounded up, as a timer never fires early.
                timer = moment.map { max(time, Int($0.components.seconds) + ($0.components.attoseconds > 0 ? 1 : 0)) }
            case .start(let token, let program, let reason):
                start(Int(program), token: token, reason: reason, at: time)
            }
        }
    }

    private mutating func start(_ program: Int, token: Int, reason: FetchReason, at time: Int) {
        if case .peak(let target) = reason { peakFetches[program].append((time, target)) }
        if time - lastActivity > 5 { recorders[program].addRadioSessions(1) }
        let (succeeds, isNew) = recorders[program].fetch(at: time)
        let duration = Int.random(in: 1...6, using: &random)
        let outcome = FetchOutcome(
            succeeds ? (isNew ? .newData : .noData) : .failed, wallTime: .seconds(duration),
            cpuTime: .milliseconds(300), bytes: isNew ? 300_000 : 2000)
        ends.append((time + duration, token, outcome))
        lastActivity = max(lastActivity, time + duration)
    }
}
