@testable import MediaPipeline

/// Plays a stream over a simulated link in virtual time, with the variant chooser and the throughput estimator under
/// test.
///
/// Segments are played while they arrive. Playback starts with 1 s of buffered media, and continues after a stall with
/// 2 s.
struct StreamingSimulator {
    private let ladder: SimulatedLadder
    private let link: LinkTrace
    private var chooser: VariantChooser
    private var estimator = ThroughputEstimator()
    /// The result of the playback so far.
    private var result = SimulationResult()

    /// The time since the start of the program, in seconds.
    private var time = 0.0
    /// The media time at the playhead, in seconds.
    private var position = 0.0
    private var isPlaying = false
    /// The duration of all completely downloaded segments, in seconds.
    private var completeMediaDuration = 0.0

    /// The time from a request to the first byte, in seconds.
    static let latencyInSeconds = 0.04
    /// The largest amount of buffered media, in seconds.
    static let bufferCapacityInSeconds = 30.0
    /// The amount of buffered media with which playback starts, in seconds.
    private static let startBufferInSeconds = 1.0
    /// The amount of buffered media with which playback continues after a stall, in seconds.
    private static let resumeBufferInSeconds = 2.0
    /// The longest step of the simulated time, in seconds.
    private static let longestTimeStepInSeconds = 0.1

    init?(
        ladder: SimulatedLadder, link: LinkTrace, parameters: ChooserParameters = .init(),
        destination: VideoDestination = .unknown
    ) {
        guard var chooser = VariantChooser(ladder.candidates, parameters: parameters) else { return nil }
        _ = chooser.updateDestination(destination, at: 0)
        (self.ladder, self.link, self.chooser) = (ladder, link, chooser)
    }

    /// Plays the whole stream.
    mutating func play() -> SimulationResult {
        // The multivariant playlist is loaded before the first variant is chosen.
        wait(Self.latencyInSeconds)
        for segment in 0..<SimulatedLadder.segmentCount {
            let excessDuration =
                completeMediaDuration - position + SimulatedLadder.segmentDuration - Self.bufferCapacityInSeconds
            if excessDuration > 0 { wait(excessDuration) }
            let choice = chooser.nextChoice(chooserInput(segment))
            result.explanations.append(choice.description)
            var variant = choice.variant
            while let lowerVariant = download(segment, variant) { variant = lowerVariant }
            result.variantIndices.append(variant)
            completeMediaDuration += SimulatedLadder.segmentDuration
        }
        return result
    }

    /// Returns the input of the variant chooser before it chooses the variant of a segment.
    private func chooserInput(_ segment: Int) -> ChooserInput {
        let bufferedSeconds = max(completeMediaDuration - position, 0)
        return ChooserInput(
            now: Int64(nanosecondsOf: time), bufferedDuration: Int64(nanosecondsOf: bufferedSeconds),
            bufferedSegmentCount: Int(bufferedSeconds / SimulatedLadder.segmentDuration),
            segmentDuration: Int64(nanosecondsOf: SimulatedLadder.segmentDuration), estimate: estimator.estimate,
            remainingSegmentCount: SimulatedLadder.segmentCount - segment)
    }

    /// Downloads a segment.
    ///
    /// - Returns: The index of the variant to try next if the variant chooser stops the download; nil if the download
    ///   is complete.
    private mutating func download(_ segment: Int, _ variant: Int) -> Int? {
        // The media playlist and the initialization section of a variant are loaded before its first segment.
        if !result.variantIndices.contains(variant) { wait(2 * Self.latencyInSeconds) }
        let (requestTime, bits) = (time, ladder.segmentBits[variant][segment])
        wait(Self.latencyInSeconds)
        let (start, end) = (time, link.end(ofTransfer: bits, from: time))
        var window = DownloadRateWindow()
        while time < end {
            let nextTime = min(time + Self.longestTimeStepInSeconds, end)
            let receivedBits = link.bits(until: nextTime) - link.bits(until: start)
            advance(to: nextTime, fraction: min(receivedBits / bits, 1))
            guard time < end else { break }
            estimator.setProvisionalSample(sample(bits: receivedBits, start: start))
            window.update(bytes: Int64(receivedBits / 8), at: Int64(nanosecondsOf: time))
            let playableSeconds =
                completeMediaDuration + receivedBits / bits * SimulatedLadder.segmentDuration - position
            let progress = DownloadProgress(
                variant: variant, receivedBytes: Int64(receivedBits / 8), totalBytes: Int64(bits / 8),
                elapsed: Int64(nanosecondsOf: time - requestTime), transferTime: Int64(nanosecondsOf: time - start),
                recentBitsPerSecond: window.bitsPerSecond, playableDuration: Int64(nanosecondsOf: playableSeconds))
            if let choice = chooser.abandon(progress, chooserInput(segment)) {
                estimator.record(sample(bits: receivedBits, start: start))
                result.explanations.append(choice.description)
                result.wastedBits += receivedBits
                result.receivedBits += receivedBits
                return choice.variant
            }
        }
        estimator.record(sample(bits: bits, start: start))
        result.receivedBits += bits
        return nil
    }

    /// Returns the measurement of a transfer of `bits` bits that began at time `start` and has just ended.
    private func sample(bits: Double, start: Double) -> TransferSample {
        TransferSample(
            bytes: Int64(bits / 8), latency: Int64(nanosecondsOf: Self.latencyInSeconds),
            transferTime: Int64(nanosecondsOf: time - start),
            mediaDuration: Int64(nanosecondsOf: SimulatedLadder.segmentDuration))
    }

    /// Advances the simulated time by some seconds without a download.
    private mutating func wait(_ seconds: Double) {
        let end = time + seconds
        while time < end { advance(to: min(time + Self.longestTimeStepInSeconds, end), fraction: 0) }
    }

    /// Plays until the simulated time `nextTime`, in seconds.
    ///
    /// - Parameter fraction: The fraction of the segment being downloaded that has arrived at `nextTime`, from 0 to 1.
    private mutating func advance(to nextTime: Double, fraction: Double) {
        let playableSeconds = completeMediaDuration + fraction * SimulatedLadder.segmentDuration
        let hasStarted = position > 0
        if isPlaying {
            let nextPosition = position + nextTime - time
            if nextPosition > playableSeconds {
                result.stallCount += 1
                result.stallTime += min(nextPosition - playableSeconds, nextTime - time)
                isPlaying = false
                position = max(position, playableSeconds)
            } else {
                position = nextPosition
            }
        } else {
            if hasStarted { result.stallTime += nextTime - time } else { result.startDelay = nextTime }
            let isComplete = playableSeconds >= Double(SimulatedLadder.segmentCount) * SimulatedLadder.segmentDuration
            let neededBuffer = hasStarted ? Self.resumeBufferInSeconds : Self.startBufferInSeconds
            isPlaying = playableSeconds - position >= neededBuffer || isComplete
        }
        time = nextTime
    }
}
