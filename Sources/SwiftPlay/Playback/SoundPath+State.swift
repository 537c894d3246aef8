import AudioOutput
import MediaPipeline

/// What a sound path knows, in the parts that are its concerns: what it was asked for, what is in the stream, what was
/// heard, and on which device.
extension SoundPath {
    typealias Feed = SoundFeed<any MediaSource>

    struct State {
        var requests = Requests()
        var timeline = SoundTimeline<any MediaSource>()
        var heard = HeardMoments()
        var device: Device
    }

    /// What was asked for. The thread "sound" takes what is for it.
    struct Requests: Sendable {
        /// A device for this form of sound.
        var opening: AudioFormat?
        /// The length of a period that the program prefers, nanoseconds.
        var period: Int64?
        /// Another device of ALSA's.
        var device: String?
        /// There is a reason to try a device again that was given up.
        var hasReason = false
        var isClosed = false
        /// Between ``play()`` and the next pause or flush.
        var isPlaying = false
        var volume: Float = 1
        var isMuted = false

        /// What the thread "sound" has to do.
        struct Work: Sendable {
            var opening: AudioFormat?
            var device: String?
            var hasReason: Bool
            var isClosed: Bool
        }

        /// Takes what was asked of the thread "sound" since the last time.
        mutating func takeWork() -> Work {
            defer { (opening, device, hasReason) = (nil, nil, false) }
            return Work(opening: opening, device: device, hasReason: hasReason, isClosed: isClosed)
        }
    }

    /// Where sound goes.
    struct Device {
        var backend: AudioBackend
        /// The device that is open, or the null device in its place.
        var renderer: AudioRenderer?
        /// What the renderer was opened for.
        var openedFor: AudioFormat?
        /// Without what the renderer counts now.
        var figures = PlaybackStatistics.Audio()

        init(backend: AudioBackend) { self.backend = backend }

        /// With what the renderer counts now.
        var allFigures: PlaybackStatistics.Audio {
            var figures = figures
            if let renderer { figures.add(renderer) }
            return figures
        }
    }

    /// What the thread "sound" alone works with.
    struct Workspace {
        var writer = Writer()
        var keeper = DeviceKeeper()
    }

    /// How far a feed is written.
    struct Writer {
        /// Of the feed that the rest belongs to; nil before the first.
        var epoch: UInt32?
        var number: UInt32 = 0
        var aligner = BlockAligner()
        var stretcher: TimeStretcher?
        /// Samples that found no room yet.
        var pending: ArraySlice<Float> = []
        var endsAfterPending = false
        /// All of the feed is written.
        var isFinished = false
        /// Host time at which the feed is to be heard, until it is known which of the device's frames that is.
        var startsAt: Int64?

        /// Begins a feed.
        mutating func begin(_ feed: Feed, _ epoch: UInt32, _ renderer: AudioRenderer) {
            (self.epoch, number, startsAt) = (epoch, feed.number, feed.startsAt)
            (endsAfterPending, isFinished) = (false, false)
            restart(feed, renderer)
        }

        /// Goes on with a feed in another device's stream.
        mutating func restart(_ feed: Feed?, _ renderer: AudioRenderer) {
            aligner.restart()
            pending = []
            stretcher = feed?.stretcher(for: renderer.format)
        }

        /// No more of the feed is taken.
        mutating func end() {
            if let rest = stretcher?.process([], isFinal: true) { pending += rest }
            endsAfterPending = true
        }

        /// Writes silence next.
        mutating func setSilence(frames: Int, channels: Int) {
            pending = ArraySlice(repeating: 0, count: frames * max(channels, 1))
        }
    }

    /// The devices that are being opened, and the one that was lost.
    struct DeviceKeeper {
        /// A device that is being opened.
        var opening: RendererOpening?
        /// Another device that is being opened, and its name.
        var move: (device: String, opening: RendererOpening)?
        /// Set from a device's loss on, or since none could be opened.
        var recovery: DeviceRecovery?
        /// What the lost device was opened as, and is to be again.
        var lostFormat: AudioFormat?
        /// Why nothing is heard, since no device could be opened; nil once one was.
        var silence: String?
        /// The lost device, which may hang: given back by the thread that opens it anew.
        var lost: AudioRenderer?
        /// Host time since which the device has been seen hanging in a call.
        var hangsSince: Int64?
    }
}

extension SoundFeed {
    /// What makes its speed; nil where that is the recorded one.
    func stretcher(for format: AudioFormat) -> TimeStretcher? {
        guard speed != 1 else { return nil }
        return TimeStretcher(rate: format.rate, channels: format.channels, speed: speed, keepsPitch: keepsPitch)
    }
}

extension PlaybackStatistics.Audio {
    /// Takes in what a device counted.
    mutating func add(_ renderer: AudioRenderer) {
        underruns += renderer.underruns
        recoveries += renderer.recoveries
    }
}
