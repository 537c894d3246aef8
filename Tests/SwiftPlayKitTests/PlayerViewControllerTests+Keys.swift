import TestSupport
import Testing

@testable import SwiftPlayKit

extension PlayerViewControllerTests {
    @Test("Keys perform commands, linear playback disables the seeking keys, and the program's handlers run first")
    func keysPerformCommands() async throws {
        try await TestEnvironment.runExclusively {
            let program = try await Program("count30.mp4", rate: 0), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: Self.playerWindow)
            await program.controller?.handleKey("RIGHT")
            try watcher.waitForFrame(in: Self.playerWindow) { (150...151).contains($0) }
            await MainActor.run { program.controller?.requiresLinearPlayback = true }
            for key in ["RIGHT", "m", "9", "SPACE"] { await program.controller?.handleKey(key) }
            #expect(program.player.isMuted && program.player.rate == 1 && abs(program.player.volume - 0.941192) < 0.001)
            #expect(program.player.currentTime().seconds < 9)
            let handledInputs = await MainActor.run {
                var handledInputs: [String] = []
                program.controller?.onKey = { key in
                    handledInputs.append(key)
                    return true
                }
                program.controller?.handleKey("SPACE")
                program.controller?.onKey = nil
                program.controller?.onCommand = { command in
                    handledInputs.append("\(command)")
                    return true
                }
                program.controller?.handleKey("SPACE")
                return handledInputs
            }
            #expect(handledInputs == ["SPACE", "togglePlayback"])
            #expect(program.player.rate == 1)
            await program.end()
            try watcher.waitForNoWindow(Self.playerWindow)
        }
    }

    @Test func tracksAreCycledByStepsOfAnySize() async throws {
        try await TestEnvironment.runExclusively {
            let program = try await Program("tracks.mkv", rate: 0)
            try await Self.wait("the tracks") {
                program.player.currentItem?.mediaSelectionGroup(forMediaCharacteristic: .audible)?.options.count == 2
            }
            for (step, language) in [(1, "de"), (Int.max, "en"), (-1, "de"), (Int.min + 1, "en"), (-3, "de")] {
                await program.controller?.perform(.cycleAudioTrack(by: step))
                try await Self.wait("the track \(language)") {
                    guard let item = program.player.currentItem,
                        let group = item.mediaSelectionGroup(forMediaCharacteristic: .audible)
                    else { return false }
                    return item.currentMediaSelection.selectedMediaOption(in: group)?.extendedLanguageTag == language
                }
            }
            await program.end()
        }
    }

    @Test("Every control has a key")
    @MainActor func eachControlHasAKey() {
        let commands = Set(PlayerViewController.keys.values.map { "\($0)".prefix { $0 != "(" } })
        let requiredCommands: Set<Substring> = [
            "togglePlayback", "skip", "changeVolume", "toggleMute", "cycleAudioTrack", "cycleSubtitles",
            "togglePictureInPicture", "toggleFullScreen",
            "showControls",
        ]
        #expect(requiredCommands.isSubset(of: commands))
    }
}
