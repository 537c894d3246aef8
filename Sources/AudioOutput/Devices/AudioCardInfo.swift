import AudioPolicy
import SystemCalls

/// A sound card, or a sound server that represents all cards.
package struct AudioCardInfo: Sendable, Equatable {
    /// The connection of the card to the machine; `server` is a sound server.
    package enum Bus: UInt8, Sendable { case internalBus, usb, bluetooth, server }

    /// An audio socket of a sound card that reports whether a plug is inserted.
    package struct Jack: Sendable, Hashable {
        /// The driver's name of the jack: `Headphone Jack`, `HDMI/DP,pcm=3 Jack`.
        package let name: String
        package var isPlugged: Bool

        package init(_ name: String, isPlugged: Bool) {
            self.name = name
            self.isPlugged = isPlugged
        }

        /// The kind of output behind the jack; nil for inputs, and for phantom jacks, which do not detect plugs.
        package var port: AudioRoute.Port? {
            guard name.hasSuffix("Jack"), !name.includes("Phantom"), !name.includes("Mic") else { return nil }
            if name.includes("Headphone") || name.includes("Headset") { return .headphones }
            if name.includes("HDMI") || name.includes("DP") { return .hdmi }
            return name.includes("Line Out") || name.includes("Speaker") ? .lineOut : nil
        }
    }

    /// ALSA's name of the card's control interface: `hw:0`, `default`.
    package let control: String
    /// The card's name that is shown to users.
    package let name: String
    /// The connection of the card to the machine.
    package let bus: Bus
    /// Whether ALSA uses this card by default.
    package let isDefault: Bool
    /// The card's audio sockets that report whether a plug is inserted.
    package var jacks: [Jack]

    package init(control: String, name: String, bus: Bus, isDefault: Bool = false, jacks: [Jack] = []) {
        self.control = control
        self.name = name
        self.bus = bus
        self.isDefault = isDefault
        self.jacks = jacks
    }

    /// The name of the PCM that plays on this card, mixed with the audio of other programs if possible.
    var device: String {
        isDefault ? "default" : "default:" + (control.split(separator: ":").last.map(String.init) ?? control)
    }

    /// The route of the card while nothing is plugged into its jacks; nil if the card then has no output, such as a
    /// graphics card with HDMI jacks only.
    var unpluggedRoute: AudioRoute? {
        let port: AudioRoute.Port? =
            switch bus {
            case .internalBus:
                jacks.contains { $0.port != nil } && jacks.allSatisfy { $0.port == .hdmi || $0.port == nil }
                    ? nil : .speaker
            case .usb: .usb
            case .bluetooth: .bluetooth
            case .server: .soundServer
            }
        return port.map { AudioRoute(device: device, port: $0, name: name) }
    }

    /// Returns the route through a jack; nil if the jack is not an output.
    func route(_ jack: Jack) -> AudioRoute? {
        guard let port = jack.port else { return nil }
        guard port == .hdmi, bus == .internalBus else { return AudioRoute(device: device, port: port, name: name) }
        // Each HDMI jack has its own PCM device, whose number is part of the jack's name: `HDMI/DP,pcm=3 Jack`.
        let number = jack.name.split(separator: "=").last.flatMap { Int($0.prefix { $0.isNumber }) }
        let card = control.split(separator: ":").last.map(String.init) ?? "0"
        return AudioRoute(device: number.map { "plughw:\(card),\($0)" } ?? device, port: .hdmi, name: name)
    }
}
