import Foundation
import TestSupport
import Testing

/// Tests audio sessions with a compositor that accepts connections but never replies, like a stopped process.
@Suite("Audio sessions: a compositor that hangs")
struct HangingCompositorTests {
    /// The error code `AVAudioSession.ErrorCode.mediaServicesFailed`, in decimal.
    private static let mediaServicesFailedCode = "1836282486"

    /// Returns how long a method of the audio session took, in seconds. `line` is the output line of the program about
    /// the method, whose last word is the duration in microseconds.
    private func reportedSeconds(in line: RunningAudioProbe.Line) throws -> Double {
        try #require(line.text.split(separator: " ").last.flatMap { Double($0) }) / 1e6
    }

    @Test(
        "activation and deactivation fail after 3 s; the first isOtherAudioPlaying returns after 1 s")
    func blockingMethodsFailAfterTheirTimeLimits() throws {
        let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory)
        let probe = try RunningAudioProbe(.music, in: directory)
        try probe.send("others", "others", "activate", "deactivate")
        let firstLine = try probe.wait(for: "others false")
        #expect(try reportedSeconds(in: firstLine) >= 0.9 && reportedSeconds(in: firstLine) < 2.9)
        #expect(
            try reportedSeconds(in: probe.wait(for: "others false", times: 2)) < 0.9, "the second call waited again")
        for call in ["activate", "deactivate"] {
            let line = try probe.wait(for: "failed \(call) \(Self.mediaServicesFailedCode)", within: .seconds(20))
            #expect(try reportedSeconds(in: line) >= 2.9 && reportedSeconds(in: line) < 10, "\(line.text)")
        }
        withExtendedLifetime(compositor) {}
    }

    @Test("the asynchronous forms have the same time limits and do not block the main thread")
    func asyncMethodsDoNotBlockTheMainThread() throws {
        let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory)
        let probe = try RunningAudioProbe(.music, in: directory)
        try probe.send("refresh-others", "activate-async", "say begun")
        try probe.wait(for: "said begun")
        // By the time the program reads the next command, the tasks of the async methods have run on the main thread.
        try probe.send("say now")
        let echoLine = try probe.wait(for: "said now")
        let refreshLine = try probe.wait(for: "ok refresh-others")
        let failure = try probe.wait(for: "failed activate-async \(Self.mediaServicesFailedCode)", within: .seconds(20))
        #expect(echoLine.time < refreshLine.time && refreshLine.time < failure.time)
        #expect(try reportedSeconds(in: refreshLine) >= 0.9 && reportedSeconds(in: failure) >= 2.9)
        try probe.send("deactivate-async", "say again")
        try probe.wait(for: "said again")
        try probe.send("say later")
        let secondEchoLine = try probe.wait(for: "said later")
        let failedLine = try probe.wait(
            for: "failed deactivate-async \(Self.mediaServicesFailedCode)", within: .seconds(20))
        #expect(secondEchoLine.time < failedLine.time)
        withExtendedLifetime(compositor) {}
    }
}
