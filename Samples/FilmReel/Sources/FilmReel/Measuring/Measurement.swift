import Dispatch
import Foundation

/// Measures all steps, each in a separate process, so that its memory belongs to one step only.
struct Measurement {
    let command: Command
    /// The longest time that a step may take, in seconds.
    private static let timeLimit = 900.0

    /// Measures all steps, and prints a table of the results.
    ///
    /// - Throws: ``FilmReelError`` if a process fails.
    func run() throws {
        var table = MeasurementTable()
        for step in MeasuredStep.allCases {
            FileHandle.standardError.write(Data("measuring: \(step.title)\n".utf8))
            table.rows.append((step, try figures(of: step)))
        }
        print(table.text)
    }

    /// Runs the process that measures a step, and returns its results.
    private func figures(of step: MeasuredStep) throws -> StepFigures {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            ["measure-step", step.rawValue, command.folder, "--tile", "\(command.tile.width)x\(command.tile.height)"]
            + (command.cacheFolder.map { ["--cache", $0] } ?? [])
        process.standardOutput = output
        try process.run()
        let termination = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeLimit, execute: termination)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        termination.cancel()
        guard process.terminationStatus == 0,
            let line = String(decoding: data, as: UTF8.self).split(separator: "\n").last
        else { throw FilmReelError("the step \(step.title) could not be measured") }
        return try JSONDecoder().decode(StepFigures.self, from: Data(line.utf8))
    }
}
