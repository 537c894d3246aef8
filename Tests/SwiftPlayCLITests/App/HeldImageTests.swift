import Testing

@testable import SwiftPlayCLI

@Suite @MainActor struct HeldImageTests {
    /// Waits until the time of an image has passed, and counts the images that have ended.
    @MainActor private final class Ends {
        private(set) var names: [String] = []
        private var waiter: (name: String, continuation: CheckedContinuation<Void, Never>)?

        func image(_ name: String, seconds: Double) -> HeldImage {
            HeldImage(seconds: seconds) { [self] in
                names.append(name)
                if waiter?.name == name { waiter.take()?.continuation.resume() }
            }
        }

        func wait(for name: String) async {
            if !names.contains(name) { await withCheckedContinuation { waiter = (name, $0) } }
        }
    }

    @Test func aPauseStopsTheTime() async {
        let ends = Ends(), paused = ends.image("paused", seconds: 0.1)
        paused.isPaused = true
        let later = ends.image("later", seconds: 0.2)
        await ends.wait(for: "later")
        #expect(ends.names == ["later"])
        paused.isPaused = false
        await ends.wait(for: "paused")
        #expect(ends.names == ["later", "paused"] && !later.isPaused)
    }

    @Test func onlyTheRestOfTheTimeFollowsAPause() async {
        let ends = Ends(), image = ends.image("image", seconds: 3)
        let first = ends.image("first", seconds: 1)
        await ends.wait(for: "first")
        image.isPaused = true
        image.isPaused = false
        // If the time before the pause did not count, `image` would end after `second`.
        let second = ends.image("second", seconds: 2.8)
        await ends.wait(for: "image")
        #expect(ends.names == ["first", "image"] && !first.isPaused && !second.isPaused)
    }

    @Test func anImageWithoutEndAndAReleasedImageDoNotEnd() async {
        let ends = Ends(), endless = [Double.infinity, 1e300, .nan].map { ends.image("endless", seconds: $0) }
        _ = ends.image("released", seconds: 0.1)
        let later = ends.image("later", seconds: 0.2)
        await ends.wait(for: "later")
        #expect(ends.names == ["later"] && endless.allSatisfy { !$0.isPaused } && !later.isPaused)
    }
}
