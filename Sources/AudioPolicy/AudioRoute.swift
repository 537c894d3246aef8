/// Where sound is heard.
package struct AudioRoute: Sendable, Hashable {
    /// What stands at the end of it.
    package enum Port: UInt8, Sendable, CaseIterable {
        case speaker, headphones, lineOut, hdmi, usb, bluetooth
        /// A sound server decides, and does not say.
        case server
    }

    /// The ALSA PCM to open for it: `default`, `default:CARD=Headset`.
    package let device: String
    package let port: Port
    /// For people: `Built-in Audio`.
    package let name: String

    package init(device: String, port: Port, name: String) {
        self.device = device
        self.port = port
        self.name = name
    }

    /// What a device of ALSA's leads to that somebody names, as far as the name tells.
    package init(alsaDevice device: String) {
        let kind = device.prefix { $0 != ":" }
        let port: Port =
            switch kind {
            case "pulse", "pipewire", "jack": .server
            case "hdmi": .hdmi
            case "bluealsa": .bluetooth
            case "iec958": .lineOut
            default: .speaker
            }
        self.init(device: device, port: port, name: device)
    }
}

/// Another route, and why.
package struct RouteChange: Sendable, Equatable {
    /// With AVAudioSession's numbers.
    package enum Reason: UInt8, Sendable, CaseIterable {
        case unknown = 0
        case newDeviceAvailable = 1
        case oldDeviceUnavailable = 2
        case categoryChange = 3
        case override = 4
        case wakeFromSleep = 6
        case noSuitableRouteForCategory = 7
        case routeConfigurationChange = 8
    }

    package let reason: Reason
    /// nil: nothing was there to be heard on.
    package let previous: AudioRoute?
    package let current: AudioRoute?
    /// What was lost is what was being heard: who plays pauses, so that nobody hears it who should not.
    package var losesSound: Bool { reason == .oldDeviceUnavailable || reason == .noSuitableRouteForCategory }

    package init(_ reason: Reason, from previous: AudioRoute?, to current: AudioRoute?) {
        self.reason = reason
        self.previous = previous
        self.current = current
    }
}
