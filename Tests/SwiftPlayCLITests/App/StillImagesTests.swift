import SwiftPlayKit
import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct StillImagesTests {
    /// Returns a target whose player has played a file to its end. No program handles the end.
    private func targetAtEnd(of fixture: String) throws -> PlayerTarget {
        let player = try Player.silent()
        let target = PlayerTarget(player: player, layer: nil, settings: try PlayOptions.parse([fixture]).settings())
        player.replaceCurrentItem(with: PlayerItem(location: try Fixtures.path(fixture)))
        player.rate = 8
        let isAtEnd = Deadline.poll(for: .seconds(20)) { player.rate == 0 ? true : nil }
        #expect(isAtEnd == true && player.isAtEnd, "the end is known when the rate becomes 0")
        return target
    }

    @Test func imageIsNotPausedAtItsEnd() throws {
        let target = try targetAtEnd(of: "still-21.png")
        #expect(try target.getProperty("pause") == false)
        // The status follows the rate.
        let isIdle = try Deadline.poll(for: .seconds(20)) { try target.getProperty("core-idle") == true ? true : nil }
        #expect(isIdle == true)
        target.player.close()
    }

    @Test func otherFilesArePausedAtTheirEnd() throws {
        let target = try targetAtEnd(of: "short.mp4")
        #expect(try target.getProperty("pause") == true)
        target.player.close()
    }

    @Test(arguments: [("a/b.PNG", true), ("b.jpeg", true), ("png", false), ("b.mp4", false)])
    func nameDecidesUntilTheFileIsOpen(name: String, isImage: Bool) {
        #expect(PlayerItem(location: name).isStillImage == isImage)
    }
}
