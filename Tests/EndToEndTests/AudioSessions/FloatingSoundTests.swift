import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Audio sessions and the floating window.
@Suite("Audio sessions: Picture-in-Picture")
struct FloatingSoundTests {
    @Test("18: a call pauses the film in its window, which stays; after the call it plays on there")
    func call() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", directory: stage.directory)
            try watcher.waitForFrame(in: .player)
            try player.enterPictureInPicture()
            let before = try watcher.waitForFrame(in: .pictureInPicture)
            try stage.system("call")
            try player.ipc.waitForProperty("pause") { $0 == true }
            let standing = try watcher.waitForFrame(in: .pictureInPicture) { $0 >= before }
            #expect(try player.ipc.property("picture-in-picture") == true)
            try stage.system("hang-up")
            try player.ipc.waitForProperty("pause") { $0 == false }
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > standing + 10 }
            try player.quit()
        }
    }

    @Test(
        "the way into the window and back is nobody's business: no claim, no new device, no change of gain; closed there, it gives back"
    )
    func handoff() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: stage.directory)
            // It moves once it is heard: the stream is there.
            try watcher.waitForFrame(in: .player) { $0 >= 5 }
            let streams = try run("pactl", ["list", "short", "sink-inputs"])
            let table = try stage.system()
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture)
            try player.leavePictureInPicture()
            try watcher.waitForFrame(in: .player)
            #expect(try run("pactl", ["list", "short", "sink-inputs"]) == streams)
            #expect(try stage.system() == table)
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture)
            try stage.listen(.milliseconds(500))
            try Pointer.click(.close, in: watcher.waitForWindow(.pictureInPicture).area)
            try player.ipc.waitForProperty("pause") { $0 == true }
            #expect(
                Deadline.poll(for: .seconds(5)) { (try? stage.system())?.contains("inactive") == true ? true : nil }
                    == true)
            try player.quit()
        }
    }

    @Test(
        "S22: from the background the window's play button takes the place of who plays; the program by itself may not")
    func gesture() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: stage.directory)
            try watcher.waitForFrame(in: .player)
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            try run("xdotool", ["windowunmap", "\(watcher.waitForWindow(.player).id)"])
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            #expect(
                Deadline.poll(for: .seconds(5)) {
                    (try? stage.system())?.contains("pip, now playing") == true ? true : nil
                } == true)
            let music = try stage.actor(.music)
            try music.play()
            try player.ipc.waitForProperty("pause") { $0 == true }
            try stage.wait(for: .music)
            try Pointer.click(.playPause, in: watcher.waitForWindow(.pictureInPicture).area)
            try music.hear("began(default)")
            try player.ipc.waitForProperty("pause") { $0 == false }
            try Pointer.moveAway()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame }
            try player.quit()
            try music.hear("ended(shouldResume)")

            let video = try stage.actor(.video)
            try video.tell("place pip", "activate")
            try video.wait(for: "failed activate 560557684")
        }
    }
}
