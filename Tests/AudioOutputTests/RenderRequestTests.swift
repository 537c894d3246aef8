import Testing

@testable import AudioOutput

@Suite("Render requests")
struct RenderRequestTests {
    @Test("a renderer that is closing does not play, whatever was requested", arguments: [false, true], [false, true])
    func closingRendererDoesNotPlay(isPlaying: Bool, isClosing: Bool) {
        var request = RenderRequest()
        _ = request.apply(.init(isPlaying: isPlaying, isClosing: isClosing))
        #expect(request.isPlaying == (isPlaying && !isClosing))
        #expect(request.requiresStop == !request.isPlaying)
    }

    @Test("flushes are pending until one begins, and several are combined")
    func pendingFlushesAreCombined() {
        var request = RenderRequest()
        _ = request.apply(.init(isPlaying: true))
        #expect(!request.isFlushPending && !request.requiresStop)
        _ = request.apply(.init(isPlaying: true, requestedFlushCount: 3))
        #expect(request.isFlushPending && request.requiresStop && request.newestFlushNumber == 3)
        _ = request.apply(.init(isPlaying: true, requestedFlushCount: 3))
        request.didBeginFlush()
        #expect(!request.isFlushPending && !request.requiresStop && request.newestFlushNumber == 3)
        _ = request.apply(.init(isPlaying: true, requestedFlushCount: 3))
        #expect(!request.isFlushPending, "a flush that has begun is pending again")
        _ = request.apply(.init(isPlaying: true, requestedFlushCount: 4))
        #expect(request.isFlushPending)
    }

    @Test("a changed volume is reported once")
    func changedVolumeIsReportedOnce() throws {
        var request = RenderRequest()
        #expect(request.apply(.init()) == nil)
        let control = try RenderControl()
        control.setGain(0.5, ramp: 20_000_000)
        let volume = request.apply(control.commands)
        #expect(volume?.gain == 0.5 && volume?.ramp == 20_000_000)
        #expect(request.apply(control.commands) == nil)
        control.setGain(1, ramp: 0)
        #expect(request.apply(control.commands)?.gain == 1)
    }
}
