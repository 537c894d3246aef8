import AudioOutput
import MediaPipeline
import SharedFrames

/// What is settled when a player is made.
public struct PlayerConfiguration: Sendable {
    /// Which device the sound goes to.
    public enum AudioOutput: Sendable, Equatable {
        /// ALSA, by the name of a PCM: `default`, `hw:0`, `pulse`.
        case alsa(device: String)
        /// Consumed at its own pace and not heard.
        case null
        /// Not decoded at all.
        case none
    }

    /// Whether the sound of two items of a queue is one stream to the device (mpv's `--gapless-audio`).
    public enum GaplessAudio: String, Sendable {
        /// Always: the next item is brought into the rate and channels of the first.
        case always = "yes"
        /// Where both have the same rate and channels. Else the device is opened anew, and there is a gap.
        case whereFormatsMatch = "weak"
        /// Never.
        case never = "no"
    }

    /// Which channels the device is opened with; sound that has others is mixed to them.
    public struct AudioChannels: Sendable, Equatable {
        let choice: ChannelChoice
        /// The sound's own where the hardware says that it has those speakers, else two.
        public static let automaticSafe = AudioChannels(choice: .automaticSafe)

        /// As mpv writes it: `auto-safe`, `auto` (the sound's own where the device takes so many), or names as `mono`,
        /// `stereo`, `5.1`, `7.1` with commas between, the first that the device takes. nil: not understood.
        public init?(_ text: String) {
            guard let choice = ChannelChoice(parsing: text) else { return nil }
            self.choice = choice
        }

        private init(choice: ChannelChoice) { self.choice = choice }
    }

    /// The audio device.
    public var audioOutput = AudioOutput.alsa(device: "default")
    /// The channels with which the device is opened.
    public var audioChannels = AudioChannels.automaticSafe
    /// Whether video tracks are decoded.
    public var playsVideo = true
    /// FFmpeg's threads below the video decoder; nil: what suits the picture's size and the machine.
    public var decoderThreads: Int?
    /// Frames are shown as fast as they are decoded, and sound is left out.
    public var isUntimed = false
    /// How the sound of one item of a queue is joined to that of the next.
    public var gaplessAudio = GaplessAudio.whereFormatsMatch
    /// Where ``PlayerItem/selectMediaOptionAutomatically(in:)`` and every new item begin.
    package var tracks = TrackChoice()
    package var openPolicy = OpenPolicy()
    /// Which certificates of `https` servers are accepted. Holds for the file, for everything that it refers to (the
    /// segments of a playlist), and for files of subtitles. A server that does not pass fails with
    /// ``PlaybackError/Code/untrustedServer``.
    public var tlsVerification: TLSVerification {
        get { TLSVerification(openPolicy.tls) }
        set { openPolicy.tls = newValue.trust }
    }
    /// Sees every frame before it is shown, on the player's thread; each says what was decoded for it.
    package var frameTap: (@Sendable (VideoFrame) -> Void)?
    /// Sees all sound as it was decoded, on the thread that decodes it.
    package var soundTap: (@Sendable (SoundChecksum) -> Void)?
    /// Sees all samples on their way to the device, interleaved, on the thread "sound".
    package var sampleTap: (@Sendable (ArraySlice<Float>) -> Void)?
    /// Creates the default configuration.
    public init() {}
}
