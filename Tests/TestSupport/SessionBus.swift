import Foundation
import Glibc

/// A private D-Bus session bus. The bus daemon is killed when this object is deinitialised.
package final class SessionBus: Sendable {
    /// The D-Bus address of the bus, in the format of `DBUS_SESSION_BUS_ADDRESS`.
    package let address: String
    /// The directory that contains the configuration and the socket of the bus.
    private let directory: String
    private let daemon: ChildProcess

    /// Starts a bus.
    ///
    /// - Parameters:
    ///   - services: The folder of the services that the bus starts; nil for none.
    ///   - environment: Changes to the environment of the bus and of these services.
    package init(
        services: String? = nil, environment: [String: String?] = [:], runtimeDirectory: RuntimeDirectory? = nil
    ) throws {
        var template = Array((NSTemporaryDirectory() + "/swiftplay-bus.XXXXXX").utf8CString)
        guard let directoryPath = mkdtemp(&template) else {
            throw TestFailure("cannot make a directory in \(NSTemporaryDirectory())")
        }
        let directory = String(cString: directoryPath)
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" \
            "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(directory)/bus</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/></policy>\(services.map { "<servicedir>\($0)</servicedir>" } ?? "")
            </busconfig>
            """
        try configuration.write(toFile: directory + "/bus.conf", atomically: false, encoding: .utf8)
        let daemon = try ChildProcess(
            Products.systemProgram("dbus-daemon"),
            ["--nofork", "--nopidfile", "--config-file=\(directory)/bus.conf", "--print-address=1"],
            environment: environment, runtimeDirectory: runtimeDirectory)
        guard daemon.output.wait(for: "\n") else { throw TestFailure("no message bus: \(daemon.errors.text)") }
        (address, self.directory, self.daemon) = ("unix:path=\(directory)/bus", directory, daemon)
    }

    deinit {
        daemon.signal(SIGKILL)
        _ = try? daemon.waitForExit()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The environment variable that makes a program connect to this bus.
    package var environment: [String: String?] { ["DBUS_SESSION_BUS_ADDRESS": address] }

    /// Suspends the bus daemon with SIGSTOP.
    package func suspend() { daemon.signal(SIGSTOP) }

    /// Kills the bus daemon, as at the end of a user session.
    package func end() throws {
        daemon.signal(SIGKILL)
        try daemon.waitForExit()
    }

    /// Runs `playerctl` on the bus, as media keys do.
    ///
    /// - Parameter player: the part of the player's bus name after `org.mpris.MediaPlayer2.`
    /// - Returns: the output of `playerctl` without the final newline.
    /// - Throws: ``TestFailure`` if `playerctl` fails.
    @discardableResult
    package func playerctl(_ arguments: String..., player: String) throws -> String {
        let child = try ChildProcess(
            Products.systemProgram("playerctl"), ["--player=\(player)"] + arguments, environment: environment)
        guard try child.waitForExit().isSuccess else {
            throw TestFailure("playerctl \(arguments): \(child.errors.text)\(child.output.text)")
        }
        return child.output.text.trimmingCharacters(in: .newlines)
    }
}

/// A simulated desktop service, in a process of its own, through which players inhibit the screensaver.
package final class DesktopScreenSaver: Sendable {
    private let child: ChildProcess

    /// Starts the service and waits until it owns its bus name.
    ///
    /// - Parameters:
    ///   - objectPath: the object path at which the service implements `org.freedesktop.ScreenSaver`; `portal`
    ///     simulates the desktop portal instead.
    ///   - replyDelay: the delay between a call of `Inhibit` and its reply, in seconds.
    package init(_ objectPath: String, on bus: SessionBus, replyDelay: Double = 0) throws {
        child = try ChildProcess(
            Products.path("ForeignPlayer"), ["--screensaver", objectPath, String(replyDelay)],
            environment: bus.environment)
        guard child.output.wait(for: "ready") else {
            throw TestFailure("the screensaver service does not start: \(child.output.text)\(child.errors.text)")
        }
    }

    /// The D-Bus method calls that the service has received so far, oldest first.
    package var methodCalls: [String] { child.output.text.split(separator: "\n").dropFirst().map(String.init) }

    /// Waits until the service has received `count` D-Bus method calls.
    package func waitForMethodCalls(count: Int) throws {
        let isReceived: Bool? = Deadline.poll(for: .seconds(10)) { methodCalls.count >= count ? true : nil }
        if isReceived == nil { throw TestFailure("the screensaver service received \(methodCalls)") }
    }
}

/// A simulated MPRIS player of another project, in a process of its own. The player changes its playback status on
/// request but plays no media.
package final class MPRISPlayerStandIn: Sendable {
    package let child: ChildProcess
    private let bus: SessionBus
    private let name: String

    /// Starts the player and waits until it owns its bus name.
    ///
    /// - Parameters:
    ///   - name: the part of the bus name after `org.mpris.MediaPlayer2.`
    ///   - status: the initial MPRIS playback status, such as `Playing`.
    package init(_ name: String, _ status: String, on bus: SessionBus) throws {
        (self.name, self.bus) = (name, bus)
        child = try ChildProcess(Products.path("ForeignPlayer"), [name, status], environment: bus.environment)
        guard child.output.wait(for: "ready") else {
            throw TestFailure("the player does not start: \(child.output.text)\(child.errors.text)")
        }
    }

    /// The D-Bus method calls that the player has received so far, oldest first.
    package var calls: [String] { child.output.text.split(separator: "\n").dropFirst().map(String.init) }

    /// Sends a `playerctl` command to the player, as its user would.
    package func sendUserCommand(_ command: String) throws { try bus.playerctl(command, player: name) }
}
