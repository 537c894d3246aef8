import Glibc
import MediaPipeline
import SharedFrames
import SystemCalls

extension MediaTrial {
    /// One file being played.
    struct Run {
        let trial: MediaTrial
        let source: any MediaSource
        let pool: FramePool
        let arrival: EventDescriptor
        var outcome = Outcome()
        private var generation: UInt32 = 0
        private var videoIsOver = false
        private var soundIsOver = false
        private var framesHere = 0
        private var blocksHere = 0

        init(trial: MediaTrial, source: any MediaSource, pool: FramePool, arrival: EventDescriptor) {
            self.trial = trial
            self.source = source
            self.pool = pool
            self.arrival = arrival
        }

        /// Takes all there is, up to the trial's limits.
        mutating func play() {
            let start = MonotonicTime.now, startOfWork = Self.processorTime
            while !isOver {
                // At least once a second: work that never ends gives no signal.
                _ = try? Poll.waitReadable(arrival.raw, until: MonotonicTime.now + 1_000_000_000)
                arrival.drain()
                takeEvents()
                takeVideo()
                takeSound()
                let worked = Self.processorTime - startOfWork, waited = MonotonicTime.now - start
                if !isOver, worked > MediaTrial.patience || waited > MediaTrial.longPatience {
                    outcome.hang =
                        "after \(waited / 1_000_000) ms (\(worked / 1_000_000) ms of work), generation \(generation), "
                        + "picture \(videoIsOver ? "over" : "running"), sound \(soundIsOver ? "over" : "running")"
                    return
                }
            }
        }

        mutating func seek(_ request: SeekRequest, frames: Int) {
            generation = request.generation
            videoIsOver = outcome.info?.video == nil || videoFailed
            soundIsOver = outcome.info?.audio == nil || soundFailed
            framesHere = trial.frameLimit - frames
            blocksHere = trial.blockLimit - 8
            source.seek(request)
            play()
        }

        private var videoFailed = false
        private var soundFailed = false

        private var isOver: Bool {
            if outcome.error != nil { return true }
            guard outcome.info != nil else { return false }
            return (videoIsOver || framesHere >= trial.frameLimit || blocksHere >= trial.blockLimit)
                && (soundIsOver || blocksHere >= trial.blockLimit || framesHere >= trial.frameLimit)
        }

        private mutating func takeEvents() {
            while let event = source.events.popIfAny() {
                switch event {
                case .opened(let info):
                    outcome.info = info
                    if info.video == nil { videoIsOver = true }
                    if info.audio == nil { soundIsOver = true }
                case .failed(let error): outcome.error = error
                case .seekFailed(_, let error), .warning(let error), .readingStopped(let error):
                    outcome.warnings.append(error)
                case .durationKnown, .soundDecoded: break
                case .trackFailed(let track, let error):
                    outcome.warnings.append(error)
                    switch track {
                    case .video: (videoIsOver, videoFailed) = (true, true)
                    case .audio: (soundIsOver, soundFailed) = (true, true)
                    }
                }
            }
        }

        private mutating func takeVideo() {
            while let item = source.video.popIfAny() {
                outcome.frameBytes = max(outcome.frameBytes, pool.usage.bytes)
                guard case .frame(let frame) = item else {
                    videoIsOver = true
                    continue
                }
                guard frame.generation == generation else { continue }
                // Every visible byte is read: what a frame claims must be there.
                if framesHere < 2 { Self.read(frame) }
                precondition(
                    frame.format.layout.requiredSize <= frame.buffer.slot.size, "a frame reaches beyond its memory")
                precondition(
                    frame.presentationTime.magnitude <= 1 << 62 && (0...1 << 60).contains(frame.duration),
                    "a time out of bounds")
                outcome.frames += 1
                framesHere += 1
            }
        }

        private mutating func takeSound() {
            while let item = source.audio.popIfAny() {
                guard case .block(let block) = item else {
                    soundIsOver = true
                    continue
                }
                guard block.generation == generation else { continue }
                precondition(
                    block.samples.count % 2 == 0 && block.presentationTime.magnitude <= 1 << 62, "a block that is none")
                outcome.blockBytes = max(outcome.blockBytes, block.samples.count * 4)
                outcome.blocks += 1
                blocksHere += 1
            }
        }

        private static func read(_ frame: VideoFrame) {
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
                // So that reading is not left out.
                precondition(sum >= 0)
            }
        }

        /// Nanoseconds that all threads of this process have worked.
        private static var processorTime: Int64 {
            var t = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)
            return Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec)
        }
    }
}
