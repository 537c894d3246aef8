import AudioPolicy
import Testing

@testable import AudioOutput

@Suite struct RenderChainTests {
    private let format = AudioFormat(rate: 48_000, channels: 1)
    /// The ring buffer with the samples of the stream, all 1.
    private let ring = SampleRing(channels: 1, lead: 4800, retained: 0)

    init() {
        let samples = [Float](repeating: 1, count: 4800)
        _ = samples.withUnsafeBufferPointer { ring.write($0) }
    }

    /// Returns a render chain with fades of 1 ms, which are 48 frames.
    private func chain(session: SharedGainPage? = nil) -> RenderChain {
        RenderChain(format: format, capacity: 480, fade: 1_000_000, session: session, now: 0)
    }

    /// Returns the rendered samples of the stream from ring index `cursor` on.
    private func streamSamples(_ chain: inout RenderChain, at cursor: Int = 0, frames: Int, now: Int64 = 0) -> [Float] {
        chain.stageStream(from: ring, at: cursor, frames: frames, now: now, heardAt: now)
        return (0..<chain.stagedBlock.framesLeft).map { chain.stagedBlock.nextFrame[$0] }
    }

    /// Returns the samples that the render chain renders as silence. The samples begin with the decay of the last
    /// frame.
    private func silenceSamples(_ chain: RenderChain, frames: Int) -> [Float] {
        chain.stageSilence(frames)
        return (0..<chain.stagedBlock.framesLeft).map { chain.stagedBlock.nextFrame[$0] }
    }

    @Test("The first frames fade in, and the rest is unchanged")
    func firstFramesFadeIn() {
        var chain = chain()
        let samples = streamSamples(&chain, frames: 96)
        #expect(samples[0] < 0.01 && zip(samples, samples.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(samples[46] < 1 && samples[47...].allSatisfy { $0 == 1 })
    }

    @Test("A fade-out is complete after its length, and reports how much is left")
    func fadeOutReportsTheFramesLeftUntilItIsComplete() {
        var chain = chain()
        _ = streamSamples(&chain, frames: 48)
        chain.fadeOut()
        #expect(chain.fadeFramesLeft == 48 && !chain.isFadedOut)
        _ = streamSamples(&chain, at: 48, frames: 30)
        #expect(chain.fadeFramesLeft == 18 && !chain.isFadedOut)
        #expect(streamSamples(&chain, at: 78, frames: 18).last == 0)
        #expect(chain.isFadedOut)
    }

    @Test("Staged frames have the ring index of their first frame; silence has none")
    func stagedFramesHaveARingIndexAndSilenceHasNone() {
        var chain = chain()
        _ = streamSamples(&chain, at: 100, frames: 10)
        #expect(chain.stagedBlock.ringIndex == 100 && chain.stagedBlock.framesLeft == 10)
        _ = silenceSamples(chain, frames: 20)
        #expect(chain.stagedBlock.ringIndex == nil && chain.stagedBlock.framesLeft == 20)
    }

    @Test("Silence after the stream starts without a step")
    func silenceAfterTheStreamStartsWithoutAStep() {
        var chain = chain()
        _ = streamSamples(&chain, frames: 96)
        let samples = silenceSamples(chain, frames: 480)
        #expect(samples[0] > 0.9 && samples[0] < 1 && samples[479] < 0.001)
    }

    @Test("A start with an empty queue discards the last frame; a start with a full queue keeps it")
    func lastFrameIsKeptOnlyIfTheDeviceStartsWithAFullQueue() {
        var emptyQueueChain = chain(), fullQueueChain = chain()
        _ = streamSamples(&emptyQueueChain, frames: 96)
        _ = streamSamples(&fullQueueChain, frames: 96)
        emptyQueueChain.prepareForDeviceStart(isQueueEmpty: true, now: 0)
        fullQueueChain.prepareForDeviceStart(isQueueEmpty: false, now: 0)
        #expect(silenceSamples(emptyQueueChain, frames: 1) == [0] && silenceSamples(fullQueueChain, frames: 1)[0] > 0.9)
        #expect(streamSamples(&emptyQueueChain, at: 96, frames: 1)[0] < 0.01, "the stream fades in again")
    }

    @Test("The volume changes at once before anything was played, and with a ramp afterwards")
    func volumeChangesWithARampOncePlaybackHasBegun() {
        var chain = chain()
        chain.setGain(0.5, ramp: 0, hasPlayed: false)
        #expect(streamSamples(&chain, frames: 96).last == 0.5)
        chain.setGain(0.25, ramp: 0, hasPlayed: true)
        let samples = streamSamples(&chain, at: 96, frames: 480)
        #expect(samples[0] > 0.49 && samples[0] < 0.5, "even a change without a ramp has no step")
        #expect(streamSamples(&chain, at: 576, frames: 480).last == 0.25)
    }

    @Test("The session's gate silences the stream after the player's own volume")
    func closedGateOfTheAudioSessionSilencesTheStream() throws {
        let page = try SharedGainPage()
        page.set(GateCommand(isOpen: false, milliseconds: 0, time: 0))
        var chain = chain(session: page)
        #expect(streamSamples(&chain, frames: 96).allSatisfy { $0 == 0 })
    }

    @Test("Staged frames are discarded if the gate closed long ago without being read")
    func stagedFramesAreDiscardedIfTheGateClosedLongAgo() throws {
        let page = try SharedGainPage()
        var chain = chain(session: page)
        _ = streamSamples(&chain, frames: 96)
        page.set(GateCommand(isOpen: false, milliseconds: 30, time: 0))
        chain.muteStagedIfInterrupted(now: 50_000_000)
        #expect(chain.stagedBlock.nextFrame[95] == 1, "the fade is not over yet")
        chain.muteStagedIfInterrupted(now: 5_000_000_000)
        #expect((0..<96).allSatisfy { chain.stagedBlock.nextFrame[$0] == 0 })
    }

    @Test("An interruption fades while its gate closes")
    func interruptionFadesWhileItsGateCloses() throws {
        let page = try SharedGainPage()
        var chain = chain(session: page)
        #expect(!chain.isInterruptionFading(now: 0))
        page.set(GateCommand(isOpen: false, milliseconds: 1, time: 0))
        #expect(chain.isInterruptionFading(now: 0))
        for cursor in stride(from: 0, to: 4800, by: 480) { _ = streamSamples(&chain, at: cursor, frames: 480) }
        #expect(!chain.isInterruptionFading(now: 0))
    }

    @Test("Without a session no interruption fades")
    func withoutAnAudioSessionNoInterruptionFades() {
        var chain = chain()
        _ = streamSamples(&chain, frames: 48)
        chain.muteStagedIfInterrupted(now: .max)
        #expect(!chain.isInterruptionFading(now: 0) && chain.stagedBlock.nextFrame[47] == 1)
    }
}
