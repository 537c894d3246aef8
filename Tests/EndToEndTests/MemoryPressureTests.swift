import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the memory warnings that a compositor process sends to player processes. The compositor reads simulated files
/// in place of the kernel's files about memory, because a test must not make the machine short of memory.
@Suite("Memory pressure")
struct MemoryPressureTests {
    @Test("every program is warned, also one that starts later, and is notified of the end once", .measuresTime)
    func everyProgramReceivesMemoryWarnings() async throws {
        try await TestEnvironment.runExclusively {
            let memoryFiles = try KernelMemoryFiles(), directory = try RuntimeDirectory()
            let compositor = try memoryFiles.startCompositor(in: directory)
            func startPlayer() throws -> RunningPlayer {
                try RunningPlayer("count30.mp4", options: ["--loop-file", "--geometry=480x270"], directory: directory)
            }
            let firstPlayer = try startPlayer()
            try firstPlayer.ipc.waitForProperty("program-role") { $0 == "primary" }
            #expect(try firstPlayer.ipc.property("memory-pressure") == "normal")
            try memoryFiles.setAvailableMemory(80)
            try firstPlayer.ipc.waitForProperty("memory-pressure") { $0 == "warning" }
            // The player reports how much memory it has released because of the warning.
            try firstPlayer.ipc.waitForProperty("program-memory") { $0["last-warning-released"] != nil }
            let secondPlayer = try startPlayer()
            try secondPlayer.ipc.waitForProperty("memory-pressure") { $0 == "warning" }
            try memoryFiles.setAvailableMemory(900)
            for player in [firstPlayer, secondPlayer] {
                try player.ipc.waitForProperty("memory-pressure", within: .seconds(40)) { $0 == "normal" }
            }
            try memoryFiles.write("max 1\noom 0\noom_kill 0\n", to: "cgroup/app/memory.events")
            for player in [firstPlayer, secondPlayer] {
                try player.ipc.waitForProperty("memory-pressure") { $0 == "critical" }
                #expect(try player.ipc.property("frame-drop-count") == 0)
                try player.quit()
            }
            compositor.signal(SIGTERM)
            _ = try compositor.waitForExit()
        }
    }

    @Test("after 10 s of critical pressure a program exits on request, and one that does not react is killed")
    func programExitsOrIsKilledAfterCriticalPressure() async throws {
        try await TestEnvironment.runExclusively {
            for isStopped in [false, true] {
                let memoryFiles = try KernelMemoryFiles(), directory = try RuntimeDirectory()
                let compositor = try memoryFiles.startCompositor(in: directory, settings: "end-programs=yes\n")
                let player = try RunningPlayer(
                    "count30.mp4", options: ["--loop-file", "--geometry=480x270"], directory: directory)
                try player.ipc.waitForProperty("program-role") { $0 == "primary" }
                if isStopped { player.child.signal(SIGSTOP) }
                // The player's memory budget is 3 % of 1000 kB, which every program exceeds.
                try memoryFiles.setAvailableMemory(10)
                let status = try player.child.waitForExit(within: .seconds(40))
                #expect((status.reason == .killed(signal: SIGKILL)) == isStopped, "\(status)")
                #expect(player.child.errors.text.contains("memory is short") != isStopped)
                #expect(compositor.errors.text.contains("memory is critically short"))
                compositor.signal(SIGTERM)
                _ = try compositor.waitForExit()
            }
        }
    }

    @Test(
        "a silent secondary program is ended, and the primary one and a film in Picture-in-Picture lose no frame",
        .measuresTime)
    func secondaryProgramIsEndedFirst() async throws {
        try await TestEnvironment.runExclusively {
            let memoryFiles = try KernelMemoryFiles(), directory = try RuntimeDirectory()
            let desktop = try PrivateDesktop(hasWindowManager: true)
            let watcher = try ScreenWatcher(display: desktop.display)
            let compositor = try memoryFiles.startCompositor(
                in: directory, settings: "end-programs=yes\n", environment: desktop.environment)
            func startPlayer(_ title: String, _ position: String) throws -> RunningPlayer {
                let player = try RunningPlayer(
                    files: [try Fixtures.path("count30.mp4")],
                    ["--loop-file", "--mute", "--geometry=480x270\(position)", "--title=\(title)"], directory,
                    desktop.environment)
                try watcher.waitForFrame(in: .title(title))
                return player
            }
            let film = try startPlayer("film", "+50+50")
            try film.enterPictureInPicture()
            let secondary = try startPlayer("secondary", "+50+400")
            let primary = try startPlayer("primary", "+800+400")
            let window = try watcher.waitForWindow(.title("primary"))
            try run("xdotool", ["windowactivate", "--sync", "\(window.id)"], environment: desktop.environment)
            for (player, role) in [(film, "background"), (secondary, "secondary"), (primary, "primary")] {
                try player.ipc.waitForProperty("program-role") { $0 == .string(role) }
            }
            // Every program exceeds its budget, which is a part of a machine with 1000 kB of memory.
            try memoryFiles.setAvailableMemory(10)
            _ = try secondary.child.waitForExit(within: .seconds(40))
            #expect(secondary.child.errors.text.contains("memory is short"), "\(secondary.child.errors.text)")
            try watcher.waitForNoWindow(.title("secondary"))
            try memoryFiles.setAvailableMemory(900)
            for player in [film, primary] {
                try player.ipc.waitForProperty("memory-pressure", within: .seconds(40)) { $0 == "normal" }
                #expect(try player.ipc.property("frame-drop-count") == 0)
            }
            for window in [WindowQuery.pictureInPicture, .title("primary")] {
                let frame = try watcher.waitForFrame(in: window)
                try watcher.waitForFrame(in: window) { $0 > frame + 5 }
            }
            #expect(compositor.errors.text.split(separator: "\n").count { $0.contains("a program must exit") } == 1)
            for player in [film, primary] { try player.quit() }
            compositor.signal(SIGTERM)
            _ = try compositor.waitForExit()
        }
    }

    @Test("memory warnings cause neither a stall nor a dropped frame of a stream", .measuresTime)
    func warningsDoNotDisturbAStream() async throws {
        try await TestEnvironment.runExclusively {
            let memoryFiles = try KernelMemoryFiles(), directory = try RuntimeDirectory()
            let compositor = try memoryFiles.startCompositor(in: directory)
            // After 3 s, the link is slower than the small variant, so that only the buffered seconds prevent a stall.
            let server = try LinkServer(
                try Fixtures.path("streams"), #"{"trace": [[3, 20], [1e6, 0.1]], "latency": 0.02}"#)
            let player = try RunningPlayer(
                server.address + "/stream.m3u8", options: ["--ao=null", "--geometry=480x270", "--keep-open"],
                directory: directory)
            // All 12 s of the stream are buffered.
            try player.ipc.waitForProperty("demuxer-cache-state") { $0["eof"] == true }
            try player.ipc.command(["observe_property", 1, "paused-for-cache"])
            try memoryFiles.setAvailableMemory(10)
            try player.ipc.waitForProperty("memory-pressure") { $0 == "critical" }
            try player.ipc.waitForProperty("eof-reached", within: .seconds(40)) { $0 == true }
            #expect(try player.ipc.property("frame-drop-count") == 0)
            let stalls = try player.ipc.events.filter { $0["name"] == "paused-for-cache" && $0["data"] == true }
            #expect(stalls.isEmpty)
            try player.quit()
            compositor.signal(SIGTERM)
            _ = try compositor.waitForExit()
        }
    }
}
