import FetchPolicy

/// A simulation of background fetch over months: virtual persons with their programs, contents and servers.
package struct FetchSimulation: Sendable {
    /// The figures of the programs of one kind of person.
    package struct PersonResult: Sendable {
        package let person: SimulatedPerson
        package let programCount: Int
        package let dayCount: Int
        package var learner = SimulationFigures()
        package var oracle = SimulationFigures()
        package var everyQuarterHour = SimulationFigures()
        package var everyFourHours = SimulationFigures()
        /// The days from a moved habit to the first fetch before its new time, for each program.
        package var relearnDays: [Int] = []
        /// The days from a moved habit to the last fetch before its old time, for each program. A fetch after a week
        /// without one is not counted.
        package var unlearnDays: [Int] = []
    }

    package let personCount: Int
    package let programsPerPerson: Int
    package let dayCount: Int
    package let seed: UInt64

    /// Creates a simulation; the persons are of all kinds in turn.
    package init(personCount: Int = 8, programsPerPerson: Int = 6, dayCount: Int = 365, seed: UInt64 = 1) {
        self.personCount = max(1, personCount)
        self.programsPerPerson = max(1, programsPerPerson)
        self.dayCount = max(1, dayCount)
        self.seed = seed
    }

    /// Plays all persons and returns their figures.
    package func run() -> SimulationReport {
        let kinds = SimulatedPerson.allCases
        let results = (0..<personCount).map { index in
            simulate(kinds[index % kinds.count], seed: seed &* 1_000_003 &+ UInt64(index))
        }
        return SimulationReport(results: results, seed: seed)
    }

    private func simulate(_ person: SimulatedPerson, seed: UInt64) -> PersonResult {
        var random = SimulationRandom(seed: seed)
        let life = SimulatedLife(
            person: person, programCount: programsPerPerson, dayCount: dayCount, random: &random)
        let kinds = SimulatedContent.Kind.allCases
        let contents = (0..<programsPerPerson).map { index in
            SimulatedContent(kind: kinds[index % kinds.count], dayCount: dayCount, random: &random)
        }
        let intervals = (0..<programsPerPerson).map { _ in [900, 900, 1800, 3600].randomElement(using: &random) ?? 900 }
        var simulation = PersonSimulation(
            life: life, contents: contents, minimumIntervals: intervals, random: random)
        simulation.run()

        var result = PersonResult(person: person, programCount: programsPerPerson, dayCount: dayCount)
        for (index, content) in contents.enumerated() {
            let (openings, interval) = (life.openings[index], intervals[index])
            result.learner = result.learner + simulation.recorders[index].figures
            result.oracle =
                result.oracle
                + BaselineStrategies.oracle(
                    life: life, openings: openings, content: content, minimumInterval: interval)
            result.everyQuarterHour =
                result.everyQuarterHour
                + BaselineStrategies.fixedInterval(
                    900, life: life, openings: openings, content: content, minimumInterval: interval)
            result.everyFourHours =
                result.everyFourHours
                + BaselineStrategies.fixedInterval(
                    4 * 3600, life: life, openings: openings, content: content, minimumInterval: interval)
        }
        if person == .movedHabit { addRelearning(of: simulation, life: life, to: &result) }
        return result
    }

    /// Adds the days after which the programs of a moved habit are fetched at its new time and no more at its old time.
    func addRelearning(of simulation: PersonSimulation, life: SimulatedLife, to result: inout PersonResult) {
        guard dayCount > SimulatedPerson.moveDay + 14 else { return }
        let moveTime = SimulatedPerson.moveDay * 86_400
        for (index, recorder) in simulation.recorders.enumerated() {
            // The new habit is used when two of three openings had a fetch within the last hour: a program without
            // new content is fetched every second day.
            let openings = life.openings[index].filter { $0 >= moveTime && isEvening($0, of: life) }
            let isServed = openings.map { opening in
                let position = recorder.fetchTimes.sortedPosition { $0 <= opening }
                return position > 0 && opening - recorder.fetchTimes[position - 1] <= 3600
            }
            let first = isServed.indices.dropLast(2).first { isServed[$0] && (isServed[$0 + 1] || isServed[$0 + 2]) }
            result.relearnDays.append(first.map { openings[$0] / 86_400 - SimulatedPerson.moveDay } ?? dayCount)
            let oldDays = simulation.peakFetches[index].map(\.target).compactMap { target -> Int? in
                let day = LocalDay(containing: target)
                let days = day.number - SimulatedLife.firstDay - SimulatedPerson.moveDay
                return days >= 0 && (11...13).contains(Int((target - day.start) / 3600)) ? days : nil
            }
            // Openings without a habit may make a peak at the old time again, after weeks.
            let lastDay = oldDays.reduce(-1) { last, day in day - last <= 7 ? day : last }
            result.unlearnDays.append(lastDay + 1)
        }
    }

    /// Whether a time is near the new time of a moved habit.
    private func isEvening(_ time: Int, of life: SimulatedLife) -> Bool {
        let localSeconds = life.wallSeconds(at: time) + Int64(life.utcOffset(at: time))
        return (18 * 3600...20 * 3600).contains(localSeconds - LocalDay(containing: localSeconds).start)
    }
}
