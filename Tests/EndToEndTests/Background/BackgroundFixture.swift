import Foundation
import Glibc
import TestSupport

/// A private environment for the three processes of background transfers.
///
/// Deinitialisation kills the processes.
final class BackgroundFixture {
    let runtime: RuntimeDirectory
    let scratch: TemporaryDirectory
    /// The folder for downloads.
    let folder: String
    /// The address of the system bus. The state of this machine's network must not decide a test.
    private let systemBus: String
    /// The address of the session bus; nil for none.
    var sessionBus: String?
    /// The path of the engine; nil for that of the build.
    var transferProgram: String?
    /// Further changes to the environment of all processes.
    var additions: [String: String?] = [:]

    /// Creates an environment with a system bus at an address; by default without a system bus.
    init(systemBus: String = "unix:path=/nowhere") throws {
        self.systemBus = systemBus
        runtime = try RuntimeDirectory()
        scratch = try TemporaryDirectory()
        folder = scratch.file("downloads")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// The changes to the environment of all processes.
    var environment: [String: String?] {
        [
            "XDG_DATA_HOME": scratch.file("data"),
            "SWIFTPLAY_TRANSFER": transferProgram ?? (try? Products.path("swiftplay-transfer")),
            "SWIFTPLAY_BACKGROUNDD": try? Products.path("swiftplay-backgroundd"),
            "DBUS_SYSTEM_BUS_ADDRESS": systemBus, "DBUS_SESSION_BUS_ADDRESS": sessionBus,
        ].merging(additions) { $1 }
    }

    /// Starts `swiftplay` with arguments.
    func swiftplay(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            Products.swiftplayPath, arguments, environment: environment, runtimeDirectory: runtime)
    }

    /// Starts a download to the folder.
    func download(_ addresses: [String], _ options: [String] = []) throws -> ChildProcess {
        try ChildProcess(
            Products.swiftplayPath, ["download", "--to", folder] + options + addresses, environment: environment,
            runtimeDirectory: runtime)
    }

    /// Starts the probe with a log in the scratch directory.
    func probe(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            Products.path("BackgroundProbe"), [scratch.file("log"), folder] + arguments, environment: environment,
            runtimeDirectory: runtime)
    }

    /// The lines that the probes have logged.
    var log: [String] {
        let text = (try? scratch.text("log")) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Waits until the log contains a line. Long waits poll less often.
    func waitForLog(_ line: String, count: Int = 1, within timeout: Duration = .seconds(20)) throws {
        let interval = Duration.milliseconds(timeout > .seconds(20) ? 50 : 2)
        let found = Deadline.poll(for: timeout, every: interval) { log.count { $0 == line } >= count ? true : nil }
        guard found == true else { throw TestFailure("the log lacks '\(line)': \(log)") }
    }

    /// Returns the output of `swiftplay transfers`.
    func listing() throws -> String {
        let child = try swiftplay("transfers")
        let status = try child.waitForExit(within: .seconds(10))
        guard status.isSuccess else { throw TestFailure("transfers: \(status): \(child.errors.text)") }
        return child.output.text
    }

    /// Waits until the listing contains a text, and returns the listing.
    @discardableResult
    func waitForListing(_ text: String, within timeout: Duration = .seconds(20)) throws -> String {
        var last = ""
        let found = try Deadline.poll(for: timeout, every: .milliseconds(50)) { () -> String? in
            last = try listing()
            return last.contains(text) ? last : nil
        }
        guard let found else { throw TestFailure("the listing lacks '\(text)':\n\(last)") }
        return found
    }

    /// Kills the process of the service that holds its record, and not the process that starts it again.
    func killLedger() throws {
        guard let ledgerProcess else { throw TestFailure("the service does not run") }
        Glibc.kill(ledgerProcess, SIGKILL)
    }

    /// The process of the service that holds its record; nil if the service does not run.
    var ledgerProcess: Int32? {
        runtime.processes(named: "swiftplay-backgroundd").first { process in
            let commandLine = FileManager.default.contents(atPath: "/proc/\(process.pid)/cmdline") ?? Data()
            return !String(decoding: commandLine, as: UTF8.self).contains("--detach")
        }?.pid
    }

    /// Kills the running processes with a name, and waits until they have ended. The library may start a new process
    /// with this name at once.
    func kill(_ name: String) throws {
        let killed = Set(runtime.processes(named: name).map(\.pid))
        // They stop first: a supervisor that notices the end of the service would start it again.
        for signal in [SIGSTOP, SIGKILL] { for processID in killed { Glibc.kill(processID, signal) } }
        let ended = Deadline.poll(for: .seconds(10)) {
            killed.isDisjoint(with: runtime.processes(named: name).map(\.pid)) ? true : nil
        }
        guard ended == true else { throw TestFailure("\(name) does not end") }
    }

    /// The names in the download folder.
    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    /// The content of a file in the download folder; nil if it does not exist.
    func content(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: folder + "/" + name).map { Array($0) }
    }

    /// Waits until the part file in the download folder has a size, and the service has stored the response.
    func waitForStoredPart(bytes: Int) throws {
        try waitForPart(bytes: bytes)
        // The listing shows the length of the whole file once it is stored.
        try waitForListing("%")
    }

    /// Waits until the part file of the only transfer of the first session has a size.
    func waitForStagedPart(bytes: Int) throws {
        let staging = scratch.file("data/swiftplay/transfers/1/")
        let isReceived = Deadline.poll(for: .seconds(20)) { () -> Bool? in
            let name = try? FileManager.default.contentsOfDirectory(atPath: staging).first
            return name.flatMap { FileManager.default.contents(atPath: staging + $0)?.count } == bytes ? true : nil
        }
        guard isReceived == true else { throw TestFailure("the part file of the program has not \(bytes) bytes") }
    }

    /// Waits until the part file in the download folder has a size.
    func waitForPart(bytes: Int) throws {
        let found = Deadline.poll(for: .seconds(20)) { () -> Bool? in
            let part = files.first { $0.hasSuffix(".part") }
            return (part.flatMap { content($0) }?.count ?? 0) >= bytes ? true : nil
        }
        guard found == true else { throw TestFailure("the part file has not \(bytes) bytes: \(files)") }
    }
}
