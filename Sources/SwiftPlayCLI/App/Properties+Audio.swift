import MediaPipeline
import SwiftPlayKit

/// The properties of the audio track and of the audio device.
extension PlayerProperty {
    static let audio: [PlayerProperty] = [
        PlayerProperty("volume", .number(0...1000), isOption: true) {
            .double($0.state.volume)
        } write: { context, value throws(IPCError) in
            let volume = try value.propertyNumber(in: 0...context.state.settings.audio.maximumVolume)
            context.target.state.withLock { $0.volume = volume }
            context.target.runOnMainQueue { $0.setVolume(volume) }
        },
        PlayerProperty("mute", .flag, isOption: true) {
            .bool($0.player.isMuted)
        } write: { context, value throws(IPCError) in
            context.player.isMuted = try value.propertyFlag()
        },
        PlayerProperty("audio-codec", .text) { context in .text(playingTrack(.audio, context)?.codecText) },
        PlayerProperty("audio-codec-name", .text) { .text($0.item?.audioCodec) },
        PlayerProperty("audio-bitrate", .bytes) { bitRate(.audio, $0) },
        PlayerProperty("packet-audio-bitrate", .bytes) { bitRate(.audio, $0).map { kilobits($0) } },
        PlayerProperty("audio-params", .object) { context in
            guard let track = playingTrack(.audio, context), track.channels > 0 else { return nil }
            let layout = channelText(track.channelLayout, count: track.channels)
            return audioParameters(
                rate: track.sampleRate, channels: track.channels, layout: layout,
                format: track.sampleFormat.map { sampleFormats[$0] ?? $0 })
        },
        PlayerProperty("audio-out-params", .object) { context in
            guard playingTrack(.audio, context) != nil, let format = context.player.audioDeviceFormat else {
                return nil
            }
            return audioParameters(
                rate: format.rate, channels: format.channels, layout: channelText(nil, count: format.channels),
                format: "float")
        },
        PlayerProperty("audio-device", .text, isOption: true) {
            .string($0.player.audioOutputDeviceUniqueID.map { "alsa/" + $0 } ?? "auto")
        } write: { context, value throws(IPCError) in
            guard case .string(let name) = value, !name.isEmpty else { throw .propertyFormat }
            context.player.audioOutputDeviceUniqueID = PlayerApp.alsaName(name)
        },
        PlayerProperty("audio-device-list", .list) { _ in
            let devices = [("auto", "Autoselect device")] + Player.audioDevices.map { ("alsa/" + $0.name, $0.title) }
            return .array(devices.map { .object(["name": .string($0), "description": .string($1)]) })
        },
        PlayerProperty("ao", .list, isOption: true) { outputList($0.state.settings.audioOutput ?? "alsa") },
        PlayerProperty("current-ao", .text) { context in
            guard playingTrack(.audio, context) != nil else { return nil }
            return .string(context.state.settings.audioOutput ?? "alsa")
        },
        PlayerProperty("ao-volume", .number()) { _ in nil },
        PlayerProperty("ao-mute", .flag) { _ in nil },
        PlayerProperty("mixer-active", .flag) { context in .bool(playingTrack(.audio, context) != nil) },
        PlayerProperty("audio-pitch-correction", .flag, isOption: true) {
            .bool($0.state.settings.keepsPitch)
        } write: { context, value throws(IPCError) in
            let keepsPitch = try value.propertyFlag()
            context.item?.audioTimePitchAlgorithm = keepsPitch ? .timeDomain : .varispeed
            context.target.changeSettings { $0.keepsPitch = keepsPitch }
        },
        PlayerProperty("audio-channels", .text, isOption: true) {
            $0.state.settings.audioChannels == .automaticSafe ? "auto-safe" : nil
        },
        PlayerProperty("gapless-audio", .choice(["no", "yes", "weak"]), isOption: true) { context in
            switch context.state.settings.gaplessAudio {
            case .always: true
            case .never: false
            case .whereFormatsMatch: "weak"
            }
        },
    ]

    /// Returns the value of `audio-params` and `audio-out-params`.
    private static func audioParameters(rate: Int, channels: Int, layout: String, format: String?) -> JSONValue {
        var object: [String: JSONValue] = [
            "samplerate": .int(Int64(rate)), "channel-count": .int(Int64(channels)), "channels": .string(layout),
            "hr-channels": .string(layout),
        ]
        if let format { object["format"] = .string(format) }
        return .object(object)
    }

    /// Returns mpv's name of a channel layout, given FFmpeg's name; for an unknown layout, the usual one for the number
    /// of channels.
    static func channelText(_ layout: String?, count: Int) -> String {
        if let layout, !layout.contains("channels") { return layout }
        return switch count {
        case 1: "mono"
        case 2: "stereo"
        case 6: "5.1"
        case 8: "7.1"
        default: "unknown\(count)"
        }
    }

    /// mpv's names of sample formats, by FFmpeg's names, where they differ.
    private static let sampleFormats = ["flt": "float", "fltp": "floatp", "dbl": "double", "dblp": "doublep"]
}
