import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the roles that the compositor assigns to programs, as `swiftplay system programs` lists them.
@Suite("Roles")
struct RolesTests {
    /// Waits until `swiftplay system programs` lists exactly the expected roles, given by process ID.
    private func waitForRoles(_ expected: [Int32: String], in directory: RuntimeDirectory) throws {
        var last = ""
        let isReached = Deadline.poll(for: .seconds(20), every: .milliseconds(50)) { () -> Bool? in
            guard let text = try? directory.runSystemCommand(["programs"]) else { return nil }
            last = text
            let rows = text.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
            let roles = rows.compactMap { row in Int32(row[0]).map { ($0, String(row[2])) } }
            return Dictionary(roles) { $1 } == expected ? true : nil
        }
        guard isReached == true else { throw TestFailure("the programs do not have the roles \(expected):\n\(last)") }
    }

    /// Waits until the kernel's `oom_score_adj` of a player has the value `expected`.
    private func waitForScore(_ expected: Int, of player: RunningPlayer) throws {
        let path = "/proc/\(player.child.pid)/oom_score_adj"
        var last = ""
        let isReached = Deadline.poll(for: .seconds(10)) { () -> Bool? in
            last = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return last == "\(expected)\n" ? true : nil
        }
        guard isReached == true else { throw TestFailure("oom_score_adj is \(last) instead of \(expected)") }
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
            func start(_ title: String, _ position: String) throws -> RunningPlayer {
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
            let first = try start("first", "+50+50")
            try watcher.waitForFrame(in: .title("first"))
            try focus("first")
            try waitForRoles([first.child.pid: "primary"], in: directory)
            let second = try start("second", "+800+50")
            try watcher.waitForFrame(in: .title("second"))
            try focus("second")
            try waitForRoles([first.child.pid: "secondary", second.child.pid: "primary"], in: directory)
            try waitForScore(200, of: first)
            try waitForScore(100, of: second)
            // The row shows the budget, two sizes from the kernel, and three sizes that the program reports.
            #expect(try memoryRow(of: first).split(separator: " ").count { $0 == "MiB" } == 6)
            second.child.signal(SIGSTOP)
            // A stopped program reports no sizes, so that the row shows only the other three.
            #expect(try memoryRow(of: second).split(separator: " ").count { $0 == "MiB" } == 3)
            second.child.signal(SIGCONT)
            try first.enterPictureInPicture()
            try waitForRoles([first.child.pid: "background", second.child.pid: "primary"], in: directory)
            try waitForScore(150, of: first)
            try first.leavePictureInPicture()
            try focus("first")
            try waitForRoles([first.child.pid: "primary", second.child.pid: "secondary"], in: directory)
            try second.quit()
            try waitForRoles([first.child.pid: "primary"], in: directory)
            try first.quit()
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
