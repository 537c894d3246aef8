import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests the audio session of a film in Picture-in-Picture.
@Suite("Audio sessions: Picture-in-Picture")
struct PictureInPictureAudioTests {
    @Test("a call pauses a film in Picture-in-Picture; the window stays, and the film resumes there after the call")
    func phoneCallPausesTheFilmUntilItEnds() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", directory: setup.directory)
            try watcher.waitForFrame(in: .player)
            try player.enterPictureInPicture()
            let frameBeforeCall = try watcher.waitForFrame(in: .pictureInPicture)
            try setup.runSystemCommand("call")
            try player.ipc.waitForProperty("pause") { $0 == true }
            let pausedFrame = try watcher.waitForFrame(in: .pictureInPicture) { $0 >= frameBeforeCall }
            #expect(try player.ipc.property("picture-in-picture") == true)
            try setup.runSystemCommand("hang-up")
            try player.ipc.waitForProperty("pause") { $0 == false }
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > pausedFrame + 10 }
            try player.quit()
        }
    }

    /// An underrun on a busy machine would start a new stream.
    @Test(
        "Picture-in-Picture changes no stream and no session; closing its window deactivates the session",
        .measuresTime)
    func pictureInPictureKeepsTheAudioStreamAndSession() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: setup.directory)
            try watcher.waitForFrame(in: .player) { $0 >= 5 }
            // On a slow machine, the audio stream starts after the first video frames.
            let streamIndexes = try #require(
                Deadline.poll(for: .seconds(30)) {
                    (try? self.streamIndexes(ofProcess: player.child.pid)).flatMap { $0.isEmpty ? nil : $0 }
                })
            let sessionTable = try setup.runSystemCommand()
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture)
            try player.leavePictureInPicture()
            try watcher.waitForFrame(in: .player)
            let laterIndexes = try self.streamIndexes(ofProcess: player.child.pid)
            #expect(laterIndexes == streamIndexes)
            #expect(try setup.runSystemCommand() == sessionTable)
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture)
            try setup.record(for: .milliseconds(500))
            try Pointer.click(.close, in: watcher.waitForWindow(.pictureInPicture).area)
            try player.ipc.waitForProperty("pause") { $0 == true }
            #expect(
                Deadline.poll(for: .seconds(5)) {
                    (try? setup.runSystemCommand())?.contains("inactive") == true ? true : nil
                } == true)
            try player.quit()
        }
    }

    @Test(
        "in the background, the window's play button interrupts others, but the program itself cannot")
    func playButtonInterruptsOtherPrograms() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: setup.directory)
            try watcher.waitForFrame(in: .player)
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            try run("xdotool", ["windowunmap", "\(watcher.waitForWindow(.player).id)"])
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            #expect(
                Deadline.poll(for: .seconds(5)) {
                    (try? setup.runSystemCommand())?.contains("pip, now playing") == true ? true : nil
                } == true)
            let music = try setup.startProbe(.music)
            try music.play()
            try player.ipc.waitForProperty("pause") { $0 == true }
            try setup.waitUntilAudible(.music)
            try Pointer.click(.playPause, in: watcher.waitForWindow(.pictureInPicture).area)
            try music.waitForNotification("began(default)")
            try player.ipc.waitForProperty("pause") { $0 == false }
            try Pointer.moveAway()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame }
            try player.quit()
            try music.waitForNotification("ended(shouldResume)")

            let video = try setup.startProbe(.video)
            try video.send("place pip", "activate")
            // The code 560557684 is `AVAudioSession.ErrorCode.cannotInterruptOthers`.
            try video.wait(for: "failed activate 560557684")
        }
    }

    /// Returns the indexes of a process's playback streams at the sound server.
    private func streamIndexes(ofProcess processID: Int32) throws -> [String] {
        try run("pactl", ["list", "sink-inputs"]).components(separatedBy: "\n\n").compactMap { entry in
            guard entry.contains("application.process.id = \"\(processID)\"") else { return nil }
            return entry.split(separator: "\n").first.map(String.init)
        }
    }
}
