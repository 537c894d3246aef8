import SystemCalls

/// Subtitles of a stream, which are fetched apart from its audio and video.
extension SubtitleTracks {
    /// The next action of the thread that fetches a rendition.
    private enum RenditionWork: Sendable {
        /// Fetches what is needed at these times on the item's timeline, in nanoseconds.
        case step(playhead: Int64, readUntil: Int64)
        /// Continues elsewhere after a seek.
        case restart
        /// Fetches what failed again, because the retry delay has expired.
        case retry
        case end
    }

    /// Fetches and decodes a rendition of subtitles around the playback position, until another track is selected. A
    /// segment that cannot be read gives a warning.
    func decodeRendition(
        _ rendition: SubtitleRendition, _ track: Int, _ decoderRun: DecoderRun, _ generation: UInt32
    ) throws(MediaError) {
        let interruption: ReadingInterruption
        do { interruption = try ReadingInterruption() } catch {
            throw MediaError(.outOfMemory, "no descriptor for subtitles: \(error.reason)")
        }
        let isWanted = state.withLock { state in
            guard state.isCurrent(decoderRun) else { return false }
            state.renditionReading = interruption
            return true
        }
        guard isWanted else { return }
        let reader = SubtitleReader(rendition, interruption), decoder = try WebVTTDecoder()
        guard outputs.deliver(.begin(SubtitleFormat(track: track)), generation) else { return }
        var pause = SubtitleReader.Step.upToDate(until: .min)
        while true {
            switch nextWork(after: pause, decoderRun, interruption) {
            case .end: return
            case .restart:
                reader.restart()
                pause = .upToDate(until: .min)
            case .retry:
                reader.retry()
                pause = .upToDate(until: .min)
            case .step(let playhead, let readUntil):
                do throws(MediaError) {
                    pause = try reader.step(playhead: playhead, readUntil: readUntil)
                    guard case .cues(let cues) = pause else { continue }
                    pause = .upToDate(until: .min)
                    let events = cues.flatMap { decoder.decode($0) }
                    if !events.isEmpty { guard outputs.deliver(.events(events), generation) else { return } }
                } catch {
                    pause = .upToDate(until: .min)
                    guard error.code != .interrupted, reader.reportsFailures,
                        state.withLock({ $0.isCurrent(decoderRun) })
                    else { continue }
                    outputs.report(
                        .warning(MediaError(error.code, "subtitles \(rendition.rendition.name): \(error.message)")))
                }
            }
        }
    }

    /// Waits until something is to be done.
    private func nextWork(
        after pause: SubtitleReader.Step, _ decoderRun: DecoderRun, _ interruption: ReadingInterruption
    ) -> RenditionWork {
        var deadline: Int64?
        if case .idle(let time) = pause { deadline = time }
        return state.wait(until: deadline) { state in
            guard state.isCurrent(decoderRun) else { return .end }
            if interruption.isSeekPending {
                // The times are those before the seek until the reading thread has begun it.
                guard state.seek == nil else { return nil }
                interruption.setSeekIsPending(false)
                return .restart
            }
            guard case .upToDate(let time) = pause, let playhead = state.packets.playhead else { return nil }
            let readUntil =
                state.packets.hasEnded ? Int64.max : (state.packets.readUntil ?? .min) &- state.tracks.origin
            return readUntil >= time ? .step(playhead: playhead &- state.tracks.origin, readUntil: readUntil) : nil
        } ?? .retry
    }
}
