import AudioOutput
import AudioPolicy

extension Player {
    /// An audio device of ALSA.
    public struct AudioDevice: Sendable, Equatable {
        /// The name of the device in ALSA, such as `default` or `hw:0`, for ``PlayerConfiguration/audioOutput``.
        public let name: String
        /// A description of the device for the user, in one line.
        public let title: String
    }

    /// The outputs of the sound server and the audio devices of ALSA's configuration. Reading them takes some
    /// milliseconds, and half a second if the sound server does not reply.
    public static var audioDevices: [AudioDevice] {
        AudioDeviceList.all.map { AudioDevice(name: $0.name, title: $0.title) }
    }

    /// The name of the player's ALSA device (AVPlayer.audioOutputDeviceUniqueID); nil for ALSA's default device. See
    /// ``audioDevices`` for the possible names.
    ///
    /// Setting it opens the new device in the background while the old one plays on. If the new device cannot be
    /// opened, the old one stays in use and ``Notification/warning(_:)`` is posted. Setting it has no effect on a
    /// player without an ALSA output.
    public var audioOutputDeviceUniqueID: String? {
        get {
            let device = observed(\.audioOutputDeviceUniqueID).withLock { $0.published.device }
            return device == "default" ? nil : device
        }
        set {
            guard case .alsa = core.configuration.audioOutput, !core.configuration.isUntimed else { return }
            core.post(.switchDevice(newValue ?? "default"))
        }
    }

    /// The sample rate and the number of channels with which the audio device was opened; nil before that.
    package var audioDeviceFormat: (rate: Int, channels: Int)? {
        core.snapshot.withLock { $0.published.deviceFormat }.map { ($0.rate, $0.channels) }
    }

    /// Releases the audio session, so that interrupted programs may resume. The next ``play()`` activates it again.
    package func releaseAudioSession() { core.post(.releaseAudioSession) }

    /// Marks the next request for playback as a request of the user. Playback may then start in the background and
    /// interrupt other programs.
    package func recordUserRequest() { core.post(.userRequestsPlayback) }
}

extension PlaybackError {
    /// Creates the error for a device that is missing or in use. Its code is `resourceNotAvailable` of
    /// ``AudioSessionErrorCode``.
    init(_ error: AudioOutputError) {
        self.init(
            Code(rawValue: Int(AudioSessionErrorCode.resourceNotAvailable.rawValue)), "\(error)", underlying: error)
    }
}
