import Dispatch
import Foundation

/// Measures a step: the first page, a way over the wall and back at 4 pages a second, and jumps. Main thread.
@MainActor
final class StepMeasurement {
    private let session: WallSession
    private var figures = StepFigures()
    private var statistics = FrameStatistics()
    private var scroll = ScrollFigures()
    /// When the last jump began, in seconds; nil after its page was complete.
    private var jumpStart: Double?
    private var failure: String?

    /// The speed of the motion, in pages a second.
    private static let pagesPerSecond = 4.0
    private static let jumpCount = 30
    /// The rest between jumps, in which the pages around the page are loaded.
    private static let jumpRest = Duration.milliseconds(400)
    /// The longest time to wait for the first page, or for a page after a jump, in seconds.
    private static let pageDeadline = 120.0
    private static let pollInterval = Duration.milliseconds(4)

    private var wall: Wall { session.wall }

    init(session: WallSession) {
        self.session = session
        session.onLoss = { [weak self] in self?.failure = $0 }
        // Frames are drawn all the time, as on a screen that moves.
        session.onFrameDue = { true }
        wall.onFrame = { [weak self] in self?.add($0) }
    }

    /// Measures.
    ///
    /// - Parameters:
    ///   - processStart: The host time at which the process started.
    ///   - jumps: Whether jumps are measured, instead of the ways over the wall.
    /// - Returns: The figures.
    /// - Throws: ``FilmReelError`` if the window is lost, or a page is not complete in time.
    func run(processStart: Double, jumps: Bool) async throws -> StepFigures {
        let sampler = MemorySampler()
        session.startFrames()
        try await waitForPage()
        figures.firstPage = HostTime.now - processStart
        let faults = ProcessFigures.majorFaultsOfThread
        if jumps { try await measureJumps() }
        figures.down = try await move(direction: 1)
        figures.up = try await move(direction: -1)
        figures.majorFaults = ProcessFigures.majorFaultsOfThread - faults
        figures.made = session.loader.madeCount
        figures.mapped = ProcessFigures.current?.clean ?? 0
        let peak = sampler.finish()
        figures.peakDirty = peak?.dirty ?? 0
        figures.lazilyFreed = peak?.lazilyFreed ?? 0
        return figures
    }

    private func add(_ frame: FrameRecord) {
        statistics.add(frame.time)
        scroll.add(frame, statistics)
        if let start = jumpStart, wall.isComplete {
            figures.restingPages.append(frame.time - start)
            jumpStart = nil
        }
    }

    /// Moves over the whole wall.
    private func move(direction: Double) async throws -> ScrollFigures {
        (statistics, scroll) = (FrameStatistics(), ScrollFigures())
        wall.motion.run(at: direction * Self.pagesPerSecond * Double(wall.layout.pageHeight))
        while wall.motion.speed != 0, failure == nil { try await Task.sleep(for: Self.pollInterval) }
        try check()
        return scroll
    }

    /// Jumps to pages whose neighbours were not visited before.
    private func measureJumps() async throws {
        let stride = max(5, wall.layout.rowCount / wall.layout.pageRowCount / Self.jumpCount) * wall.layout.pageHeight
        for number in 1...Self.jumpCount where number * stride <= wall.layout.maximumOffset {
            wall.motion.jump(to: Double(number * stride))
            jumpStart = HostTime.now
            let deadline = HostTime.now + Self.pageDeadline
            while jumpStart != nil, HostTime.now < deadline, failure == nil {
                try await Task.sleep(for: Self.pollInterval)
            }
            if jumpStart != nil { throw FilmReelError("a page was not complete within \(Int(Self.pageDeadline)) s") }
            try check()
            try await Task.sleep(for: Self.jumpRest)
        }
        wall.motion.jump(to: 0)
        try await waitForPage()
    }

    /// Waits until the visible page is complete.
    private func waitForPage() async throws {
        let deadline = HostTime.now + Self.pageDeadline
        while !wall.isComplete {
            try check()
            if HostTime.now > deadline {
                throw FilmReelError("a page was not complete within \(Int(Self.pageDeadline)) s")
            }
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    private func check() throws { if let failure { throw FilmReelError(failure) } }
}
