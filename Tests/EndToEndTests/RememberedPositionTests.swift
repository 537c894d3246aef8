import TestSupport
import Testing

@Suite("Remembered positions")
struct RememberedPositionTests {
    @Test("a file continues at its remembered position, with its volume and tracks, once")
    func aFileContinuesAtItsRememberedPosition() async throws {
        try await TestEnvironment.runExclusively {
            let folder = try TemporaryDirectory()
            func startPlayer() throws -> RunningPlayer {
                let player = try RunningPlayer(
                    "tracks.mkv",
                    options: ["--vo=null", "--ao=null", "--pause", "--watch-later-dir=\(folder.file("positions"))"])
                try player.ipc.waitForProperty("time-pos") { $0.number != nil }
                return player
            }
            let firstPlayer = try startPlayer()
            try firstPlayer.ipc.command(["seek", 5, "absolute"])
            try firstPlayer.ipc.waitForProperty("time-pos") { $0 == 5 }
            try firstPlayer.ipc.setProperty("volume", 55)
            try firstPlayer.ipc.setProperty("sid", 2)
            try firstPlayer.ipc.waitForProperty("sid") { $0 == 2 }
            try firstPlayer.ipc.command(["quit-watch-later"])
            #expect(try firstPlayer.child.waitForExit().isSuccess)

            let secondPlayer = try startPlayer()
            try secondPlayer.ipc.waitForProperty("time-pos") { $0 == 5 }
            try secondPlayer.ipc.waitForProperty("volume") { $0 == 55 }
            try secondPlayer.ipc.waitForProperty("sid") { $0 == 2 }
            #expect(try secondPlayer.ipc.property("mute") == false)
            try secondPlayer.quit()

            let thirdPlayer = try startPlayer()
            try thirdPlayer.ipc.waitForProperty("time-pos") { $0 == 0 }
            #expect(try thirdPlayer.ipc.property("volume") == 100)
            try thirdPlayer.quit()
        }
    }
}
