import MediaPipeline
import SwiftPlayKit

/// The settings that result from the command line.
struct PlaySettings: Sendable {
    /// The paths and addresses to play.
    var files: [String]
    var startsInPictureInPicture: Bool
    /// The position at which playback of each file begins; nil for the start of the file.
    var start: TimePosition?
    /// The position at which playback of each file ends; nil for the end of the file.
    var end: TimePosition?
    var isPaused: Bool
    /// The volume in percent on mpv's scale, 0 to 130.
    var volume: Double
    var isMuted: Bool
    /// The playback speed as a factor, 0.01 to 100.
    var speed: Double
    /// The number of repetitions of each file.
    var fileLoop: LoopCount
    /// Whether the program stays open after the last file has ended and shows its last picture.
    var keepsOpen: Bool
    var isFullScreen: Bool
    /// The value of `--geometry`; nil for a default size and position.
    var geometry: String?
    /// The video output of `--vo`; nil if the program chooses one.
    var videoOutput: VideoOutputOption?
    var deinterlacing: Player.Deinterlacing
    /// The value of `--ao`: `alsa` or `null`; nil for `alsa`.
    var audioOutput: String?
    /// The value of `--audio-device`; nil for the default device.
    var audioDevice: String?
    /// The channel layout of the audio device.
    var audioChannels: Player.AudioChannels
    /// The title of the window; nil for a title from the file.
    var title: String?
    var logLevels: LogLevels
    /// The path of the IPC server's socket; nil for no server.
    var ipcPath: String?
    /// Whether playback ignores timestamps (`--untimed`).
    var isUntimed: Bool
    /// The path of the statistics file; nil for none.
    var statisticsPath: String?
    /// The number of decoder threads; nil selects a number that suits the video and the machine.
    var decoderThreadCount: Int?
    /// The playlist files of `--playlist`, which precede ``files``.
    var playlistFiles: [String] = []
    /// The index of the entry that is played first; nil for the first entry.
    var playlistStart: Int?
    /// The number of times that the playlist is repeated after it was played once.
    var playlistLoop = LoopCount.times(0)
    /// The configuration of the audio session.
    var session = SessionOptions.defaultConfiguration
    /// Whether the playlist is shuffled at the start.
    var shufflesPlaylist = false
    /// Whether audio keeps its pitch at speeds other than 1.
    var keepsPitch = true
    /// Whether the screensaver is suspended while video plays in a window.
    var stopsScreenSaver = true
    /// Whether the window shows on-screen controls.
    var showsControls = true
    /// Whether the player is published on the session bus (MPRIS).
    var publishesNowPlaying = true
    /// The times of the points A and B of the A-B loop, in seconds; nil if not set.
    var abLoopA: Double?
    var abLoopB: Double?
    var gaplessAudio = Player.GaplessAudio.whereFormatsMatch
    /// The path of the file for `--frame-checksums`; nil for none.
    var frameChecksumPath: String?
    /// The path of the file for `--sound-checksums`; nil for none.
    var audioChecksumPath: String?
    /// The hash function of both files.
    var checksumHash = ChecksumHash.md5
    var x11Present = PlayerWindow.X11Present.auto
    var tracks = TrackSettings()
    var network = NetworkSettings()
    var window = WindowSettings()
    var configuration = ConfigurationSettings()
    var playback = PlaybackSettings()
    var audio = AudioSettings()
    var screenshot = ScreenshotSettings()
    var terminal = TerminalSettings()
    /// The path of the log file; nil for none.
    var logPath: String?
    /// Whether a window opens also without a picture.
    var forcesWindow = false
}
