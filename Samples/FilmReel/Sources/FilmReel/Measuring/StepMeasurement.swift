import Dispatch
import Foundation
import SwiftPlay

/// Measures a step: the first page, scrolling to the end and back at 4 pages a second, and jumps.
@MainActor
final class StepMeasurement {
    private let session: WallSession
    private var figures = StepFigures()
    private var statistics = FrameStatistics()
    private var scrollFigures = ScrollFigures()
    /// The host time of the last jump, in seconds; nil after all posters of its page were drawn.
    private var jumpStart: Double?
    private var failure: String?

    /// The scrolling speed, in pages a second.
    private static let pagesPerSecond = 4.0
    private static let jumpCount = 30
    /// The pause between jumps, in which the loader loads the neighbouring pages.
    private static let jumpPause = Duration.milliseconds(400)
    /// The longest time to wait for the first page, or for a page after a jump, in seconds.
    private static let pageTimeLimit = 120.0
    private static let pollInterval = Duration.milliseconds(4)

    private var wall: Wall { session.wall }

    init(session: WallSession) {
        self.session = session
        session.onWindowLost = { [weak self] in self?.failure = $0 }
        // Draw frames all the time, as while the wall scrolls.
        session.onFrameDue = { true }
        wall.onFrame = { [weak self] in self?.add($0) }
    }

    /// Measures the step.
    ///
    /// - Parameters:
    ///   - processStart: The host time at which the process started.
    ///   - measuresJumps: Whether jumps are measured, in addition to scrolling.
    /// - Returns: The figures.
    /// - Throws: ``FilmReelError`` if the window is lost, the X server refuses a request, or a page is not complete or
    ///   scrolling does not end in time.
    func run(processStart: Double, measuresJumps: Bool) async throws -> StepFigures {
        let sampler = MemorySampler()
        // After an error, end the thread of the sampler.
        defer { _ = sampler.finish() }
        session.start()
        session.startFrames()
        try await waitForPage()
        figures.firstPageTime = Timebase.hostTime.seconds - processStart
        let initialFaultCount = ProcessFigures.majorFaultCountOfThread
        if measuresJumps { try await measureJumps() }
        figures.down = try await measureScrolling(direction: 1)
        figures.up = try await measureScrolling(direction: -1)
        figures.majorFaultCount = ProcessFigures.majorFaultCountOfThread - initialFaultCount
        figures.madeCount = session.loader.madeCount
        figures.peakDirtyMemory = sampler.finish()
        let memory = ProcessFigures.current
        (figures.mappedSize, figures.lazilyFreed) = (memory?.clean, memory?.lazilyFreed)
        return figures
    }

    private func add(_ frame: FrameRecord) {
        statistics.add(frame.time)
        scrollFigures.add(frame, statistics)
        if let start = jumpStart, wall.isComplete {
            figures.jumpTimes.append(frame.time - start)
            jumpStart = nil
        }
    }

    /// Scrolls over the whole wall at a constant speed, and returns the results.
    private func measureScrolling(direction: Double) async throws -> ScrollFigures {
        (statistics, scrollFigures) = (FrameStatistics(), ScrollFigures())
        let speed = Self.pagesPerSecond * Double(wall.layout.pageHeight)
        wall.motion.run(at: direction * speed)
        let timeLimit = Double(wall.layout.maximumOffset) / speed + Self.pageTimeLimit
        let deadline = Timebase.hostTime.seconds + timeLimit
        while wall.motion.speed != 0, failure == nil {
            if Timebase.hostTime.seconds > deadline {
                throw FilmReelError("scrolling did not end within \(Int(timeLimit)) s")
            }
            try await Task.sleep(for: Self.pollInterval)
        }
        try throwIfFailed()
        return scrollFigures
    }

    /// Jumps to pages whose neighbouring pages were not visible before, and records when each page is complete.
    private func measureJumps() async throws {
        let stride = max(5, wall.layout.rowCount / wall.layout.pageRowCount / Self.jumpCount) * wall.layout.pageHeight
        for number in 1...Self.jumpCount where number * stride <= wall.layout.maximumOffset {
            wall.motion.jump(to: Double(number * stride))
            jumpStart = Timebase.hostTime.seconds
            let deadline = Timebase.hostTime.seconds + Self.pageTimeLimit
            while jumpStart != nil, Timebase.hostTime.seconds < deadline, failure == nil {
                try await Task.sleep(for: Self.pollInterval)
            }
            try throwIfFailed()
            if jumpStart != nil { throw FilmReelError("a page was not complete within \(Int(Self.pageTimeLimit)) s") }
            try await Task.sleep(for: Self.jumpPause)
        }
        wall.motion.jump(to: 0)
        try await waitForPage()
    }

    /// Waits until all visible posters are drawn.
    private func waitForPage() async throws {
        let deadline = Timebase.hostTime.seconds + Self.pageTimeLimit
        while !wall.isComplete {
            try throwIfFailed()
            if Timebase.hostTime.seconds > deadline {
                throw FilmReelError("a page was not complete within \(Int(Self.pageTimeLimit)) s")
            }
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    private func throwIfFailed() throws { if let failure { throw FilmReelError(failure) } }
}
