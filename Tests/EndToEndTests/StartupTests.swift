import TestSupport
import Testing

/// Tests what a player does while its file is still being opened.
@Suite("Startup")
struct StartupTests {
    /// Whether a player has loaded the libraries of the sound server.
    private func usesSoundServerLibraries(_ player: RunningPlayer) -> Bool {
        ProcessUsage.memoryMaps(of: player.child.pid).contains { $0.contains("libpulse.so") }
    }

    @Test("the libraries of the sound server are loaded while a file is being opened")
    func soundServerLibrariesAreLoadedDuringTheOpening() async throws {
        try await TestEnvironment.runExclusively {
            let server = try StallingServer(try Fixtures.path("count30.mkv"), servingFirst: 0)
            let player = try RunningPlayer(server.address)
            let isLoaded = Deadline.poll(for: .seconds(15)) { usesSoundServerLibraries(player) ? true : nil }
            #expect(isLoaded == true)
            // The file is not open yet.
            try player.ipc.waitForProperty("duration") { $0 == .null }
            try player.quit()
        }
    }

    @Test("a film without sound loads no libraries of the sound server")
    func soundServerLibrariesAreNotLoadedWithoutSound() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--aid=no"])
            try player.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 10 }
            #expect(!usesSoundServerLibraries(player))
            try player.quit()
        }
    }

    @Test("the end of the reader of a pipe is no error")
    func outputToAClosedPipeIsIgnored() throws {
        let child = try ChildProcess(
            Products.systemProgram("bash"),
            [
                "-c", "\"$0\" --vo=null --ao=null --end=0.1 \"$1\" | true; exit ${PIPESTATUS[0]}",
                try Products.path("swiftplay"), try Fixtures.path("count30.mp4"),
            ])
        #expect(try child.waitForExit().isSuccess)
        #expect(child.errors.text.contains("cannot be written") == false, "\(child.errors.text)")
    }

    @Test("output that cannot be written is an error", arguments: ["--help", "--version", "system"])
    func outputToAFullDiskFails(argument: String) throws {
        let child = try ChildProcess(
            Products.systemProgram("sh"),
            ["-c", "exec \"$0\" \(argument) >/dev/full", try Products.path("swiftplay")])
        let status = try child.waitForExit()
        #expect(status.reason == .exited(1))
        #expect(child.errors.text == "swiftplay: the output cannot be written: No space left on device\n")
    }
}
