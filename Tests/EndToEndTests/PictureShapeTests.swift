import Foundation
import TestSupport
import Testing

/// Pictures that lie on their side, are cropped, interlaced or stand beside sound: what a viewer sees of them.
@Suite("Shapes of pictures")
struct PictureShapeTests {
    @Test(
        "a turned picture is upright in the window and in the floating window",
        arguments: ["turned.mp4", "mirrored.mp4"])
    func turned(name: String) async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher(), player = try RunningPlayer(name, options: ["--loop-file=inf"])
            try watcher.waitForFrame(in: .player) { $0 > 5 }
            let window = try watcher.waitForWindow(.player)
            #expect(window.area.width == 320 && window.area.height == 180, "\(window.area)")
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > 5 }
            // On its way to its corner its size is rounded.
            let isShaped = Deadline.poll(for: .seconds(10)) {
                watcher.window(.pictureInPicture).flatMap { $0.area.width * 9 == $0.area.height * 16 ? true : nil }
            }
            #expect(isShaped == true, "\(String(describing: watcher.window(.pictureInPicture)?.area))")
            try player.quit()
        }
    }

    @Test("a clean aperture is all that is seen")
    func aperture() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher(), player = try RunningPlayer("aperture.mp4", options: ["--pause"])
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            let area = try watcher.waitForWindow(.player).area
            #expect(area.width == 320 && area.height == 180, "\(area)")
            try player.quit()
        }
    }

    @Test("each field of interlaced pictures is seen, and deinterlacing can be set")
    func interlaced() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher(), player = try RunningPlayer("interlaced.mkv", options: ["--pause"])
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            for number in 1...6 {
                try player.ipc.command(["frame-step"])
                try player.ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - Double(number) * 0.02) < 0.002 }
            }
            for number in (2...5).reversed() {
                try player.ipc.command(["frame-back-step"])
                try player.ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - Double(number) * 0.02) < 0.002 }
                // The time is that of the sought field at once, and a step during a seek is none.
                try player.ipc.waitForProperty("seeking") { $0 == false }
            }
            #expect(try player.ipc.property("deinterlace") == "auto")
            try player.ipc.setProperty("deinterlace", "no")
            #expect(try player.ipc.property("deinterlace") == "no")
            try player.quit()
        }
    }

    @Test("a cover is seen while the sound plays, and the end of the sound is the end")
    func cover() async throws {
        try await Desk.alone {
            let recorder = try ScreenRecorder([.player]), sound = try SoundRecorder()
            let player = try RunningPlayer("cover.m4a")
            try recorder.wait { $0.frame == 21 }
            #expect(try player.child.waitForExit(within: .seconds(20)).isSuccess, "\(player.child.errors.text)")
            #expect(player.child.errors.total == 0, "\(player.child.errors.text)")
            let heard = sound.finish().trimmed()
            #expect(heard.beeps.count == 3 && heard.duration > 2.9, "\(heard.duration)")
            _ = recorder.finish()
        }
    }

    @Test("a stream that changes its size plays on in its window, every picture")
    func sizes() async throws {
        try await Desk.alone {
            let scratch = try Scratch()
            let player = try RunningPlayer("sizes.h264", options: ["--stats=\(scratch.file("stats"))", "--ao=null"])
            #expect(try player.child.waitForExit(within: .seconds(20)).isSuccess, "\(player.child.errors.text)")
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            let (shown, dropped) = (
                statistics["frames-presented"]?.number ?? 0, statistics["frames-dropped"]?.number ?? 0
            )
            #expect(shown + dropped == 90, "\(shown) shown, \(dropped) dropped")
        }
    }
}
