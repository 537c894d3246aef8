import FoundationEssentials

/// The periods in which an item played (AVPlayerItemAccessLog).
public struct AccessLog: Sendable {
    /// A period of playback without a seek. Unknown numbers are negative.
    public struct Event: Sendable, Equatable {
        /// The path or address of the item.
        public var uri: String
        /// The address of the server; nil if it is unknown and for local files.
        public var serverAddress: String?
        /// An identifier that all events of one item share.
        public var playbackSessionID: String
        /// The date at which the period began; nil if it has not begun.
        public var playbackStartDate: Date?
        /// The time on the item's timeline at which the period began, in seconds.
        public var playbackStartOffset: Double
        /// The kind of the item: `FILE`, or `VOD` for an address.
        public var playbackType: String
        /// The time from opening the item to its first picture or audio, in seconds.
        public var startupTime = -1.0
        /// The duration of playback in seconds.
        public var durationWatched = 0.0
        /// How often playback stopped because media was missing.
        public var numberOfStalls = 0
        /// The number of bytes that were read in this period, and since the end of the previous period.
        public var numberOfBytesTransferred: Int64 = -1
        /// The rate at which bytes were read, in bits per second.
        public var observedBitrate = -1.0
        /// The bits per second that a playlist states for the variant.
        public var indicatedBitrate = -1.0
        /// The number of frames that were decoded and not shown.
        public var numberOfDroppedVideoFrames = 0
    }

    /// The events in the order in which their periods began.
    public let events: [Event]

    /// Returns the log as text, in the W3C extended log file format (AVPlayerItemAccessLog.extendedLogData()).
    public func extendedLogData() -> String {
        ExtendedLog.text(
            [
                "s-uri", "c-session-id", "c-start-offset", "s-playback-type", "c-startup-time", "c-duration-watched",
                "c-stalls", "sc-bytes", "c-frames-dropped",
            ],
            events.map { event in
                [
                    event.uri, event.playbackSessionID, "\(event.playbackStartOffset)", event.playbackType,
                    "\(event.startupTime)",
                    "\(event.durationWatched)", "\(event.numberOfStalls)", "\(event.numberOfBytesTransferred)",
                    "\(event.numberOfDroppedVideoFrames)",
                ]
            })
    }
}

/// The errors and warnings of an item (AVPlayerItemErrorLog).
public struct ErrorLog: Sendable {
    /// One error or warning.
    public struct Event: Sendable {
        /// The date at which the error occurred.
        public var date: Date
        /// The path or address of the item.
        public var uri: String
        /// The address of the server; nil if it is unknown and for local files.
        public var serverAddress: String?
        /// An identifier that all events of one item share.
        public var playbackSessionID: String
        /// The number of a ``PlaybackError/Code``; 0 for a warning.
        public var errorStatusCode: Int
        /// The name of the library that reports the error.
        public var errorDomain: String
        /// The message of the error.
        public var errorComment: String
    }

    /// The events in the order in which they occurred.
    public let events: [Event]

    /// Returns the log as text, in the W3C extended log file format (AVPlayerItemErrorLog.extendedLogData()).
    public func extendedLogData() -> String {
        ExtendedLog.text(
            ["s-uri", "c-session-id", "sc-status", "s-domain", "s-comment"],
            events.map { [$0.uri, $0.playbackSessionID, "\($0.errorStatusCode)", $0.errorDomain, $0.errorComment] })
    }
}

/// The conversion of events into the W3C extended log file format.
private enum ExtendedLog {
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

/// The access log and the error log of an item: a pure value. Times are host times in nanoseconds.
struct PlaybackLog: Sendable {
    /// The maximum number of events in each log. The oldest events are removed.
    static let eventLimit = 1000

    /// The events of the access log. The last event may not have ended yet.
    private(set) var access: [AccessLog.Event] = []
    /// The events of the error log.
    private(set) var errors: [ErrorLog.Event] = []
    /// Whether the last event of the access log has not ended yet.
    private var isLastEventOpen = false
    /// The host time since which the item plays; nil while it is paused.
    private var playingSince: Int64?
    /// The host time at which the item was opened, for the startup time.
    private var openedAt: Int64?
    /// The number of dropped frames that the player had counted when the current event began.
    private var droppedFramesBeforeEvent = 0
    /// The number of bytes of the current source that ended events have counted.
    private var bytesBeforeEvent: Int64 = 0
    /// The identifier that all events of the item share.
    let session = UUID().uuidString

    /// Records that the item was opened. Ends the current event, because the new source counts its bytes from 0.
    mutating func itemOpened(at now: Int64) {
        closePeriod(
            bytes: nil, dropped: droppedFramesBeforeEvent + (access.last?.numberOfDroppedVideoFrames ?? 0), at: now)
        (openedAt, bytesBeforeEvent) = (now, 0)
    }

    /// Records that playback started.
    ///
    /// - Parameters:
    ///   - offset: The time on the item's timeline, in nanoseconds.
    ///   - dropped: The number of frames that the player has dropped so far.
    /// - Returns: Whether a new event began.
    mutating func started(uri: String, offset: Int64, dropped: Int, at now: Int64) -> Bool {
        defer { playingSince = playingSince ?? now }
        guard !isLastEventOpen else { return false }
        var event = AccessLog.Event(
            uri: uri, playbackSessionID: session, playbackStartDate: Date.now,
            playbackStartOffset: Double(offset) / 1e9,
            playbackType: uri.contains("://") ? "VOD" : "FILE")
        if access.isEmpty, let openedAt { event.startupTime = Double(now - openedAt) / 1e9 }
        access.append(event)
        if access.count > Self.eventLimit { access.removeFirst() }
        isLastEventOpen = true
        droppedFramesBeforeEvent = dropped
        return true
    }

    /// Records that playback paused.
    mutating func stopped(dropped: Int, at now: Int64) {
        guard let since = playingSince.take(), isLastEventOpen, let last = access.indices.last else { return }
        access[last].durationWatched += Double(now - since) / 1e9
        access[last].numberOfDroppedVideoFrames = dropped - droppedFramesBeforeEvent
    }

    /// Counts a stall of playback in the access log's current event.
    mutating func stalled() { if isLastEventOpen, let last = access.indices.last { access[last].numberOfStalls += 1 } }

    /// Ends the current event, because of a seek or the item's end.
    ///
    /// - Parameter bytes: The number of bytes that the source has read so far. The event counts the bytes that earlier
    ///   events have not counted.
    mutating func closePeriod(bytes: Int64?, dropped: Int, at now: Int64) {
        stopped(dropped: dropped, at: now)
        if isLastEventOpen, let bytes, let last = access.indices.last {
            access[last].numberOfBytesTransferred = bytes - bytesBeforeEvent
            bytesBeforeEvent = bytes
        }
        isLastEventOpen = false
    }

    /// Records an error or a warning.
    ///
    /// - Parameter code: The number of a ``PlaybackError/Code``; 0 for a warning.
    mutating func failed(uri: String, code: Int, _ message: String) {
        errors.append(
            ErrorLog.Event(
                date: Date.now, uri: uri, serverAddress: nil, playbackSessionID: session, errorStatusCode: code,
                errorDomain: "SwiftPlay",
                errorComment: message))
        if errors.count > Self.eventLimit { errors.removeFirst() }
    }

    /// Returns all events of the access log, the current event as if it ended now.
    func snapshot(bytes: Int64?, at now: Int64) -> [AccessLog.Event] {
        guard isLastEventOpen, var last = access.last else { return access }
        if let playingSince { last.durationWatched += Double(now - playingSince) / 1e9 }
        if let bytes { last.numberOfBytesTransferred = bytes - bytesBeforeEvent }
        return access.dropLast() + [last]
    }
}
