import CFFmpeg
import SystemCalls

extension MediaSource {
    /// The thread "video decode".
    func startVideo(_ parameters: CodecParameters, track: Int, origin: Int64) throws(MediaError) {
        let ticket = control.update { $0.begin(.video, track: track) }
        try start("video decode", track: track) { [self] in
            do throws(MediaError) {
                var decoder = try VideoDecoder(
                    parameters: parameters, origin: origin, pool: pool, threads: configuration.decoderThreads,
                    takesChecksums: configuration.takesChecksums, warn: { [weak self] in self?.report(.warning($0)) })
                while true {
                    let item = next(track, ticket, parameters.timeBase)
                    decoder.deinterlacing = deinterlacing.withLock { $0 }
                    switch item {
                    case .flush(let request): decoder.restart(request)
                    case .packet(let packet):
                        let began = MonotonicTime.now
                        var waited: Int64 = 0
                        let isNew = try decoder.decode(packet, isWanted: video.takes(generation:)) { item, generation in
                            let asked = MonotonicTime.now
                            defer { waited += MonotonicTime.now - asked }
                            return video.push(item, cost: 1, generation: generation)
                        }
                        let cost = MonotonicTime.now - began - waited
                        if isNew { decoding.withLock { $0.record(nanoseconds: cost) } }
                    case .end: try decoder.decode(nil, isWanted: video.takes(generation:)) { video.push($0, cost: 1, generation: $1) }
                    case .gap: break
                    case nil: return
                    }
                }
            } catch { giveUp(ticket, error) }
        }
    }

    /// The answer to what the sound decoder waits for.
    private struct Wanted: Sendable {
        /// nil: no blocks.
        var format: PCMFormat?
    }

    /// The thread "audio decode": waits to be told what the device takes.
    func startAudio(_ parameters: CodecParameters, track: Int, origin: Int64, from marker: SeekRequest? = nil) throws(MediaError) {
        let ticket = control.update { $0.begin(.audio, track: track, from: marker) }
        try start("audio decode", track: track) { [self] in
            let wanted: Wanted?? = control.wait { [givesSound = configuration.givesSound] control in
                if control.isClosed || control.soundIsRefused || control.tickets[.audio] != ticket.number { return .some(nil) }
                if !givesSound { return Wanted(format: nil) }
                return control.soundFormat.map { Wanted(format: $0) }
            }
            guard let wanted = wanted ?? nil else {
                abandon(ticket)
                return
            }
            do throws(MediaError) {
                var decoder = try AudioDecoder(parameters: parameters, origin: origin, format: wanted.format, tap: configuration.soundTap)
                while true {
                    switch next(track, ticket, parameters.timeBase) {
                    case .flush(let request): decoder.restart(request)
                    case .packet(let packet): try decoder.decode(packet, deliver: deliver)
                    case .end: try decoder.decode(nil, deliver: deliver)
                    case .gap(let end): decoder.bridge(until: end, deliver: deliver)
                    case nil: return
                    }
                }
            } catch { giveUp(ticket, error) }
        }
    }

    private func giveUp(_ ticket: TrackTicket, _ error: MediaError) {
        if abandon(ticket) { report(.trackFailed(ticket.kind == .video ? .video : .audio, error)) }
    }

    private func deliver(_ item: AudioItem, _ generation: UInt32) -> Bool {
        let cost: Int = if case .block(let block) = item { block.frameCount * 1_000_000_000 / max(block.rate, 1) } else { 0 }
        return audio.push(item, cost: cost, generation: generation)
    }

    private func start(_ name: String, track: Int, _ body: @escaping @Sendable () -> Void) throws(MediaError) {
        do {
            try spawn(name, body)
        } catch {
            control.withLock { $0.packets.removeTrack(track) }
            throw MediaError(.outOfMemory, "cannot start a thread: \(error.reason)")
        }
    }

    /// The track's next item; nil when the source is closed.
    private func next(_ track: Int, _ ticket: TrackTicket, _ timeBase: TimeBase) -> PacketBuffer.Item? {
        let item: PacketBuffer.Item?? = control.wait { control in
            if control.isClosed || control.tickets[ticket.kind] != ticket.number { return .some(nil) }
            let item = control.packets.pop(track: track) { timeBase.nanoseconds($0.pointer.pointee.dts) }
            return item.map { .some($0) }
        }
        // There is room: the demuxer may go on.
        control.update { _ in }
        return item ?? nil
    }

    /// Nobody reads this track any more: its packets must not hold up the others.
    ///
    /// - Returns: false when another has taken its place already.
    @discardableResult
    private func abandon(_ ticket: TrackTicket) -> Bool {
        control.update { control in
            guard control.tickets[ticket.kind] == ticket.number else { return false }
            control.end(ticket.kind)
            return true
        }
    }
}
