import AudioPolicy
import CompositorProtocol
import Foundation
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

/// Decision D-9 of the audio policy: who goes on with its sound against the rules loses it.
@Suite("Audio sessions: disobedience")
struct DisobedienceTests {
    /// This very process, as far as compositor and sound server can tell: one speaks for it, `paplay` plays for it and
    /// reads no page.
    private final class Rebel {
        let client: HostileClient
        /// Nobody reads it.
        private let page: MemoryFile
        private let scratch: Scratch
        private var forger: NamedThread?
        private let isForging = Monitor(true)
        private var player: ChildProcess?

        init(_ stage: SoundStage) throws {
            client = try HostileClient(directory: stage.directory)
            scratch = try Scratch()
            page = try MemoryFile(name: "rebel", size: 4096)
            client.hello()
            say(.open(mayPlayInBackground: true), descriptors: [page.descriptor.raw])
            say(.presence(.foreground))
            say(.configure(try AudioConfiguration(category: .playback)))
        }

        deinit {
            isForging.update { $0 = false }
            forger?.join()
        }

        /// What the program writes into its page at every moment.
        enum Forgery: Sendable {
            /// The gate is open, and that order is acknowledged.
            case openGate
            /// Every order is acknowledged as it is.
            case acknowledgement
        }

        /// Begins to write into the page.
        func forge(_ forgery: Forgery) throws {
            let mapping = try page.map(writable: true), isForging = isForging
            forger = try NamedThread("forger") {
                let words = mapping.base.assumingMemoryBound(to: UInt64.self)
                while isForging.withLock({ $0 }) {
                    if forgery == .openGate { words[0] = 0 }
                    (words[2], words[3]) = (words[0], words[1])
                    MonotonicTime.sleep(100_000)
                }
            }
        }

        func say(_ request: AudioRequest, descriptors: [Int32] = []) {
            client.send(.audio(session: 1, request), descriptors: descriptors)
        }

        /// Its tone for 20 s, as loud as the others'.
        func play(_ role: Role) throws -> ChildProcess {
            let samples = (0..<960_000).map { Int16(8192 * sin(2 * .pi * Double(role.tone) * Double($0) / 48_000)) }
            let file = scratch.file("tone")
            try samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: file))
            let child = try ChildProcess(
                Products.system("paplay"), ["--raw", "--rate=48000", "--channels=1", "--format=s16le", file],
                environment: ["PULSE_PROP": "application.process.id=\(getpid())"])
            player = child
            return child
        }
    }

    /// Starts music, and a program that interrupts it, plays and reads no page.
    private func startRebel(on stage: SoundStage, against music: RunningActor) throws -> (Rebel, stream: ChildProcess) {
        try stage.start(music)
        let rebel = try Rebel(stage)
        rebel.say(.activate(hasGesture: false))
        try music.hear("began(default)")
        rebel.say(.running(true))
        let stream = try rebel.play(.video)
        try stage.wait(for: .video, above: -3)
        return (rebel, stream)
    }

    @Test("a program that is interrupted and plays on loses its stream, and the next one that it opens", .measuresTime)
    func cutOff() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music)
            let (rebel, first) = try startRebel(on: stage, against: music)
            try stage.start(music)
            #expect(try !first.waitForExit(within: .seconds(10)).isSuccess, "its stream is gone")
            let isSilent = try Deadline.poll(for: .seconds(10)) { () throws -> Bool? in
                try stage.listen(.milliseconds(200))
                let now = MonotonicTime.now
                return try stage.heard().range(of: .video, from: now - 200_000_000, to: now).high < Loudness.silence
                    ? true : nil
            }
            #expect(isSilent == true, "it is heard without its stream")
            let second = try rebel.play(.video)
            #expect(try !second.waitForExit(within: .seconds(10)).isSuccess)
            #expect(try stage.lately(.music).low > -1, "the others are left alone")
        }
    }

    @Test(
        "a program that is interrupted, plays on and forges its page loses its stream, and the next one that it opens",
        .measuresTime, arguments: [Rebel.Forgery.openGate, .acknowledgement])
    private func forgery(_ forgery: Rebel.Forgery) async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music)
            let (rebel, first) = try startRebel(on: stage, against: music)
            try rebel.forge(forgery)
            try stage.start(music)
            #expect(try !first.waitForExit(within: .seconds(10)).isSuccess, "its stream is gone")
            let second = try rebel.play(.video)
            #expect(try !second.waitForExit(within: .seconds(10)).isSuccess, "its next stream is gone")
            #expect(try stage.lately(.music).low > -1, "the others are left alone")
            #expect(try stage.system("sessions").contains("hostile"))
        }
    }

    @Test("a program that plays with a closed gate and obeys keeps its stream", .measuresTime)
    func obedience() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), game = try stage.actor(.game)
            try stage.start(game)
            let before = try streams()
            try stage.system("silent", "on")
            // Longer than the compositor waits before it measures, and measures.
            try stage.listen(.milliseconds(1500))
            try stage.system("silent", "off")
            try stage.wait(for: .game)
            #expect(try streams() == before)
        }
    }

    /// The sound server's numbers of all streams.
    private func streams() throws -> [String] {
        try run("pactl", ["list", "short", "sink-inputs"]).split(separator: "\n").map {
            String($0.prefix { $0 != "\t" })
        }
    }
}
