import AudioOutput
import MediaPipeline

/// The state of an audio pipeline: requests, the timeline of the stream, audible positions, and the device.
extension AudioPipeline {
    /// One item's audio from a start time on, to be written to the device.
    typealias AnyItemAudio = ItemAudio<any MediaSource>

    /// The state of an audio pipeline that several threads share, behind one lock.
    struct State {
        /// The requests of other threads.
        var requests = Requests()
        /// The audio that was written to the device, and its positions in the device's stream.
        var timeline = AudioTimeline<any MediaSource>()
        /// The media times that were audible last.
        var playedPositions = PlayedPositions()
        /// The device, and the counters of former devices.
        var device: Device
    }

    /// Requests from other threads. The audio thread removes a request when it performs it.
    struct Requests: Sendable {
        /// The format for which a device must be opened; nil if none was requested.
        var formatToOpen: AudioFormat?
        /// The preferred length of a device period, in nanoseconds; nil for the default.
        var preferredPeriod: Int64?
        /// The name of the ALSA device to switch to; nil if no switch was requested.
        var deviceToSwitchTo: String?
        /// Whether an event, such as a plugged device, justifies attempts to open a lost device after the last attempt
        /// has failed.
        var hasRetryReason = false
        /// Whether the pipeline is being closed.
        var isClosed = false
        /// Whether playback was started and was not paused or flushed since.
        var isPlaying = false
        /// The linear gain of the player's audio.
        var volume: Float = 1
        var isMuted = false
        /// The time by which audio is delayed, in nanoseconds. Applies to blocks that are decoded from now on.
        var delay: Int64 = 0

        /// The requests that the audio thread has to carry out.
        struct PendingRequests: Sendable {
            /// The format for which a device must be opened; nil if none was requested.
            var formatToOpen: AudioFormat?
            /// The name of the ALSA device to switch to; nil if no switch was requested.
            var deviceToSwitchTo: String?
            /// Whether an event justifies attempts to open a lost device again.
            var hasRetryReason: Bool
            /// Whether the pipeline is being closed.
            var isClosed: Bool
        }

        /// Returns and clears the pending requests for the audio thread.
        mutating func takeRequests() -> PendingRequests {
            defer { (formatToOpen, deviceToSwitchTo, hasRetryReason) = (nil, nil, false) }
            return PendingRequests(
                formatToOpen: formatToOpen, deviceToSwitchTo: deviceToSwitchTo, hasRetryReason: hasRetryReason,
                isClosed: isClosed)
        }
    }

    /// The audio device, the format for which it was opened, and the failure counters of all devices.
    struct Device {
        /// The device that is opened: an ALSA device or a null device.
        var backend: AudioBackend
        /// The open device, or the null device that replaces it.
        var renderer: AudioRenderer?
        /// The audio format for which ``renderer`` was opened; nil without a renderer.
        var openedForFormat: AudioFormat?
        /// The failure counters of former devices, without those of the current device.
        var counters = PlaybackStatistics.Audio()

        init(backend: AudioBackend) { self.backend = backend }

        /// The failure counters of all devices, including the current device.
        var allCounters: PlaybackStatistics.Audio {
            var counters = counters
            if let renderer { counters.add(renderer) }
            return counters
        }
    }

    /// State that only the audio thread uses: no lock protects it.
    struct AudioThreadState {
        /// The progress of writing the current item's audio to the device.
        var writer = Writer()
        /// Attempts to open devices, and the lost device.
        var pendingDevices = PendingDevices()
    }

    /// The position up to which an item's audio was written to the device, and the state of the next write.
    struct Writer {
        /// The number of flushes of the timeline when the current item's audio began; nil before the first item.
        var flushCount: UInt32?
        /// The number of the ``ItemAudio`` that is being written.
        var audioNumber: UInt32 = 0
        /// Aligns decoded blocks with the item's time.
        var aligner = BlockAligner()
        /// Changes the speed of the samples; nil at the recorded speed.
        var stretcher: TimeStretcher?
        /// Samples for which the device's ring buffer had no space yet.
        var pendingSamples: ArraySlice<Float> = []
        /// Whether the item's audio is complete once the pending samples are written.
        var endsAfterPendingSamples = false
        /// Whether all blocks of the item's audio are written.
        var isFinished = false
        /// The host time at which the item's audio is to be audible; nil once the matching frame of the device's stream
        /// is known.
        var startHostTime: Int64?

        /// Prepares the writer for an item's audio.
        mutating func begin(_ itemAudio: AnyItemAudio, _ flushCount: UInt32, _ renderer: AudioRenderer) {
            (self.flushCount, audioNumber, startHostTime) = (flushCount, itemAudio.number, itemAudio.startHostTime)
            (endsAfterPendingSamples, isFinished) = (false, false)
            restart(itemAudio, renderer)
        }

        /// Prepares the writer to continue an item's audio on another device.
        mutating func restart(_ itemAudio: AnyItemAudio?, _ renderer: AudioRenderer) {
            aligner.restart()
            pendingSamples = []
            stretcher = itemAudio?.stretcher(for: renderer.format)
        }

        /// Ends the item's audio: takes no more decoded blocks of it.
        mutating func endAudio() {
            if let lastSamples = stretcher?.process([], isFinal: true) { pendingSamples += lastSamples }
            endsAfterPendingSamples = true
        }

        /// Makes the audio thread write `frameCount` frames of silence next.
        mutating func setSilence(frameCount: Int, channelCount: Int) {
            pendingSamples = ArraySlice(repeating: 0, count: frameCount * max(channelCount, 1))
        }
    }

    /// Attempts to open devices, and the lost device.
    struct PendingDevices {
        /// The attempt to open a device that is under way.
        var opener: AsyncDeviceOpener?
        /// The attempt to open another device to switch to, and the name of that device.
        var pendingDeviceSwitch: (device: String, opener: AsyncDeviceOpener)?
        /// The schedule of attempts to reopen the device; set after a loss or a failed opening.
        var recovery: DeviceRecovery?
        /// The format of the lost device, with which it is reopened.
        var lostFormat: AudioFormat?
        /// The reason why no real device could be opened; nil after a real device was opened.
        var openFailureReason: String?
        /// The lost device, in which ALSA may block. The thread that opens its replacement closes it.
        var lostRenderer: AudioRenderer?
        /// The host time of the first check that found the device's thread late, in nanoseconds; nil if it is not late.
        var firstLateCheckTime: Int64?
        /// The request of a real-time priority for the device's thread.
        var realtimeRequest: RealtimeRequest?
    }
}

extension ItemAudio {
    /// Returns a time stretcher for the speed of this audio; nil at the recorded speed.
    func stretcher(for format: AudioFormat) -> TimeStretcher? {
        guard speed != 1 else { return nil }
        return TimeStretcher(rate: format.rate, channels: format.channels, speed: speed, keepsPitch: keepsPitch)
    }
}

extension PlaybackStatistics.Audio {
    /// Adds the underruns and recoveries of a device.
    mutating func add(_ renderer: AudioRenderer) {
        underruns += renderer.underruns
        recoveries += renderer.recoveries
    }
}
