import SwiftPlayKit

/// The settings that result from the command line.
struct PlaySettings: Sendable {
    var files: [String]
    var startsInPictureInPicture: Bool
    var start: TimePosition?
    var end: TimePosition?
    var isPaused: Bool
    var volume: Double
    var isMuted: Bool
    var speed: Double
    var loop: LoopCount
    var keepsOpen: Bool
    var isFullScreen: Bool
    var geometry: String?
    var picture: PictureOutput?
    var deinterlacing: Player.Deinterlacing
    var sound: String?
    var soundDevice: String?
    var channels: Player.AudioChannels
    var title: String?
    var logLevels: LogLevels
    var ipcPath: String?
    var isUntimed: Bool
    var statisticsPath: String?
    /// The number of decoder threads; nil selects a number that suits the video and the machine.
    var decoderThreads: Int?
    var listLoop = LoopCount.times(0)
    /// The configuration of the audio session.
    var session = SessionOptions.usual
    var shuffles = false
    var keepsPitch = true
    var stopsScreenSaver = true
    var showsControls = true
    var isSeenByDesktop = true
    /// The points of the A-B loop, in seconds; nil if not set.
    var abLoopA: Double?
    var abLoopB: Double?
    var gaplessAudio = Player.GaplessAudio.whereFormatsMatch
    var checksumPath: String?
    var soundChecksumPath: String?
    var x11Present = PlayerWindow.X11Present.auto
    var tracks = TrackSettings()
    var tlsVerification = TLSVerification.systemRoots
}
