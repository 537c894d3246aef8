import Testing

@testable import SwiftPlayCLI

@MainActor @Suite struct StatusLineTests {
    @Test func updatesAreLimitedAndRepeatedWhileTheLineChanges() async {
        var updateCount = 0, statusLine: StatusLine?
        await withCheckedContinuation { continuation in
            let newLine = StatusLine {
                updateCount += 1
                // The ten calls of `setNeedsUpdate` cause the second update; the third update follows because the
                // second one returned true: the line changes with time.
                if updateCount == 3 { continuation.resume() }
                return updateCount == 2
            }
            statusLine = newLine
            newLine.setNeedsUpdate()
            #expect(updateCount == 1)
            for _ in 0..<10 { newLine.setNeedsUpdate() }
            #expect(updateCount == 1, "an update came too early")
        }
        #expect(updateCount == 3 && statusLine != nil)
    }
}
