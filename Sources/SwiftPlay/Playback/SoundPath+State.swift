import AudioOutput
import MediaPipeline

/// The state of a sound path by concern: requests, the stream's timeline, positions heard, and the device.
extension SoundPath {
    typealias Feed = SoundFeed<any MediaSource>

    struct State {
        var requests = Requests()
        var timeline = SoundTimeline<any MediaSource>()
        var heard = HeardMoments()
        var device: Device
    }

    /// Requests from other threads. The thread "sound" takes those that it has to carry out.
    struct Requests: Sendable {
        /// The format to open a device for.
        var opening: AudioFormat?
        /// The preferred length of a device period, nanoseconds.
        var period: Int64?
        /// The ALSA device to switch to.
        var device: String?
        /// An external event justifies retrying a device after the recovery was given up.
        var hasReason = false
        var isClosed = false
        /// Between ``play()`` and the next pause or flush.
        var isPlaying = false
        var volume: Float = 1
        var isMuted = false

        /// The requests that the thread "sound" has to carry out.
        struct Work: Sendable {
            var opening: AudioFormat?
            var device: String?
            var hasReason: Bool
            var isClosed: Bool
        }

        /// Returns and clears the pending requests for the thread "sound".
        mutating func takeWork() -> Work {
            defer { (opening, device, hasReason) = (nil, nil, false) }
            return Work(opening: opening, device: device, hasReason: hasReason, isClosed: isClosed)
        }
    }

    /// The audio output.
    struct Device {
        var backend: AudioBackend
        /// The open device, or the null device that replaces it.
        var renderer: AudioRenderer?
        /// The format that the renderer was opened for.
        var openedFor: AudioFormat?
        /// The counters of former renderers, without those of the current one.
        var figures = PlaybackStatistics.Audio()

        init(backend: AudioBackend) { self.backend = backend }

        /// The counters including those of the current renderer.
        var allFigures: PlaybackStatistics.Audio {
            var figures = figures
            if let renderer { figures.add(renderer) }
            return figures
        }
    }

    /// State that only the thread "sound" uses.
    struct Workspace {
        var writer = Writer()
        var keeper = DeviceKeeper()
    }

    /// The write position in a feed.
    struct Writer {
        /// The epoch of the current feed; nil before the first feed.
        var epoch: UInt32?
        var number: UInt32 = 0
        var aligner = BlockAligner()
        var stretcher: TimeStretcher?
        /// Samples for which the ring had no space yet.
        var pending: ArraySlice<Float> = []
        var endsAfterPending = false
        /// All blocks of the feed are written.
        var isFinished = false
        /// Host time at which the feed is to be audible; nil once the matching frame of the device is known.
        var startsAt: Int64?

        /// Starts to write a feed.
        mutating func begin(_ feed: Feed, _ epoch: UInt32, _ renderer: AudioRenderer) {
            (self.epoch, number, startsAt) = (epoch, feed.number, feed.startsAt)
            (endsAfterPending, isFinished) = (false, false)
            restart(feed, renderer)
        }

        /// Continues a feed in the stream of another device.
        mutating func restart(_ feed: Feed?, _ renderer: AudioRenderer) {
            aligner.restart()
            pending = []
            stretcher = feed?.stretcher(for: renderer.format)
        }

        /// Takes no more blocks of the feed.
        mutating func end() {
            if let rest = stretcher?.process([], isFinal: true) { pending += rest }
            endsAfterPending = true
        }

        /// Makes silence the next samples to write.
        mutating func setSilence(frames: Int, channels: Int) {
            pending = ArraySlice(repeating: 0, count: frames * max(channels, 1))
        }
    }

    /// Devices that are being opened, and the lost device.
    struct DeviceKeeper {
        /// The pending opening of a device.
        var opening: RendererOpening?
        /// The pending opening of a device to switch to, and its name.
        var move: (device: String, opening: RendererOpening)?
        /// The schedule of attempts to reopen the device; set after a loss or a failed opening.
        var recovery: DeviceRecovery?
        /// The format of the lost device, with which it is reopened.
        var lostFormat: AudioFormat?
        /// Why no device could be opened; nil after one was.
        var silence: String?
        /// The lost device, whose calls may hang. The thread that opens its replacement closes it.
        var lost: AudioRenderer?
        /// Host time since which the device hangs in a call.
        var hangsSince: Int64?
    }
}

extension SoundFeed {
    /// Returns a time stretcher for the feed's speed; nil at the recorded speed.
    func stretcher(for format: AudioFormat) -> TimeStretcher? {
        guard speed != 1 else { return nil }
        return TimeStretcher(rate: format.rate, channels: format.channels, speed: speed, keepsPitch: keepsPitch)
    }
}

extension PlaybackStatistics.Audio {
    /// Adds the counters of a device.
    mutating func add(_ renderer: AudioRenderer) {
        underruns += renderer.underruns
        recoveries += renderer.recoveries
    }
}
