import SystemCalls

/// Decodes the subtitle renditions of a stream, which are fetched separately from its audio and video.
extension SubtitleTracks {
    /// The next action of the thread that fetches a subtitle rendition.
    private enum RenditionWork: Sendable {
        /// Fetch the next segment that is needed. `playhead` is the position of the decoders, `readUntil` the position
        /// up to which the stream was read, both in nanoseconds on the item's timeline.
        case fetch(playhead: Int64, readUntil: Int64)
        /// Continue at another position after a seek.
        case restart
        /// Request failed segments again, because the retry delay has expired.
        case retry
        case end
    }

    /// Fetches and decodes a subtitle rendition around the playback position, until another track is selected. Reports
    /// a warning for a segment that cannot be read.
    func decodeRendition(
        _ rendition: SubtitleRendition, _ track: Int, _ run: SubtitleRun, _ generation: UInt32
    ) throws(MediaError) {
        let interruption: ReadingInterruption
        do { interruption = try ReadingInterruption() } catch {
            throw MediaError(.outOfMemory, "no descriptor for subtitles: \(error.reason)")
        }
        let isWanted = state.withLock { state in
            guard state.isCurrent(run) else { return false }
            state.subtitles.setInterruption(interruption, of: run)
            return true
        }
        guard isWanted else { return }
        let reader = SubtitleReader(rendition, interruption), decoder = try WebVTTDecoder()
        guard outputs.deliver(.begin(SubtitleFormat(track: track)), run.layer, generation) else { return }
        var outcome = SubtitleReader.ReadOutcome.upToDate(until: .min)
        while true {
            switch nextWork(after: outcome, run, interruption) {
            case .end: return
            case .restart:
                reader.restart()
                outcome = .upToDate(until: .min)
            case .retry:
                reader.retry()
                outcome = .upToDate(until: .min)
            case .fetch(let playhead, let readUntil):
                do throws(MediaError) {
                    outcome = try reader.readNextSegment(playhead: playhead, readUntil: readUntil)
                    guard case .cues(let cues) = outcome else { continue }
                    outcome = .upToDate(until: .min)
                    let events = cues.flatMap { decoder.decode($0) }
                    if !events.isEmpty { guard outputs.deliver(.events(events), run.layer, generation) else { return } }
                } catch {
                    outcome = .upToDate(until: .min)
                    guard error.code != .interrupted, reader.reportsFailures,
                        state.withLock({ $0.isCurrent(run) })
                    else { continue }
                    outputs.report(
                        .warning(MediaError(error.code, "subtitles \(rendition.rendition.name): \(error.message)")))
                }
            }
        }
    }

    /// Waits for the next action and returns it.
    private func nextWork(
        after outcome: SubtitleReader.ReadOutcome, _ run: SubtitleRun, _ interruption: ReadingInterruption
    ) -> RenditionWork {
        var deadline: Int64?
        if case .idle(let time) = outcome { deadline = time }
        return state.wait(until: deadline) { state in
            guard state.isCurrent(run) else { return .end }
            if interruption.isSeekPending {
                // While a seek is pending, the times still refer to the position before the seek.
                guard state.seek == nil else { return nil }
                interruption.setSeekIsPending(false)
                return .restart
            }
            guard case .upToDate(let time) = outcome, let playhead = state.packets.playhead else { return nil }
            let readUntil =
                state.packets.hasEnded ? Int64.max : (state.packets.readUntil ?? .min) &- state.tracks.origin
            return readUntil >= time ? .fetch(playhead: playhead &- state.tracks.origin, readUntil: readUntil) : nil
        } ?? .retry
    }
}
