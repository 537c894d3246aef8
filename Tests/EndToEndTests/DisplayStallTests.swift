import CompositorProtocol
import Foundation
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

/// Displays that do not answer are felt by nobody but those who are on them.
@Suite("Displays that do not answer")
struct DisplayStallTests {
    /// A film in Picture-in-Picture on the desk, watched from its 10th frame on.
    private final class Film {
        let player: RunningPlayer
        let eyes: ScreenRecorder
        private let start: Int64

        /// - Parameter settings: lines of `compositor.conf`.
        init(settings: String = "") throws {
            let directory = try RuntimeDirectory(), folder = directory.path + "/config/swiftplay"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(settings.utf8).write(to: URL(fileURLWithPath: folder + "/compositor.conf"))
            player = try RunningPlayer("count30.mp4", options: ["--pip"], directory: directory)
            eyes = try ScreenRecorder([.pictureInPicture])
            start = try eyes.wait { ($0.frame ?? 0) >= 10 }.time
        }

        /// Has it go on for a second; then no more frames may be missing than the player dropped by itself, and
        /// `spare`.
        func finish(spare: Int = 0) throws {
            let now = try #require(eyes.recording.frames().last?.frame)
            try eyes.wait { ($0.frame ?? 0) > now + 30 }
            let seen = eyes.finish().between(start, .max)
            let dropped = Int(min(try player.ipc.property("frame-drop-count").number ?? 0, 10))
            #expect(seen.missed.count <= dropped + spare, "missed \(seen.missed); the player dropped \(dropped)")
            try player.quit()
        }
    }

    @Test(
        "a program names a display that accepts and never answers: a film beside it loses no frame, others are answered, it is told"
    )
    func silent() async throws {
        try await Desk.alone {
            let film = try Film(), silent = try SilentDisplay()
            let client = try HostileClient(directory: film.player.directory), rings = try HostileClient.Rings()
            client.hello()
            for session in 1...8 as ClosedRange<UInt32> {
                client.send(
                    .openSession(session: session, surface: .x11(display: silent.name, authority: "")),
                    descriptors: rings.descriptors)
            }
            // One that has gone by then is waited for by nobody.
            do {
                let gone = try HostileClient(directory: film.player.directory)
                gone.hello()
                gone.send(
                    .openSession(session: 1, surface: .x11(display: silent.name + ".1", authority: "")),
                    descriptors: rings.descriptors)
            }
            for _ in 0..<3 { try film.player.directory.system(["sessions"]) }
            for session in 1...8 as ClosedRange<UInt32> {
                try client.wait(
                    for: .sessionFailed(session: session, reason: "the X display \(silent.name) does not answer"),
                    within: .seconds(15))
            }
            try film.finish()
        }
    }

    @Test("a program names a FIFO as the file with the display's cookie: nobody waits for a writer")
    func authority() async throws {
        try await Desk.alone {
            let film = try Film(), fifo = film.player.directory.path + "/authority"
            try systemCall("mkfifo") { mkfifo(fifo, 0o600) }
            let client = try HostileClient(directory: film.player.directory), rings = try HostileClient.Rings()
            let display = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
            client.hello()
            client.send(
                .openSession(session: 1, surface: .x11(display: display, authority: fifo)),
                descriptors: rings.descriptors)
            try film.player.directory.system(["sessions"])
            // Served or not: that is up to the display's server.
            client.send(bytes: [255])
            #expect(client.isCutOff())
            try film.finish()
        }
    }

    @Test("an X server is stopped while a window is on it: a film on another display plays on, and others are answered")
    func stopped() async throws {
        try await Desk.alone {
            let film = try Film(settings: "pip-windows=2\n"), server = try PrivateDisplay()
            let client = try HostileClient(directory: film.player.directory)
            let rings = try client.openWindow(of: HostileClient.gray(640), on: server.name)
            server.stop()
            let rescue = try server.continueAfter(.seconds(60))
            // Each of these has the compositor draw, or ask the server.
            for frame in 0..<60 {
                client.sendIfThereIsRoom(
                    .playback(session: 1, PlaybackFacts(isPaused: true, position: Int64(frame), duration: 100)))
                rings.push(slot: 0, format: 0)
                if frame % 20 == 0 { try film.player.directory.system(["sessions"]) }
            }
            try film.finish()
            #expect(!rescue.isOver)
            rescue.end()
        }
    }
}
