import SharedFrames
import StreamPlaylists
import SystemCalls

/// Chooses among the variants of a stream and loads their playlists. Used by the reading thread.
final class StreamLadder {
    private let playlist: MultivariantPlaylist?
    private let fetcher: PlaylistFetcher
    private let demand: StreamDemand
    private var chooser: VariantChooser
    private var estimator: ThroughputEstimator
    /// The loaded playlists, by variant number.
    private var followedPlaylists: [Int: FollowedPlaylist] = [:]
    /// The variant in which the next segment must be fetched, because its download in another variant was abandoned or
    /// buffered segments are replaced; otherwise nil.
    private var forcedChoice: VariantChoice?
    /// The segments that were downloaded completely and are not played yet.
    private var downloadedSegments: [DownloadedSegment] = []
    /// Whether the view or the user's choice has changed since the last decision about replacing buffered segments.
    private var mayReplaceSegments = false
    /// The host time in nanoseconds and the size of each discarded download. Entries older than
    /// ``discardedPeriod`` are removed before use.
    private var discardedDownloads: [(time: Int64, bytes: Int64)] = []
    /// The time for which discarded downloads count, in nanoseconds.
    private static let discardedPeriod: Int64 = 60 * MonotonicTime.nanosecondsPerSecond
    /// Whether the video is played; if not, the variant with the least data is chosen.
    var playsVideo = true
    /// The last choice of a variant; nil before the first choice.
    private(set) var choice: VariantChoice?

    /// The state of the variants that is reported to the player, such as the variant in use and the reason for it.
    private(set) var status = StreamStatus()

    /// The throughput measured by the last stream from each host, shared by all streams of the process.
    private static let rememberedThroughputs = Monitor<[String: RememberedThroughput]>([:])
    private let host: String

    /// Creates a ladder for the variants of a multivariant playlist.
    ///
    /// - Throws: `unsupportedCodec` if no variant can be decoded.
    init(
        _ playlist: MultivariantPlaylist, address: String, _ fetcher: PlaylistFetcher, _ demand: StreamDemand
    ) throws(MediaError) {
        guard
            let chooser = VariantChooser(
                playlist.variants.enumerated().map { VariantCandidate($0.element, index: $0.offset) }),
            chooser.hasDecodableVariant
        else { throw MediaError(.unsupportedCodec, "there is no decoder for any variant of the stream") }
        (self.playlist, self.fetcher, self.demand, self.chooser) = (playlist, fetcher, demand, chooser)
        host = URIReference(address).authority.map { String($0) } ?? ""
        status.variants = playlist.variants.enumerated().map { StreamStatus.Variant($0.element, index: $0.offset) }
        estimator = ThroughputEstimator(
            remembered: Self.rememberedThroughputs.withLock { [host] in $0[host] }, now: MonotonicTime.now)
    }

    /// Creates a ladder for a stream that consists of a single media playlist.
    init?(_ media: MediaPlaylist, address: String, _ fetcher: PlaylistFetcher, _ demand: StreamDemand) {
        guard let chooser = VariantChooser([VariantCandidate(index: 0, bandwidth: 1)]) else { return nil }
        (playlist, self.fetcher, self.demand, self.chooser) = (nil, fetcher, demand, chooser)
        host = URIReference(address).authority.map { String($0) } ?? ""
        estimator = ThroughputEstimator(now: MonotonicTime.now)
        followedPlaylists[0] = FollowedPlaylist(media, address: address, fetcher)
    }

    deinit {
        let now = MonotonicTime.now
        guard let value = estimator.throughputToRemember(at: now) else { return }
        Self.rememberedThroughputs.withLock { [host] values in
            // Limit the number of remembered hosts.
            if values.count >= 64 { values = [:] }
            values[host] = value
        }
    }

    /// Returns the variant with a number; nil for a single media playlist.
    func variant(_ index: Int) -> VariantStream? {
        playlist.flatMap { $0.variants.indices.contains(index) ? $0.variants[index] : nil }
    }

    // MARK: Choosing

    /// Chooses the variant of the next segment.
    ///
    /// - Parameters:
    ///   - time: The position of the segment on the item's timeline, in nanoseconds.
    ///   - duration: The expected duration of the segment in nanoseconds.
    ///   - remaining: The number of segments up to the end of the stream; nil if it is unknown.
    func choose(at time: Int64, duration: Int64, remaining: Int?) -> VariantChoice {
        let now = MonotonicTime.now
        updateDemand(now)
        let choice =
            forcedChoice.take()
            ?? {
                let nextChoice = chooser.nextChoice(input(duration: duration, remaining: remaining, now: now))
                return keptVariant(at: time, for: nextChoice) ?? nextChoice
            }()
        self.choice = choice
        status.currentVariantIndex = choice.variant
        (status.reason, status.bitsPerSecond) = (choice.reason.description, estimator.estimate.bitsPerSecond)
        demand.report(status)
        return choice
    }

    /// Returns the variant in which the segment at `time` is already kept, if its bit rate is not lower than that of
    /// `choice`; otherwise nil.
    private func keptVariant(at time: Int64, for choice: VariantChoice) -> VariantChoice? {
        guard chooser.limits.userChoice == nil else { return nil }
        let keptCandidate = chooser.eligibleVariants(at: MonotonicTime.now).variants.last { candidate in
            guard candidate.bandwidth >= choice.bandwidth, let window = followedPlaylists[candidate.index]?.window,
                // Add a tolerance, because playlists round the times of segments.
                let segment = window.segment(at: max(time, window.start).clampedSum(100_000_000))
            else { return false }
            return fetcher.store.contains(segment)
        }
        guard let keptCandidate else { return nil }
        return VariantChoice(keptCandidate, .kept)
    }

    /// Applies the player's current requirements to the chooser and the segment store.
    private func updateDemand(_ now: Int64) {
        let requirements = demand.currentRequirements, limits = limits(requirements)
        fetcher.store.setLimit(requirements.keptByteLimit)
        if limits.userChoice != chooser.limits.userChoice { mayReplaceSegments = true }
        chooser.limits = limits
        if chooser.updateDestination(playsVideo ? requirements.destination : .audioOnly, at: now) {
            mayReplaceSegments = true
        }
    }

    /// Decides whether buffered segments are downloaded again in a higher variant, because the view has grown or the
    /// user has chosen that variant.
    ///
    /// - Parameter isPossible: Returns whether the segments from a given time on can be replaced.
    /// - Returns: The start of the first replaced segment, in nanoseconds on the item's timeline; nil if all segments
    ///   are kept.
    func replacementTime(where isPossible: (Int64) -> Bool) -> Int64? {
        let now = MonotonicTime.now
        updateDemand(now)
        guard mayReplaceSegments, let playhead = demand.playheadTime,
            let duration = downloadedSegments.last?.duration
        else { return nil }
        mayReplaceSegments = false
        let input = input(duration: duration, remaining: nil, now: now)
        discardedDownloads.removeAll { now - $0.time > Self.discardedPeriod }
        let bufferedSegments = downloadedSegments.map {
            BufferedSegment(variant: $0.variant, duration: min($0.duration, $0.end - playhead), bytes: $0.bytes)
        }
        guard
            let replacement = chooser.replacement(
                of: bufferedSegments, wastedBytes: discardedDownloads.reduce(0) { $0 + $1.bytes }, input),
            replacement.keptSegmentCount > 0, replacement.keptSegmentCount < downloadedSegments.count,
            case let time = downloadedSegments[replacement.keptSegmentCount - 1].end, isPossible(time)
        else { return nil }
        downloadedSegments.removeSubrange(replacement.keptSegmentCount...)
        discardedDownloads.append((now, replacement.wastedBytes))
        forcedChoice = replacement.choice
        return time
    }

    /// Returns the limits for the choice of a variant. The wanted quality becomes the user's choice, unless the user
    /// has chosen a variant.
    private func limits(_ requirements: StreamDemand.Requirements) -> VariantLimits {
        var limits = requirements.limits
        guard limits.userChoice == nil else { return limits }
        switch requirements.quality {
        case .automatic: break
        case .lowest: limits.userChoice = chooser.candidates.first(where: \.isDecodable)?.index
        case .highest: limits.userChoice = chooser.candidates.last(where: \.isDecodable)?.index
        }
        return limits
    }

    /// Clears the records of downloaded segments after a seek, so that the next choice assumes an empty buffer.
    func restart() {
        chooser.restart()
        (forcedChoice, downloadedSegments) = (nil, [])
    }

    /// Excludes a variant that failed from the choice for some time.
    func exclude(_ variant: Int) { chooser.excludeVariant(variant, at: MonotonicTime.now) }

    /// Returns whether the stream has another decodable variant than `variant`.
    func hasAlternative(to variant: Int) -> Bool {
        chooser.candidates.contains { $0.index != variant && $0.isDecodable }
    }

    /// Records a finished or abandoned download of a segment.
    ///
    /// - Parameter end: The end of the segment in nanoseconds on the item's timeline; nil if the download was
    ///   abandoned.
    func recordDownload(_ bytes: SegmentBytes, variant: Int, end: Int64?) {
        if let sample = bytes.sample() { estimator.record(sample) }
        if let end {
            downloadedSegments.append(
                DownloadedSegment(
                    variant: variant, end: end, duration: bytes.segment.duration, bytes: bytes.receivedByteCount))
        } else {
            let now = MonotonicTime.now
            discardedDownloads.removeAll { now - $0.time > Self.discardedPeriod }
            discardedDownloads.append((now, bytes.receivedByteCount))
        }
    }

    /// Decides whether to abandon the download of a segment for a lower variant, because the download is too slow, or
    /// for the variant that the user has chosen meanwhile.
    ///
    /// - Parameter deliveredEnd: The time up to which packets were delivered, in nanoseconds on the item's timeline.
    func decideToAbandon(_ bytes: SegmentBytes, variant: Int, deliveredEnd: Int64, remaining: Int?) -> Bool {
        let now = MonotonicTime.now
        updateDemand(now)
        guard let sample = bytes.sample() else { return false }
        estimator.setProvisionalSample(sample)
        let playhead = demand.playheadTime ?? deliveredEnd
        let progress = DownloadProgress(
            variant: variant, receivedBytes: bytes.receivedByteCount, totalBytes: bytes.totalByteCount,
            elapsed: now - bytes.requestTime, transferTime: bytes.firstByteTime.map { now - $0 },
            recentBitsPerSecond: bytes.rateWindow.bitsPerSecond,
            playableDuration: max(0, deliveredEnd.clampedDifference(playhead)))
        let input = input(duration: bytes.segment.duration, remaining: remaining, now: now)
        guard let choice = chooser.abandon(progress, input) else { return false }
        forcedChoice = choice
        return true
    }

    /// Returns the state of playback for a decision of the chooser, and removes the records of played segments.
    private func input(duration: Int64, remaining: Int?, now: Int64) -> ChooserInput {
        let end = downloadedSegments.last?.end
        let playhead = demand.playheadTime ?? downloadedSegments.first.map { $0.end - $0.duration } ?? 0
        downloadedSegments.removeAll { $0.end <= playhead }
        return ChooserInput(
            now: now, bufferedDuration: end.map { $0 - playhead } ?? 0, bufferedSegmentCount: downloadedSegments.count,
            segmentDuration: duration, estimate: estimator.estimate, rate: demand.currentRequirements.rate,
            remainingSegmentCount: remaining)
    }

    // MARK: Playlists

    /// Returns the playlist of a variant; loads it if it was not loaded yet.
    ///
    /// - Parameter other: The window of the previously played variant, to whose timeline a newly loaded playlist is
    ///   aligned.
    func playlist(of variant: Int, alignedWith other: SegmentWindow?) throws(MediaError) -> FollowedPlaylist {
        if let loadedPlaylist = followedPlaylists[variant] { return loadedPlaylist }
        guard let stream = self.variant(variant) else { throw MediaError(.corrupt, "the playlist has no such variant") }
        let newPlaylist = try FollowedPlaylist(
            stream.address.url, imports: playlist?.variables ?? [:], alignedWith: other, fetcher)
        followedPlaylists[variant] = newPlaylist
        return newPlaylist
    }

    /// Forgets the live playlists of all variants except `variant`, because they become outdated while they are not
    /// played.
    func forgetOutdatedPlaylists(except variant: Int) {
        followedPlaylists = followedPlaylists.filter { $0.key == variant || $0.value.window.playlist.isComplete }
    }
}

/// A segment that was downloaded completely and is not played yet.
private struct DownloadedSegment {
    /// The number of the segment's variant.
    var variant: Int
    /// The end of the segment on the item's timeline, and its duration, in nanoseconds.
    var end, duration: Int64
    var bytes: Int64
}

extension VariantCandidate {
    /// Describes a variant of a playlist as a candidate for the choice.
    init(_ stream: VariantStream, index: Int) {
        let codecs = stream.codecs.map(CodecString.init)
        let range: VideoRange =
            switch stream.video.dynamicRange {
            case .pq: .pq
            case .hlg: .hlg
            default: .sdr
            }
        self.init(
            index: index, bandwidth: Int64(stream.bandwidth),
            averageBandwidth: stream.averageBandwidth.map { Int64($0) },
            size: stream.video.resolution.map { PixelSize(width: $0.width, height: $0.height) },
            isDecodable: codecs.allSatisfy(\.isDecodable),
            hasVideo: codecs.isEmpty || stream.video.resolution != nil || codecs.contains { $0.isVideo },
            videoRange: range, host: URIReference(stream.address.url).authority.map { String($0) } ?? "")
    }
}
