import FoundationEssentials

/// The periods in which an item played (AVPlayerItemAccessLog).
public struct AccessLog: Sendable {
    /// A period of playback, which ends with a seek or, in a stream, with a change of the variant. Unknown numbers are
    /// negative.
    ///
    /// Numbers about downloads count for the variant that was downloaded, even if it was downloaded ahead of playback;
    /// numbers about playback count for the variant that was visible.
    public struct Event: Sendable, Equatable {
        /// The path or address of the item; for a stream with variants, the address of the variant's playlist.
        public var uri: String
        /// The IP address of the server, or of the proxy; nil if it is unknown and for local files.
        public var serverAddress: String?
        /// The number of times that a host responded from another IP address than before.
        public var numberOfServerAddressChanges = -1
        /// An identifier that all events of one item share.
        public var playbackSessionID: String
        /// The date at which playback of the period began; nil if it has not begun.
        public var playbackStartDate: Date?
        /// The time on the item's timeline at which the period begins, in seconds.
        public var playbackStartOffset: Double
        /// The kind of the item: `VOD` for a stream that is complete, `LIVE` for a stream that grows, and `FILE` for
        /// files, also on a server.
        public var playbackType: String
        /// The time from opening the item until it was ready to play, in seconds. Only the first event has it.
        public var startupTime = -1.0
        /// The duration of the media that was played, in seconds.
        public var durationWatched = 0.0
        /// The number of times that playback stopped because media was missing.
        public var numberOfStalls = 0
        /// The number of frames that were decoded and not shown.
        public var numberOfDroppedVideoFrames = 0

        /// The number of requests for media: for segments, and for whole files or parts of files.
        public var numberOfMediaRequests = -1
        /// The number of requests for media over a mobile network: always 0.
        public var mediaRequestsWWAN = 0
        /// The number of received bytes, including playlists and keys; for a local file, the number of bytes read.
        public var numberOfBytesTransferred: Int64 = -1
        /// The time during which bytes were requested or received, in seconds, without the pauses in which enough media
        /// is loaded.
        public var transferDuration = -1.0
        /// The play time of the segments that were received, in seconds.
        public var segmentsDownloadedDuration = -1.0
        /// The number of segments whose download took longer than their play time.
        public var downloadOverdue = -1

        /// The rate at which bytes were received while transfers were under way, in bits per second:
        /// ``numberOfBytesTransferred`` over ``transferDuration``.
        public var observedBitrate = -1.0
        /// The lowest rate at which a segment arrived, in bits per second; for a file, the lowest rate in any second.
        public var observedMinBitrate = -1.0
        /// The highest rate at which a segment arrived, in bits per second; for a file, the highest rate in any second.
        public var observedMaxBitrate = -1.0
        /// The standard deviation of the rates at which segments arrived, in bits per second.
        public var observedBitrateStandardDeviation = -1.0
        /// The peak bit rate that the playlist states for the variant (`BANDWIDTH`), in bits per second.
        public var indicatedBitrate = -1.0
        /// The average bit rate that the playlist states for the variant (`AVERAGE-BANDWIDTH`), in bits per second.
        public var indicatedAverageBitrate = -1.0
        /// The measured average bit rate of the variant's segments, in bits per second: of the video, or of video and
        /// audio if the segments contain both.
        public var averageVideoBitrate = -1.0
        /// The measured average bit rate of the audio rendition, in bits per second; negative if the variant contains
        /// the audio.
        public var averageAudioBitrate = -1.0
        /// The expected bit rate of the network connection for which this variant replaced another one, in bits per
        /// second; negative if the period did not begin with a change of the variant.
        public var switchBitrate = -1.0
    }

    /// The events in the order in which their periods begin. At most 1000 are kept.
    public let events: [Event]

    /// Returns the log as text, in the W3C extended log file format (AVPlayerItemAccessLog.extendedLogData()).
    public func extendedLogData() -> String {
        ExtendedLog.text(
            [
                "s-uri", "s-ip", "s-ip-changes", "c-session-id", "c-start-offset", "s-playback-type", "c-startup-time",
                "c-duration-watched", "c-stalls", "c-frames-dropped", "sc-count", "sc-bytes", "c-transfer-duration",
                "c-duration-downloaded", "c-overdue", "c-observed-bitrate", "c-observed-min-bitrate",
                "c-observed-max-bitrate", "c-observed-deviation", "sc-indicated-bitrate",
                "sc-indicated-average-bitrate", "c-average-video-bitrate", "c-average-audio-bitrate",
                "c-switch-bitrate",
            ],
            events.map { event in
                [
                    event.uri, event.serverAddress ?? "", "\(event.numberOfServerAddressChanges)",
                    event.playbackSessionID, "\(event.playbackStartOffset)", event.playbackType,
                    "\(event.startupTime)", "\(event.durationWatched)", "\(event.numberOfStalls)",
                    "\(event.numberOfDroppedVideoFrames)", "\(event.numberOfMediaRequests)",
                    "\(event.numberOfBytesTransferred)", "\(event.transferDuration)",
                    "\(event.segmentsDownloadedDuration)", "\(event.downloadOverdue)", "\(event.observedBitrate)",
                    "\(event.observedMinBitrate)", "\(event.observedMaxBitrate)",
                    "\(event.observedBitrateStandardDeviation)", "\(event.indicatedBitrate)",
                    "\(event.indicatedAverageBitrate)", "\(event.averageVideoBitrate)",
                    "\(event.averageAudioBitrate)", "\(event.switchBitrate)",
                ]
            })
    }
}

/// The conversion of events into the W3C extended log file format.
enum ExtendedLog {
    /// Returns a log with a header and one line for each row. Empty fields become `-`.
    static func text(_ fields: [String], _ rows: [[String]]) -> String {
        // Spaces separate fields, so spaces inside a field become plus signs.
        let lines = rows.map { row in
            row.map { field in field.isEmpty ? "-" : String(field.map { $0.isWhitespace ? "+" : $0 }) }.joined(
                separator: " ")
        }
        return (["#Version: 1.0", "#Fields: " + fields.joined(separator: " ")] + lines).joined(separator: "\n") + "\n"
    }
}
