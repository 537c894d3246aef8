import Testing

@testable import AudioOutput

@Suite("What is asked of a render thread")
struct RenderRequestTests {
    @Test("a renderer that is closed is not to play, whatever it was told", arguments: [false, true], [false, true])
    func playing(isPlaying: Bool, isClosing: Bool) {
        var request = RenderRequest()
        _ = request.take(.init(isPlaying: isPlaying, isClosing: isClosing))
        #expect(request.isPlaying == (isPlaying && !isClosing))
        #expect(request.wantsStop == !request.isPlaying)
    }

    @Test("flushes are pending until one begins, and several make one")
    func flushes() {
        var request = RenderRequest()
        _ = request.take(.init(isPlaying: true))
        #expect(!request.isFlushPending && !request.wantsStop)
        _ = request.take(.init(isPlaying: true, flushes: 3))
        #expect(request.isFlushPending && request.wantsStop && request.flushes == 3)
        _ = request.take(.init(isPlaying: true, flushes: 3))
        request.flushBegan()
        #expect(!request.isFlushPending && !request.wantsStop && request.flushes == 3)
        _ = request.take(.init(isPlaying: true, flushes: 3))
        #expect(!request.isFlushPending, "it is begun once")
        _ = request.take(.init(isPlaying: true, flushes: 4))
        #expect(request.isFlushPending)
    }

    @Test("a volume is reported once, when it is another")
    func volume() throws {
        var request = RenderRequest()
        #expect(request.take(.init()) == nil)
        let control = try RenderControl()
        control.setGain(0.5, ramp: 20_000_000)
        let volume = request.take(control.commands)
        #expect(volume?.gain == 0.5 && volume?.ramp == 20_000_000)
        #expect(request.take(control.commands) == nil)
        control.setGain(1, ramp: 0)
        #expect(request.take(control.commands)?.gain == 1)
    }
}
