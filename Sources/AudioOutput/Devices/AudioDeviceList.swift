import CALSA
import Glibc

/// A PCM that can be opened by name.
package struct AudioDevice: Sendable, Equatable {
    /// ALSA's name of the PCM.
    package let name: String
    /// The title for users, in one line.
    package let title: String
}

/// Functions that list the available audio devices.
package enum AudioDeviceList {
    /// The outputs of the sound server, then the playback PCMs in ALSA's configuration, in its order.
    package static var all: [AudioDevice] {
        calsa_discard_messages()
        var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard snd_device_name_hint(-1, "pcm", &hints) >= 0, let hints else { return [] }
        defer { snd_device_name_free_hint(hints) }
        var devices: [AudioDevice] = []
        var hint = hints
        while let entry = hint.pointee {
            hint += 1
            // A device description without a direction (`IOID`) supports both directions.
            guard let name = field(entry, "NAME"), name != "null", field(entry, "IOID").map({ $0 == "Output" }) ?? true
            else { continue }
            let title = (field(entry, "DESC") ?? "").split(separator: "\n").joined(separator: ", ")
            devices.append(AudioDevice(name: name, title: title))
        }
        let plugin = SoundServerDevices.Plugin.allCases.first { plugin in
            devices.contains { $0.name == plugin.rawValue }
        }
        return (plugin.map { SoundServerDevices.devices(for: $0) } ?? []) + devices
    }

    /// Returns a field of a device description (hint) from ALSA; nil if the field is missing.
    private static func field(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
        guard let value = snd_device_name_get_hint(hint, key) else { return nil }
        defer { free(value) }
        return String(cString: value)
    }

    /// The sound server behind ALSA's device `default`, according to ALSA's configuration; nil if `default` is a card.
    package static var server: String? {
        calsa_discard_messages()
        var config: OpaquePointer?
        guard snd_config_update_ref(&config) >= 0, let config else { return nil }
        defer { snd_config_unref(config) }
        var definition: OpaquePointer?, type: OpaquePointer?, name: UnsafePointer<CChar>?
        guard snd_config_search_definition(config, "ctl", "default", &definition) >= 0, let definition else {
            return nil
        }
        defer { snd_config_delete(definition) }
        guard snd_config_search(definition, "type", &type) >= 0, snd_config_get_string(type, &name) >= 0, let name
        else { return nil }
        return ["pulse": "PulseAudio", "pipewire": "PipeWire", "jack": "JACK"][String(cString: name)]
    }

    /// ALSA's names of the control interfaces of all cards, such as `hw:0`, in ALSA's order.
    package static var controls: [String] {
        var controls: [String] = [], card: Int32 = -1
        // The bound prevents an endless loop: the kernel supports at most 32 cards.
        while controls.count < 256, snd_card_next(&card) >= 0, card >= 0 { controls.append("hw:\(card)") }
        return controls
    }
}
