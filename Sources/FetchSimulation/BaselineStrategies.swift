/// The strategies with which the learner is compared.
enum BaselineStrategies {
    /// Returns the figures of fetches at a fixed interval while the machine is awake.
    static func fixedInterval(
        _ interval: Int, life: SimulatedLife, openings: [Int], content: SimulatedContent, minimumInterval: Int
    ) -> SimulationFigures {
        var recorder = FreshnessRecorder(content: content, minimumInterval: minimumInterval)
        let step = max(interval, minimumInterval)
        var nextFetch = 0
        var nextOpening = 0
        for period in life.awakePeriods {
            nextFetch = max(nextFetch, period.lowerBound)
            while nextFetch < period.upperBound {
                while nextOpening < openings.count, openings[nextOpening] <= nextFetch {
                    recorder.open(at: openings[nextOpening])
                    nextOpening += 1
                }
                _ = recorder.fetch(at: nextFetch)
                nextFetch += step
            }
        }
        for opening in openings[nextOpening...] { recorder.open(at: opening) }
        return recorder.figures
    }

    /// Returns the figures of an oracle that knows all openings, changes and outages, and fetches at the last good
    /// moment before an opening, only if the content would not be fresh otherwise.
    static func oracle(
        life: SimulatedLife, openings: [Int], content: SimulatedContent, minimumInterval: Int
    ) -> SimulationFigures {
        var recorder = FreshnessRecorder(content: content, minimumInterval: minimumInterval)
        for opening in openings {
            if !recorder.isFresh(at: opening), let time = lastGoodTime(before: opening, life: life, content: content),
                time > recorder.fetchTimes.last ?? -1
            {
                _ = recorder.fetch(at: time)
            }
            recorder.open(at: opening)
        }
        return recorder.figures
    }

    /// Returns the last time before an opening at which the machine is awake and the server works.
    private static func lastGoodTime(before opening: Int, life: SimulatedLife, content: SimulatedContent) -> Int? {
        let leadTime = 60
        var time = opening - leadTime
        for _ in 0..<100 {
            let position = life.awakePeriods.sortedPosition { $0.lowerBound <= time }
            guard position > 0 else { return nil }
            time = min(time, life.awakePeriods[position - 1].upperBound - 1)
            guard let outage = content.outage(at: time) else { return time }
            time = outage.lowerBound - 1
        }
        return nil
    }
}
