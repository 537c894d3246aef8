import ArgumentParser
import SwiftPlayKit

/// The command line options for the volume, the timing and the output of audio. Names and meanings are mpv's.
struct AudioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Volume, 0 to --volume-max; 100 is the level of the recording.", valueName: "percent"))
    var volume: Double = 100

    @Option(help: ArgumentHelp("The largest volume, 100 to 1000.", valueName: "percent"))
    var volumeMax: Double = 130

    @Flag(inversion: .prefixedNo, help: "Start muted.")
    var mute = false

    @Option(help: ArgumentHelp("Delay of audio; may be negative.", valueName: "seconds"))
    var audioDelay: Double = 0

    @Flag(inversion: .prefixedNo, help: "Keep the pitch at other speeds.")
    var audioPitchCorrection = true

    @Option(
        help: ArgumentHelp(
            "Play files without gaps: yes (always), weak (if sample rate and channels match) or no.",
            valueName: "yes|weak|no"))
    var gaplessAudio = "weak"

    @Option(
        help: ArgumentHelp(
            "Apply the ReplayGain values of the file: no, track or album.", valueName: "no|track|album"))
    var replaygain = "no"

    @Option(help: ArgumentHelp("Gain in addition to ReplayGain, -150 to 150.", valueName: "decibels"))
    var replaygainPreamp: Double = 0

    @Flag(inversion: .prefixedNo, help: "Let ReplayGain amplify beyond full scale.")
    var replaygainClip = false

    @Option(
        help: ArgumentHelp("Gain of files without ReplayGain values, -200 to 60.", valueName: "decibels"))
    var replaygainFallback: Double = 0

    @Option(
        help: ArgumentHelp("Audio output: alsa or null.", valueName: "output"), completion: .list(["alsa", "null"]))
    var ao: String?

    @Option(help: ArgumentHelp("ALSA device, such as alsa/hw:0; help lists all devices.", valueName: "device"))
    var audioDevice: String?

    @Option(
        help: ArgumentHelp(
            "Channel layout of the device: auto-safe, auto, or a list such as stereo,5.1,7.1.", valueName: "channels"))
    var audioChannels = "auto-safe"

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        guard Player.GaplessAudio(rawValue: gaplessAudio) != nil else {
            throw ValidationError("--gapless-audio takes yes, weak or no.")
        }
        if let ao, !["alsa", "null"].contains(ao) {
            throw ValidationError("--ao=\(ao) is not known; use alsa or null.")
        }
        guard Player.AudioChannels(audioChannels) != nil else {
            throw ValidationError(
                "--audio-channels=\(audioChannels) is not known; use auto-safe, auto, stereo or 5.1.")
        }
        guard (100...1000).contains(volumeMax) else { throw ValidationError("--volume-max takes 100 to 1000.") }
        guard (0...volumeMax).contains(volume) else {
            throw ValidationError("--volume takes 0 to \(Int(volumeMax)), the value of --volume-max.")
        }
        guard audioDelay.isFinite, abs(audioDelay) <= 60 else {
            throw ValidationError("--audio-delay takes -60 to 60 seconds.")
        }
        guard ReplayGain.Mode(rawValue: replaygain) != nil else {
            throw ValidationError("--replaygain takes no, track or album.")
        }
        guard (-150...150).contains(replaygainPreamp) else {
            throw ValidationError("--replaygain-preamp takes -150 to 150 decibels.")
        }
        guard (-200...60).contains(replaygainFallback) else {
            throw ValidationError("--replaygain-fallback takes -200 to 60 decibels.")
        }
    }

    /// The settings that the options describe. The options must be valid.
    var settings: AudioSettings {
        AudioSettings(
            maximumVolume: volumeMax, delay: audioDelay,
            replayGain: ReplayGain(
                mode: ReplayGain.Mode(rawValue: replaygain) ?? .no, preamplification: replaygainPreamp,
                allowsClipping: replaygainClip, fallback: replaygainFallback))
    }
}

/// The settings for volume and timing of audio, as the command line sets them.
struct AudioSettings: Sendable {
    /// The largest volume in percent on mpv's scale.
    var maximumVolume = 130.0
    /// The delay of audio in seconds.
    var delay = 0.0
    var replayGain = ReplayGain()
}
