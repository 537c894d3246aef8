import CFFmpeg
import SharedFrames
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

    /// Just after a seek: a line of the chosen track that began before what will be read now, and may last until then, is fetched, where the
    /// container says where it lies.
    func readLine(before time: Int64, _ demuxer: Demuxer) throws(MediaError) {
        guard let track = control.withLock({ $0.running[.subtitle] }), let start = demuxer.earlierLine(of: track, before: time),
            !control.withLock({ $0.backlog.has(track, at: start.stamp) })
        else { return }
        // Whatever becomes of the line, the seek itself counts.
        try? fetchLine(of: track, from: start, demuxer)
        try demuxer.seek(to: time)
    }

    private func fetchLine(of track: Int, from start: (time: Int64, stamp: Int64), _ demuxer: Demuxer) throws(MediaError) {
        var bytes = 0, found = false
        try demuxer.seek(to: start.time)
        while !found, bytes < Self.lineReach, !control.withLock({ $0.seek != nil || $0.isClosed }), let packet = Packet(), try demuxer.read(into: packet) {
            bytes += packet.byteCount
            guard let stream = demuxer.stream(Int(packet.pointer.pointee.stream_index)) else { continue }
            guard stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE else { continue }
            found = Int(stream.pointee.index) == track && packet.pointer.pointee.pts >= start.stamp
            keep(packet, of: stream)
        }
    }

    /// Bytes that are read for one line.
    private static let lineReach = 16 << 20

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
        let (parameters, origin, fonts, film) = control.withLock { control in
            (control.parameters[track], control.origin, control.fonts, control.running[.video].flatMap { control.parameters[$0]?.pictureSize })
        }
        guard let parameters else { throw MediaError(.notFound, "there is no subtitle track \(track)") }
        let decoder = try SubtitleDecoder(parameters: parameters, origin: origin, film: film ?? PixelSize(width: 0, height: 0))
        let header = decoder.header
        guard deliver(.begin(SubtitleFormat(track: track, header: header, fonts: header == nil ? [] : fonts)), generation) else { return }
        var position = 0
        while true {
            let next: (entry: SubtitleBacklog.Entry, next: Int)?? = control.wait { control in
                if control.isClosed || control.tickets[.subtitle] != ticket.number { return .some(nil) }
                return control.backlog.entry(track, at: position).map { .some($0) }
            }
            guard let found = next ?? nil else { return }
            position = found.next
            switch found.entry {
            case .packet(let packet):
                let events = decoder.decode(packet)
                if !events.isEmpty { guard deliver(.events(events), generation) else { return } }
            case .gap(let end):
                decoder.flush()
                guard deliver(.gap(after: end), generation) else { return }
            }
        }
    }

    /// - Returns: false when nobody wants more.
    func deliver(_ item: SubtitleItem, _ generation: UInt32) -> Bool {
        let cost: Int = if case .events(let events) = item { events.reduce(0) { $0 + $1.cost } } else { 0 }
        return subtitles.push(item, cost: cost, generation: generation)
    }
}
