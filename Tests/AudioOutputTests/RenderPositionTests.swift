import Testing

@testable import AudioOutput

@Suite("Where stream and device are")
struct RenderPositionTests {
    /// Hands over so many frames of the stream.
    private func play(_ frames: Int, _ position: inout RenderPosition) {
        position.renderedStream(frames)
        position.handedOver(frames)
    }

    private func hear(_ frames: Int, at now: Int64, _ position: inout RenderPosition) {
        position.advance(PCMTiming(available: 0, delay: position.written - frames, hostTime: now), now: now)
    }

    @Test("silence moves the device and not the stream")
    func silence() {
        var position = RenderPosition(rate: 48_000)
        play(480, &position)
        position.renderedSilence()
        position.handedOver(480)
        #expect(position.cursor == 480 && position.written == 960)
        hear(240, at: 0, &position)
        #expect(position.isAnchored && position.heard == 240 && position.streamHeard == 240)
        hear(960, at: 15_000_000, &position)
        #expect(position.streamHeard == 480)
    }

    @Test("what is heard never goes back, and never beyond what was handed over")
    func monotonic() {
        var position = RenderPosition(rate: 48_000)
        play(960, &position)
        hear(480, at: 0, &position)
        hear(400, at: 1000, &position)
        #expect(position.heard >= 480)
        position.advance(PCMTiming(available: 0, delay: 0, hostTime: 1000), now: 1_000_000_000)
        #expect(position.heard == 960)
    }

    @Test("what was not heard is rendered again, as far as the ring keeps it and not from before a flush")
    func rewind() {
        var position = RenderPosition(rate: 48_000)
        play(960, &position)
        hear(480, at: 0, &position)
        var kept = position
        kept.rewindToHeard(released: 600)
        #expect(kept.cursor == 600)
        position.rewindToHeard(released: 0)
        #expect(position.cursor == 480)
        position.deviceEmptied()
        #expect(position.heard == position.written && position.streamHeard == 480)
        position.flush(number: 1, index: 2000, at: position.written)
        #expect(position.cursor == 2000 && position.base == 2000 && position.flush == 1)
        position.rewind(to: 1999)
        #expect(position.cursor == 2000)
        position.renderedStream(100)
        position.rewind(to: 2050)
        #expect(position.cursor == 2050)
    }

    @Test("a snapshot of a device that stands names what was heard, and of one that runs the clock's line")
    func snapshot() {
        var position = RenderPosition(rate: 48_000)
        play(960, &position)
        hear(480, at: 5, &position)
        let standing = position.snapshot(isRunning: false, isLost: true)
        #expect(standing.frame == 480 && standing.isLost && !standing.isRunning && standing.limit == 960)
        let running = position.snapshot(isRunning: true, isLost: false)
        #expect(running.frame == 480 && running.time == 5 && running.slope > 0 && running.isRunning)
    }
}
