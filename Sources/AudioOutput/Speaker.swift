/// The speaker of a channel. The raw value is the number of its bit in WAVEFORMATEXTENSIBLE's channel mask.
package enum Speaker: UInt8, CaseIterable, Sendable {
    case frontLeft, frontRight, frontCentre, lowFrequency, backLeft, backRight, frontLeftOfCentre, frontRightOfCentre
    case backCentre, sideLeft, sideRight

    /// The speaker layouts with mpv's and FFmpeg's names.
    package static let layouts: [(name: String, speakers: [Speaker])] = [
        ("mono", [.frontCentre]),
        ("stereo", [.frontLeft, .frontRight]),
        ("2.1", [.frontLeft, .frontRight, .lowFrequency]),
        ("3.0", [.frontLeft, .frontRight, .frontCentre]),
        ("quad", [.frontLeft, .frontRight, .backLeft, .backRight]),
        ("5.0", [.frontLeft, .frontRight, .frontCentre, .backLeft, .backRight]),
        ("5.1", [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .backLeft, .backRight]),
        ("5.1(side)", [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .sideLeft, .sideRight]),
        ("6.1", [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .backCentre, .sideLeft, .sideRight]),
        ("7.1", [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .backLeft, .backRight, .sideLeft, .sideRight]),
    ]

    /// Returns the speaker layout with mpv's and FFmpeg's name; nil if the name is unknown.
    package static func layout(named name: String) -> [Speaker]? { layouts.first { $0.name == name }?.speakers }

    /// Returns the default speaker layout for a number of channels; nil if there is none.
    package static func defaultLayout(channels: Int) -> [Speaker]? {
        let names = [1: "mono", 2: "stereo", 3: "2.1", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"]
        return names[channels].flatMap(layout)
    }
}

/// The channels with which a device is opened (mpv's `--audio-channels`).
package enum ChannelChoice: Sendable, Equatable {
    /// The channels of the audio if there are at most two or if the hardware reports their speakers, else stereo.
    /// Software mixers report no speakers, so they receive at most two channels.
    case automaticSafe
    /// The channels of the audio if the device accepts their number, else stereo.
    case automatic
    /// The first of the given layouts that the device accepts, else stereo.
    case layouts([[Speaker]])

    /// Parses `auto-safe`, `auto`, or a comma-separated list of layout names; nil for other texts.
    package init?(parsing text: String) {
        switch text {
        case "auto-safe": self = .automaticSafe
        case "auto": self = .automatic
        default:
            let layouts = text.split(separator: ",").map {
                Speaker.layout(named: String($0)) ?? Int($0).flatMap(Speaker.defaultLayout)
            }
            guard !layouts.isEmpty, !layouts.contains(nil) else { return nil }
            self = .layouts(layouts.compactMap(\.self))
        }
    }

    /// Returns the layouts to request from a device, the best first. Nearly every device accepts the last layout,
    /// stereo.
    ///
    /// - Parameter reported: The layouts that the hardware reports; empty if it reports none.
    package func candidates(for source: [Speaker], reported: [[Speaker]]) -> [[Speaker]] {
        let stereo: [Speaker] = [.frontLeft, .frontRight]
        switch self {
        case .layouts(let layouts): return layouts + [stereo]
        case .automatic: return [source, stereo]
        case .automaticSafe:
            if source.count <= 2 { return [source, stereo] }
            let matches = reported.filter { Set($0) == Set(source) } + reported.filter { Self.isEquivalent($0, source) }
            return matches.prefix(1) + [stereo]
        }
    }

    /// Returns whether two layouts have the same speakers. A single rear pair counts as the same whether it is at the
    /// side or at the back.
    private static func isEquivalent(_ first: [Speaker], _ second: [Speaker]) -> Bool {
        func withBackPair(_ speakers: [Speaker]) -> Set<Speaker> {
            let speakerSet = Set(speakers)
            guard speakerSet.contains(.sideLeft), !speakerSet.contains(.backLeft) else { return speakerSet }
            return speakerSet.subtracting([.sideLeft, .sideRight]).union([.backLeft, .backRight])
        }
        return withBackPair(first) == withBackPair(second)
    }
}
