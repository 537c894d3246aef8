import Foundation
import Glibc
import TestSupport
import Testing

/// Calls, the silent switch and the lock hold for the machine, not for one compositor.
@Suite("The system's state, in processes")
struct SystemStateTests {
    /// A compositor that exits after half a second without programs.
    private func compositor(_ directory: RuntimeDirectory) throws -> ChildProcess {
        let socket = directory.path + "/swiftplay/compositor"
        try? FileManager.default.removeItem(atPath: socket)
        let child = try ChildProcess(
            Products.path("swiftplay-compositor"), ["--idle-timeout", "0.5"], runtimeDirectory: directory)
        guard Deadline.poll(for: .seconds(10), { FileManager.default.fileExists(atPath: socket) ? true : nil }) == true
        else {
            throw RigError("the compositor does not listen: \(child.errors.text)")
        }
        return child
    }

    private func conditions(_ directory: RuntimeDirectory) throws -> String {
        try directory.system(["sessions"]).split(separator: "\n").first { $0.hasPrefix("conditions: ") }.map(
            String.init) ?? ""
    }

    @Test(
        "an idle compositor does not exit while a condition holds, and does when it ends",
        arguments: ["video-call", "lock", "silent"])
    func idling(condition: String) throws {
        let directory = try RuntimeDirectory(), child = try compositor(directory)
        try directory.system([condition, "on"])
        // Four times the idle time.
        let hasExited = Deadline.poll(for: .seconds(2)) { child.isRunning ? nil : true }
        #expect(hasExited == nil)
        #expect(try conditions(directory) != "")
        try directory.system([condition, "off"])
        #expect(try child.waitForExit().isSuccess)
    }

    @Test("the compositor is killed: the next one knows the call, the lock, the silent switch and the video call")
    func crash() throws {
        let directory = try RuntimeDirectory(), first = try compositor(directory)
        for event in [["call"], ["accept"], ["silent", "on"], ["lock", "on"], ["video-call", "on"]] {
            try directory.system(event)
        }
        let all = "conditions: a call, a video call, the silent switch is on, the screen is locked"
        #expect(try conditions(directory) == all)
        first.signal(SIGKILL)
        try first.waitForExit()
        let second = try compositor(directory)
        #expect(try conditions(directory) == all)
        try directory.system(["reset"])
        #expect(try conditions(directory) == all, "reset does not end what holds for the machine")
        for event in [["hang-up"], ["silent", "off"], ["lock", "off"], ["video-call", "off"]] {
            try directory.system(event)
        }
        #expect(try conditions(directory) == "")
        #expect(try second.waitForExit().isSuccess)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/swiftplay/system-state"))
    }

    @Test(
        "what a program holds ends when it is killed, not what a user's command announced; a new compositor is told of it again"
    )
    func held() throws {
        let directory = try RuntimeDirectory(), first = try compositor(directory)
        try directory.system(["silent", "on"])
        let phone = try ChildProcess(Products.swiftplay, ["system", "--hold", "call"], runtimeDirectory: directory)
        #expect(phone.output.wait(for: "holding"))
        #expect(try conditions(directory) == "conditions: a call rings, the silent switch is on")
        first.signal(SIGKILL)
        try first.waitForExit()
        let isAgain = Deadline.poll(for: .seconds(10)) { phone.output.text == "holding\nholding\n" ? true : nil }
        #expect(isAgain == true, "\(phone.output.text)\(phone.errors.text)")
        #expect(try conditions(directory) == "conditions: a call rings, the silent switch is on")
        phone.signal(SIGKILL)
        try phone.waitForExit()
        let isOver = Deadline.poll(for: .seconds(10)) {
            (try? conditions(directory)) == "conditions: the silent switch is on" ? true : nil
        }
        #expect(isOver == true)
    }

    @Test("a program that holds a condition exits when another command ends it, and no later compositor learns of it")
    func endedByAnother() throws {
        let directory = try RuntimeDirectory(), first = try compositor(directory)
        let phone = try ChildProcess(Products.swiftplay, ["system", "--hold", "call"], runtimeDirectory: directory)
        let lock = try ChildProcess(
            Products.swiftplay, ["system", "--hold", "lock", "on"], runtimeDirectory: directory)
        #expect(phone.output.wait(for: "holding") && lock.output.wait(for: "holding"))
        try directory.system(["hang-up"])
        #expect(try phone.waitForExit().isSuccess)
        first.signal(SIGKILL)
        try first.waitForExit()
        let isAgain = Deadline.poll(for: .seconds(10)) { lock.output.text == "holding\nholding\n" ? true : nil }
        #expect(isAgain == true, "\(lock.output.text)\(lock.errors.text)")
        #expect(try conditions(directory) == "conditions: the screen is locked")
    }

    @Test("a compositor that is too old for conditions that end with a program is named as the reason")
    func tooOld() throws {
        let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory, version: 6)
        let phone = try ChildProcess(Products.swiftplay, ["system", "--hold", "call"], runtimeDirectory: directory)
        try compositor.wait { if case .hello = $0 { true } else { false } }
        #expect(try phone.waitForExit().reason == .exited(1))
        #expect(
            phone.errors.text.contains("too old") && phone.errors.text.contains("version 6"), "\(phone.errors.text)")
    }

    @Test("a damaged file of the state starts an empty one, with a warning")
    func damaged() throws {
        let directory = try RuntimeDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path + "/swiftplay", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8).trimmingCharacters(
            in: .newlines)
        try "swiftplay-system-state 1 \(boot)\ncall perhaps\n".write(
            toFile: directory.path + "/swiftplay/system-state", atomically: false, encoding: .utf8)
        let child = try compositor(directory)
        #expect(try conditions(directory) == "")
        #expect(child.errors.text.contains("is damaged"))
    }

    @Test("only what can hold is held")
    func wrongHold() throws {
        let child = try ChildProcess(Products.swiftplay, ["system", "--hold", "hang-up"])
        #expect(try child.waitForExit().reason == .exited(64))
    }
}
