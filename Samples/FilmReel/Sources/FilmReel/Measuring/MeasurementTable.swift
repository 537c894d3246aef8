import Foundation

/// The table that `film-reel measure` prints.
struct MeasurementTable {
    /// The figures of the steps, in order.
    var rows: [(step: MeasuredStep, figures: StepFigures)] = []

    private static let header = """
        | step | first page | frames/s | worst frame | frames > 20 ms | main thread a frame: mean, worst | \
        posters ready: down, back | posters made | dirty at most (of it purgeable) | mapped |
        |---|---|---|---|---|---|---|---|---|---|
        """

    /// The table in Markdown.
    var text: String {
        ([Self.header] + rows.map { Self.row($0.step, $0.figures) } + notes).joined(separator: "\n")
    }

    private static func row(_ step: MeasuredStep, _ figures: StepFigures) -> String {
        let ways = [figures.down, figures.up], frames = max(1, ways.reduce(0) { $0 + $1.frameCount })
        let cells = [
            step.title, figures.firstPage.milliseconds,
            (ways.map(\.frameRate).min() ?? 0).rounded(toPlaces: 1),
            (ways.map(\.worstFrame).max() ?? 0).milliseconds,
            "\(ways.reduce(0) { $0 + $1.longFrameCount }) of \(frames)",
            (ways.reduce(0) { $0 + $1.totalWork } / Double(frames)).milliseconds + ", "
                + (ways.map(\.worstWork).max() ?? 0).milliseconds,
            figures.down.readyShare.percent + ", " + figures.up.readyShare.percent, "\(figures.made)",
            figures.peakDirty.megabytes + (figures.lazilyFreed > 0 ? " (\(figures.lazilyFreed.megabytes))" : ""),
            figures.mapped.megabytes,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// The figures that have no column.
    private var notes: [String] {
        rows.compactMap { row in
            guard row.figures.residentShare != nil || row.figures.majorFaults > 0 else { return nil }
            let pages = row.figures.restingPages.sorted()
            var note = "\(row.step.title): the main thread waited for the disk \(row.figures.majorFaults) times"
            if let share = row.figures.residentShare {
                note += "; \(share.percent) of the file was in memory at the start"
            }
            if let slowest = pages.last {
                note += "; \(pages.count) jumps, page complete after \(pages[pages.count / 2].milliseconds) (median)"
                note += ", \(slowest.milliseconds) (slowest)"
            }
            return "\n" + note + "."
        }
    }
}

extension Double {
    /// A time in seconds as milliseconds.
    fileprivate var milliseconds: String { (self * 1000).rounded(toPlaces: 1) + " ms" }
    /// A share as a percentage.
    fileprivate var percent: String { (self * 100).rounded(toPlaces: 1) + " %" }
}
