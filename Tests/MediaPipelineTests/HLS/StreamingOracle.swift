/// Computes the best possible mean bit rate for a link whose throughput is known in advance, by dynamic programming
/// over the segment, the variant and the buffer level.
///
/// The computed playback starts with the lowest variant, never stalls, and may switch at each segment. Buffer levels
/// within the same quarter of a second are one state, which keeps only its best sequence of variants with its exact
/// time.
struct StreamingOracle {
    let ladder: SimulatedLadder
    let link: LinkTrace

    /// The number of states into which a second of buffered media is divided.
    private static let statesPerSecond = 4.0

    /// The best known sequence of variants up to a segment that leaves a certain amount of buffered media.
    private struct State {
        /// The sum of the declared bit rates of the segments so far; negative if no sequence reaches the state.
        var bitRateSum = -1.0
        /// The time at which the last segment was complete, in seconds.
        var time = 0.0
    }

    /// Returns the greatest mean declared bit rate in kb/s; nil if even the lowest variant stalls.
    func meanBitRate() -> Double? {
        let (duration, capacity) = (SimulatedLadder.segmentDuration, StreamingSimulator.bufferCapacityInSeconds)
        guard let lowest = ladder.candidates.indices.last else { return nil }
        let requested = 4 * StreamingSimulator.latencyInSeconds
        let first = ladder.segmentBits[lowest][0]
        let start = link.end(ofTransfer: first / duration, from: requested)
        let states = Int(capacity * Self.statesPerSecond) + 1
        var reached = Array(repeating: State(), count: states)
        let firstEnd = link.end(ofTransfer: first, from: requested)
        guard firstEnd - start <= duration else { return nil }
        reached[stateIndex(duration - (firstEnd - start), states)] = State(
            bitRateSum: Double(ladder.candidates[lowest].bandwidth), time: firstEnd)
        for segment in 1..<SimulatedLadder.segmentCount {
            var next = Array(repeating: State(), count: states)
            let media = Double(segment) * duration
            for state in reached where state.bitRateSum >= 0 {
                // The request for the segment waits until the buffer has room for it.
                let request = max(state.time, start + media + duration - capacity) + StreamingSimulator.latencyInSeconds
                for (variant, candidate) in ladder.candidates.enumerated() {
                    let end = link.end(ofTransfer: ladder.segmentBits[variant][segment], from: request)
                    // The segment may be played while it arrives, but must be complete before its end is played.
                    guard request <= start + media, end <= start + media + duration else { continue }
                    let buffer = start + media + duration - end
                    let value = state.bitRateSum + Double(candidate.bandwidth)
                    let slot = stateIndex(buffer, states)
                    if value > next[slot].bitRateSum || (value == next[slot].bitRateSum && end < next[slot].time) {
                        next[slot] = State(bitRateSum: value, time: end)
                    }
                }
            }
            reached = next
        }
        guard let best = reached.map(\.bitRateSum).max(), best >= 0 else { return nil }
        return best / Double(SimulatedLadder.segmentCount) / 1000
    }

    /// Returns the index of the state for a buffer of `buffer` seconds, from 0 to `states` - 1.
    private func stateIndex(_ buffer: Double, _ states: Int) -> Int {
        min(max(Int(buffer * Self.statesPerSecond), 0), states - 1)
    }
}
