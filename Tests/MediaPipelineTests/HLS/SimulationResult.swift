/// The result of a simulated playback.
struct SimulationResult {
    /// The time from the start of the program to the first frame, in seconds.
    var startDelay = 0.0
    /// The number of interruptions of playback because no media was buffered.
    var stallCount = 0
    /// The total time of all stalls, in seconds.
    var stallTime = 0.0
    /// The indices of the downloaded variants, one for each segment in order.
    var variantIndices: [Int] = []
    /// The number of bits received in downloads that the variant chooser stopped.
    var wastedBits = 0.0
    /// The number of bits received in all downloads.
    var receivedBits = 0.0
    /// The explanation of each decision of the variant chooser.
    var explanations: [String] = []

    /// The difference between the time that playback took and the duration of the stream, in seconds.
    var extraTime: Double { startDelay + stallTime }
    /// The number of changes from one variant to another.
    var switchCount: Int { zip(variantIndices, variantIndices.dropFirst()).count { $0 != $1 } }

    /// Returns the mean declared bit rate of the segments in kb/s.
    func meanBitRate(_ ladder: SimulatedLadder) -> Double {
        variantIndices.reduce(0) { $0 + Double(ladder.candidates[$1].bandwidth) }
            / Double(max(variantIndices.count, 1)) / 1000
    }
}
