import Testing

@testable import AudioOutput

@Suite("Playout")
struct PlayoutTests {
    /// Returns a request of the player to the render thread.
    private func request(isPlaying: Bool, isFlushPending: Bool) -> RenderRequest {
        var request = RenderRequest()
        _ = request.apply(.init(isPlaying: isPlaying, flushes: isFlushPending ? 1 : 0))
        return request
    }

    /// Returns a ``Playout`` whose source is `source`. If the source is silence, the pause began at device frame 100.
    private func playout(_ source: Playout.Source) -> Playout {
        var playout = Playout()
        switch source {
        case .stream: break
        case .fadingOut: playout.fadeOut()
        case .silence:
            playout.fadeOut()
            playout.pause(at: 100)
        }
        return playout
    }

    @Test("each source has one step for each request", arguments: Playout.Source.allCases)
    func sourceAndRequestDetermineTheNextStep(source: Playout.Source) {
        for bits in 0..<16 {
            let (isPlaying, isFlushPending) = (bits & 1 != 0, bits & 2 != 0)
            let (isFading, isQueueLong) = (bits & 4 != 0, bits & 8 != 0)
            let step = playout(source).step(
                for: request(isPlaying: isPlaying, isFlushPending: isFlushPending), written: 500,
                isInterruptionFading: isFading, isQueueLong: isQueueLong)
            let expected: Playout.Step =
                switch (source, isPlaying, isFlushPending) {
                case (.stream, true, false): .noChange
                // The fade-out of an interrupted audio session is completed before a pause, but not before a flush.
                case (.stream, false, false) where isFading: .noChange
                case (.stream, _, _): isQueueLong ? .cut : .fadeOut
                case (.fadingOut, true, false): .fadeIn
                case (.fadingOut, _, _): .noChange
                case (.silence, true, false): .reopen
                case (.silence, _, true): .flush(heardAt: 100)
                case (.silence, false, false): .noChange
                }
            #expect(step == expected, "\(isPlaying) \(isFlushPending) \(isFading) \(isQueueLong)")
        }
    }

    @Test("a pause is complete when its last frame has been heard, unless playback reopens")
    func pauseIsCompleteWhenItsLastFrameIsHeard() {
        var paused = playout(.silence)
        #expect(paused.ending(heard: 99, written: 200, isAllWritten: true) == .none)
        #expect(paused.ending(heard: 100, written: 200, isAllWritten: true) == .pause)
        paused.deviceStopped()
        #expect(paused.ending(heard: 300, written: 300, isAllWritten: true) == .none, "the pause ended twice")
        var reopened = playout(.silence)
        reopened.reopen()
        #expect(reopened.source == .stream)
        #expect(reopened.ending(heard: 100, written: 200, isAllWritten: false) == .none)
    }

    @Test("the stream ends when its last frame has been heard; more samples postpone the end")
    func streamEndsWhenItsLastFrameIsHeard() {
        var playout = Playout()
        #expect(playout.ending(heard: 0, written: 480, isAllWritten: true) == .none)
        // Silence that is written after the last frame does not postpone the end of the stream.
        #expect(playout.ending(heard: 479, written: 960, isAllWritten: true) == .none)
        var over = playout
        #expect(over.ending(heard: 480, written: 1440, isAllWritten: true) == .stream)
        #expect(playout.ending(heard: 479, written: 1440, isAllWritten: false) == .none)
        #expect(playout.ending(heard: 480, written: 1920, isAllWritten: true) == .none, "ended at the old end")
        #expect(playout.ending(heard: 1920, written: 1920, isAllWritten: true) == .stream)
        playout.drainReported()
        #expect(playout.isDrainReported)
        #expect(playout.ending(heard: 9999, written: 9999, isAllWritten: true) == .none, "the end was reported twice")
        playout.streamRendered()
        #expect(!playout.isDrainReported)
        #expect(playout.ending(heard: 2400, written: 2400, isAllWritten: true) == .stream)
    }

    @Test(
        "the stream does not end during a fade-out or silence",
        arguments: [Playout.Source.fadingOut, .silence])
    func streamDoesNotEndWhileSilent(source: Playout.Source) {
        var playout = playout(source)
        #expect(playout.ending(heard: 50, written: 50, isAllWritten: true) == .none)
    }

    @Test("a flush completes once, when the last old frame has been heard; the new stream may begin late")
    func flushCompletesWhenTheLastOldFrameIsHeard() {
        var playout = Playout()
        playout.drainReported()
        playout.flush(heardAt: 700)
        #expect(playout.isStalled && !playout.isDrainReported)
        let isEarly = playout.takeFlush(heard: 699)
        let isDue = playout.takeFlush(heard: 700), isTwice = playout.takeFlush(heard: 701)
        #expect(!isEarly && isDue && !isTwice)
        let isUnderrun = playout.recordEmptyRing(isAtEnd: false)
        #expect(!isUnderrun, "the wait for new samples counted as an underrun")
    }

    @Test(
        "running dry counts as one underrun, only in the stream and before its end",
        arguments: Playout.Source.allCases, [false, true])
    func anEmptyDeviceInTheMiddleOfTheStreamIsOneUnderrun(source: Playout.Source, isAtEnd: Bool) {
        var playout = playout(source)
        let isFirst = playout.recordEmptyRing(isAtEnd: isAtEnd), isSecond = playout.recordEmptyRing(isAtEnd: isAtEnd)
        #expect(isFirst == (source == .stream && !isAtEnd))
        #expect(!isSecond && playout.isStalled == isFirst)
        let wasStalled = playout.endStall(), isAgain = playout.endStall()
        #expect(wasStalled == isFirst && !isAgain && !playout.isStalled)
    }

    @Test("an emptied device completes a flush, and no longer ends a pause", arguments: [false, true])
    func anEmptiedDeviceCompletesAFlush(isFlushing: Bool) {
        var playout = playout(.silence)
        if isFlushing { playout.flush(heardAt: 900) }
        let isComplete = playout.deviceEmptied(), isTwice = playout.deviceEmptied()
        #expect(isComplete == isFlushing && !isTwice)
        #expect(playout.ending(heard: 1000, written: 1000, isAllWritten: true) == .none)
    }

    @Test("a restart renders the stream from every source", arguments: Playout.Source.allCases)
    func afterARestartTheStreamIsRendered(source: Playout.Source) {
        var playout = playout(source)
        _ = playout.recordEmptyRing(isAtEnd: false)
        playout.restart()
        #expect(playout.source == .stream && !playout.isStalled)
    }

    @Test("a fade-out can be reversed, or ends in silence")
    func fadeOutIsReversedOrEndsInSilence() {
        var playout = Playout()
        playout.fadeOut()
        #expect(playout.source == .fadingOut)
        playout.fadeIn()
        #expect(playout.source == .stream)
        playout.fadeOut()
        playout.pause(at: 10)
        #expect(playout.source == .silence)
    }
}
