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
        var found: [[Speaker]] = []
        for index in 0..<256 {
            guard let entry = maps[index] else { break }
            if let map = calsa_queried_chmap(entry), let layout = speakers(map) { found.append(layout) }
        }
        return found
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
            ? ordered(requested) : Speaker.defaultLayout(channels: channels).map(ordered) ?? []
    }

    /// Returns the speakers of a layout, sorted into the order of ALSA's channels.
    static func ordered(_ layout: [Speaker]) -> [Speaker] {
        guard layout.count > 3 else { return layout }
        let order: [Speaker] = [
            .frontLeft, .frontRight, .backLeft, .backRight, .backCentre, .frontCentre, .lowFrequency, .sideLeft,
            .sideRight,
            .frontLeftOfCentre, .frontRightOfCentre,
        ]
        // If side speakers are the only rear speakers, sort them as back speakers.
        let hasBack = layout.contains(.backLeft)
        func rank(_ speaker: Speaker) -> Int {
            switch speaker {
            case .sideLeft where !hasBack: 2
            case .sideRight where !hasBack: 3
            default: order.firstIndex(of: speaker) ?? order.count
            }
        }
        return layout.sorted { rank($0) < rank($1) }
    }

    /// Converts ALSA's channel map; nil if it names a speaker that ``Speaker`` does not know, or one speaker twice.
    private static func speakers(_ map: UnsafePointer<snd_pcm_chmap_t>) -> [Speaker]? {
        let count = Int(calsa_chmap_count(map))
        guard (1...11).contains(count) else { return nil }
        let names = (0..<count).map { calsa_chmap_position(map, UInt32($0)) }
        if names == [SND_CHMAP_MONO.rawValue] { return [.frontCentre] }
        let known: [(snd_pcm_chmap_position, Speaker)] = [
            (SND_CHMAP_FL, .frontLeft), (SND_CHMAP_FR, .frontRight), (SND_CHMAP_RL, .backLeft),
            (SND_CHMAP_RR, .backRight),
            (SND_CHMAP_FC, .frontCentre), (SND_CHMAP_LFE, .lowFrequency), (SND_CHMAP_SL, .sideLeft),
            (SND_CHMAP_SR, .sideRight),
            (SND_CHMAP_RC, .backCentre), (SND_CHMAP_FLC, .frontLeftOfCentre), (SND_CHMAP_FRC, .frontRightOfCentre),
        ]
        let layout = names.compactMap { name in known.first { $0.0.rawValue == name }?.1 }
        return layout.count == count && Set(layout).count == count ? layout : nil
    }
}
