import AudioPolicy

/// What can be heard on: a card, or a sound server that stands for all of them.
package struct SoundCard: Sendable, Equatable {
    package enum Bus: UInt8, Sendable { case internalBus, usb, bluetooth, server }

    /// A socket that knows whether something is plugged in.
    package struct Jack: Sendable, Hashable {
        /// As the driver calls it: `Headphone Jack`, `HDMI/DP,pcm=3 Jack`.
        package let name: String
        package var isPlugged: Bool

        package init(_ name: String, isPlugged: Bool) {
            self.name = name
            self.isPlugged = isPlugged
        }

        /// What is heard through it; nil for inputs, and for phantoms, which do not know what is plugged in.
        package var port: AudioRoute.Port? {
            guard name.hasSuffix("Jack"), !name.contains("Phantom"), !name.contains("Mic") else { return nil }
            if name.contains("Headphone") || name.contains("Headset") { return .headphones }
            if name.contains("HDMI") || name.contains("DP") { return .hdmi }
            return name.contains("Line Out") || name.contains("Speaker") ? .lineOut : nil
        }
    }

    /// ALSA's name of its control: `hw:0`, `default`.
    package let control: String
    package let name: String
    package let bus: Bus
    /// What ALSA plays through where nothing is chosen.
    package let isDefault: Bool
    package var jacks: [Jack]

    package init(control: String, name: String, bus: Bus, isDefault: Bool = false, jacks: [Jack] = []) {
        self.control = control
        self.name = name
        self.bus = bus
        self.isDefault = isDefault
        self.jacks = jacks
    }

    /// The PCM that plays through it, mixed with other programs' where that can be.
    var device: String {
        isDefault ? "default" : "default:" + (control.split(separator: ":").last.map(String.init) ?? control)
    }

    /// What is heard with nothing plugged in; nil: nothing, as with a graphics card.
    var base: AudioRoute? {
        let port: AudioRoute.Port? =
            switch bus {
            case .internalBus:
                jacks.contains { $0.port != nil } && jacks.allSatisfy { $0.port == .hdmi || $0.port == nil }
                    ? nil : .speaker
            case .usb: .usb
            case .bluetooth: .bluetooth
            case .server: .server
            }
        return port.map { AudioRoute(device: device, port: $0, name: name) }
    }

    /// What is heard through a jack.
    func route(_ jack: Jack) -> AudioRoute? {
        guard let port = jack.port else { return nil }
        guard port == .hdmi, bus == .internalBus else { return AudioRoute(device: device, port: port, name: name) }
        // `HDMI/DP,pcm=3 Jack`: each has a device of its own.
        let number = jack.name.split(separator: "=").last.flatMap { Int($0.prefix { $0.isNumber }) }
        let card = control.split(separator: ":").last.map(String.init) ?? "0"
        return AudioRoute(device: number.map { "plughw:\(card),\($0)" } ?? device, port: .hdmi, name: name)
    }
}
