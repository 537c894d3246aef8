import AudioOutput
import MediaPipeline
import SystemCalls

/// Writing decoded audio into the device's ring buffer. Runs on the audio thread.
///
/// An ``ItemAudio`` is the audio of one item from a start time on. The flush count is the number of flushes so far:
/// after a flush, the writer starts again with the current ``ItemAudio``.
extension AudioPipeline {
    /// Writes the next decoded block of samples, or part of it, to the device.
    ///
    /// - Returns: false if there is no decoded block or no space in the ring buffer; the caller then waits.
    func fill(_ writer: inout Writer) -> Bool {
        guard
            let (itemAudio, flushCount, renderer) = state.withLock({ state in
                state.timeline.currentAudio.flatMap { itemAudio in
                    state.device.renderer.map { (itemAudio, state.timeline.flushCount, $0) }
                }
            })
        else { return false }
        if writer.flushCount != flushCount || writer.audioNumber != itemAudio.number {
            writer.begin(itemAudio, flushCount, renderer)
        }
        guard writePendingSamples(&writer, renderer) else {
            reportAudioPrimed(flushCount)
            return false
        }
        if let time = writer.startHostTime { return alignStart(itemAudio, with: time, flushCount, renderer, &writer) }
        if writer.isFinished { return continueWithNextAudio(itemAudio, flushCount, renderer, &writer) }
        if writer.endsAfterPendingSamples {
            writer.endsAfterPendingSamples = false
            writer.isFinished = true
            if !continueWithNextAudio(itemAudio, flushCount, renderer, &writer) { finishStream(flushCount, renderer) }
            return true
        }
        if let block = writer.aligner.takeWaitingBlock() {
            alignDecodedBlock(block, itemAudio, &writer)
            return true
        }
        guard let item = itemAudio.source.audio.popIfAny() else { return false }
        switch item {
        case .end: writer.endAudio()
        case .block(var block):
            guard block.generation == itemAudio.generation else { break }
            block.presentationTime &+= state.withLock { $0.requests.delay }
            writer.aligner.setGeneration(block.generation)
            alignDecodedBlock(block, itemAudio, &writer)
        }
        return true
    }

    /// The length of the silence that keeps the device running until the device reports its position, in nanoseconds.
    private static let warmUpDuration: Int64 = 100_000_000

    /// Writes silence before an item's audio that is to be audible at the host time `time`. If that time has passed,
    /// the beginning of the audio is skipped.
    ///
    /// - Returns: false if the device's position is not known yet; the caller then waits.
    private func alignStart(
        _ itemAudio: AnyItemAudio, with time: Int64, _ flushCount: UInt32, _ renderer: AudioRenderer,
        _ writer: inout Writer
    ) -> Bool {
        let rate = renderer.format.rate, channels = renderer.format.channels
        let silenceFrameCount = renderer.format.frames(in: Self.warmUpDuration) / 2
        guard let reading = renderer.reading, reading.isRunning else {
            guard renderer.queuedFrames < silenceFrameCount * 2 else { return false }
            writer.setSilence(frameCount: silenceFrameCount, channelCount: channels)
            return true
        }
        let requestedFrame = Double(reading.position) + Double(time - reading.hostTime) * Double(rate) / 1e9
        let missingFrameCount = state.withLock {
            $0.timeline.align(
                itemAudio, at: requestedFrame, rate: rate, limit: silenceFrameCount, flushCount: flushCount)
        }
        // `missingFrameCount` is nil if the timeline was flushed meanwhile: `itemAudio` is obsolete then, and the next
        // call begins the new item's audio.
        guard let missingFrameCount else { return true }
        if missingFrameCount < Double(silenceFrameCount) { writer.startHostTime = nil }
        let nextFrameCount = Int(min(max(missingFrameCount.rounded(), 0), Double(silenceFrameCount)))
        writer.setSilence(frameCount: nextFrameCount, channelCount: channels)
        return true
    }

    /// Continues the device's stream with the next item's audio, after all audio of the current item was written.
    ///
    /// - Returns: false if no item's audio follows.
    private func continueWithNextAudio(
        _ itemAudio: AnyItemAudio, _ flushCount: UInt32, _ renderer: AudioRenderer, _ writer: inout Writer
    ) -> Bool {
        let endTime = writer.aligner.alignedEndTime, format = renderer.format
        let joinedAudio = state.withLock {
            $0.timeline.continueWithNextAudio(
                after: itemAudio, reachedTime: endTime, rate: format.rate, flushCount: flushCount)
        }
        guard let (next, silentFrameCount) = joinedAudio else { return false }
        writer.begin(next, flushCount, renderer)
        writer.setSilence(frameCount: silentFrameCount, channelCount: format.channels)
        report(.nextAudioBegan(number: next.number))
        return true
    }

    /// Aligns a decoded block with the item's time and stores its samples to be written next.
    private func alignDecodedBlock(_ block: PCMBlock, _ itemAudio: AnyItemAudio, _ writer: inout Writer) {
        let flushCount = writer.flushCount
        // `origin` is nil if the timeline was flushed meanwhile: the block is obsolete then.
        guard
            let origin = state.withLock({
                $0.timeline.origin(of: itemAudio, flushCount: flushCount, firstBlock: block.presentationTime)
            })
        else { return }
        let alignedPart = writer.aligner.align(block, from: origin, to: itemAudio.end)
        writer.pendingSamples = writer.stretcher.map { $0.process(alignedPart.samples)[...] } ?? alignedPart.samples
        if alignedPart.isLast { writer.endAudio() }
    }

    /// Writes pending samples as far as there is space in the device's ring buffer.
    ///
    /// - Returns: true if no pending samples are left.
    private func writePendingSamples(_ writer: inout Writer, _ renderer: AudioRenderer) -> Bool {
        guard !writer.pendingSamples.isEmpty, let flushCount = writer.flushCount else { return true }
        let channels = max(renderer.format.channels, 1)
        let writtenFrameCount: Int64? = state.withLock { state in
            guard state.timeline.flushCount == flushCount else { return nil }
            let written = writer.pendingSamples.withUnsafeBufferPointer { renderer.write($0) }
            if written > 0 { sampleTap?(writer.pendingSamples.prefix(written * channels)) }
            writer.pendingSamples = writer.pendingSamples.dropFirst(written * channels)
            state.timeline.didWrite(written)
            return state.timeline.writtenFrameCount
        }
        guard let writtenFrameCount else {
            writer.pendingSamples = []
            return true
        }
        if writtenFrameCount >= Self.primingDuration * Int64(renderer.format.rate) / 1_000_000_000 {
            reportAudioPrimed(flushCount)
        }
        return writer.pendingSamples.isEmpty
    }

    /// Marks the end of the stream after the last block of the item was written.
    private func finishStream(_ flushCount: UInt32, _ renderer: AudioRenderer) {
        renderer.markEndOfStream()
        reportAudioPrimed(flushCount)
        if state.withLock({ $0.timeline.writtenFrameCount == 0 }) { reportAudioEnd() }
    }

    /// Reports, once after each flush, that enough audio was written to start playback.
    private func reportAudioPrimed(_ flushCount: UInt32) {
        let number = state.withLock { $0.timeline.markPrimed(flushCount: flushCount) }
        if let number { report(.audioPrimed(number: number)) }
    }
}
