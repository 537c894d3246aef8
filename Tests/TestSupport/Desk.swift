import Foundation
import SystemCalls

/// The desk the tests sit at: an X server, a sound server with a sink that can be listened to, a private runtime
/// directory. `scripts/desk` sets it up, `scripts/test` runs the tests at it.
package enum Desk {
    private static let turns = Monitor(Turns())

    /// Checks that the desk is there.
    ///
    /// - Throws: ``RigError`` that says what is missing and how to get it.
    package static func require() throws(RigError) {
        let environment = ProcessInfo.processInfo.environment
        let missing = ["DISPLAY", "PULSE_SERVER", "XDG_RUNTIME_DIR", "ALSA_CONFIG_PATH"].filter {
            (environment[$0] ?? "").isEmpty
        }
        guard missing.isEmpty else {
            throw RigError("no desk to test at (\(missing.joined(separator: ", ")) not set): run scripts/test")
        }
    }

    /// Runs `body` while no other test is inside `alone`: one screen and one pair of ears serve all tests of the
    /// process. Everything that watches the screen, listens or measures time goes in here. It does not nest.
    ///
    /// - Throws: ``RigError`` when there is no desk, or what `body` throws.
    package static func alone<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try require()
        await withCheckedContinuation { continuation in
            let first = turns.withLock { turns in
                guard turns.isTaken else {
                    turns.isTaken = true
                    return true
                }
                turns.waiting.append(continuation)
                return false
            }
            if first { continuation.resume() }
        }
        defer { leave() }
        return try await body()
    }

    private static func leave() {
        let next = turns.withLock { turns -> CheckedContinuation<Void, Never>? in
            guard !turns.waiting.isEmpty else {
                turns.isTaken = false
                return nil
            }
            return turns.waiting.removeFirst()
        }
        next?.resume()
    }

    private struct Turns {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
}
