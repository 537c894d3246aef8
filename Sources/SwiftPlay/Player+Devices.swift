import AudioOutput
import AudioPolicy

extension Player {
    /// An audio device of ALSA.
    public struct AudioDevice: Sendable, Equatable {
        /// The name of the device in ALSA, such as `default` or `hw:0`, for ``PlayerConfiguration/audioOutput``.
        public let name: String
        /// A description for people, in one line.
        public let title: String
    }

    /// The sound devices that can be played on, as ALSA's configuration has them. May take some milliseconds.
    public static var audioDevices: [AudioDevice] {
        AudioDeviceList.all.map { AudioDevice(name: $0.name, title: $0.title) }
    }

    /// The name of the player's ALSA device (see ``audioDevices``); nil for ALSA's default device.
    ///
    /// Setting it opens the new device in the background while the old one plays on. If the new device cannot be
    /// opened, the old one stays in use and ``Notification/warning(_:)`` is posted. Setting it has no effect on a
    /// player without an ALSA output.
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
