import Foundation
import TestSupport

/// The sample Podcasts with services of its own. Deinitialisation kills all of their processes.
final class PodcastsFixture {
    static let identifier = "org.example.podcasts"
    let bus: SessionBus
    private let runtime: RuntimeDirectory
    private let scratch: TemporaryDirectory

    init() throws {
        bus = try SessionBus()
        runtime = try RuntimeDirectory()
        scratch = try TemporaryDirectory()
    }

    /// The folder with the downloaded files.
    private var mediaFolder: String { scratch.file("data/podcasts/media") }

    /// The downloaded files and their contents.
    var media: [String: [UInt8]] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: mediaFolder)) ?? []
        let contents = names.map { ($0, Array(FileManager.default.contents(atPath: mediaFolder + "/" + $0) ?? Data())) }
        return Dictionary(uniqueKeysWithValues: contents)
    }

    /// Starts a program of the package.
    func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            Products.path(program), arguments,
            environment: bus.environment.merging(["XDG_DATA_HOME": scratch.file("data")]) { $1 },
            runtimeDirectory: runtime)
    }

    /// Runs the sample and returns its output.
    @discardableResult
    func podcasts(_ arguments: String...) throws -> String { try output("Podcasts", arguments) }

    /// Runs `swiftplay` and returns its output.
    @discardableResult
    func swiftplay(_ arguments: String...) throws -> String { try output("swiftplay", arguments) }

    private func output(_ program: String, _ arguments: [String]) throws -> String {
        let child = try start(program, arguments), status = try child.waitForExit(within: .seconds(20))
        guard status.isSuccess else { throw TestFailure("\(program) \(arguments) \(status): \(child.errors.text)") }
        return child.output.text
    }

    /// Waits until the output of a command contains a text, and returns the output.
    @discardableResult
    func wait(for text: String, in command: () throws -> String) throws -> String {
        var last = ""
        let found = try Deadline.poll(for: .seconds(30), every: .milliseconds(100)) { () -> String? in
            last = try command()
            return last.contains(text) ? last : nil
        }
        guard let found else { throw TestFailure("the output lacks '\(text)':\n\(last)") }
        return found
    }

    /// Waits until no process of the sample runs.
    func waitForEnd() throws {
        let hasEnded = Deadline.poll(for: .seconds(30), every: .milliseconds(50)) {
            runtime.processes(named: "Podcasts").isEmpty ? true : nil
        }
        guard hasEnded == true else { throw TestFailure("the sample does not end") }
    }
}
