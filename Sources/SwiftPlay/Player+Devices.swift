import AudioOutput
import AudioPolicy

extension Player {
    /// A sound device, by the name that ``AudioOutput-swift.enum/alsa(device:)`` takes.
    public struct AudioDevice: Sendable, Equatable {
        public let name: String
        /// For people, in one line.
        public let title: String
    }

    /// The sound devices that can be played on, as ALSA's configuration has them. May take some milliseconds.
    public static var audioDevices: [AudioDevice] { AudioDeviceList.all.map { AudioDevice(name: $0.name, title: $0.title) } }
}

extension PlaybackError {
    /// A device that cannot be had, by the audio session's code for it: it is not there, or somebody else has it.
    init(_ error: AudioOutputError) { 
        self.init(Code(rawValue: Int(AudioSessionErrorCode.resourceNotAvailable.rawValue)), "\(error)", underlying: error)
    }
}
