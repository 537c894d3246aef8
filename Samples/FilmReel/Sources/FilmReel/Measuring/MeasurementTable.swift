import Foundation

/// The table that `film-reel measure` prints.
struct MeasurementTable {
    /// The figures of the steps, in order.
    var rows: [(step: MeasuredStep, figures: StepFigures)] = []

    private static let header = """
        | step | first page | frames/s | worst frame | frames > 20 ms | main thread a frame: mean, worst | \
        posters ready: down, back | posters made | \
        dirty at most (of it purgeable) | mapped |
        |---|---|---|---|---|---|---|---|---|---|
        """

    /// The table in Markdown.
    var text: String {
        ([Self.header] + rows.map { Self.row($0.step, $0.figures) } + notes).joined(separator: "\n")
    }

    private static func row(_ step: MeasuredStep, _ figures: StepFigures) -> String {
        let passes = [figures.down, figures.up], frameCount = max(1, passes.reduce(0) { $0 + $1.frameCount })
        let cells = [
            step.title, figures.firstPageTime.milliseconds,
            (passes.map(\.frameRate).min() ?? 0).rounded(toPlaces: 1),
            (passes.map(\.worstInterval).max() ?? 0).milliseconds,
            "\(passes.reduce(0) { $0 + $1.longFrameCount }) of \(frameCount)",
            (passes.reduce(0) { $0 + $1.totalWorkTime } / Double(frameCount)).milliseconds + ", "
                + (passes.map(\.worstWorkTime).max() ?? 0).milliseconds,
            figures.down.readyShare.percent + ", " + figures.up.readyShare.percent, "\(figures.madeCount)",
            dirtyMemoryText(of: figures), figures.mappedSize?.megabytes ?? unknown,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// The text for a figure that the kernel did not report.
    private static let unknown = "–"

    /// Returns the text for the dirty memory of a step, and for its purgeable part if there is one.
    private static func dirtyMemoryText(of figures: StepFigures) -> String {
        guard let dirty = figures.peakDirtyMemory else { return unknown }
        guard let lazilyFreed = figures.lazilyFreed, lazilyFreed > 0 else { return dirty.megabytes }
        return "\(dirty.megabytes) (\(lazilyFreed.megabytes))"
    }

    /// A sentence for each step with results that have no column in the table.
    private var notes: [String] {
        rows.compactMap { row in
            guard row.figures.residentShare != nil || row.figures.majorFaultCount > 0 else { return nil }
            let jumpTimes = row.figures.jumpTimes.sorted()
            var note = "\(row.step.title): the main thread waited for the disk \(row.figures.majorFaultCount) times"
            if let share = row.figures.residentShare {
                note += "; \(share.percent) of the file was in memory at the start"
            }
            if let slowest = jumpTimes.last {
                let median = jumpTimes[jumpTimes.count / 2]
                note += "; \(jumpTimes.count) jumps, page complete after \(median.milliseconds) (median)"
                note += ", \(slowest.milliseconds) (slowest)"
            }
            return "\n" + note + "."
        }
    }
}

extension Double {
    /// The text for a time in seconds, in milliseconds.
    fileprivate var milliseconds: String { (self * 1000).rounded(toPlaces: 1) + " ms" }
    /// The text for a share from 0 to 1, in percent.
    fileprivate var percent: String { (self * 100).rounded(toPlaces: 1) + " %" }
}
