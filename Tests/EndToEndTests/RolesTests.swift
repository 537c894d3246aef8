import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the roles that the compositor assigns to programs, as `swiftplay system programs` lists them.
@Suite("Roles")
struct RolesTests {
    /// Waits until `swiftplay system programs` lists exactly the expected roles, given by process ID.
    private func waitForRoles(_ expected: [Int32: String], in directory: RuntimeDirectory) throws {
        var output = ""
        let isReached = Deadline.poll(for: .seconds(20), every: .milliseconds(50)) { () -> Bool? in
            guard let text = try? directory.runSystemCommand(["programs"]) else { return nil }
            output = text
            let rows = text.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
            let roles = rows.compactMap { row in Int32(row[0]).map { ($0, String(row[2])) } }
            return Dictionary(roles) { $1 } == expected ? true : nil
        }
        guard isReached == true else { throw TestFailure("the programs do not have the roles \(expected):\n\(output)") }
    }

    /// Waits until the kernel's `oom_score_adj` of a player has the value `expected`.
    private func waitForOOMScore(_ expected: Int, of player: RunningPlayer) throws {
        let path = "/proc/\(player.child.pid)/oom_score_adj"
        var lastScore = ""
        let isReached = Deadline.poll(for: .seconds(10)) { () -> Bool? in
            lastScore = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return lastScore == "\(expected)\n" ? true : nil
        }
        guard isReached == true else { throw TestFailure("oom_score_adj is \(lastScore) instead of \(expected)") }
    }

    /// Returns the row of a program in the output of `swiftplay system memory`.
    private func memoryRow(of player: RunningPlayer) throws -> String {
        let rows = try player.directory.runSystemCommand(["memory"]).split(separator: "\n")
        return String(try #require(rows.first { $0.hasPrefix("\(player.child.pid) ") }))
    }

    @Test("the focused window is primary, another one secondary, and Picture-in-Picture or a minimised one background")
    func rolesFollowFocusAndPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let desktop = try PrivateDesktop(hasWindowManager: true), directory = try RuntimeDirectory()
            func startPlayer(_ title: String, _ position: String) throws -> RunningPlayer {
                try RunningPlayer(
                    try Fixtures.path("count30.mp4"),
                    options: ["--loop-file", "--geometry=480x270\(position)", "--title=\(title)"],
                    directory: directory, environment: desktop.environment)
            }
            let watcher = try ScreenWatcher(display: desktop.display)
            func focus(_ title: String) throws {
                let window = try watcher.waitForWindow(.title(title))
                try run("xdotool", ["windowactivate", "--sync", "\(window.id)"], environment: desktop.environment)
            }
            let firstPlayer = try startPlayer("first", "+50+50")
            try watcher.waitForFrame(in: .title("first"))
            try focus("first")
            try waitForRoles([firstPlayer.child.pid: "primary"], in: directory)
            let secondPlayer = try startPlayer("second", "+800+50")
            try watcher.waitForFrame(in: .title("second"))
            try focus("second")
            try waitForRoles([firstPlayer.child.pid: "secondary", secondPlayer.child.pid: "primary"], in: directory)
            try waitForOOMScore(200, of: firstPlayer)
            try waitForOOMScore(100, of: secondPlayer)
            // The row shows the budget, two sizes from the kernel, and three sizes that the program reports.
            #expect(try memoryRow(of: firstPlayer).split(separator: " ").count { $0 == "MiB" } == 6)
            secondPlayer.child.signal(SIGSTOP)
            // A stopped program reports no sizes, so that the row shows only the budget and the two sizes from the
            // kernel.
            #expect(try memoryRow(of: secondPlayer).split(separator: " ").count { $0 == "MiB" } == 3)
            secondPlayer.child.signal(SIGCONT)
            try firstPlayer.enterPictureInPicture()
            try waitForRoles([firstPlayer.child.pid: "background", secondPlayer.child.pid: "primary"], in: directory)
            try waitForOOMScore(150, of: firstPlayer)
            try firstPlayer.leavePictureInPicture()
            try focus("first")
            try waitForRoles([firstPlayer.child.pid: "primary", secondPlayer.child.pid: "secondary"], in: directory)
            try secondPlayer.quit()
            try waitForRoles([firstPlayer.child.pid: "primary"], in: directory)
            try firstPlayer.quit()
        }
    }

    @Test("after a crash of the compositor, the next one assigns the roles again")
    func nextCompositorAssignsTheRoles() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--loop-file", "--geometry=480x270"], directory: directory)
            try waitForRoles([player.child.pid: "primary"], in: directory)
            kill(try player.compositorPID(), SIGKILL)
            try waitForRoles([player.child.pid: "primary"], in: directory)
            try player.quit()
        }
    }
}
