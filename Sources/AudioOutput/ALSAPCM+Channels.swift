import CALSA
import Glibc

/// Determines the speaker of each channel of an ALSA device.
extension ALSAPCM {
    /// Returns the channel layouts that the hardware reports; empty for plug-ins, which accept any layout and mix it
    /// themselves.
    static func reportedLayouts(_ handle: OpaquePointer) -> [[Speaker]] {
        // Use only layouts that the device reports as fixed. A software mixer reports that each channel can have any
        // speaker.
        guard let maps = snd_pcm_query_chmaps(handle) else { return [] }
        defer { snd_pcm_free_chmaps(maps) }
        guard snd_pcm_type(handle) == SND_PCM_TYPE_HW else { return [] }
        var layouts: [[Speaker]] = []
        for index in 0..<256 {
            guard let entry = maps[index] else { break }
            if let map = calsa_queried_chmap(entry), let layout = speakers(map) { layouts.append(layout) }
        }
        return layouts
    }

    /// Returns the speakers of the open device's channels, in the device's order.
    static func speakerOrder(_ handle: OpaquePointer, _ requested: [Speaker], channels: Int) -> [Speaker] {
        if let map = snd_pcm_get_chmap(handle) {
            defer { free(map) }
            if let layout = speakers(map), layout.count == channels { return layout }
        }
        // If the device reports no channel map, assume ALSA's default order, in which the rear channels precede the
        // centre.
        return requested.count == channels
            ? inALSAOrder(requested) : Speaker.defaultLayout(channels: channels).map(inALSAOrder) ?? []
    }

    /// Returns the speakers of a layout, sorted into the order of ALSA's channels.
    static func inALSAOrder(_ layout: [Speaker]) -> [Speaker] {
        guard layout.count > 3 else { return layout }
        let alsaOrder: [Speaker] = [
            .frontLeft, .frontRight, .backLeft, .backRight, .backCentre, .frontCentre, .lowFrequency, .sideLeft,
            .sideRight,
            .frontLeftOfCentre, .frontRightOfCentre,
        ]
        // If side speakers are the only rear speakers, sort them as back speakers.
        let hasBackSpeakers = layout.contains(.backLeft)
        func alsaPosition(_ speaker: Speaker) -> Int {
            switch speaker {
            case .sideLeft where !hasBackSpeakers: 2
            case .sideRight where !hasBackSpeakers: 3
            default: alsaOrder.firstIndex(of: speaker) ?? alsaOrder.count
            }
        }
        return layout.sorted { alsaPosition($0) < alsaPosition($1) }
    }

    /// Converts ALSA's channel map to speakers; nil if the map names a speaker that ``Speaker`` does not know, or names
    /// a speaker twice.
    private static func speakers(_ map: UnsafePointer<snd_pcm_chmap_t>) -> [Speaker]? {
        let count = Int(calsa_chmap_count(map))
        guard (1...11).contains(count) else { return nil }
        let positions = (0..<count).map { calsa_chmap_position(map, UInt32($0)) }
        if positions == [SND_CHMAP_MONO.rawValue] { return [.frontCentre] }
        let speakersByPosition: [(snd_pcm_chmap_position, Speaker)] = [
            (SND_CHMAP_FL, .frontLeft), (SND_CHMAP_FR, .frontRight), (SND_CHMAP_RL, .backLeft),
            (SND_CHMAP_RR, .backRight),
            (SND_CHMAP_FC, .frontCentre), (SND_CHMAP_LFE, .lowFrequency), (SND_CHMAP_SL, .sideLeft),
            (SND_CHMAP_SR, .sideRight),
            (SND_CHMAP_RC, .backCentre), (SND_CHMAP_FLC, .frontLeftOfCentre), (SND_CHMAP_FRC, .frontRightOfCentre),
        ]
        let layout = positions.compactMap { position in speakersByPosition.first { $0.0.rawValue == position }?.1 }
        return layout.count == count && Set(layout).count == count ? layout : nil
    }
}
