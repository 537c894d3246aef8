import Testing

@testable import AudioOutput

@Suite("Render position")
struct RenderPositionTests {
    /// Renders `frames` frames of the stream and writes them to the device.
    private func renderFrames(_ frames: Int, _ position: inout RenderPosition) {
        position.didRenderStream(frames)
        position.didWrite(frames)
    }

    /// Reports to `position` that the device has played `frames` frames in total until host time `now`.
    private func reportPlayed(_ frames: Int, at now: Int64, _ position: inout RenderPosition) {
        position.advance(PCMTiming(available: 0, delay: position.writtenFrames - frames, hostTime: now), now: now)
    }

    @Test("silence advances the device position but not the stream position")
    func silenceAdvancesOnlyTheDevicePosition() {
        var position = RenderPosition(rate: 48_000)
        renderFrames(480, &position)
        position.didRenderSilence()
        position.didWrite(480)
        #expect(position.cursor == 480 && position.writtenFrames == 960)
        reportPlayed(240, at: 0, &position)
        #expect(position.hasDeviceReport && position.playedFrames == 240 && position.playedStreamIndex == 240)
        reportPlayed(960, at: 15_000_000, &position)
        #expect(position.playedStreamIndex == 480)
    }

    @Test("the heard position never decreases, and never exceeds the frames written to the device")
    func heardPositionIsMonotonic() {
        var position = RenderPosition(rate: 48_000)
        renderFrames(960, &position)
        reportPlayed(480, at: 0, &position)
        reportPlayed(400, at: 1000, &position)
        #expect(position.playedFrames >= 480)
        position.advance(PCMTiming(available: 0, delay: 0, hostTime: 1000), now: 1_000_000_000)
        #expect(position.playedFrames == 960)
    }

    @Test(
        "frames that were not heard are rendered again, if the ring buffer still holds them and no flush discarded them"
    )
    func unheardFramesAreRenderedAgain() {
        var position = RenderPosition(rate: 48_000)
        renderFrames(960, &position)
        reportPlayed(480, at: 0, &position)
        var partlyReleased = position
        partlyReleased.rewindToPlayed(released: 600)
        #expect(partlyReleased.cursor == 600)
        position.rewindToPlayed(released: 0)
        #expect(position.cursor == 480)
        position.recordEmptiedQueue()
        #expect(position.playedFrames == position.writtenFrames && position.playedStreamIndex == 480)
        position.flush(number: 1, index: 2000, at: position.writtenFrames)
        #expect(position.cursor == 2000 && position.baseIndex == 2000 && position.flushNumber == 1)
        position.rewind(to: 1999)
        #expect(position.cursor == 2000)
        position.didRenderStream(100)
        position.rewind(to: 2050)
        #expect(position.cursor == 2050)
    }

    @Test(
        "a stopped device's snapshot has the heard position, a running device's one the clock's position and slope"
    )
    func snapshotOfARunningDeviceHasASlope() {
        var position = RenderPosition(rate: 48_000)
        renderFrames(960, &position)
        reportPlayed(480, at: 5, &position)
        let stoppedSnapshot = position.snapshot(isRunning: false, isLost: true)
        #expect(stoppedSnapshot.frame == 480 && stoppedSnapshot.writtenFrames == 960)
        #expect(stoppedSnapshot.isLost && !stoppedSnapshot.isRunning)
        let runningSnapshot = position.snapshot(isRunning: true, isLost: false)
        #expect(runningSnapshot.frame == 480 && runningSnapshot.time == 5 && runningSnapshot.slope > 0)
        #expect(runningSnapshot.isRunning)
    }
}
