import Testing

@testable import AudioOutput

@Suite("PlayoutTransitions")
struct PlayoutTransitionsTests {
    /// Returns a request of the player to the render thread.
    private func request(isPlaying: Bool, isFlushPending: Bool) -> RenderRequest {
        var request = RenderRequest()
        _ = request.apply(.init(isPlaying: isPlaying, requestedFlushCount: isFlushPending ? 1 : 0))
        return request
    }

    /// Returns a ``PlayoutTransitions`` whose source is `source`. If the source is silence, the pause began at device
    /// frame 100.
    private func transitions(_ source: PlayoutTransitions.Source) -> PlayoutTransitions {
        var transitions = PlayoutTransitions()
        switch source {
        case .stream: break
        case .fadingOut: transitions.fadeOut()
        case .silence:
            transitions.fadeOut()
            transitions.pause(at: 100)
        }
        return transitions
    }

    @Test("each source has one action for each request", arguments: PlayoutTransitions.Source.allCases)
    func sourceAndRequestDetermineTheNextAction(source: PlayoutTransitions.Source) {
        for bits in 0..<16 {
            let (isPlaying, isFlushPending) = (bits & 1 != 0, bits & 2 != 0)
            let (isFading, isQueueLong) = (bits & 4 != 0, bits & 8 != 0)
            let action = transitions(source).nextAction(
                for: request(isPlaying: isPlaying, isFlushPending: isFlushPending), written: 500,
                isInterruptionFading: isFading, isQueueLong: isQueueLong)
            let expected: PlayoutTransitions.Action =
                switch (source, isPlaying, isFlushPending) {
                case (.stream, true, false): .noChange
                // The fade-out of an interrupted audio session is completed before a pause, but not before a flush.
                case (.stream, false, false) where isFading: .noChange
                case (.stream, _, _): isQueueLong ? .stopImmediately : .fadeOut
                case (.fadingOut, true, false): .fadeIn
                case (.fadingOut, _, _): .noChange
                case (.silence, true, false): .resumeStream
                case (.silence, _, true): .flush(heardAt: 100)
                case (.silence, false, false): .noChange
                }
            #expect(action == expected, "\(isPlaying) \(isFlushPending) \(isFading) \(isQueueLong)")
        }
    }

    @Test("a pause is complete when its last frame has been heard, unless playback resumes")
    func pauseIsCompleteWhenItsLastFrameIsHeard() {
        var paused = transitions(.silence)
        #expect(paused.completedTransition(heard: 99, written: 200, isAllWritten: true) == .none)
        #expect(paused.completedTransition(heard: 100, written: 200, isAllWritten: true) == .pause)
        paused.recordDevicePause()
        #expect(
            paused.completedTransition(heard: 300, written: 300, isAllWritten: true) == .none, "the pause ended twice")
        var resumed = transitions(.silence)
        resumed.resumeStream()
        #expect(resumed.source == .stream)
        #expect(resumed.completedTransition(heard: 100, written: 200, isAllWritten: false) == .none)
    }

    @Test("the stream ends when its last frame has been heard; more samples postpone the end")
    func streamEndsWhenItsLastFrameIsHeard() {
        var transitions = PlayoutTransitions()
        #expect(transitions.completedTransition(heard: 0, written: 480, isAllWritten: true) == .none)
        // Silence that is written after the last frame does not postpone the end of the stream.
        #expect(transitions.completedTransition(heard: 479, written: 960, isAllWritten: true) == .none)
        var endedTransitions = transitions
        #expect(endedTransitions.completedTransition(heard: 480, written: 1440, isAllWritten: true) == .endOfStream)
        #expect(transitions.completedTransition(heard: 479, written: 1440, isAllWritten: false) == .none)
        #expect(
            transitions.completedTransition(heard: 480, written: 1920, isAllWritten: true) == .none,
            "ended at the old end")
        #expect(transitions.completedTransition(heard: 1920, written: 1920, isAllWritten: true) == .endOfStream)
        transitions.recordDrainReport()
        #expect(transitions.isDrainReported)
        #expect(
            transitions.completedTransition(heard: 9999, written: 9999, isAllWritten: true) == .none,
            "the end was reported twice")
        transitions.recordRenderedStream()
        #expect(!transitions.isDrainReported)
        #expect(transitions.completedTransition(heard: 2400, written: 2400, isAllWritten: true) == .endOfStream)
    }

    @Test(
        "the stream does not end during a fade-out or silence",
        arguments: [PlayoutTransitions.Source.fadingOut, .silence])
    func streamDoesNotEndWhileSilent(source: PlayoutTransitions.Source) {
        var transitions = transitions(source)
        #expect(transitions.completedTransition(heard: 50, written: 50, isAllWritten: true) == .none)
    }

    @Test("a flush completes once, when the last old frame has been heard; the new stream may begin late")
    func flushCompletesWhenTheLastOldFrameIsHeard() {
        var transitions = PlayoutTransitions()
        transitions.recordDrainReport()
        transitions.flush(heardAt: 700)
        #expect(transitions.isStalled && !transitions.isDrainReported)
        let isEarly = transitions.takeFlush(heard: 699)
        let isDue = transitions.takeFlush(heard: 700), isRepeated = transitions.takeFlush(heard: 701)
        #expect(!isEarly && isDue && !isRepeated)
        let isUnderrun = transitions.recordEmptyRing(isAtEnd: false)
        #expect(!isUnderrun, "the wait for new samples counted as an underrun")
    }

    @Test(
        "an empty ring buffer counts as one underrun, only in the stream and before its end",
        arguments: PlayoutTransitions.Source.allCases, [false, true])
    func emptyRingInTheMiddleOfTheStreamIsOneUnderrun(source: PlayoutTransitions.Source, isAtEnd: Bool) {
        var transitions = transitions(source)
        let isFirstUnderrun = transitions.recordEmptyRing(isAtEnd: isAtEnd),
            isSecondUnderrun = transitions.recordEmptyRing(isAtEnd: isAtEnd)
        #expect(isFirstUnderrun == (source == .stream && !isAtEnd))
        #expect(!isSecondUnderrun && transitions.isStalled == isFirstUnderrun)
        let wasStalled = transitions.endStall(), isStillStalled = transitions.endStall()
        #expect(wasStalled == isFirstUnderrun && !isStillStalled && !transitions.isStalled)
    }

    @Test("an emptied device completes a flush, and no longer ends a pause", arguments: [false, true])
    func emptiedDeviceCompletesAFlush(isFlushing: Bool) {
        var transitions = transitions(.silence)
        if isFlushing { transitions.flush(heardAt: 900) }
        let isComplete = transitions.recordEmptiedQueue(), isRepeated = transitions.recordEmptiedQueue()
        #expect(isComplete == isFlushing && !isRepeated)
        #expect(transitions.completedTransition(heard: 1000, written: 1000, isAllWritten: true) == .none)
    }

    @Test("a restart renders the stream from every source", arguments: PlayoutTransitions.Source.allCases)
    func afterARestartTheStreamIsRendered(source: PlayoutTransitions.Source) {
        var transitions = transitions(source)
        _ = transitions.recordEmptyRing(isAtEnd: false)
        transitions.restart()
        #expect(transitions.source == .stream && !transitions.isStalled)
    }

    @Test("a fade-out can be reversed, or ends in silence")
    func fadeOutIsReversedOrEndsInSilence() {
        var transitions = PlayoutTransitions()
        transitions.fadeOut()
        #expect(transitions.source == .fadingOut)
        transitions.fadeIn()
        #expect(transitions.source == .stream)
        transitions.fadeOut()
        transitions.pause(at: 10)
        #expect(transitions.source == .silence)
    }
}
