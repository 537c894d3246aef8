import AudioPolicy
import CompositorProtocol
import Foundation
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

/// Tests that the compositor ends the audio streams of programs that keep playing although it has silenced them.
@Suite("Audio sessions: ignored commands")
struct NoncompliantProgramTests {
    /// A program that ignores all commands of the compositor to its audio session.
    ///
    /// The test process opens the audio session, and `paplay` plays the audio stream under the process identifier of
    /// the test process, so that the compositor and the sound server attribute both to the same program.
    private final class NoncompliantProgram {
        let client: HostileClient
        /// Shared memory (the gain page) that contains the compositor's commands to the session to be silent or
        /// quieter. This program never reads the commands.
        private let gainPage: MemoryFile
        private let scratch: TemporaryDirectory
        /// The file with the samples of the video's tone.
        private let toneFile: String
        private var forgingThread: NamedThread?
        private let isForging = Monitor(true)
        /// The `paplay` process that plays the program's tone.
        private var paplay: ChildProcess?

        init(_ setup: AudioTestSetup) throws {
            client = try HostileClient(directory: setup.directory)
            scratch = try TemporaryDirectory()
            toneFile = scratch.file("tone")
            try Self.writeTone(of: .video, to: toneFile)
            gainPage = try MemoryFile(name: "noncompliant", size: 4096)
            client.sendHello()
            send(.open(mayPlayInBackground: true), descriptors: [gainPage.descriptor.raw])
            send(.visibility(.foreground))
            send(.configure(try AudioConfiguration(category: .playback)))
        }

        deinit {
            isForging.update { $0 = false }
            forgingThread?.join()
        }

        /// The data that the program writes every 0.1 ms into the shared memory that contains the compositor's
        /// commands.
        enum Forgery: Sendable {
            /// Replaces the compositor's command to be silent with a command to be audible, and acknowledges the forged
            /// command.
            case audibleCommand
            /// Acknowledges each command of the compositor without carrying it out.
            case acknowledgement
        }

        /// Starts a thread that forges commands, or acknowledgements of commands, in the shared memory every 0.1 ms.
        func startForging(_ forgery: Forgery) throws {
            let mapping = try gainPage.map(writable: true), isForging = isForging
            forgingThread = try NamedThread("forger") {
                let gainPageFields = mapping.base.assumingMemoryBound(to: UInt64.self)
                while isForging.withLock({ $0 }) {
                    if forgery == .audibleCommand { gainPageFields[0] = 0 }
                    (gainPageFields[2], gainPageFields[3]) = (gainPageFields[0], gainPageFields[1])
                    MonotonicTime.sleep(100_000)
                }
            }
        }

        /// Sends a request about the program's audio session, number 1, to the compositor.
        func send(_ request: AudioRequest, descriptors: [Int32] = []) {
            client.send(.audio(session: 1, request), descriptors: descriptors)
        }

        /// Writes 20 s of the role's tone, at the level of the tone files (12 dB below full scale).
        private static func writeTone(of role: Role, to file: String) throws {
            // The period of the tone is a whole number of samples, so it is calculated only once.
            let count = AudioRecording.rate / role.toneFrequency
            let period = (0..<count).map { Int16(8192 * sin(2 * .pi * Double($0) / Double(count))) }
            let bytes = period.withUnsafeBytes { Data($0) }
            var tone = Data(capacity: 20 * AudioRecording.rate * 2)
            for _ in 0..<20 * role.toneFrequency { tone += bytes }
            try tone.write(to: URL(fileURLWithPath: file))
        }

        /// Starts a stream with the video's tone, or with silence.
        func playStream(isSilent: Bool = false) throws -> ChildProcess {
            let child = try ChildProcess(
                Products.systemProgram("paplay"),
                ["--raw", "--rate=48000", "--channels=1", "--format=s16le", isSilent ? "/dev/zero" : toneFile],
                environment: ["PULSE_PROP": "application.process.id=\(getpid())"])
            paplay = child
            return child
        }
    }

    /// Starts music, and a program that interrupts the music, plays, and ignores all commands of the compositor.
    private func startNoncompliantProgram(on setup: AudioTestSetup, against music: RunningAudioProbe) throws -> (
        NoncompliantProgram, stream: ChildProcess
    ) {
        try setup.startPlayback(of: music)
        let program = try NoncompliantProgram(setup)
        program.send(.activate(hasGesture: false))
        try music.waitForNotification("began(default)")
        program.send(.running(true))
        let stream = try program.playStream()
        try setup.waitUntilAudible(.video, above: -3)
        return (program, stream)
    }

    @Test("if an interrupted program keeps playing, its stream is ended, and so is its next stream", .measuresTime)
    func streamsOfAProgramThatKeepsPlayingAreEnded() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music, environment: Self.logsCompositor)
            let (program, firstStream) = try startNoncompliantProgram(on: setup, against: music)
            try setup.startPlayback(of: music)
            #expect(try !firstStream.waitForExit(within: .seconds(10)).isSuccess, "the stream was not ended")
            let isReported = Deadline.poll(for: .seconds(10)) { endedStreams(music) ? true : nil }
            #expect(isReported == true, "the compositor does not report the end of the stream")
            let isSilent = try Deadline.poll(for: .seconds(10)) { () throws -> Bool? in
                try setup.record(for: .milliseconds(200))
                let now = MonotonicTime.now
                let level = try setup.loudness().levelRange(of: .video, from: now - 200_000_000, to: now).high
                return level < Loudness.silenceLevel ? true : nil
            }
            #expect(isSilent == true, "the program is still audible after its stream was ended")
            let secondStream = try program.playStream()
            #expect(try !secondStream.waitForExit(within: .seconds(10)).isSuccess)
            let now = MonotonicTime.now
            let level = try setup.loudness().medianLevel(of: .music, from: now - 250_000_000, to: now)
            #expect(level > -1, "the music was lowered: \(level) dB")
        }
    }

    @Test(
        "if an interrupted program keeps playing and forges its gain page, its stream and its next stream are ended",
        .measuresTime, arguments: [NoncompliantProgram.Forgery.audibleCommand, .acknowledgement])
    private func streamsOfAProgramThatForgesGainCommandsAreEnded(_ forgery: NoncompliantProgram.Forgery) async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music, environment: Self.logsCompositor)
            let (program, firstStream) = try startNoncompliantProgram(on: setup, against: music)
            try program.startForging(forgery)
            try setup.startPlayback(of: music)
            // The streams may be ended within a few milliseconds, when the music has just faded in.
            let fadeInEnd = MonotonicTime.now
            #expect(try !firstStream.waitForExit(within: .seconds(10)).isSuccess, "the first stream was not ended")
            let secondStream = try program.playStream()
            #expect(try !secondStream.waitForExit(within: .seconds(10)).isSuccess, "the second stream was not ended")
            // Both streams may have been ended within a few milliseconds. The median is compared, because a busy
            // machine may cut the music off for a moment.
            try setup.record(for: .milliseconds(200))
            let level = try setup.loudness().medianLevel(of: .music, from: fadeInEnd, to: MonotonicTime.now)
            #expect(level > -1, "the music was lowered: \(level) dB")
            #expect(try setup.runSystemCommand("sessions").contains("hostile"))
        }
    }

    @Test("an interrupted program that acknowledges no command but is silent keeps its stream", .measuresTime)
    func silentStreamOfAProgramThatAcknowledgesNoCommandIsKept() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music, environment: Self.logsCompositor)
            try setup.startPlayback(of: music)
            let program = try NoncompliantProgram(setup)
            program.send(.activate(hasGesture: false))
            try music.waitForNotification("began(default)")
            program.send(.running(true))
            let stream = try program.playStream(isSilent: true)
            let ownProperty = "application.process.id = \"\(getpid())\""
            let isAtServer = try Deadline.poll(for: .seconds(10)) {
                try run("pactl", ["list", "sink-inputs"]).contains(ownProperty) ? true : nil
            }
            try #require(isAtServer == true, "the stream did not start")
            try setup.startPlayback(of: music)
            // The compositor ends the streams of an audible program after about 0.3 s.
            try setup.record(for: .milliseconds(1500))
            // `paplay` ends when the server ends its stream.
            #expect(stream.isRunning && !endedStreams(music))
        }
    }

    @Test("a program that falls silent when the compositor commands it keeps its stream", .measuresTime)
    func programThatIsSilentWhenCommandedKeepsItsStream() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), game = try setup.startProbe(.game, environment: Self.logsCompositor)
            try setup.startPlayback(of: game)
            try setup.runSystemCommand("silent", "on")
            // After 0.5 s the compositor measures whether a silenced program is audible. Wait for the measurement.
            try setup.record(for: .milliseconds(1500))
            try setup.runSystemCommand("silent", "off")
            try setup.waitUntilAudible(.game)
            #expect(!endedStreams(game))
        }
    }

    /// The environment of a program whose compositor writes its log to the program's standard error.
    private static let logsCompositor = ["SWIFTPLAY_COMPOSITOR_LOG": "1"]

    /// Returns whether the compositor, which `probe` has started, reports that it has ended the streams of a program.
    ///
    /// The streams at the sound server do not show this: ALSA's plug-in opens a new stream after each underrun.
    private func endedStreams(_ probe: RunningAudioProbe) -> Bool {
        probe.child.errors.text.contains("ended the audio streams of a program that ignored an order")
    }
}
