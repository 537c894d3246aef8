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
        var landing: SeekLanding?
        var held = HeldPackets()
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
                (landing, held) = (nil, HeldPackets())
                do throws(MediaError) {
                    try demuxer.seek(to: request.time)
                    atEnd = false
                    try readLine(before: request.time, demuxer)
                } catch {
                    // A newer seek, or the end of it all, called this one off.
                    if control.withLock({ $0.seek != nil || $0.isClosed }) { continue }
                    report(.seekFailed(generation: request.generation, error))
                }
                landing = demuxer.moving == nil || atEnd ? nil : SeekLanding(request)
                if landing == nil { place(request) }
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
                        if let hole = demuxer.hole.take() { report(.warning(hole.warning(origin: demuxer.origin))) }
                        take(packet, from: demuxer, &landing, &held)
                        continue
                    }
                } catch where error.code != .interrupted {
                    report(.readingStopped(error))
                } catch {
                    // A newer seek called reading off: what was read so far is no end.
                    if control.withLock({ $0.seek != nil || $0.isClosed }) { continue }
                }
                atEnd = true
                if let length = demuxer.lengthRead, length != reportedLength {
                    reportedLength = length
                    report(.durationKnown(length))
                }
                if let request = landing.take()?.request {
                    place(request)
                    for packet in held.take() { push(packet, from: demuxer) }
                }
                // A seek that came meanwhile begins with tracks that run: ended ones would want nothing for ever.
                control.update { if $0.seek == nil { $0.packets.end() } }
            default: return
            }
        }
    }

    /// Puts the marker of a seek before what is read after it.
    private func place(_ request: SeekRequest) {
        control.update { control in
            // A newer seek has thrown everything away already.
            if control.seek == nil { control.packets.restart(request) }
        }
    }

    /// Hands a packet on, and finds out where the seek lands that it was read after.
    private func take(_ packet: Packet, from demuxer: Demuxer, _ landing: inout SeekLanding?, _ held: inout HeldPackets) {
        let index = Int(packet.pointer.pointee.stream_index)
        guard let stream = demuxer.stream(index) else { return }
        if Demuxer.isEncrypted(packet) { return refuseEncrypted(track: index, isVideo: stream == demuxer.video) }
        if stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE { return keep(packet, of: stream) }
        guard var pending = landing.take() else { return push(packet, from: demuxer) }
        let isVideo = stream == demuxer.moving
        var step = pending.arrive(
            isVideo
                ? .video(
                    time: demuxer.time(packet.pointer.pointee.pts, of: stream), isKeyframe: cffmpeg_is_key_packet(packet.pointer) != 0)
                : .audio)
        do throws(MediaError) {
            if case .advance(let time, let limit) = step {
                step = pending.advanced(try demuxer.advanceToKeyframe(after: time, upTo: limit))
            }
            if case .goBack(let request) = step { try demuxer.seek(to: request.time) }
        } catch {
            // A newer seek called this one off; else only the seek failed, and reading goes on where it is.
            if control.withLock({ $0.seek != nil || $0.isClosed }) { return }
            report(.seekFailed(generation: pending.request.generation, error))
            held = HeldPackets()
            return place(pending.request)
        }
        switch step {
        case .land(let request):
            place(request)
            for early in held.take() { push(early, from: demuxer) }
            push(packet, from: demuxer)
        case .goBack(let request):
            held = HeldPackets()
            place(request)
        case .hold:
            held.hold(packet)
            landing = pending
        case .skip, .advance:
            held = HeldPackets()
            landing = pending
        }
    }

    private func refuseEncrypted(track index: Int, isVideo: Bool) {
        let wasPlayed = control.update { control in
            defer { control.packets.removeTrack(index) }
            return control.packets.hasTrack(index)
        }
        guard wasPlayed else { return }
        report(.trackFailed(isVideo ? .video : .audio, MediaError(.unsupportedCodec, "is encrypted, and there is no key")))
    }

    private func push(_ packet: Packet, from demuxer: Demuxer) {
        let index = Int(packet.pointer.pointee.stream_index)
        guard let stream = demuxer.stream(index) else { return }
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
