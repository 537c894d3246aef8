import CompositorProtocol
import Foundation
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

/// Tests that an X server that does not reply delays only the programs that use this X server.
@Suite("Unresponsive displays", .measuresTime)
struct DisplayStallTests {
    /// Plays a film in Picture-in-Picture on the X server of the test environment, and records which frames are on
    /// screen from the film's frame 10 on.
    private final class FilmInPictureInPicture {
        let player: RunningPlayer
        let recorder: ScreenRecorder
        /// The host time at which frame 10 was visible, in nanoseconds.
        private let startTime: Int64

        /// Starts a player in Picture-in-Picture.
        ///
        /// - Parameter settings: the content of the compositor's configuration file.
        init(settings: String = "") throws {
            let directory = try RuntimeDirectory(), folder = directory.path + "/config/swiftplay"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(settings.utf8).write(to: URL(fileURLWithPath: folder + "/compositor.conf"))
            player = try RunningPlayer("count30.mp4", options: ["--pip"], directory: directory)
            recorder = try ScreenRecorder([.pictureInPicture])
            startTime = try recorder.wait { ($0.frame ?? 0) >= 10 }.time
        }

        /// Plays for another second, checks that the Picture-in-Picture window showed every frame, and quits the
        /// player. At most `toleratedMissCount` frames may be missing in addition to the frames that the player itself
        /// dropped.
        func expectEveryFrameAndQuit(toleratedMissCount: Int = 0) throws {
            let lastFrame = try #require(recorder.recording.frames().last?.frame)
            try recorder.wait { ($0.frame ?? 0) > lastFrame + 30 }
            let recording = recorder.stopRecording().between(startTime, .max)
            let droppedCount = Int(min(try player.ipc.property("frame-drop-count").number ?? 0, 10))
            #expect(
                recording.missedFrameNumbers.count <= droppedCount + toleratedMissCount,
                "missed \(recording.missedFrameNumbers); the player dropped \(droppedCount)")
            try player.quit()
        }
    }

    @Test(
        "sessions on a display that never replies fail after a time limit; a film on another display loses no frame"
    )
    func sessionsOnAnUnresponsiveXServerFailAndDelayNoOtherFilm() async throws {
        try await TestEnvironment.runExclusively {
            let film = try FilmInPictureInPicture(), xServer = try UnresponsiveXServer()
            let client = try HostileClient(directory: film.player.directory), rings = try HostileClient.Rings()
            client.sendHello()
            for session in 1...8 as ClosedRange<UInt32> {
                client.send(
                    .openSession(session: session, surface: .x11(display: xServer.name, authority: "")),
                    descriptors: rings.descriptors)
            }
            // The compositor does not wait for the X server of a program that has disconnected.
            do {
                let disconnectedClient = try HostileClient(directory: film.player.directory)
                disconnectedClient.sendHello()
                disconnectedClient.send(
                    .openSession(session: 1, surface: .x11(display: xServer.name + ".1", authority: "")),
                    descriptors: rings.descriptors)
            }
            for _ in 0..<3 { try film.player.directory.runSystemCommand(["sessions"]) }
            for session in 1...8 as ClosedRange<UInt32> {
                try client.wait(
                    for: .sessionFailed(session: session, reason: "the X display \(xServer.name) does not answer"),
                    within: .seconds(15))
            }
            try film.expectEveryFrameAndQuit()
        }
    }

    @Test("if a program names a FIFO as its authority file, the compositor does not wait for a writer")
    func compositorDoesNotWaitForAWriterOfAnAuthorityFIFO() async throws {
        try await TestEnvironment.runExclusively {
            let film = try FilmInPictureInPicture(), fifo = film.player.directory.path + "/authority"
            try systemCall("mkfifo") { mkfifo(fifo, 0o600) }
            let client = try HostileClient(directory: film.player.directory), rings = try HostileClient.Rings()
            let display = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
            client.sendHello()
            client.send(
                .openSession(session: 1, surface: .x11(display: display, authority: fifo)),
                descriptors: rings.descriptors)
            try film.player.directory.runSystemCommand(["sessions"])
            // Do not check whether the session opens: the X server may or may not accept a connection without an
            // authorization cookie.
            client.send(bytes: [255])
            #expect(client.isDisconnected())
            try film.expectEveryFrameAndQuit()
        }
    }

    @Test("while a window's X server is stopped, a film on another display loses no frame, and requests are answered")
    func stoppedXServerDoesNotDelayFilmsOnOtherXServers() async throws {
        try await TestEnvironment.runExclusively {
            let film = try FilmInPictureInPicture(settings: "pip-windows=2\n"), server = try PrivateXServer()
            let client = try HostileClient(directory: film.player.directory)
            let rings = try client.openWindow(of: HostileClient.grayFormat(640), on: server.name)
            server.suspend()
            let resumeTimer = try server.resumeAfter(.seconds(60))
            // Each message or frame makes the compositor draw or send a request to the stopped X server.
            for frame in 0..<60 {
                client.sendIfThereIsRoom(
                    .playback(session: 1, PlaybackState(isPaused: true, position: Int64(frame), duration: 100)))
                rings.sendFrame(slot: 0, format: 0)
                if frame % 20 == 0 { try film.player.directory.runSystemCommand(["sessions"]) }
            }
            try film.expectEveryFrameAndQuit()
            #expect(!resumeTimer.hasExpired)
            resumeTimer.end()
        }
    }
}
