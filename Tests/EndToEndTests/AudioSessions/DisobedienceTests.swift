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
    /// This very process, as far as compositor and sound server can tell: one speaks for it, `paplay` plays for it and reads no page.
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

        /// From now on the page says, at every moment, that the gate is open and that all orders are obeyed.
        func forge() throws {
            let mapping = try page.map(writable: true), isForging = isForging
            forger = try NamedThread("forger") {
                let words = mapping.base.assumingMemoryBound(to: UInt64.self)
                while isForging.withLock({ $0 }) {
                    (words[0], words[2]) = (0, 0)
                    words[3] = words[1]
                    MonotonicTime.sleep(100_000)
                }
            }
        }

        func say(_ request: AudioRequest, descriptors: [Int32] = []) { client.send(.audio(session: 1, request), descriptors: descriptors) }

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

    @Test("it is interrupted and plays on: after 100 ms its stream is taken from it, and again when it opens another")
    func cutOff() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music)
            try stage.start(music)
            let rebel = try Rebel(stage)
            rebel.say(.activate(hasGesture: false))
            try music.hear("began(default)")
            rebel.say(.running(true))
            let first = try rebel.play(.video)
            try stage.wait(for: .video, above: -3)
            let begin = MonotonicTime.now
            try stage.start(music)
            #expect(try !first.waitForExit(within: .seconds(5)).isSuccess, "its stream is gone")
            try stage.listen(.milliseconds(300))
            let end = MonotonicTime.now, heard = try stage.heard()
            #expect(heard.range(of: .video, from: end - 200_000_000, to: end).high < Loudness.silence)
            let last = heard.levels(of: .video, from: begin, to: end).last { $0.decibels > Loudness.silence }
            // 100 ms, and what it takes to be asked, to be looked at and to be heard of.
            #expect(try #require(last).time - begin < 500_000_000, "\((last?.time ?? 0) - begin)")
            let second = try rebel.play(.video)
            #expect(try !second.waitForExit(within: .seconds(5)).isSuccess)
            #expect(try stage.lately(.music).low > -1, "the others are left alone")
        }
    }

    @Test("it is interrupted, plays on and writes into its page that it may: its stream is taken from it")
    func forgery() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music)
            try stage.start(music)
            let rebel = try Rebel(stage)
            rebel.say(.activate(hasGesture: false))
            try music.hear("began(default)")
            rebel.say(.running(true))
            let stream = try rebel.play(.video)
            try stage.wait(for: .video, above: -3)
            try rebel.forge()
            try stage.start(music)
            #expect(try !stream.waitForExit(within: .seconds(5)).isSuccess, "its stream is gone")
            #expect(try stage.system("sessions").contains("hostile"))
        }
    }
}
