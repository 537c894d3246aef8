/// Where a channel is heard; the numbers are those of WAVEFORMATEXTENSIBLE's mask.
package enum Speaker: UInt8, CaseIterable, Sendable {
    case frontLeft, frontRight, frontCentre, lowFrequency, backLeft, backRight, frontLeftOfCentre, frontRightOfCentre
    case backCentre, sideLeft, sideRight

    /// Arrangements by the names that mpv and FFmpeg give them.
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

    package static func layout(named name: String) -> [Speaker]? { layouts.first { $0.name == name }?.speakers }

    /// What is usual for so many channels; nil for numbers that have no usual arrangement.
    package static func usual(_ channels: Int) -> [Speaker]? {
        let names = [1: "mono", 2: "stereo", 3: "2.1", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"]
        return names[channels].flatMap(layout)
    }
}

/// Which channels a device is opened with (mpv's `--audio-channels`).
package enum ChannelChoice: Sendable, Equatable {
    /// The sound's own where the hardware says that it has those speakers, else two: a mixer behind a name takes any
    /// number and says nothing.
    case automaticSafe
    /// The sound's own where the device takes so many.
    case automatic
    /// The first of these that the device takes.
    case layouts([[Speaker]])

    /// `auto-safe`, `auto`, or names with commas between; nil: not understood.
    package init?(parsing text: String) {
        switch text {
        case "auto-safe": self = .automaticSafe
        case "auto": self = .automatic
        default:
            let layouts = text.split(separator: ",").map {
                Speaker.layout(named: String($0)) ?? Int($0).flatMap(Speaker.usual)
            }
            guard !layouts.isEmpty, !layouts.contains(nil) else { return nil }
            self = .layouts(layouts.compactMap(\.self))
        }
    }

    /// What to ask the device for, best first. The last is always something that nearly every device takes.
    ///
    /// - Parameter stated: the arrangements that the hardware itself names; empty when it names none.
    package func candidates(for source: [Speaker], stated: [[Speaker]]) -> [[Speaker]] {
        let stereo: [Speaker] = [.frontLeft, .frontRight]
        switch self {
        case .layouts(let layouts): return layouts + [stereo]
        case .automatic: return [source, stereo]
        case .automaticSafe:
            if source.count <= 2 { return [source, stereo] }
            let fitting = stated.filter { Set($0) == Set(source) } + stated.filter { Self.isEquivalent($0, source) }
            return fitting.prefix(1) + [stereo]
        }
    }

    /// Rear pairs at the side and at the back serve for each other where there is one pair.
    private static func isEquivalent(_ one: [Speaker], _ other: [Speaker]) -> Bool {
        func plain(_ speakers: [Speaker]) -> Set<Speaker> {
            let set = Set(speakers)
            guard set.contains(.sideLeft), !set.contains(.backLeft) else { return set }
            return set.subtracting([.sideLeft, .sideRight]).union([.backLeft, .backRight])
        }
        return plain(one) == plain(other)
    }
}
