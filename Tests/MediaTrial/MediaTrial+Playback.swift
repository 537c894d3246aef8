import Glibc
import MediaPipeline
import SharedFrames
import SystemCalls

extension MediaTrial {
    /// The playback of one media file, and the counts of its frames and audio blocks.
    struct Playback {
        let trial: MediaTrial
        let source: any MediaSource
        let pool: FramePool
        /// The event descriptor that is signalled when frames, audio blocks or events arrive.
        let arrivalEvent: EventDescriptor
        var outcome = Outcome()
        /// The number of the last seek; frames and audio blocks from before this seek are ignored.
        private var generation: UInt32 = 0
        private var isVideoFinished = false
        private var isAudioFinished = false
        /// The number of frames that count towards ``MediaTrial/frameLimit``. A seek sets this number to the limit
        /// minus the number of frames to consume after the seek.
        private var countedFrames = 0
        /// The number of audio blocks that count towards ``MediaTrial/blockLimit``.
        private var countedBlocks = 0

        init(trial: MediaTrial, source: any MediaSource, pool: FramePool, arrivalEvent: EventDescriptor) {
            self.trial = trial
            self.source = source
            self.pool = pool
            self.arrivalEvent = arrivalEvent
        }

        /// Consumes all frames and audio blocks, up to the limits of the trial. Records a hang if the pipeline exceeds
        /// its time limits.
        mutating func play() {
            let start = MonotonicTime.now, initialProcessorTime = Self.processorTime
            while !isFinished {
                // Wake up at least once a second, because an endless computation never signals the event descriptor.
                _ = try? Poll.waitReadable(arrivalEvent.raw, until: MonotonicTime.now + 1_000_000_000)
                arrivalEvent.drain()
                consumeEvents()
                consumeFrames()
                consumeAudioBlocks()
                let usedProcessorTime = Self.processorTime - initialProcessorTime
                let elapsedTime = MonotonicTime.now - start
                if !isFinished,
                    usedProcessorTime > MediaTrial.processorTimeLimit || elapsedTime > MediaTrial.elapsedTimeLimit
                {
                    outcome.hang =
                        "after \(elapsedTime / 1_000_000) ms (\(usedProcessorTime / 1_000_000) ms of work), "
                        + "generation \(generation), video \(isVideoFinished ? "finished" : "running"), "
                        + "audio \(isAudioFinished ? "finished" : "running")"
                    return
                }
            }
        }

        /// Seeks, and consumes up to `frames` frames and 8 audio blocks after the seek.
        mutating func seek(_ request: SeekRequest, frames: Int) {
            generation = request.generation
            isVideoFinished = outcome.info?.video == nil || hasVideoFailed
            isAudioFinished = outcome.info?.audio == nil || hasAudioFailed
            countedFrames = trial.frameLimit - frames
            countedBlocks = trial.blockLimit - 8
            source.seek(request)
            play()
        }

        /// Whether the video track cannot be decoded.
        private var hasVideoFailed = false
        private var hasAudioFailed = false

        /// Whether playback has ended or reached the limits of the trial.
        private var isFinished: Bool {
            if outcome.error != nil { return true }
            guard outcome.info != nil else { return false }
            return (isVideoFinished || countedFrames >= trial.frameLimit || countedBlocks >= trial.blockLimit)
                && (isAudioFinished || countedBlocks >= trial.blockLimit || countedFrames >= trial.frameLimit)
        }

        private mutating func consumeEvents() {
            while let event = source.events.popIfAny() {
                switch event {
                case .opened(let info):
                    outcome.info = info
                    if info.video == nil { isVideoFinished = true }
                    if info.audio == nil { isAudioFinished = true }
                case .failed(let error): outcome.error = error
                case .seekFailed(_, let error), .warning(let error), .readingStopped(let error):
                    outcome.warnings.append(error)
                case .durationKnown, .fellBehind, .audioDecoded, .audioFileAdded, .requestFailed, .variantChanged: break
                case .trackFailed(let track, let error):
                    outcome.warnings.append(error)
                    switch track {
                    case .video: (isVideoFinished, hasVideoFailed) = (true, true)
                    case .audio: (isAudioFinished, hasAudioFailed) = (true, true)
                    }
                }
            }
        }

        private mutating func consumeFrames() {
            while let item = source.video.popIfAny() {
                outcome.peakFrameBytes = max(outcome.peakFrameBytes, pool.usage.bytes)
                guard case .frame(let frame) = item else {
                    isVideoFinished = true
                    continue
                }
                guard frame.generation == generation else { continue }
                // Read the visible bytes, so that a sanitizer reports a frame whose memory is too small.
                if countedFrames < 2 { Self.readVisibleBytes(of: frame) }
                precondition(
                    frame.format.layout.requiredSize <= frame.buffer.slot.size, "a frame exceeds its buffer")
                precondition(
                    frame.presentationTime.magnitude <= 1 << 62 && (0...1 << 60).contains(frame.duration),
                    "the time of a frame is out of range")
                outcome.frameCount += 1
                countedFrames += 1
            }
        }

        private mutating func consumeAudioBlocks() {
            while let item = source.audio.popIfAny() {
                guard case .block(let block) = item else {
                    isAudioFinished = true
                    continue
                }
                guard block.generation == generation else { continue }
                precondition(
                    block.samples.count % 2 == 0 && block.presentationTime.magnitude <= 1 << 62, "invalid audio block")
                outcome.largestBlockBytes = max(outcome.largestBlockBytes, block.samples.count * 4)
                outcome.blockCount += 1
                countedBlocks += 1
            }
        }

        /// Reads all visible bytes of a frame.
        private static func readVisibleBytes(of frame: VideoFrame) {
            frame.withPicture { picture in
                let layout = picture.layout
                var sum = 0
                for (index, plane) in layout.planes.enumerated() {
                    let start = picture.plane(index)
                    guard index < layout.pixelFormat.planeCount else {
                        for byte in 0..<FrameLayout.paletteBytes {
                            sum &+= Int(start.load(fromByteOffset: byte, as: UInt8.self))
                        }
                        continue
                    }
                    let rowBytes = layout.pixelFormat.rowBytes(plane: index, width: layout.width)
                    for row in 0..<layout.pixelFormat.rows(plane: index, height: layout.height) {
                        let line = UnsafeRawBufferPointer(start: start + row * plane.stride, count: rowBytes)
                        for byte in stride(from: 0, to: rowBytes, by: 16) { sum &+= Int(line[byte]) }
                        sum &+= Int(line[rowBytes - 1])
                    }
                }
                // Prevents the optimiser from removing the reads.
                precondition(sum >= 0)
            }
        }

        /// The processor time of all threads of this process, in nanoseconds.
        private static var processorTime: Int64 {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    }
}
