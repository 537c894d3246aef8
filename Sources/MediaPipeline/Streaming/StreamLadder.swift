import SharedFrames
import SystemCalls

/// The variants of a stream, their playlists, and the choice among them. Used by the reading thread.
final class StreamLadder {
    private let playlist: MultivariantPlaylist?
    private let fetcher: PlaylistFetcher
    private let demand: StreamDemand
    private var chooser: VariantChooser
    private var estimator: ThroughputEstimator
    /// The playlists that were loaded, by the numbers of their variants.
    private var followed: [Int: FollowedPlaylist] = [:]
    /// The variant of the next segment, if the download of the segment in another variant was abandoned.
    private var forced: VariantChoice?
    /// The segments that were downloaded completely and are not played yet.
    private var downloaded: [DownloadedSegment] = []
    /// Whether the view or the user's choice changed since buffered segments were considered for replacement.
    private var mayReplace = false
    /// The host times and sizes of downloads that were discarded within the last minute.
    private var discarded: [(time: Int64, bytes: Int64)] = []
    /// Whether the video is played; if not, the variant with the least data is chosen.
    var playsVideo = true
    /// The last choice; nil before the first.
    private(set) var choice: VariantChoice?

    /// The state of the variants that is reported to the player, such as the variant in use and the reason for it.
    private(set) var status = StreamStatus()

    /// The throughput of the last stream of each host.
    private static let remembered = Monitor<[String: RememberedThroughput]>([:])
    private let host: String

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
            remembered: Self.remembered.withLock { [host] in $0[host] }, now: MonotonicTime.now)
    }

    /// Follows a single media playlist.
    init?(_ media: MediaPlaylist, address: String, _ fetcher: PlaylistFetcher, _ demand: StreamDemand) {
        guard let chooser = VariantChooser([VariantCandidate(index: 0, bandwidth: 1)]) else { return nil }
        (playlist, self.fetcher, self.demand, self.chooser) = (nil, fetcher, demand, chooser)
        host = URIReference(address).authority.map { String($0) } ?? ""
        estimator = ThroughputEstimator(now: MonotonicTime.now)
        followed[0] = FollowedPlaylist(media, address: address, fetcher)
    }

    deinit {
        let now = MonotonicTime.now
        guard let value = estimator.remembered(at: now) else { return }
        Self.remembered.withLock { [host] values in
            // The number of hosts is bounded.
            if values.count >= 64 { values = [:] }
            values[host] = value
        }
    }

    /// The variant with a number; nil for a single media playlist.
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
            forced.take()
            ?? {
                let new = chooser.nextChoice(input(duration: duration, remaining: remaining, now: now))
                return keptVariant(at: time, for: new) ?? new
            }()
        self.choice = choice
        status.current = choice.variant
        (status.reason, status.bitsPerSecond) = (choice.reason.description, estimator.estimate.bitsPerSecond)
        demand.report(status)
        return choice
    }

    /// Returns the variant in which the segment at a time is kept, if that variant is as good as the chosen one.
    private func keptVariant(at time: Int64, for choice: VariantChoice) -> VariantChoice? {
        guard chooser.limits.userChoice == nil else { return nil }
        let kept = chooser.eligible(at: MonotonicTime.now).variants.last { candidate in
            guard candidate.bandwidth >= choice.bandwidth, let window = followed[candidate.index]?.window,
                // The playlists round the times of segments.
                let segment = window.segment(at: max(time, window.start).clampedSum(100_000_000))
            else { return false }
            return fetcher.store.contains(segment)
        }
        guard let kept else { return nil }
        return VariantChoice(kept, .kept)
    }

    /// Takes over what the player wants.
    private func updateDemand(_ now: Int64) {
        let values = demand.current, limits = limits(values)
        fetcher.store.isEnabled = values.keepsSegments
        if limits.userChoice != chooser.limits.userChoice { mayReplace = true }
        chooser.limits = limits
        if chooser.updateDestination(playsVideo ? values.destination : .audioOnly, at: now) { mayReplace = true }
    }

    /// Chooses buffered segments that are downloaded again in a higher variant, because the view has grown or the user
    /// has chosen that variant.
    ///
    /// - Parameter isPossible: Returns whether segments can be replaced from a time on.
    /// - Returns: The start of the first such segment on the item's timeline; nil if all segments are kept.
    func replacementTime(where isPossible: (Int64) -> Bool) -> Int64? {
        let now = MonotonicTime.now
        updateDemand(now)
        guard mayReplace, let playhead = demand.playheadTime, let duration = downloaded.last?.duration else {
            return nil
        }
        mayReplace = false
        let input = input(duration: duration, remaining: nil, now: now)
        discarded.removeAll { now - $0.time > 60 * MonotonicTime.nanosecondsPerSecond }
        let buffered = downloaded.map {
            BufferedSegment(variant: $0.variant, duration: min($0.duration, $0.end - playhead), bytes: $0.bytes)
        }
        guard
            let replacement = chooser.replacement(
                of: buffered, wastedBytes: discarded.reduce(0) { $0 + $1.bytes }, input),
            replacement.keptSegmentCount > 0, replacement.keptSegmentCount < downloaded.count,
            case let time = downloaded[replacement.keptSegmentCount - 1].end, isPossible(time)
        else { return nil }
        downloaded.removeSubrange(replacement.keptSegmentCount...)
        discarded.append((now, replacement.wastedBytes))
        forced = replacement.choice
        return time
    }

    /// Returns the limits of the choice, with the quality that the user wants unless a variant is chosen.
    private func limits(_ values: StreamDemand.Values) -> VariantLimits {
        var limits = values.limits
        guard limits.userChoice == nil else { return limits }
        switch values.quality {
        case .automatic: break
        case .lowest: limits.userChoice = chooser.candidates.first(where: \.isDecodable)?.index
        case .highest: limits.userChoice = chooser.candidates.last(where: \.isDecodable)?.index
        }
        return limits
    }

    /// Chooses as after a seek: nothing is buffered.
    func restart() {
        chooser.restart()
        (forced, downloaded) = (nil, [])
    }

    /// Excludes a variant for a while.
    func exclude(_ variant: Int) { chooser.excludeVariant(variant, at: MonotonicTime.now) }

    /// Whether another variant can replace one that failed.
    func hasAlternative(to variant: Int) -> Bool {
        chooser.candidates.contains { $0.index != variant && $0.isDecodable }
    }

    /// Records the download of a segment.
    ///
    /// - Parameter end: The end of the segment on the item's timeline, if it was downloaded completely.
    func record(_ bytes: SegmentBytes, variant: Int, end: Int64?) {
        if let sample = bytes.sample() { estimator.record(sample) }
        if let end {
            downloaded.append(
                DownloadedSegment(
                    variant: variant, end: end, duration: bytes.segment.duration, bytes: bytes.received))
        } else {
            discarded.append((MonotonicTime.now, bytes.received))
        }
    }

    /// Returns whether the download of a segment is abandoned for a lower variant, or for the one that the user has
    /// chosen meanwhile.
    ///
    /// - Parameter deliveredEnd: The time up to which packets were delivered, on the item's timeline.
    func abandons(_ bytes: SegmentBytes, variant: Int, deliveredEnd: Int64, remaining: Int?) -> Bool {
        let now = MonotonicTime.now
        updateDemand(now)
        guard let sample = bytes.sample() else { return false }
        estimator.setProvisionalSample(sample)
        let playhead = demand.playheadTime ?? deliveredEnd
        let progress = DownloadProgress(
            variant: variant, receivedBytes: bytes.received, totalBytes: bytes.totalCount,
            elapsed: now - bytes.requestTime, transferTime: bytes.firstByteTime.map { now - $0 },
            recentBitsPerSecond: bytes.rateWindow.bitsPerSecond,
            playableDuration: max(0, deliveredEnd.clampedDifference(playhead)))
        let input = input(duration: bytes.segment.duration, remaining: remaining, now: now)
        guard let choice = chooser.abandon(progress, input) else { return false }
        forced = choice
        return true
    }

    private func input(duration: Int64, remaining: Int?, now: Int64) -> ChooserInput {
        let end = downloaded.last?.end
        let playhead = demand.playheadTime ?? downloaded.first.map { $0.end - $0.duration } ?? 0
        downloaded.removeAll { $0.end <= playhead }
        return ChooserInput(
            now: now, bufferedDuration: end.map { $0 - playhead } ?? 0, bufferedSegmentCount: downloaded.count,
            segmentDuration: duration, estimate: estimator.estimate, rate: demand.current.rate,
            remainingSegmentCount: remaining)
    }

    // MARK: Playlists

    /// Returns the playlist of a variant; loads it if it was not loaded yet.
    ///
    /// - Parameter other: The window of the variant that was played last.
    func playlist(of variant: Int, alignedWith other: SegmentWindow?) throws(MediaError) -> FollowedPlaylist {
        if let known = followed[variant] { return known }
        guard let stream = self.variant(variant) else { throw MediaError(.corrupt, "the playlist has no such variant") }
        let new = try FollowedPlaylist(
            stream.address.url, imports: playlist?.variables ?? [:], alignedWith: other, fetcher)
        followed[variant] = new
        return new
    }

    /// Forgets the playlists of variants that are not played: a live playlist is outdated when it is needed again.
    func forgetOutdatedPlaylists(except variant: Int) {
        followed = followed.filter { $0.key == variant || $0.value.window.playlist.isComplete }
    }
}

/// A segment that was downloaded completely and is not played yet.
private struct DownloadedSegment {
    /// The number of the variant.
    var variant: Int
    /// The end on the item's timeline, and the duration, in nanoseconds.
    var end, duration: Int64
    var bytes: Int64
}

extension VariantCandidate {
    /// Describes a variant of a playlist.
    init(_ stream: VariantStream, index: Int) {
        let kinds = stream.codecs.map(SampleFormat.init)
        let range: VideoRange =
            switch stream.video.range {
            case .pq: .pq
            case .hlg: .hlg
            default: .sdr
            }
        self.init(
            index: index, bandwidth: Int64(stream.bandwidth),
            averageBandwidth: stream.averageBandwidth.map { Int64($0) },
            size: stream.video.resolution.map { PixelSize(width: $0.width, height: $0.height) },
            isDecodable: kinds.allSatisfy(\.isDecodable),
            hasVideo: kinds.isEmpty || stream.video.resolution != nil || kinds.contains { $0.isVideo },
            videoRange: range, host: URIReference(stream.address.url).authority.map { String($0) } ?? "")
    }
}
