import CFFmpeg
import SystemCalls

extension MediaSource {
    /// Bytes of decoded subtitles that wait to be taken.
    static let subtitleLimit = 8 << 20

    /// Keeps a packet for the thread that decodes its track, if one does.
    func keep(_ packet: Packet, of stream: UnsafeMutablePointer<AVStream>) {
        control.update { control in
            // What was read before a seek is not wanted after it.
            if control.seek == nil { control.backlog.push(packet, track: Int(stream.pointee.index)) }
        }
    }

    /// Shows another subtitle track, or none. What is still queued of the old one goes; `.begin` comes before the new one's events.
    ///
    /// - Parameter generation: what comes carries it; each call another.
    package func selectSubtitles(_ track: Int?, generation: UInt32) throws(MediaError) {
        subtitles.reset(to: generation)
        let ticket = control.update { control -> TrackTicket in
            control.subtitleOpener.take()?.interrupt()
            guard let track else {
                control.end(.subtitle)
                return TrackTicket(kind: .subtitle, number: control.tickets[.subtitle] ?? 0)
            }
            return control.begin(.subtitle, track: track)
        }
        guard let track else { return }
        do throws(SystemCallError) {
            try spawn("subtitle decode") { [self] in
                do throws(MediaError) {
                    if let location = control.withLock({ $0.external[track] }) {
                        try readSubtitleFile(location, track, ticket, generation)
                    } else {
                        try decodeSubtitles(track, ticket, generation)
                    }
                } catch {
                    let isCurrent = control.withLock { $0.tickets[.subtitle] == ticket.number && !$0.isClosed }
                    if isCurrent { report(.warning(error)) }
                }
            }
        } catch { throw MediaError(.outOfMemory, "cannot start a thread: \(error.reason)") }
    }

    private func decodeSubtitles(_ track: Int, _ ticket: TrackTicket, _ generation: UInt32) throws(MediaError) {
        let (parameters, origin, fonts) = control.withLock { ($0.parameters[track], $0.origin, $0.fonts) }
        guard let parameters else { throw MediaError(.notFound, "there is no subtitle track \(track)") }
        let decoder = try SubtitleDecoder(parameters: parameters, origin: origin)
        let header = decoder.header
        guard deliver(.begin(SubtitleFormat(track: track, header: header, fonts: header == nil ? [] : fonts)), generation) else { return }
        var position = 0, restarts: Int?
        while true {
            let next: (packet: Packet, next: Int, restarts: Int)?? = control.wait { control in
                if control.isClosed || control.tickets[.subtitle] != ticket.number { return .some(nil) }
                return control.backlog.packet(track, at: position).map { .some($0) }
            }
            guard let entry = next ?? nil else { return }
            if let restarts, restarts != entry.restarts { decoder.flush() }
            (position, restarts) = (entry.next, entry.restarts)
            let events = decoder.decode(entry.packet)
            if !events.isEmpty { guard deliver(.events(events), generation) else { return } }
        }
    }

    /// - Returns: false when nobody wants more.
    func deliver(_ item: SubtitleItem, _ generation: UInt32) -> Bool {
        let cost: Int = if case .events(let events) = item { events.reduce(0) { $0 + $1.cost } } else { 0 }
        return subtitles.push(item, cost: cost, generation: generation)
    }
}
