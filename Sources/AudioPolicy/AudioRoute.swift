/// An audio route: the output to which audio is played.
package struct AudioRoute: Sendable, Hashable {
    /// The kind of the output, such as a speaker.
    package enum Port: UInt8, Sendable, CaseIterable {
        case speaker, headphones, lineOut, hdmi, usb, bluetooth
        /// The output of a sound server, which does not report what kind of output it uses.
        case soundServer
    }

    /// The ALSA PCM of the output, such as `default` or `default:CARD=Headset`.
    package let device: String
    /// The kind of the output, such as a speaker.
    package let port: Port
    /// The name of the output that users see, such as `Built-in Audio`.
    package let name: String

    package init(device: String, port: Port, name: String) {
        self.device = device
        self.port = port
        self.name = name
    }

    /// Creates the route of an ALSA device; derives the kind of the output from the device's name.
    package init(alsaDevice device: String) {
        let pcmType = device.prefix { $0 != ":" }
        let port: Port =
            switch pcmType {
            case "pulse", "pipewire", "jack": .soundServer
            case "hdmi": .hdmi
            case "bluealsa": .bluetooth
            case "iec958": .lineOut
            default: .speaker
            }
        self.init(device: device, port: port, name: device)
    }
}

/// A change of the audio route.
package struct RouteChange: Sendable, Equatable {
    /// The reason for a route change, with the numbers of AVAudioSession.RouteChangeReason.
    package enum Reason: UInt8, Sendable, CaseIterable {
        /// The reason is not known.
        case unknown = 0
        /// A device was connected.
        case newDeviceAvailable = 1
        /// The device in use was removed; another device is the route now.
        case oldDeviceUnavailable = 2
        /// The category of the session requires another output.
        case categoryChange = 3
        /// The user selected another output.
        case override = 4
        /// The computer woke from sleep; the route may be unchanged.
        case wakeFromSleep = 6
        /// No audio output is available any more.
        case noSuitableRouteForCategory = 7
        /// The output is unchanged, but its configuration changed.
        case routeConfigurationChange = 8
    }

    /// The reason for the change.
    package let reason: Reason
    /// The former route; nil if no output existed.
    package let previous: AudioRoute?
    /// The new route; nil if no output exists.
    package let current: AudioRoute?
    /// Whether the device in use was removed. Playback pauses then, so that it is not heard on other speakers.
    package var losesOutput: Bool { reason == .oldDeviceUnavailable || reason == .noSuitableRouteForCategory }

    package init(_ reason: Reason, from previous: AudioRoute?, to current: AudioRoute?) {
        self.reason = reason
        self.previous = previous
        self.current = current
    }
}
