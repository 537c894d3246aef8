import AudioOutput
import AudioPolicy

extension Player {
    /// A sound device, by the name that ``AudioOutput/alsa(device:)`` takes.
    public struct AudioDevice: Sendable, Equatable {
        public let name: String
        /// For people, in one line.
        public let title: String
    }

    /// The sound devices that can be played on, as ALSA's configuration has them. May take some milliseconds.
    public static var audioDevices: [AudioDevice] {
        AudioDeviceList.all.map { AudioDevice(name: $0.name, title: $0.title) }
    }

    /// The device on which this player is heard, by ALSA's name (``audioDevices``); nil: ALSA's default. Another one is
    /// opened in the background while the one before goes on; where it cannot be had the sound stays where it is, which
    /// ``Event/warning(_:)`` says. Of a player that has no sound of ALSA's it changes nothing.
    public var audioOutputDeviceUniqueID: String? {
        get { core.snapshot.withLock { $0.published.device == "default" ? nil : $0.published.device } }
        set {
            guard case .alsa = core.configuration.audioOutput, !core.configuration.isUntimed else { return }
            core.post(.device(newValue ?? "default"))
        }
    }

    /// What was interrupted by this player's sound may go on; the next ``play()`` claims anew.
    package func giveBackSound() { core.post(.giveBackSound) }

    /// Says that the user wants what is asked for next: it may begin in the background, too, in the place of what does
    /// not mix.
    package func noteGesture() { core.post(.gesture) }
}

extension PlaybackError {
    /// A device that cannot be had, by the audio session's code for it: it is not there, or somebody else has it.
    init(_ error: AudioOutputError) {
        self.init(
            Code(rawValue: Int(AudioSessionErrorCode.resourceNotAvailable.rawValue)), "\(error)", underlying: error)
    }
}
