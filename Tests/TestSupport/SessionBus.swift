import Foundation
import Glibc

/// A message bus of the test's own. Nobody else's programs are on it, and it starts none. It goes with this object.
package final class SessionBus: Sendable {
    package let address: String
    private let directory: String
    private let daemon: ChildProcess

    package init() throws {
        var template = Array((NSTemporaryDirectory() + "/swiftplay-bus.XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else {
            throw RigError("cannot make a directory in \(NSTemporaryDirectory())")
        }
        let directory = String(cString: made)
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" \
            "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(directory)/bus</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
            </busconfig>
            """
        try configuration.write(toFile: directory + "/bus.conf", atomically: false, encoding: .utf8)
        let daemon = try ChildProcess(
            Products.system("dbus-daemon"),
            ["--nofork", "--nopidfile", "--config-file=\(directory)/bus.conf", "--print-address=1"])
        guard daemon.output.wait(for: "\n") else { throw RigError("no message bus: \(daemon.errors.text)") }
        (address, self.directory, self.daemon) = ("unix:path=\(directory)/bus", directory, daemon)
    }

    deinit {
        daemon.signal(SIGKILL)
        _ = try? daemon.waitForExit()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// For a program that is to be on this bus.
    package var environment: [String: String?] { ["DBUS_SESSION_BUS_ADDRESS": address] }

    /// The bus does nothing any more.
    package func hang() { daemon.signal(SIGSTOP) }

    /// The bus ends, as when its user logs out.
    package func end() throws {
        daemon.signal(SIGKILL)
        try daemon.waitForExit()
    }

    /// Runs `playerctl` on it: what a user's media keys do.
    ///
    /// - Parameter player: part of the name after `org.mpris.MediaPlayer2.`
    /// - Returns: what it printed, without the line's end.
    @discardableResult
    package func playerctl(_ arguments: String..., player: String) throws -> String {
        let child = try ChildProcess(
            Products.system("playerctl"), ["--player=\(player)"] + arguments, environment: environment)
        guard try child.waitForExit().isSuccess else {
            throw RigError("playerctl \(arguments): \(child.errors.text)\(child.output.text)")
        }
        return child.output.text.trimmingCharacters(in: .newlines)
    }
}

/// A desktop's service on a bus that can hold its lock screen back: a process of its own.
package final class DesktopScreenSaver: Sendable {
    private let child: ChildProcess

    /// Started, and known on the bus.
    ///
    /// - Parameter place: the path of `org.freedesktop.ScreenSaver`, or `portal`.
    package init(_ place: String, on bus: SessionBus) throws {
        child = try ChildProcess(
            Products.path("ForeignPlayer"), ["--screensaver", place], environment: bus.environment)
        guard child.output.wait(for: "ready") else {
            throw RigError("no screensaver: \(child.output.text)\(child.errors.text)")
        }
    }

    /// What it was told so far, in order.
    package var calls: [String] { child.output.text.split(separator: "\n").dropFirst().map(String.init) }

    /// Waits until it was told so much.
    package func wait(for count: Int) throws {
        let isThere: Bool? = Deadline.poll(for: .seconds(10)) { calls.count >= count ? true : nil }
        if isThere == nil { throw RigError("the screensaver was told \(calls)") }
    }
}

/// A player of somebody else's on a bus: a process of its own that pauses and plays nothing.
package final class StrangePlayer: Sendable {
    package let child: ChildProcess
    private let bus: SessionBus
    private let name: String

    /// Started, and known on the bus.
    package init(_ name: String, _ status: String, on bus: SessionBus) throws {
        (self.name, self.bus) = (name, bus)
        child = try ChildProcess(Products.path("ForeignPlayer"), [name, status], environment: bus.environment)
        guard child.output.wait(for: "ready") else {
            throw RigError("no player: \(child.output.text)\(child.errors.text)")
        }
    }

    /// What it was told so far, in order.
    package var calls: [String] { child.output.text.split(separator: "\n").dropFirst().map(String.init) }

    /// Its user presses a key.
    package func user(_ key: String) throws { try bus.playerctl(key, player: name) }
}
