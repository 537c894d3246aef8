import CFFmpeg
import SystemCalls

extension MediaSource {
    /// The thread "demux": opens, starts the decoders, reads as long as there is room.
    func runDemuxer() {
        let demuxer: Demuxer
        do throws(MediaError) {
            demuxer = try Demuxer(
                location: location, opener: opener, choice: configuration.tracks, readsOthers: configuration.readsOtherTracks)
        } catch {
            report(.failed(error))
            return
        }
        control.update { $0.origin = demuxer.origin }
        var warnings: [String] = []
        register(demuxer)
        startTracks(of: demuxer, warnings: &warnings)
        demuxer.select()
        guard demuxer.video != nil || demuxer.audio != nil else {
            report(.failed(MediaError(
                warnings.isEmpty ? .notMedia : .unsupportedCodec,
                warnings.isEmpty ? demuxer.emptiness : warnings.joined(separator: "; "))))
            return
        }
        var info = demuxer.info
        info.warnings = warnings
        if demuxer.leftOut > 0 { info.warnings.append("\(demuxer.leftOut) of the playlist's variants cannot be read") }
        info.tracks += externalTracks(after: info.tracks)
        // Probing opened decoders of its own and has closed them.
        ProcessMemory.trimHeap()
        report(.opened(info))
        read(demuxer)
    }

    private func startTracks(of demuxer: Demuxer, warnings: inout [String]) {
        // Nobody hears it and nobody measures it: only where it is all there is, it is decoded to the end.
        if !configuration.givesSound, configuration.soundTap == nil, demuxer.video != nil, let audio = demuxer.audio { demuxer.drop(audio) }
        for (stream, isVideo) in [(demuxer.video, true), (demuxer.audio, false)] {
            guard let stream else { continue }
            do throws(MediaError) {
                guard let parameters = CodecParameters(stream: stream, crop: isVideo ? demuxer.crop : nil) else { throw MediaError(.outOfMemory, "no memory for a decoder") }
                guard avcodec_find_decoder(parameters.pointer.pointee.codec_id) != nil else {
                    throw MediaError(.unsupportedCodec, "there is no decoder for \(parameters.codecName)")
                }
                let track = Int(stream.pointee.index)
                if isVideo {
                    try startVideo(parameters, track: track, origin: demuxer.origin)
                } else {
                    try startAudio(parameters, track: track, origin: demuxer.origin)
                }
            } catch {
                warnings.append(error.message)
                demuxer.refuse(stream)
            }
        }
    }

    private func read(_ demuxer: Demuxer) {
        var atEnd = false
        var reportedLength: Int64?
        var marker: SeekRequest?
        // The seek under way has gone on to a later keyframe.
        var hasAdvanced = false
        while true {
            enum Work { case close, read, tell, seek(SeekRequest) }
            let work: Work? = control.wait { control in
                if control.isClosed { return .close }
                if let request = control.seek.take() {
                    opener.setSeekIsPending(false)
                    return .seek(request)
                }
                if !atEnd, control.packets.tellOfGap() { return .tell }
                return !atEnd && control.packets.hasTracks && control.packets.wantsMore ? .read : nil
            }
            switch work {
            case .tell: control.update { _ in }
            case .seek(let request):
                changeTracks(of: demuxer)
                do throws(MediaError) {
                    try demuxer.seek(to: request.time)
                    atEnd = false
                    try readLine(before: request.time, demuxer)
                } catch {
                    // A newer seek, or the end of it all, called this one off.
                    if control.withLock({ $0.seek != nil || $0.isClosed }) { continue }
                    report(.seekFailed(generation: request.generation, error))
                }
                (marker, hasAdvanced) = (request, false)
                if request.precision == .exact || demuxer.moving == nil || atEnd { place(&marker) }
                // It stays at the end, which the tracks must hear again.
                if atEnd { control.update { if $0.seek == nil { $0.packets.end() } } }
            case .read:
                guard let packet = Packet() else {
                    report(.readingStopped(MediaError(.outOfMemory, "no memory for a packet")))
                    control.update { $0.packets.end() }
                    return
                }
                do throws(MediaError) {
                    if try demuxer.read(into: packet) {
                        let generation = marker?.generation
                        do throws(MediaError) {
                            if try settle(&marker, at: packet, demuxer, &hasAdvanced) { take(packet, from: demuxer, marker: &marker) }
                        } catch where error.code != .interrupted && generation != nil {
                            // Only the seek failed: reading goes on where it is.
                            report(.seekFailed(generation: generation ?? 0, error))
                            place(&marker)
                        }
                        continue
                    }
                } catch where error.code != .interrupted {
                    report(.readingStopped(error))
                } catch {}
                atEnd = true
                if let length = demuxer.lengthRead, length != reportedLength {
                    reportedLength = length
                    report(.durationKnown(length))
                }
                place(&marker)
                // A seek that came meanwhile begins with tracks that run: ended ones would want nothing for ever.
                control.update { if $0.seek == nil { $0.packets.end() } }
            default: return
            }
        }
    }

    /// Puts the marker of a seek before what is read after it.
    private func place(_ marker: inout SeekRequest?) {
        guard let request = marker.take() else { return }
        control.update { control in
            // A newer seek has thrown everything away already.
            if control.seek == nil { control.packets.restart(request) }
        }
    }

    /// Finds out where a seek with a tolerance lands, with the first packet of the picture after it.
    ///
    /// - Parameter hasAdvanced: it has gone on to the keyframe after the one before the sought time.
    /// - Returns: false when reading goes on elsewhere, and the packet is of no use.
    private func settle(
        _ marker: inout SeekRequest?, at packet: Packet, _ demuxer: Demuxer, _ hasAdvanced: inout Bool
    ) throws(MediaError) -> Bool {
        guard var request = marker, case .near(let window) = request.precision, let moving = demuxer.moving,
            packet.pointer.pointee.stream_index == moving.pointee.index
        else { return true }
        // Without a time at which the packet is shown nobody knows whether it lies inside: then the very frame it is.
        let time = demuxer.time(packet.pointer.pointee.pts, of: moving)
        if let time, window.contains(time), cffmpeg_is_key_packet(packet.pointer) != 0 {
            (request.time, request.precision) = (time, .exact)
            marker = request
            place(&marker)
            return true
        }
        var isThere = !hasAdvanced
        if let time, time < window.lowerBound, window.upperBound > request.time, isThere {
            hasAdvanced = true
            switch try demuxer.advanceToKeyframe(after: time, upTo: window.upperBound) {
            case .moved: return false
            case .none: break
            case .lost: isThere = false
            }
        }
        request.precision = .exact
        marker = request
        if !isThere { try demuxer.seek(to: request.time) }
        place(&marker)
        return isThere
    }

    private func take(_ packet: Packet, from demuxer: Demuxer, marker: inout SeekRequest?) {
        let index = Int(packet.pointer.pointee.stream_index)
        guard let stream = demuxer.stream(index) else { return }
        let type = stream.pointee.codecpar.pointee.codec_type
        if Demuxer.isEncrypted(packet) {
            let kind: MediaEvent.Track = stream == demuxer.video ? .video : .audio
            if control.update({ control in
                defer { control.packets.removeTrack(index) }
                return control.packets.hasTrack(index)
            }) { report(.trackFailed(kind, MediaError(.unsupportedCodec, "is encrypted, and there is no key"))) }
            return
        }
        if type == AVMEDIA_TYPE_SUBTITLE { return keep(packet, of: stream) }
        if var request = marker {
            // To a keyframe: the item goes on where the picture does. Sound read before it is too early.
            guard stream == demuxer.video else { return }
            if let time = demuxer.time(packet.pointer.pointee.pts, of: stream) { request.time = time }
            marker = request
            place(&marker)
        }
        let time = TimeBase(stream.pointee.time_base).nanoseconds(packet.pointer.pointee.dts)
        control.update { control in
            guard control.seek == nil else { return }
            if let time { control.backlog.readUntil = max(control.backlog.readUntil ?? .min, time &- control.origin) }
            control.packets.push(packet, track: index, time: time)
            // A cover is one packet.
            if demuxer.isStill, stream == demuxer.video { control.packets.end(track: index) }
        }
    }
}
