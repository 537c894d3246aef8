import CompositorProtocol
import Dispatch
import Logging
import SystemCalls

/// Draws the program's picture for the overview, when the compositor requests it. Safe to use from any thread.
final class SnapshotDrawer: Sendable {
    private struct State {
        /// The layer that the program has chosen.
        weak var layer: (any SnapshotSource)?
        /// The layer that received a player last, for programs that choose no layer.
        weak var lastLayer: (any SnapshotSource)?
        /// Whether the program has reported completed work since the last picture.
        var hasCompletedWork = false
        /// Whether a picture is being drawn.
        var isDrawing = false
    }

    private let state = Monitor(State())
    private let link: CompositorLink
    private let queue = DispatchQueue(label: "snapshot", qos: .utility)
    private let logger = Logger(label: "snapshot")
    /// The time for which the program may still change its views after it has entered the background, in nanoseconds.
    private static let viewTimeout: Int64 = 5_000_000_000

    init(link: CompositorLink) { self.link = link }

    /// The layer that the program has chosen.
    var layer: (any SnapshotSource)? {
        get { state.withLock { $0.layer } }
        set { state.withLock { $0.layer = newValue } }
    }

    /// Records a layer that has received a player.
    func setLastLayer(_ layer: any SnapshotSource) { state.withLock { $0.lastLayer = layer } }

    /// Reports to the compositor that work in the background was completed.
    func handleCompletedWork() {
        state.withLock { $0.hasCompletedWork = true }
        link.sendSnapshotMessage(.completedWork)
    }

    /// Draws the picture on a thread of its own, and sends it.
    ///
    /// After the program has entered the background, its notification is delivered on the main queue first.
    func draw() {
        let start: (isFirst: Bool, waitsForMainQueue: Bool) = state.withLock { state in
            defer { (state.isDrawing, state.hasCompletedWork) = (true, false) }
            return (!state.isDrawing, !state.hasCompletedWork)
        }
        guard start.isFirst else { return }
        queue.async { [self] in
            if start.waitsForMainQueue { waitForMainQueue() }
            drawAndSend()
        }
    }

    /// Waits until the main queue has called the functions that wait on it, but no longer than ``viewTimeout``.
    private func waitForMainQueue() {
        let isDone = Monitor(false)
        DispatchQueue.main.async { isDone.update { $0 = true } }
        _ = isDone.wait(until: MonotonicTime.now + Self.viewTimeout) { $0 ? true : nil }
    }

    private func drawAndSend() {
        defer { state.withLock { $0.isDrawing = false } }
        guard !link.isSnapshotPrivate, let layer = state.withLock({ $0.layer ?? $0.lastLayer }) else { return }
        do throws(SystemCallError) {
            guard let snapshot = try layer.drawSnapshot() else { return }
            link.send(.snapshot(.picture(snapshot.shape, title: snapshot.title)), [snapshot.file.descriptor.raw])
        } catch { logger.warning("the picture for the overview cannot be drawn: \(error)") }
    }
}

/// An object that draws the program's picture.
protocol SnapshotSource: AnyObject, Sendable {
    /// Draws the current picture, without a window and without a display. Called on a thread of the drawer.
    ///
    /// - Returns: nil if there is no picture, or if its format cannot be converted.
    func drawSnapshot() throws(SystemCallError) -> LayerSnapshot?
}

/// A picture of a program in memory that is passed to the compositor.
struct LayerSnapshot: ~Copyable {
    let shape: SnapshotShape
    let title: String
    let file: MemoryFile
}
