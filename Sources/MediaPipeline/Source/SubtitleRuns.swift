/// A layer of subtitles over the picture. Each layer shows one track.
package enum SubtitleLayer: CaseIterable, Sendable, Hashable {
    /// Subtitles at the position that their track defines.
    case primary
    /// Subtitles at the upper edge of the picture, in addition to the primary ones.
    case secondary
}

/// The identity of one decoder of a subtitle track. When another track of the same layer is selected, the identity
/// becomes invalid, and the decoder ends.
struct SubtitleRun: Sendable, Equatable {
    let layer: SubtitleLayer
    /// The value, at the start of the decoder, of a counter that increases with every selection of the layer.
    let number: UInt32
}

/// The subtitle tracks that are decoded, and the reading of their files.
struct SubtitleRuns: Sendable {
    /// The decoder of one layer.
    private struct Decoder: Sendable {
        /// The number of selections of the layer; see ``SubtitleRun/number``.
        var number: UInt32 = 0
        /// The decoded track; nil for none.
        var track: Int?
        /// The opener of the track's file; nil if the track is not in a separate file.
        var opener: MediaOpener?
        /// The interruption of the thread that fetches the track; nil if the track is no rendition of a stream.
        var renditionInterruption: ReadingInterruption?

        /// Interrupts reading of the track's file or rendition.
        mutating func interrupt() {
            opener.take()?.interrupt()
            renditionInterruption.take()?.interrupt()
        }
    }

    private var decoders: [SubtitleLayer: Decoder] = [:]

    /// The identifiers of the decoded tracks.
    var tracks: [Int] { SubtitleLayer.allCases.compactMap { decoders[$0]?.track } }

    /// Returns whether no other track of the layer was selected since the decoder with this identity started.
    func isCurrent(_ run: SubtitleRun) -> Bool { decoders[run.layer]?.number == run.number }

    /// Ends the decoder of a layer, interrupts its reading, and starts one for another track.
    ///
    /// - Returns: The identity of the new decoder; nil if `track` is nil.
    mutating func select(_ track: Int?, layer: SubtitleLayer) -> SubtitleRun? {
        var decoder = decoders[layer] ?? Decoder()
        decoder.interrupt()
        decoder.number &+= 1
        decoder.track = track
        decoders[layer] = decoder
        return track.map { _ in SubtitleRun(layer: layer, number: decoder.number) }
    }

    /// Sets the opener of the file that a decoder reads. The next selection interrupts the opener.
    mutating func setOpener(_ opener: MediaOpener, of run: SubtitleRun) { decoders[run.layer]?.opener = opener }

    /// Sets the interruption of the thread that fetches the rendition of a decoder.
    mutating func setInterruption(_ interruption: ReadingInterruption, of run: SubtitleRun) {
        decoders[run.layer]?.renditionInterruption = interruption
    }

    /// Tells the threads that fetch renditions that a seek is pending.
    func announceSeek() {
        for decoder in decoders.values { decoder.renditionInterruption?.setSeekIsPending(true) }
    }

    /// Interrupts reading of all files and renditions.
    mutating func interrupt() {
        for layer in decoders.keys { decoders[layer]?.interrupt() }
    }
}
