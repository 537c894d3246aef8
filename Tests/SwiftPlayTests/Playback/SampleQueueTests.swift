import SharedFrames
import Testing

@testable import SwiftPlay

@Suite("SampleQueue: the frames of a sample buffer layer") struct SampleQueueTests {
    /// An event that the test passes to the sample queue.
    private enum Input: CaseIterable {
        case enqueue, enqueueImmediately, fill, flush, flushAndRemove, takeRemoval, show, passTime
    }

    /// A simple reference implementation of the queue, with which the test compares it.
    private struct Model {
        var waiting: [(id: UInt64, time: Int64?)] = []
        var hasFailed = false
        var isReady = false
        /// Whether a frame was shown since the last reset of a failed queue.
        var wasShown = false
        var removesImage = false

        mutating func enqueue(_ id: UInt64, _ time: Int64?) {
            if hasFailed { return }
            if waiting.count == SampleBufferDisplayLayer.maximumPendingPictures {
                (waiting, hasFailed) = ([], true)
            } else {
                waiting.append((id, time))
            }
        }

        mutating func flush() {
            waiting = []
            // A flush resets a failed layer.
            if hasFailed { wasShown = false }
            hasFailed = false
        }

        /// Returns the number of the newest frame that is due. Removes this frame and all frames before it.
        mutating func takeDueFrame(at time: Int64) -> UInt64? {
            guard let due = waiting.lastIndex(where: { ($0.time ?? .min) <= time }) else { return nil }
            defer { waiting.removeFirst(due + 1) }
            return waiting[due].id
        }
    }

    /// Passes events to the queue and to the model, and compares both after each event.
    private func compareWithModel(_ inputs: [Input], _ frames: [VideoFrame]) {
        var queue = SampleQueue(), model = Model(), now: Int64 = 0, added = 0
        func enqueue(immediately: Bool) {
            let frame = frames[added % frames.count]
            added += 1
            let mayTake = !model.hasFailed,
                isFull = model.waiting.count == SampleBufferDisplayLayer.maximumPendingPictures
            model.enqueue(frame.id, immediately ? nil : frame.presentationTime)
            let (isTaken, hasFailed) = queue.enqueue(frame, immediately: immediately)
            #expect(isTaken == (mayTake && !isFull) && hasFailed == (mayTake && isFull), "\(inputs)")
        }
        for input in inputs {
            switch input {
            case .enqueue: enqueue(immediately: false)
            case .enqueueImmediately: enqueue(immediately: true)
            case .fill: for _ in 0...SampleBufferDisplayLayer.maximumPendingPictures { enqueue(immediately: false) }
            case .flush:
                queue.flush(removesImage: false)
                model.flush()
            case .flushAndRemove:
                queue.flush(removesImage: true)
                model.flush()
                (model.removesImage, model.isReady) = (true, false)
            case .takeRemoval:
                #expect(queue.takeImageRemoval() == model.removesImage, "\(inputs)")
                model.removesImage = false
            case .show:
                let taken = model.takeDueFrame(at: now + FramePacing.initialLeadTime)
                switch queue.next(now: now, clock: nil) {
                case .nothing: #expect(taken == nil && model.waiting.isEmpty, "\(inputs)")
                case .wait(let frame, let until):
                    #expect(taken == nil && frame.id == model.waiting.first?.id, "\(inputs)")
                    #expect(until == frame.presentationTime - FramePacing.initialLeadTime, "\(inputs)")
                case .show(let frame):
                    #expect(frame.id == taken, "\(inputs)")
                    let isNews = !model.removesImage && (!model.isReady || !model.wasShown && !model.hasFailed)
                    #expect(queue.shown() == isNews, "\(inputs)")
                    if isNews { (model.isReady, model.wasShown) = (true, true) }
                }
            case .passTime: now += 100_000_000
            }
            let expected: SampleBufferDisplayLayer.Status =
                model.hasFailed ? .failed : model.wasShown ? .rendering : .unknown
            #expect(queue.status == expected && queue.isReady == model.isReady, "\(inputs)")
            #expect((queue.error != nil) == model.hasFailed && queue.count == model.waiting.count, "\(inputs)")
            let hasRoom = model.waiting.count < SampleBufferDisplayLayer.maximumPendingPictures / 2
            #expect(queue.needsMoreFrames == (!model.hasFailed && hasRoom), "\(inputs)")
        }
    }

    @Test func everySequenceOfFiveInputsMatchesTheModel() throws {
        let source = TestFrames(), frames = try (1...40).map { try source.frame(UInt64($0)) }
        var orders: [[Input]] = [[]]
        for _ in 0..<5 { orders = orders.flatMap { order in Input.allCases.map { order + [$0] } } }
        for order in orders { compareWithModel(order, frames) }
    }

    @Test func stoppedClockGivesNoDeadline() throws {
        var queue = SampleQueue(), clock = PlaybackClock()
        let frame = try TestFrames().frame(5)
        _ = queue.enqueue(frame, immediately: false)
        guard case .wait(_, nil) = queue.next(now: 0, clock: clock) else {
            return #expect(Bool(false), "a stopped clock must give no deadline")
        }
        // The clock runs twice as fast as the host clock.
        clock.start(at: 0, host: 1_000_000_000, rate: 2)
        guard case .wait(_, let until?) = queue.next(now: 1_000_000_000, clock: clock) else {
            return #expect(Bool(false), "a running clock must give a deadline")
        }
        #expect(until == 1_000_000_000 + frame.presentationTime / 2 - FramePacing.initialLeadTime)
        guard case .show(let shown) = queue.next(now: until, clock: clock) else {
            return #expect(Bool(false), "the frame is due")
        }
        #expect(shown.id == frame.id)
    }
}
