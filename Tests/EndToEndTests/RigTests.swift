import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// The rig itself, before anything is measured with it: does it see what is shown, hear what is played, and clean up?
@Suite("Test rig")
struct RigTests {
    @Test("reads the numbers of the frames a window shows, in order and at the clip's rate", .measuresTime)
    func screen() async throws {
        try await Desk.alone {
            let clip = try Fixtures.path("count30.mp4")
            let player = try ChildProcess(
                Products.system("ffplay"),
                [
                    "-loglevel", "error", "-an", "-window_title", "rig", "-left", "100", "-top", "100", "-t", "6",
                    "-autoexit", clip,
                ])
            let watcher = try ScreenWatcher()
            try watcher.waitForWindow(.title("rig"))
            try watcher.waitForFrame(in: .title("rig")) { $0 >= 1 }
            let seen = try watcher.frames(of: .title("rig"), for: .seconds(2))
            let numbers = seen.frames().map(\.frame)
            #expect(numbers.count > 45)
            #expect(seen.backwardSteps(in: .title("rig")) == 0)
            #expect(seen.missed.count < 10)
            #expect(seen.longestFreeze < 500_000_000)
            player.signal(SIGKILL)
            #expect(try player.waitForExit().reason == .killed(signal: SIGKILL))
            try watcher.waitForNoWindow(.title("rig"))
            #expect(!watcher.windowExists(.player))
        }
    }

    @Test("a window that is not there is told so, with the windows that are")
    func missingWindow() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher()
            #expect(throws: RigError.self) { try watcher.waitForWindow(.instance("nobody"), within: .milliseconds(50)) }
        }
    }

    @Test("hears the beeps that ALSA's default device plays, at their time, without gaps or clicks", .measuresTime)
    func sound() async throws {
        try await Desk.alone {
            let recorder = try SoundRecorder()
            let player = try Self.play("short.mp4")
            try player.waitForExit()
            try recorder.wait(until: MonotonicTime.now)
            let heard = recorder.finish().trimmed()
            let beeps = heard.beeps
            try #require(beeps.count >= 2)
            #expect(abs(beeps[1] - beeps[0] - 1_000_000_000) < 5_000_000)
            #expect(heard.duration > 1.8)
            #expect(heard.toneAmplitude(200) > 0.015)
            #expect(heard.silentGaps().isEmpty)
            #expect(heard.clicks().isEmpty)
        }
    }

    @Test("a gap and a click in a made-up recording are found, a clean one has none")
    func analysis() {
        var samples = (0..<96_000).map { index -> Float in
            let t = Double(index) / 48_000
            let beep = t.truncatingRemainder(dividingBy: 1) < 0.04 ? 0.6 * sin(2 * .pi * 1000 * t) : 0
            return Float(0.02 * sin(2 * .pi * 200 * t) + beep)
        }
        let clean = SoundRecording(samples: samples)
        #expect(clean.silentGaps().isEmpty)
        #expect(clean.clicks().isEmpty)
        #expect(clean.beeps.count == 2)
        #expect(abs(clean.toneAmplitude(200) - 0.02) < 0.001)
        for index in 20_000..<20_960 { samples[index] = 0 }
        samples[30_000] += 0.05
        let broken = SoundRecording(samples: samples)
        #expect(broken.silentGaps().count == 1)
        #expect(abs((broken.silentGaps().first?.duration ?? 0) - 20_000_000) < 2_000_000)
        #expect(broken.clicks().contains { abs($0 - 30_000 * 1_000_000_000 / 48_000) < 1_000_000 })
    }

    @Test("a program's output, errors and end are kept, however much it writes")
    func childProcess() throws {
        let loud = try ChildProcess("/bin/sh", ["-c", "head -c 5000000 /dev/zero; echo oops >&2; exit 3"])
        let status = try loud.waitForExit()
        #expect(status.reason == .exited(3))
        #expect(loud.output.total == 5_000_000)
        #expect(loud.errors.text == "oops\n")
        let slow = try ChildProcess("/bin/sleep", ["100"])
        #expect(throws: RigError.self) { try slow.waitForExit(within: .milliseconds(30)) }
        slow.signal(SIGTERM)
        #expect(try slow.waitForExit().reason == .killed(signal: SIGTERM))
    }

    @Test("a private runtime directory takes those who were given it along when it goes")
    func runtimeDirectory() throws {
        var directory: RuntimeDirectory? = try RuntimeDirectory()
        let path = try #require(directory?.path)
        // Out of the child's session, as a daemon is.
        let parent = try ChildProcess("/bin/sh", ["-c", "setsid sleep 100 & wait"], runtimeDirectory: directory)
        let sleeper = try #require(Deadline.poll(for: .seconds(5)) { directory?.processes(named: "sleep").first?.pid })
        directory = nil
        #expect(Deadline.poll(for: .seconds(5)) { kill(sleeper, 0) != 0 ? true : nil } == true)
        #expect(!FileManager.default.fileExists(atPath: path))
        try parent.waitForExit()
    }

    @Test("a terminal has its size, answers questions, stalls when frozen and knows whether its settings came back")
    func terminal() throws {
        let script =
            "stty size; stty -echo -icanon; printf '\\033[c'; dd bs=1 count=8 2>/dev/null | od -c; read -r x; yes | head -c 3000000"
        let pty = try PTY("/bin/sh", ["-c", script], size: .init(columns: 77, rows: 22))
        #expect(pty.output.wait(for: "22 77"))
        #expect(pty.output.wait(for: "6   2   ;   4   c"))
        #expect(!pty.settingsAreRestored)
        pty.freeze()
        pty.type("\n")
        #expect(throws: RigError.self) { try pty.child.waitForExit(within: .milliseconds(200)) }
        pty.thaw()
        try pty.child.waitForExit()
        #expect(pty.output.total > 3_000_000)
        #expect(!pty.terminal.isCooked)
    }

    @Test("every fixture is there")
    func fixtures() throws {
        let good = [
            "count30.mp4", "count60.mp4", "count30.mkv", "count30.webm", "count30.ts", "silent.mp4", "audio.ogg",
            "short.mp4",
        ]
        let bad = ["empty.mp4", "text.mp4", "truncated.mp4", "nomoov.mp4", "unsupported.mp4"]
        for name in good + bad { _ = try Fixtures.path(name) }
    }

    /// Plays a clip's sound through ALSA's default device.
    private static func play(_ name: String) throws -> ChildProcess {
        let clip = try Fixtures.path(name)
        return try ChildProcess(
            Products.system("ffmpeg"), ["-v", "error", "-nostdin", "-i", clip, "-vn", "-f", "alsa", "default"])
    }
}
