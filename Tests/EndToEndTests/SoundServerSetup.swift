import Foundation
import TestSupport

/// The setup of a test of the sound server: a private PulseAudio server, a player that plays through it and has shown
/// 20 frames, and a recorder of the player's window.
struct SoundServerSetup {
    /// The directory that contains the socket and the configuration of the sound server.
    let scratch: TemporaryDirectory
    /// The path of the sound server's socket.
    let socket: String
    let server: ChildProcess
    let player: RunningPlayer
    let watcher: ScreenWatcher
    let recorder: ScreenRecorder
    /// The number of the frame at which the recording begins.
    let firstFrameNumber: Int
    /// The host time at which the frame ``firstFrameNumber`` was visible, in nanoseconds.
    let firstFrameTime: Int64

    init() throws {
        scratch = try TemporaryDirectory()
        socket = scratch.file("sound")
        server = try Self.startServer(in: scratch)
        player = try RunningPlayer("count30.mp4", environment: ["PULSE_SERVER": "unix:\(socket)"])
        watcher = try ScreenWatcher()
        recorder = try ScreenRecorder([.player])
        let frame = try watcher.waitForFrame(in: .player) { $0 >= 20 }
        firstFrameNumber = frame
        firstFrameTime = try recorder.wait { ($0.frame ?? 0) >= frame }.time
    }

    /// Starts a private PulseAudio server with the socket `sound` in the directory `scratch`.
    static func startServer(in scratch: TemporaryDirectory) throws -> ChildProcess {
        let socket = scratch.file("sound")
        let server = try ChildProcess(
            Products.systemProgram("pulseaudio"),
            [
                "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
                "-L", "module-native-protocol-unix auth-anonymous=1 socket=\(socket)", "-L",
                "module-null-sink sink_name=null",
            ],
            environment: ["HOME": scratch.path, "XDG_CONFIG_HOME": scratch.path, "XDG_RUNTIME_DIR": scratch.path])
        guard Deadline.poll(for: .seconds(10), { (try? playbackStreams(at: socket)) }) != nil else {
            throw TestFailure("the private sound server did not start: \(server.errors.text)")
        }
        return server
    }

    /// Returns a list of the playback streams of the sound server at `socket`, one per line.
    static func playbackStreams(at socket: String) throws -> String {
        try run("pactl", ["-s", "unix:\(socket)", "list", "short", "sink-inputs"])
    }
}
