import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing
import WireFormat

/// Tests that phone calls, the silent switch and the screen lock are conditions of the whole machine, and outlast a
/// compositor process.
@Suite("System state")
struct SystemStateTests {
    /// Starts a compositor, and waits until it accepts connections.
    ///
    /// - Parameter idleTimeout: The number of seconds without a connected program after which the compositor exits.
    private func startCompositor(_ directory: RuntimeDirectory, idleTimeout: Double = 60) throws -> ChildProcess {
        try? FileManager.default.removeItem(atPath: directory.path + "/swiftplay/compositor")
        let child = try ChildProcess(
            Products.path("swiftplay-compositor"), ["--idle-timeout", "\(idleTimeout)"], runtimeDirectory: directory)
        try directory.connectToCompositor(child)
        return child
    }

    /// Returns the line of `swiftplay system sessions` that lists the conditions, such as phone calls; empty if there
    /// are none.
    private func conditionsLine(_ directory: RuntimeDirectory) throws -> String {
        try directory.runSystemCommand(["sessions"]).split(separator: "\n").first { $0.hasPrefix("conditions: ") }.map(
            String.init) ?? ""
    }

    @Test(
        "an idle compositor keeps running while a condition holds, and exits when it ends",
        arguments: ["video-call", "lock", "silent"])
    func idleCompositorRunsWhileAConditionHolds(condition: String) throws {
        let directory = try RuntimeDirectory(), child = try startCompositor(directory, idleTimeout: 2)
        // A connection keeps the compositor running while the command starts, for up to 2 s (the limit for `hello`).
        var connection: MessageSocket? = try directory.connectToCompositor(child)
        try directory.runSystemCommand([condition, "on"])
        withExtendedLifetime(connection) {}
        connection = nil
        // Wait twice the time after which an idle compositor exits.
        let hasExited = Deadline.poll(for: .seconds(4)) { child.isRunning ? nil : true }
        #expect(hasExited == nil)
        #expect(try conditionsLine(directory) != "")
        try directory.runSystemCommand([condition, "off"])
        #expect(try child.waitForExit().isSuccess)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/swiftplay/compositor"))
    }

    @Test("a command that reaches an exiting compositor starts another one")
    func commandStartsAnotherCompositorIfTheFirstExits() throws {
        let directory = try RuntimeDirectory(), folder = directory.path + "/swiftplay"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let command = try startCommandThatIsDisconnected(["silent", "on"], directory, socket: folder + "/compositor")
        #expect(try command.waitForExit().isSuccess, "\(command.errors.text)")
        #expect(try conditionsLine(directory) == "conditions: the silent switch is on")
        try directory.runSystemCommand(["silent", "off"])
    }

    /// Starts `swiftplay system`, and disconnects it as an exiting compositor does: removes the socket file, then
    /// closes the descriptors.
    private func startCommandThatIsDisconnected(_ arguments: [String], _ directory: RuntimeDirectory, socket: String)
        throws -> ChildProcess
    {
        let listener = try LocalSocket.listen(path: socket)
        let command = try ChildProcess(Products.swiftplayPath, ["system"] + arguments, runtimeDirectory: directory)
        let isConnecting = try Poll.waitReadable(listener.raw, until: Deadline.after(.seconds(10)))
        try #require(isConnecting, "the command does not connect")
        let connection = try #require(try LocalSocket.accept(listener))
        unlink(socket)
        withExtendedLifetime(connection) {}
        return command
    }

    @Test("a new compositor restores the calls, the lock and the silent switch of a killed compositor")
    func conditionsOutlastAKilledCompositor() throws {
        let directory = try RuntimeDirectory(), firstCompositor = try startCompositor(directory)
        for event in [["call"], ["accept"], ["silent", "on"], ["lock", "on"], ["video-call", "on"]] {
            try directory.runSystemCommand(event)
        }
        let allConditions = "conditions: a call, a video call, the silent switch is on, the screen is locked"
        #expect(try conditionsLine(directory) == allConditions)
        firstCompositor.signal(SIGKILL)
        try firstCompositor.waitForExit()
        let secondCompositor = try startCompositor(directory, idleTimeout: 3)
        #expect(try conditionsLine(directory) == allConditions)
        try directory.runSystemCommand(["reset"])
        #expect(try conditionsLine(directory) == allConditions, "the reset ended a condition of the machine")
        for event in [["hang-up"], ["silent", "off"], ["lock", "off"], ["video-call", "off"]] {
            try directory.runSystemCommand(event)
        }
        #expect(try conditionsLine(directory) == "")
        #expect(try secondCompositor.waitForExit().isSuccess)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/swiftplay/system-state"))
    }

    @Test("a held condition outlasts the compositor and ends when its program is killed; other conditions remain")
    func conditionEndsWhenTheProgramThatSetItIsKilled() throws {
        let directory = try RuntimeDirectory(), compositor = try startCompositor(directory)
        try directory.runSystemCommand(["silent", "on"])
        let phone = try ChildProcess(Products.swiftplayPath, ["system", "--hold", "call"], runtimeDirectory: directory)
        #expect(phone.output.wait(for: "holding"))
        #expect(try conditionsLine(directory) == "conditions: a call rings, the silent switch is on")
        compositor.signal(SIGKILL)
        try compositor.waitForExit()
        let isHeldAgain = Deadline.poll(for: .seconds(10)) { phone.output.text == "holding\nholding\n" ? true : nil }
        #expect(isHeldAgain == true, "\(phone.output.text)\(phone.errors.text)")
        #expect(try conditionsLine(directory) == "conditions: a call rings, the silent switch is on")
        phone.signal(SIGKILL)
        try phone.waitForExit()
        let hasEnded = Deadline.poll(for: .seconds(10)) {
            (try? conditionsLine(directory)) == "conditions: the silent switch is on" ? true : nil
        }
        #expect(hasEnded == true)
    }

    @Test("a program exits when another command ends its condition, which later compositors do not restore")
    func programThatSetAConditionExitsWhenTheConditionEnds() throws {
        let directory = try RuntimeDirectory(), compositor = try startCompositor(directory)
        let phone = try ChildProcess(Products.swiftplayPath, ["system", "--hold", "call"], runtimeDirectory: directory)
        let lock = try ChildProcess(
            Products.swiftplayPath, ["system", "--hold", "lock", "on"], runtimeDirectory: directory)
        #expect(phone.output.wait(for: "holding") && lock.output.wait(for: "holding"))
        try directory.runSystemCommand(["hang-up"])
        #expect(try phone.waitForExit().isSuccess)
        compositor.signal(SIGKILL)
        try compositor.waitForExit()
        let isHeldAgain = Deadline.poll(for: .seconds(10)) { lock.output.text == "holding\nholding\n" ? true : nil }
        #expect(isHeldAgain == true, "\(lock.output.text)\(lock.errors.text)")
        #expect(try conditionsLine(directory) == "conditions: the screen is locked")
    }

    @Test(
        "if the compositor is too old for a command, the error message says so",
        arguments: [["--hold", "call"], ["device-chosen", "Television"]])
    func tooOldCompositorIsReported(command: [String]) throws {
        let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory, version: 6)
        let child = try ChildProcess(Products.swiftplayPath, ["system"] + command, runtimeDirectory: directory)
        try compositor.wait { if case .hello = $0 { true } else { false } }
        #expect(try child.waitForExit().reason == .exited(1))
        #expect(
            child.errors.text.contains("too old") && child.errors.text.contains("version 6"), "\(child.errors.text)")
    }

    @Test("a damaged state file causes a warning, and the state is empty")
    func damagedStateFileCausesAWarning() throws {
        let directory = try RuntimeDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path + "/swiftplay", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8).trimmingCharacters(
            in: .newlines)
        try "swiftplay-system-state 1 \(boot)\ncall perhaps\n".write(
            toFile: directory.path + "/swiftplay/system-state", atomically: false, encoding: .utf8)
        let child = try startCompositor(directory)
        #expect(try conditionsLine(directory) == "")
        #expect(child.errors.text.contains("is damaged"))
    }

    @Test("an event without duration cannot be held")
    func holdOptionRejectsEventsWithoutDuration() throws {
        let child = try ChildProcess(Products.swiftplayPath, ["system", "--hold", "hang-up"])
        #expect(try child.waitForExit().reason == .exited(64))
    }
}
