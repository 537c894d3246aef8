import Foundation
import SystemCalls
import TestSupport
import Testing

/// Tests frames that are reduced to the size of the floating window after decoding.
@Suite("Reduced frames in Picture-in-Picture")
struct PictureInPictureReductionTests {
    /// The sizes in bytes of the frames that the compositor maps.
    private func frameSizes(_ player: RunningPlayer) throws -> [Int] {
        try ProcessUsage.memoryMaps(of: player.compositorPID()).filter { $0.contains("memfd:swiftplay-frame") }
            .compactMap { line in
                let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
                return bounds.count == 2 ? bounds[1] - bounds[0] : nil
            }
    }

    /// Returns the pixels in the middle of the player's window, after they have stayed the same for a while.
    private func steadyPixels(_ watcher: ScreenWatcher) throws -> [UInt32] {
        // Decoding the paused picture again, from the keyframe before it, may take long on a busy machine.
        var pixels = SteadyValue<[UInt32]>(for: .seconds(1))
        let isSteady = Deadline.poll(for: .seconds(10), every: .milliseconds(20)) {
            pixels.isSteady(watcher.middlePixels(of: .player, edge: 200)) ? true : nil
        }
        try #require(isSteady == true)
        return try #require(pixels.last)
    }

    @Test("frames of a server's file, which a screenshot cannot read again, have all samples")
    func framesOfAServerAreNotReduced() async throws {
        try await TestEnvironment.runExclusively {
            let folder = URL(fileURLWithPath: try Fixtures.path("large.mp4")).deletingLastPathComponent().path
            let server = try LinkServer(folder), watcher = try ScreenWatcher()
            let player = try RunningPlayer(server.address + "/large.mp4", options: ["--loop-file"])
            let frame = try watcher.waitForFrame(in: .player)
            try player.enterPictureInPicture()
            try watcher.waitForPlaceholder()
            // After 30 further frames, none of the frames that were decoded in the window is left.
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 30 }
            let sizes = try frameSizes(player)
            #expect(!sizes.isEmpty && sizes.allSatisfy { $0 >= 1280 * 720 * 3 / 2 })
            try player.quit()
        }
    }

    @Test(
        "the compositor receives small frames; screenshots and the paused picture after the return have all samples",
        arguments: [("large.mp4", "1"), ("large-two.mkv", "2")])
    func framesAreReducedInTheFloatingWindowOnly(file: String, track: String) async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), watcher = try ScreenWatcher()
            let player = try RunningPlayer(file, options: ["--loop-file", "--vid=\(track)"])
            try watcher.waitForFrame(in: .player) { $0 >= 10 }
            try player.enterPictureInPicture()
            try watcher.waitForPlaceholder()
            // A whole picture has 1.4 MB.
            let areSmall = try Deadline.poll(for: .seconds(10), every: .milliseconds(20)) { () throws -> Bool? in
                let sizes = try frameSizes(player)
                return !sizes.isEmpty && sizes.allSatisfy { $0 < 600_000 } ? true : nil
            }
            #expect(areSmall == true)
            let frame = try player.pauseAtFrame(in: .pictureInPicture, watcher)
            #expect(try player.ipc.property("video-params/w") == 1280)
            #expect(try player.ipc.property("video-params/pixelformat") == "yuv420p")
            try player.ipc.command(["screenshot-to-file", .string(scratch.file("floating.png")), "video"])
            try player.leavePictureInPicture()
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: .player) { $0 == frame }
            let returnedPixels = try steadyPixels(watcher)
            try player.ipc.command(["seek", "0", "relative+exact"])
            #expect(try watcher.waitForFrame(in: .player) == frame)
            #expect(try steadyPixels(watcher) == returnedPixels)
            try player.ipc.command(["screenshot-to-file", .string(scratch.file("window.png")), "video"])
            let files = Deadline.poll(for: .seconds(20), every: .milliseconds(20)) { () -> [Data]? in
                let files = ["floating.png", "window.png"].compactMap {
                    try? Data(contentsOf: URL(fileURLWithPath: scratch.file($0)))
                }
                // A PNG file is complete if it ends with the chunk IEND.
                return files.count == 2 && files.allSatisfy { $0.suffix(8).starts(with: Data("IEND".utf8)) }
                    ? files : nil
            }
            let screenshots = try #require(files)
            // An expectation that compares two files describes all their differences, which takes minutes.
            let areEqual = screenshots[0] == screenshots[1]
            #expect(areEqual)
            try player.ipc.setProperty("pause", false)
            try watcher.waitForFrame(in: .player) { $0 != frame }
            try player.quit()
        }
    }
}
