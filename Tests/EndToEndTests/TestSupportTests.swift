import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests the helpers in `Tests/TestSupport`: recording the screen and the audio, running processes, and cleaning up.
@Suite("Test support")
struct TestSupportTests {
    @Test(
        "the screen watcher reads the numbers of the frames that a window shows, in order and at the clip's rate",
        .measuresTime)
    func screenWatcherReadsTheFramesOfAWindow() async throws {
        try await TestEnvironment.runExclusively {
            let clip = try Fixtures.path("count30.mp4")
            let player = try ChildProcess(
                Products.systemProgram("ffplay"),
                [
                    "-loglevel", "error", "-an", "-window_title", "rig", "-left", "100", "-top", "100", "-t", "6",
                    "-autoexit", clip,
                ])
            let watcher = try ScreenWatcher()
            try watcher.waitForWindow(.title("rig"))
            try watcher.waitForFrame(in: .title("rig")) { $0 >= 1 }
            let recording = try watcher.recordFrames(of: .title("rig"), for: .seconds(2))
            let frames = recording.frames()
            #expect(frames.count > 20)
            #expect(recording.backwardStepCount(in: .title("rig")) == 0)
            // A player drops frames on a busy machine, or catches up; most frames keep the clip's rate.
            let rates = zip(frames, frames.dropFirst()).map { previous, next in
                Double(next.frame - previous.frame) / (Double(next.time - previous.time) / 1e9)
            }
            let rate = rates.sorted()[rates.count / 2]
            #expect(abs(rate - 30) < 3, "\(rate) frames per second")
            player.signal(SIGKILL)
            #expect(try player.waitForExit().reason == .killed(signal: SIGKILL))
            try watcher.waitForNoWindow(.title("rig"))
            #expect(!watcher.windowExists(.player))
        }
    }

    @Test("waiting for a missing window throws")
    func waitingForAMissingWindowThrows() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            #expect(throws: TestFailure.self) {
                try watcher.waitForWindow(.instance("nobody"), within: .milliseconds(50))
            }
        }
    }

    @Test(
        "the audio recorder records the beeps that ALSA's default device plays, at their times, without gaps or clicks",
        .measuresTime)
    func audioRecorderRecordsTheDefaultDevice() async throws {
        try await TestEnvironment.runExclusively {
            let recorder = try AudioRecorder()
            let player = try Self.playAudio("short.mp4")
            try player.waitForExit()
            try recorder.wait(until: MonotonicTime.now)
            let recording = recorder.stopRecording().trimmed()
            let beeps = recording.beepTimes
            try #require(beeps.count >= 2)
            #expect(abs(beeps[1] - beeps[0] - 1_000_000_000) < 5_000_000)
            #expect(recording.duration > 1.8)
            #expect(recording.toneAmplitude(200) > 0.015)
            #expect(recording.silentGaps().isEmpty)
            #expect(recording.clickTimes().isEmpty)
        }
    }

    @Test(
        "the analysis of a recording finds the gap and the click in a synthetic recording, and neither in a clean one")
    func audioRecordingFindsGapsAndClicks() {
        var samples = (0..<96_000).map { index -> Float in
            let time = Double(index) / 48_000
            let beep = time.truncatingRemainder(dividingBy: 1) < 0.04 ? 0.6 * sin(2 * .pi * 1000 * time) : 0
            return Float(0.02 * sin(2 * .pi * 200 * time) + beep)
        }
        let cleanRecording = AudioRecording(samples: samples)
        #expect(cleanRecording.silentGaps().isEmpty)
        #expect(cleanRecording.clickTimes().isEmpty)
        #expect(cleanRecording.beepTimes.count == 2)
        #expect(abs(cleanRecording.toneAmplitude(200) - 0.02) < 0.001)
        for index in 20_000..<20_960 { samples[index] = 0 }
        samples[30_000] += 0.05
        let faultyRecording = AudioRecording(samples: samples)
        #expect(faultyRecording.silentGaps().count == 1)
        #expect(abs((faultyRecording.silentGaps().first?.duration ?? 0) - 20_000_000) < 2_000_000)
        #expect(faultyRecording.clickTimes().contains { abs($0 - 30_000 * 1_000_000_000 / 48_000) < 1_000_000 })
    }

    @Test("the output, errors and exit status of a child process are kept, however much it writes")
    func childProcessKeepsOutputAndExitStatus() throws {
        let writer = try ChildProcess("/bin/sh", ["-c", "head -c 5000000 /dev/zero; echo oops >&2; exit 3"])
        let status = try writer.waitForExit()
        #expect(status.reason == .exited(3))
        #expect(writer.output.totalByteCount == 5_000_000)
        #expect(writer.errors.text == "oops\n")
        let sleeper = try ChildProcess("/bin/sleep", ["100"])
        #expect(throws: TestFailure.self) { try sleeper.waitForExit(within: .milliseconds(30)) }
        sleeper.signal(SIGTERM)
        #expect(try sleeper.waitForExit().reason == .killed(signal: SIGTERM))
    }

    @Test("releasing a runtime directory deletes it and kills the processes that use it")
    func releasedRuntimeDirectoryKillsItsProcesses() throws {
        var directory: RuntimeDirectory? = try RuntimeDirectory()
        let path = try #require(directory?.path)
        // `setsid` moves the sleeping process to a new session, like a daemon.
        let parent = try ChildProcess("/bin/sh", ["-c", "setsid sleep 100 & wait"], runtimeDirectory: directory)
        let sleeper = try #require(Deadline.poll(for: .seconds(5)) { directory?.processes(named: "sleep").first?.pid })
        directory = nil
        #expect(Deadline.poll(for: .seconds(5)) { kill(sleeper, 0) != 0 ? true : nil } == true)
        #expect(!FileManager.default.fileExists(atPath: path))
        try parent.waitForExit()
    }

    @Test("a terminal has its size, replies to queries, stalls when frozen and reports restored settings")
    func simulatedTerminalRepliesToQueriesAndStallsWhenFrozen() throws {
        let script = """
            stty size; stty -echo -icanon; printf '\\033[c'; dd bs=1 count=8 2>/dev/null | od -c
            read -r x; yes | head -c 3000000
            """
        let pty = try TerminalProcess("/bin/sh", ["-c", script], size: .init(columns: 77, rows: 22), replies: .sixel)
        #expect(pty.output.wait(for: "22 77"))
        #expect(pty.output.wait(for: "6   2   ;   4   c"))
        #expect(!pty.settingsAreRestored)
        pty.freeze()
        pty.type("\n")
        #expect(throws: TestFailure.self) { try pty.child.waitForExit(within: .milliseconds(200)) }
        pty.resume()
        try pty.child.waitForExit()
        #expect(pty.output.totalByteCount > 3_000_000)
        #expect(!pty.terminal.isCooked)
    }

    @Test("all test clips exist")
    func everyTestClipExists() throws {
        let playableClips = [
            "count30.mp4", "count60.mp4", "count30.mkv", "count30.webm", "count30.ts", "silent.mp4", "audio.ogg",
            "short.mp4",
        ]
        let unplayableClips = ["empty.mp4", "text.mp4", "truncated.mp4", "nomoov.mp4", "unsupported.mp4"]
        for name in playableClips + unplayableClips { _ = try Fixtures.path(name) }
    }

    /// Plays the audio of a test clip on ALSA's default device, with ffmpeg.
    private static func playAudio(_ name: String) throws -> ChildProcess {
        let clip = try Fixtures.path(name)
        return try ChildProcess(
            Products.systemProgram("ffmpeg"), ["-v", "error", "-nostdin", "-i", clip, "-vn", "-f", "alsa", "default"])
    }
}
