/// Computes the best possible mean bit rate for a link whose throughput is known in advance, by dynamic programming
/// over the segment, the variant and the buffer level.
///
/// The computed playback starts with the lowest variant, never stalls, and may change the variant at each segment.
/// Buffer levels within the same quarter of a second form one state. For each state, only the best sequence of variants
/// is kept, with the exact time of its last segment.
struct OptimalBitRateSolver {
    let ladder: SimulatedLadder
    let link: LinkTrace

    /// The number of states into which a second of buffered media is divided.
    private static let statesPerSecond = 4.0

    /// The best known sequence of variants up to a segment, for one range of buffer levels.
    private struct State {
        /// The sum of the declared bit rates of the segments so far; negative if no sequence reaches the state.
        var bitRateSum = -1.0
        /// The time at which the last segment was complete, in seconds.
        var time = 0.0
    }

    /// Returns the greatest mean declared bit rate in kb/s; nil if even the lowest variant stalls.
    func meanBitRate() -> Double? {
        let (duration, capacity) = (SimulatedLadder.segmentDuration, StreamingSimulator.bufferCapacityInSeconds)
        guard let lowestVariantIndex = ladder.candidates.indices.last else { return nil }
        let firstResponseTime = 4 * StreamingSimulator.latencyInSeconds
        let firstSegmentBits = ladder.segmentBits[lowestVariantIndex][0]
        let playbackStart = link.end(ofTransfer: firstSegmentBits / duration, from: firstResponseTime)
        let stateCount = Int(capacity * Self.statesPerSecond) + 1
        var states = Array(repeating: State(), count: stateCount)
        let firstSegmentEnd = link.end(ofTransfer: firstSegmentBits, from: firstResponseTime)
        guard firstSegmentEnd - playbackStart <= duration else { return nil }
        states[stateIndex(duration - (firstSegmentEnd - playbackStart), stateCount)] = State(
            bitRateSum: Double(ladder.candidates[lowestVariantIndex].bandwidth), time: firstSegmentEnd)
        for segment in 1..<SimulatedLadder.segmentCount {
            var nextStates = Array(repeating: State(), count: stateCount)
            let mediaTime = Double(segment) * duration
            for state in states where state.bitRateSum >= 0 {
                // The request for the segment waits until the buffer has space for the segment.
                let requestTime = max(state.time, playbackStart + mediaTime + duration - capacity)
                let responseTime = requestTime + StreamingSimulator.latencyInSeconds
                for (variant, candidate) in ladder.candidates.enumerated() {
                    let end = link.end(ofTransfer: ladder.segmentBits[variant][segment], from: responseTime)
                    // The segment may be played while it arrives, but must be complete before its end is played.
                    guard responseTime <= playbackStart + mediaTime, end <= playbackStart + mediaTime + duration
                    else { continue }
                    let buffer = playbackStart + mediaTime + duration - end
                    let bitRateSum = state.bitRateSum + Double(candidate.bandwidth)
                    let index = stateIndex(buffer, stateCount)
                    let bestState = nextStates[index]
                    if bitRateSum > bestState.bitRateSum || (bitRateSum == bestState.bitRateSum && end < bestState.time)
                    {
                        nextStates[index] = State(bitRateSum: bitRateSum, time: end)
                    }
                }
            }
            states = nextStates
        }
        guard let largestSum = states.map(\.bitRateSum).max(), largestSum >= 0 else { return nil }
        return largestSum / Double(SimulatedLadder.segmentCount) / 1000
    }

    /// Returns the index of the state for a buffer of `buffer` seconds, from 0 to `stateCount` - 1.
    private func stateIndex(_ buffer: Double, _ stateCount: Int) -> Int {
        min(max(Int(buffer * Self.statesPerSecond), 0), stateCount - 1)
    }
}
