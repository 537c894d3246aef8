import Foundation
import TestSupport
import Testing

/// Tests how rotated, cropped and interlaced pictures, cover pictures, and streams that change their picture size are
/// shown.
@Suite("Picture shapes")
struct PictureShapeTests {
    @Test(
        "a rotated picture is upright in the player's window and in the floating window",
        arguments: ["turned.mp4", "mirrored.mp4"])
    func rotatedPictureIsUpright(name: String) async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), player = try RunningPlayer(name, options: ["--loop-file=inf"])
            try watcher.waitForFrame(in: .player) { $0 > 5 }
            let window = try watcher.waitForWindow(.player)
            #expect(window.area.width == 320 && window.area.height == 180, "\(window.area)")
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > 5 }
            // Wait for the end of the animation, during which the size of the window is rounded.
            let hasVideoAspect = Deadline.poll(for: .seconds(10)) {
                watcher.window(.pictureInPicture).flatMap { $0.area.width * 9 == $0.area.height * 16 ? true : nil }
            }
            #expect(hasVideoAspect == true, "\(String(describing: watcher.window(.pictureInPicture)?.area))")
            try player.quit()
        }
    }

    @Test("the user's rotation and aspect ratio apply to the picture on screen, the window and the floating window")
    func userChangesTheShapeOfThePicture() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("turned.mp4", options: ["--pause", "--video-rotate=no"])
            func waitForSize(_ query: WindowQuery, _ isExpected: (Window.Area) -> Bool) {
                let hasSize: Bool? = Deadline.poll(for: .seconds(10)) {
                    watcher.window(query).flatMap { isExpected($0.area) ? true : nil }
                }
                #expect(hasSize == true, "\(String(describing: watcher.window(query)?.area))")
            }
            waitForSize(.player) { $0.width == 180 && $0.height == 320 }
            #expect(try player.ipc.property("video-rotate") == false)
            try player.ipc.setProperty("video-rotate", 0)
            // The number of the frame is legible in an upright picture only.
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            waitForSize(.player) { $0.width == 320 && $0.height == 180 }
            try player.ipc.setProperty("video-aspect-override", "9:32")
            waitForSize(.player) { $0.width == 640 && $0.height == 180 }
            try player.enterPictureInPicture()
            waitForSize(.pictureInPicture) { abs($0.width * 9 - $0.height * 32) <= 32 }
            try player.ipc.setProperty("video-aspect-override", -1)
            waitForSize(.pictureInPicture) { abs($0.width * 9 - $0.height * 16) <= 16 }
            try watcher.waitForFrame(in: .pictureInPicture) { $0 == 0 }
            try player.quit()
        }
    }

    @Test("only the clean aperture is visible")
    func onlyTheCleanApertureIsVisible() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), player = try RunningPlayer("aperture.mp4", options: ["--pause"])
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            let area = try watcher.waitForWindow(.player).area
            #expect(area.width == 320 && area.height == 180, "\(area)")
            try player.quit()
        }
    }

    @Test("a frame step moves by one field of interlaced video, and deinterlacing can be set")
    func frameStepMovesByOneFieldOfInterlacedVideo() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher(), player = try RunningPlayer("interlaced.mkv", options: ["--pause"])
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            for number in 1...6 {
                try player.ipc.command(["frame-step"])
                try player.ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - Double(number) * 0.02) < 0.002 }
            }
            for number in (2...5).reversed() {
                try player.ipc.command(["frame-back-step"])
                try player.ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - Double(number) * 0.02) < 0.002 }
                // `time-pos` changes before the seek ends, and a step during a seek is ignored.
                try player.ipc.waitForProperty("seeking") { $0 == false }
            }
            #expect(try player.ipc.property("deinterlace") == "auto")
            try player.ipc.setProperty("deinterlace", "no")
            #expect(try player.ipc.property("deinterlace") == "no")
            try player.quit()
        }
    }

    @Test("a cover is visible while the audio plays, and playback ends with the audio", .measuresTime)
    func coverPictureIsVisibleWhileAudioPlays() async throws {
        try await TestEnvironment.runExclusively {
            let recorder = try ScreenRecorder([.player]), audioRecorder = try AudioRecorder()
            let player = try RunningPlayer("cover.m4a")
            try recorder.wait { $0.frame == 21 }
            #expect(try player.child.waitForExit(within: .seconds(20)).isSuccess, "\(player.child.errors.text)")
            #expect(player.child.errors.totalByteCount == 0, "\(player.child.errors.text)")
            let recording = audioRecorder.stopRecording().trimmed()
            #expect(recording.beepTimes.count == 3 && recording.duration > 2.9, "\(recording.duration)")
            _ = recorder.stopRecording()
        }
    }

    @Test("every picture of a stream that changes its size is shown or counted as dropped")
    func everyPictureOfAStreamThatChangesItsSizeIsShown() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory()
            let player = try RunningPlayer("sizes.h264", options: ["--stats=\(scratch.file("stats"))", "--ao=null"])
            #expect(try player.child.waitForExit(within: .seconds(20)).isSuccess, "\(player.child.errors.text)")
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            let (shownCount, droppedCount) = (
                statistics["frames-presented"]?.number ?? 0, statistics["frames-dropped"]?.number ?? 0
            )
            #expect(shownCount + droppedCount == 90, "\(shownCount) shown, \(droppedCount) dropped")
        }
    }
}
