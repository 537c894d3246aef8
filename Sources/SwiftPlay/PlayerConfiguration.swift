import AudioOutput
import MediaPipeline
import SharedFrames

/// The settings of a player that do not change after its creation.
public struct PlayerConfiguration: Sendable {
    /// The destination of the audio.
    public enum AudioOutput: Sendable, Equatable {
        /// The ALSA device with the name `device`, such as `default`, `hw:0` or `pulse`.
        case alsa(device: String)
        /// No device: audio is decoded, and discarded at the speed at which a device would play it.
        case null
        /// No audio output: audio is not decoded.
        case none
    }

    /// The condition under which the audio of consecutive items of a queue is joined without a gap (mpv's
    /// `--gapless-audio`).
    public enum GaplessAudio: String, Sendable {
        /// The audio is always joined: the audio of later items is converted to the sample rate and the channels of the
        /// first item.
        case always = "yes"
        /// The audio is joined if consecutive items have the same sample rate and channels. Otherwise the audio device
        /// is reopened, which makes a pause.
        case whereFormatsMatch = "weak"
        /// The audio is never joined.
        case never = "no"
    }

    /// The channels with which the audio device is opened. Audio with other channels is mixed to them.
    public struct AudioChannels: Sendable, Equatable {
        /// The channel layouts to try, parsed from mpv's notation.
        let choice: ChannelChoice
        /// The channels of the audio if the hardware reports these speakers, else stereo.
        public static let automaticSafe = AudioChannels(choice: .automaticSafe)

        /// Parses mpv's notation: `auto-safe`, `auto` (the channels of the audio if the device accepts that number), or
        /// a comma-separated list of layouts such as `mono`, `stereo`, `5.1` and `7.1`. The first layout that the
        /// device accepts is used. Returns nil for other texts.
        public init?(_ text: String) {
            guard let choice = ChannelChoice(parsing: text) else { return nil }
            self.choice = choice
        }

        private init(choice: ChannelChoice) { self.choice = choice }
    }

    /// The destination of the audio: ALSA's default device unless set.
    public var audioOutput = AudioOutput.alsa(device: "default")
    /// The channels with which the audio device is opened.
    public var audioChannels = AudioChannels.automaticSafe
    /// Whether video tracks are decoded.
    public var playsVideo = true
    /// The number of FFmpeg's video decoder threads; nil for a number that fits the picture and the machine.
    public var decoderThreads: Int?
    /// Whether frames are shown as fast as they are decoded, without audio; false by default.
    public var isUntimed = false
    /// The condition under which the audio of consecutive items of a queue is joined without a gap.
    public var gaplessAudio = GaplessAudio.whereFormatsMatch
    /// The rules that select the tracks of each new item, and the tracks after
    /// ``PlayerItem/selectMediaOptionAutomatically(in:)``.
    package var tracks = TrackChoice()
    /// The rules that state which files and network addresses may be opened, and which certificates are accepted.
    package var openPolicy = OpenPolicy()
    /// The certificates of `https` servers that are accepted, for the item, for everything that it refers to (such as
    /// the segments of a playlist) and for subtitle files. Other servers fail with
    /// ``PlaybackError/Code/untrustedServer``.
    public var tlsVerification: TLSVerification {
        get { TLSVerification(openPolicy.http.trust) }
        set { openPolicy.http.trust = newValue.trust }
    }
    /// The settings for requests to http and https addresses. An asset can have settings of its own, which take
    /// precedence.
    public var http: HTTPConfiguration {
        get { HTTPConfiguration(openPolicy.http) }
        set { newValue.apply(to: &openPolicy.http) }
    }
    /// The preference among the variants of streams.
    package var streamPreference = StreamPreference()
    /// The limits on how much media is read ahead and kept.
    package var cache = CacheConfiguration()
    /// A closure that receives every frame before it is shown, on the player's thread.
    package var frameTap: (@Sendable (VideoFrame) -> Void)?
    /// The hash of the checksums for ``frameTap`` and ``audioChecksumTap``.
    package var checksumHash = ChecksumHash.md5
    /// A closure that receives the checksum of all decoded audio, on the decoder's thread.
    package var audioChecksumTap: (@Sendable (AudioChecksum) -> Void)?
    /// A closure that receives all audio samples for the device, interleaved, on the audio thread ("sound").
    package var sampleTap: (@Sendable (ArraySlice<Float>) -> Void)?
    /// Creates the default configuration.
    public init() {}
}
