import Foundation
import TestSupport
import Testing

@testable import AudioOutput

@Suite struct AsyncDeviceOpenerTests {
    /// Releasing an ``AsyncDeviceOpener``, whether or not it has opened its device, must end its thread and the thread
    /// of the renderer that it opened.
    @Test func releasingAnOpenerAtAnyMomentEndsItsThreads() throws {
        let format = AudioFormat(rate: 48_000, channels: 2)
        for round in 0..<300 {
            let opener = try AsyncDeviceOpener(backend: .null, requested: format, channels: .automatic, name: "test")
            // Opening the device takes some hundred microseconds, so the test releases openers before, during and after
            // the opening.
            var pollCount = 0
            while pollCount < round * 20, opener.takeOutcome().map(closeRenderer) == nil { pollCount += 1 }
            if round.isMultiple(of: 3) { opener.abandon() }
        }
        for _ in 0..<30 { _ = try AudioCardScan() }
        let haveThreadsEnded = Deadline.poll(for: .seconds(30)) {
            threadNames().contains { ["sound open", "sound cards", "audio test"].contains($0) } ? nil : true
        }
        #expect(haveThreadsEnded == true, "\(threadNames())")
    }

    /// Closes the renderer that an opener has created; does nothing if opening the device failed.
    private func closeRenderer(_ outcome: AsyncDeviceOpener.Outcome) {
        if case .success(let renderer) = outcome { renderer.close() }
    }

    /// Returns the names of this process's threads.
    private func threadNames() -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?
                .trimmingCharacters(in: .newlines)
        }
    }
}
