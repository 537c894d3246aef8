/// The output of audio.
package struct AudioRoute: Sendable, Hashable {
    /// The kind of the output.
    package enum Port: UInt8, Sendable, CaseIterable {
        case speaker, headphones, lineOut, hdmi, usb, bluetooth
        /// A sound server, which does not report the kind of its output.
        case server
    }

    /// The ALSA PCM of the output: `default`, `default:CARD=Headset`.
    package let device: String
    package let port: Port
    /// The name for people, such as `Built-in Audio`.
    package let name: String

    package init(device: String, port: Port, name: String) {
        self.device = device
        self.port = port
        self.name = name
    }

    /// Returns the route of an ALSA device, as far as its name shows it.
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

/// A change of the route.
package struct RouteChange: Sendable, Equatable {
    /// The reason, with the numbers of AVAudioSession.
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
    /// The former route; nil if there was none.
    package let previous: AudioRoute?
    package let current: AudioRoute?
    /// Whether the audible device was removed. Playback pauses then, so that it is not heard on other speakers.
    package var losesSound: Bool { reason == .oldDeviceUnavailable || reason == .noSuitableRouteForCategory }

    package init(_ reason: Reason, from previous: AudioRoute?, to current: AudioRoute?) {
        self.reason = reason
        self.previous = previous
        self.current = current
    }
}
