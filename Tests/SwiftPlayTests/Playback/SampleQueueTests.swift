import SharedFrames
import Testing

@testable import SwiftPlay

@Suite("SampleQueue: the frames of a sample buffer layer") struct SampleQueueTests {
    /// An event that the test passes to the sample queue.
    private enum Event: CaseIterable {
        case enqueue, enqueueImmediately, fill, flush, flushAndRemove, takeRemoval, show, passTime
    }

    /// A simple reference implementation of the queue, with which the test compares it.
    private struct ReferenceQueue {
        var waitingFrames: [(id: UInt64, time: Int64?)] = []
        var hasFailed = false
        var isReady = false
        /// Whether a frame was shown since the last reset of a failed queue.
        var wasShown = false
        var removesImage = false

        mutating func enqueue(_ id: UInt64, _ time: Int64?) {
            if hasFailed { return }
            if waitingFrames.count == SampleBufferDisplayLayer.maximumPendingPictures {
                (waitingFrames, hasFailed) = ([], true)
            } else {
                waitingFrames.append((id, time))
            }
        }

        mutating func flush() {
            waitingFrames = []
            // A flush resets a failed layer.
            if hasFailed { wasShown = false }
            hasFailed = false
        }

        /// Returns the number of the newest frame that is due. Removes this frame and all frames before it.
        mutating func takeDueFrame(at time: Int64) -> UInt64? {
            guard let due = waitingFrames.lastIndex(where: { ($0.time ?? .min) <= time }) else { return nil }
            defer { waitingFrames.removeFirst(due + 1) }
            return waitingFrames[due].id
        }
    }

    /// Passes events to the queue and to the reference queue, and compares both after each event.
    private func compareWithReferenceQueue(_ events: [Event], _ frames: [VideoFrame]) {
        var queue = SampleQueue(), reference = ReferenceQueue(), now: Int64 = 0, addedCount = 0
        func enqueue(immediately: Bool) {
            let frame = frames[addedCount % frames.count]
            addedCount += 1
            let mayAccept = !reference.hasFailed,
                isFull = reference.waitingFrames.count == SampleBufferDisplayLayer.maximumPendingPictures
            reference.enqueue(frame.id, immediately ? nil : frame.presentationTime)
            let (isAccepted, hasFailed) = queue.enqueue(frame, immediately: immediately)
            #expect(isAccepted == (mayAccept && !isFull) && hasFailed == (mayAccept && isFull), "\(events)")
        }
        for event in events {
            switch event {
            case .enqueue: enqueue(immediately: false)
            case .enqueueImmediately: enqueue(immediately: true)
            case .fill: for _ in 0...SampleBufferDisplayLayer.maximumPendingPictures { enqueue(immediately: false) }
            case .flush:
                queue.flush(removesImage: false)
                reference.flush()
            case .flushAndRemove:
                queue.flush(removesImage: true)
                reference.flush()
                (reference.removesImage, reference.isReady) = (true, false)
            case .takeRemoval:
                #expect(queue.takeImageRemoval() == reference.removesImage, "\(events)")
                reference.removesImage = false
            case .show:
                let dueFrameID = reference.takeDueFrame(at: now + FramePacing.initialLeadTime)
                switch queue.nextAction(now: now, clock: nil) {
                case .nothing: #expect(dueFrameID == nil && reference.waitingFrames.isEmpty, "\(events)")
                case .wait(let frame, let until):
                    #expect(dueFrameID == nil && frame.id == reference.waitingFrames.first?.id, "\(events)")
                    #expect(until == frame.presentationTime - FramePacing.initialLeadTime, "\(events)")
                case .show(let frame):
                    #expect(frame.id == dueFrameID, "\(events)")
                    let changesStatus =
                        !reference.removesImage
                        && (!reference.isReady || !reference.wasShown && !reference.hasFailed)
                    #expect(queue.didShowFrame() == changesStatus, "\(events)")
                    if changesStatus { (reference.isReady, reference.wasShown) = (true, true) }
                }
            case .passTime: now += 100_000_000
            }
            let expected: SampleBufferDisplayLayer.Status =
                reference.hasFailed ? .failed : reference.wasShown ? .rendering : .unknown
            #expect(queue.status == expected && queue.isReady == reference.isReady, "\(events)")
            #expect(
                (queue.error != nil) == reference.hasFailed && queue.count == reference.waitingFrames.count, "\(events)"
            )
            let hasRoom = reference.waitingFrames.count < SampleBufferDisplayLayer.maximumPendingPictures / 2
            #expect(queue.needsMoreFrames == (!reference.hasFailed && hasRoom), "\(events)")
        }
    }

    @Test func everySequenceOfFiveEventsMatchesTheReferenceQueue() throws {
        let testFrames = TestFrames(), frames = try (1...40).map { try testFrames.frame(UInt64($0)) }
        var sequences: [[Event]] = [[]]
        for _ in 0..<5 { sequences = sequences.flatMap { sequence in Event.allCases.map { sequence + [$0] } } }
        for sequence in sequences { compareWithReferenceQueue(sequence, frames) }
    }

    @Test func stoppedClockGivesNoDeadline() throws {
        var queue = SampleQueue(), clock = PlaybackClock()
        let frame = try TestFrames().frame(5)
        _ = queue.enqueue(frame, immediately: false)
        guard case .wait(_, nil) = queue.nextAction(now: 0, clock: clock) else {
            return #expect(Bool(false), "a stopped clock must give no deadline")
        }
        // The clock runs twice as fast as the host clock.
        clock.start(at: 0, hostTime: 1_000_000_000, rate: 2)
        guard case .wait(_, let until?) = queue.nextAction(now: 1_000_000_000, clock: clock) else {
            return #expect(Bool(false), "a running clock must give a deadline")
        }
        #expect(until == 1_000_000_000 + frame.presentationTime / 2 - FramePacing.initialLeadTime)
        guard case .show(let shown) = queue.nextAction(now: until, clock: clock) else {
            return #expect(Bool(false), "the frame is due")
        }
        #expect(shown.id == frame.id)
    }
}
