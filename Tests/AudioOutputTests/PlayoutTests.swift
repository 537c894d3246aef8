import Testing

@testable import AudioOutput

@Suite("What a render thread renders, and what is over when")
struct PlayoutTests {
    private func request(isPlaying: Bool, isFlushPending: Bool) -> RenderRequest {
        var request = RenderRequest()
        _ = request.take(.init(isPlaying: isPlaying, flushes: isFlushPending ? 1 : 0))
        return request
    }

    /// A playout in a source; silence begins at device frame 100.
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

    @Test("the step of every source under every request", arguments: Playout.Source.allCases)
    func steps(source: Playout.Source) {
        for bits in 0..<16 {
            let (isPlaying, isFlushPending) = (bits & 1 != 0, bits & 2 != 0)
            let (isFading, isQueueLong) = (bits & 4 != 0, bits & 8 != 0)
            let step = playout(source).step(
                for: request(isPlaying: isPlaying, isFlushPending: isFlushPending), written: 500,
                isInterruptionFading: isFading, isQueueLong: isQueueLong)
            let expected: Playout.Step =
                switch (source, isPlaying, isFlushPending) {
                case (.stream, true, false): .carryOn
                // The fade of an interruption comes first, but not before a flush.
                case (.stream, false, false) where isFading: .carryOn
                case (.stream, _, _): isQueueLong ? .cut : .fadeOut
                case (.fadingOut, true, false): .fadeIn
                case (.fadingOut, _, _): .carryOn
                case (.silence, true, false): .reopen
                case (.silence, _, true): .flush(heardAt: 100)
                case (.silence, false, false): .carryOn
                }
            #expect(step == expected, "\(isPlaying) \(isFlushPending) \(isFading) \(isQueueLong)")
        }
    }

    @Test("a pause is over when its last frame has been heard, and not when it was taken back")
    func pause() {
        var paused = playout(.silence)
        #expect(paused.ending(heard: 99, written: 200, isAllWritten: true) == .none)
        #expect(paused.ending(heard: 100, written: 200, isAllWritten: true) == .pause)
        paused.deviceStopped()
        #expect(paused.ending(heard: 300, written: 300, isAllWritten: true) == .none, "it is over once")
        var reopened = playout(.silence)
        reopened.reopen()
        #expect(reopened.source == .stream)
        #expect(reopened.ending(heard: 100, written: 200, isAllWritten: false) == .none)
    }

    @Test("the stream is over when what was written at its end has been heard; more samples put that off")
    func end() {
        var playout = Playout()
        #expect(playout.ending(heard: 0, written: 480, isAllWritten: true) == .none)
        // Silence that is written behind the end does not put it off.
        #expect(playout.ending(heard: 479, written: 960, isAllWritten: true) == .none)
        var over = playout
        #expect(over.ending(heard: 480, written: 1440, isAllWritten: true) == .stream)
        #expect(playout.ending(heard: 479, written: 1440, isAllWritten: false) == .none)
        #expect(playout.ending(heard: 480, written: 1920, isAllWritten: true) == .none, "the end is another one now")
        #expect(playout.ending(heard: 1920, written: 1920, isAllWritten: true) == .stream)
        playout.drainReported()
        #expect(playout.isDrainReported)
        #expect(playout.ending(heard: 9999, written: 9999, isAllWritten: true) == .none, "it is reported once")
        playout.streamRendered()
        #expect(!playout.isDrainReported)
        #expect(playout.ending(heard: 2400, written: 2400, isAllWritten: true) == .stream)
    }

    @Test(
        "the end of the stream is not looked for while it fades out or is silent",
        arguments: [Playout.Source.fadingOut, .silence])
    func noEnd(source: Playout.Source) {
        var playout = playout(source)
        #expect(playout.ending(heard: 50, written: 50, isAllWritten: true) == .none)
    }

    @Test("a flush is complete once, when the last old frame has been heard, and the new stream may begin late")
    func flush() {
        var playout = Playout()
        playout.drainReported()
        playout.flush(heardAt: 700)
        #expect(playout.isStalled && !playout.isDrainReported)
        let isEarly = playout.takeFlush(heard: 699)
        let isDue = playout.takeFlush(heard: 700), isTwice = playout.takeFlush(heard: 701)
        #expect(!isEarly && isDue && !isTwice)
        let isUnderrun = playout.ranDry(isAtEnd: false)
        #expect(!isUnderrun, "new samples may take their time")
    }

    @Test(
        "running dry is an underrun once, in the stream and before its end",
        arguments: Playout.Source.allCases, [false, true])
    func underrun(source: Playout.Source, isAtEnd: Bool) {
        var playout = playout(source)
        let isFirst = playout.ranDry(isAtEnd: isAtEnd), isSecond = playout.ranDry(isAtEnd: isAtEnd)
        #expect(isFirst == (source == .stream && !isAtEnd))
        #expect(!isSecond && playout.isStalled == isFirst)
        let wasStalled = playout.endStall(), isAgain = playout.endStall()
        #expect(wasStalled == isFirst && !isAgain && !playout.isStalled)
    }

    @Test("an emptied device leaves nothing to be heard, and completes a flush", arguments: [false, true])
    func emptied(isFlushing: Bool) {
        var playout = playout(.silence)
        if isFlushing { playout.flush(heardAt: 900) }
        let isComplete = playout.deviceEmptied(), isTwice = playout.deviceEmptied()
        #expect(isComplete == isFlushing && !isTwice)
        #expect(playout.ending(heard: 1000, written: 1000, isAllWritten: true) == .none)
    }

    @Test("a device that begins or fails renders the stream", arguments: Playout.Source.allCases)
    func restart(source: Playout.Source) {
        var playout = playout(source)
        _ = playout.ranDry(isAtEnd: false)
        playout.restart()
        #expect(playout.source == .stream && !playout.isStalled)
    }

    @Test("a fade out turns round, or ends in silence")
    func fade() {
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
