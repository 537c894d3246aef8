import CompositorProtocol
import Foundation
import TestSupport

/// The pictures that a compositor keeps, and a program that sends pictures.
final class SnapshotFixture {
    let runtime: RuntimeDirectory
    private let scratch: TemporaryDirectory

    /// The address of the system bus. A screen that is locked on this machine must not decide a test.
    private let systemBus: String

    init(systemBus: String = "unix:path=/nowhere") throws {
        self.systemBus = systemBus
        runtime = try RuntimeDirectory()
        scratch = try TemporaryDirectory()
    }

    /// The directory of the pictures.
    var path: String { runtime.path + "/swiftplay/snapshots" }

    /// The names of the files in the directory of the pictures.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// The changes to the environment of all processes.
    private var environment: [String: String?] {
        [
            "DBUS_SYSTEM_BUS_ADDRESS": systemBus, "XDG_SESSION_ID": "1",
            "XDG_DATA_HOME": scratch.file("data"), "XDG_STATE_HOME": scratch.file("state"),
            "SWIFTPLAY_COMPOSITOR": try? Products.path("swiftplay-compositor"),
            "SWIFTPLAY_BACKGROUNDD": try? Products.path("swiftplay-backgroundd"),
            "SWIFTPLAY_TRANSFER": try? Products.path("swiftplay-transfer"),
        ]
    }

    /// Starts a program that shows a film without a window.
    ///
    /// - Parameter hasDisplay: Whether the program and the services that it starts know the display of the test
    ///   environment.
    func startProbe(hasDisplay: Bool = true) throws -> CommandedProcess {
        var environment = environment
        if !hasDisplay { environment["DISPLAY"] = .some(nil) }
        return try CommandedProcess("AudioSessionProbe", in: runtime, environment: environment)
    }

    /// Waits until a file exists.
    func wait(for name: String) throws {
        guard Deadline.poll(for: .seconds(20), { names.contains(name) ? true : nil }) == true else {
            throw TestFailure("the picture \(name) was not written: \(names)")
        }
    }

    /// Waits until a program has written a line that ends with a text.
    func wait(for text: String, of process: CommandedProcess) throws {
        let isFound = Deadline.poll(for: .seconds(20)) { process.lines.contains { $0.hasSuffix(text) } ? true : nil }
        guard isFound == true else {
            throw TestFailure("no '\(text)', but \(process.lines) \(process.child.errors.text)")
        }
    }

    /// Returns the frame number in a picture of a test clip; nil if it is not readable.
    func frameNumber(in name: String) throws -> Int? {
        let raw = scratch.file("raw")
        try run(
            "ffmpeg",
            ["-loglevel", "error", "-y", "-i", path + "/" + name, "-f", "rawvideo", "-pix_fmt", "gray", raw])
        guard let bytes = FileManager.default.contents(atPath: raw), bytes.count == 512 * 288 else { return nil }
        // The cells of the grid have 32 pixels in each direction.
        func row(_ number: Int) -> [UInt8] {
            let start = (number * 32 + 16) * 512 + 16
            return (0..<FrameCode.columns).map { bytes[start + $0 * 32] }
        }
        return FrameCode.number(bits: row(4), complement: row(5))
    }

    /// Starts `swiftplay overview` with arguments.
    ///
    /// - Parameter display: the X display; nil for the display of the test environment.
    func startOverview(_ arguments: [String], display: String? = nil) throws -> ChildProcess {
        try swiftplay(["overview"] + arguments, display: display)
    }

    /// Starts a download into the scratch directory, and waits until it goes on in the background.
    func startDownload(_ address: String) throws {
        let child = try swiftplay(["download", "--no-wait", "--to", scratch.file(""), address])
        let status = try child.waitForExit(within: .seconds(20))
        guard status.isSuccess else { throw TestFailure("\(status): \(child.errors.text)") }
    }

    /// Starts `swiftplay` with arguments.
    func swiftplay(_ arguments: [String], display: String? = nil) throws -> ChildProcess {
        var environment = environment
        if let display { environment["DISPLAY"] = display }
        return try ChildProcess(
            Products.swiftplayPath, arguments, environment: environment, runtimeDirectory: runtime)
    }

    /// Runs `swiftplay overview` with arguments.
    func overview(_ arguments: String...) throws -> (status: ExitStatus, output: String, errors: String) {
        let child = try startOverview(arguments)
        let status = try child.waitForExit(within: .seconds(20))
        return (status, child.output.text, child.errors.text)
    }
}
