import FoundationEssentials

/// What ``PlayerItem/accessLog()`` gives: how playing went, a period an event.
public struct AccessLog: Sendable {
    /// One period of playing without a seek in it. Numbers that are not known are negative.
    public struct Event: Sendable, Equatable {
        /// The path or address of the item.
        public var uri: String
        /// The address of the server; nil if it is unknown and for local files.
        public var serverAddress: String?
        /// An identifier that all events of one item share.
        public var playbackSessionID: String
        /// The date at which the period began; nil if it has not begun.
        public var playbackStartDate: Date?
        /// Where on the item's timeline the period began, seconds.
        public var playbackStartOffset: Double
        /// `FILE` or `VOD`.
        public var playbackType: String
        /// Seconds from opening the item to its first picture or sound.
        public var startupTime = -1.0
        /// Seconds of playing.
        public var durationWatched = 0.0
        /// How often playback stopped because media was missing.
        public var numberOfStalls = 0
        /// Bytes that were read in this period, and before it if they had not been counted in another period.
        public var numberOfBytesTransferred: Int64 = -1
        /// Bits a second.
        public var observedBitrate = -1.0
        /// The bits per second that a playlist states for the variant.
        public var indicatedBitrate = -1.0
        /// The number of frames that were decoded and not shown.
        public var numberOfDroppedVideoFrames = 0
    }

    /// The events in the order in which their periods began.
    public let events: [Event]

    /// As text, in the W3C extended log format.
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

/// What ``PlayerItem/errorLog()`` gives. Entries need not be fatal.
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
        /// ``PlaybackError/Code``'s number; 0 for a warning.
        public var errorStatusCode: Int
        /// The name of the library that reports the error.
        public var errorDomain: String
        /// The message of the error.
        public var errorComment: String
    }

    /// The events in the order in which they occurred.
    public let events: [Event]

    /// As text, in the W3C extended log format.
    public func extendedLogData() -> String {
        ExtendedLog.text(
            ["s-uri", "c-session-id", "sc-status", "s-domain", "s-comment"],
            events.map { [$0.uri, $0.playbackSessionID, "\($0.errorStatusCode)", $0.errorDomain, $0.errorComment] })
    }
}

private enum ExtendedLog {
    static func text(_ fields: [String], _ rows: [[String]]) -> String {
        // Spaces separate fields: inside of one they become plus signs, as the format has it.
        let lines = rows.map { row in
            row.map { field in field.isEmpty ? "-" : String(field.map { $0.isWhitespace ? "+" : $0 }) }.joined(
                separator: " ")
        }
        return (["#Version: 1.0", "#Fields: " + fields.joined(separator: " ")] + lines).joined(separator: "\n") + "\n"
    }
}

/// An item's own books: a pure value; times are host nanoseconds.
struct PlaybackLog: Sendable {
    /// The oldest go beyond so many.
    static let mostEvents = 1000

    private(set) var access: [AccessLog.Event] = []
    private(set) var errors: [ErrorLog.Event] = []
    private var isOpen = false
    private var playingSince: Int64?
    private var openedAt: Int64?
    private var droppedBefore = 0
    /// Bytes that belong to events that are over, of all that the present source has read.
    private var bytesBefore: Int64 = 0
    let session = UUID().uuidString

    /// Another source begins to count its bytes; the event of the former one is over.
    mutating func itemOpened(at now: Int64) {
        closePeriod(bytes: nil, dropped: droppedBefore + (access.last?.numberOfDroppedVideoFrames ?? 0), at: now)
        (openedAt, bytesBefore) = (now, 0)
    }

    /// Playing moves from now on.
    ///
    /// - Returns: whether an event was begun.
    mutating func started(uri: String, offset: Int64, dropped: Int, at now: Int64) -> Bool {
        defer { playingSince = playingSince ?? now }
        guard !isOpen else { return false }
        var event = AccessLog.Event(
            uri: uri, playbackSessionID: session, playbackStartDate: Date.now,
            playbackStartOffset: Double(offset) / 1e9,
            playbackType: uri.contains("://") ? "VOD" : "FILE")
        if access.isEmpty, let openedAt { event.startupTime = Double(now - openedAt) / 1e9 }
        access.append(event)
        if access.count > Self.mostEvents { access.removeFirst() }
        isOpen = true
        droppedBefore = dropped
        return true
    }

    /// Playing stands.
    mutating func stopped(dropped: Int, at now: Int64) {
        guard let since = playingSince.take(), isOpen, let last = access.indices.last else { return }
        access[last].durationWatched += Double(now - since) / 1e9
        access[last].numberOfDroppedVideoFrames = dropped - droppedBefore
    }

    mutating func stalled() { if isOpen, let last = access.indices.last { access[last].numberOfStalls += 1 } }

    /// Ends the event: there is a seek, or the item is over.
    ///
    /// - Parameter bytes: what the source has read so far. What no event has counted yet belongs to this one.
    mutating func closePeriod(bytes: Int64?, dropped: Int, at now: Int64) {
        stopped(dropped: dropped, at: now)
        if isOpen, let bytes, let last = access.indices.last {
            access[last].numberOfBytesTransferred = bytes - bytesBefore
            bytesBefore = bytes
        }
        isOpen = false
    }

    /// - Parameter code: 0 for a warning.
    mutating func failed(uri: String, code: Int, _ message: String) {
        errors.append(
            ErrorLog.Event(
                date: Date.now, uri: uri, serverAddress: nil, playbackSessionID: session, errorStatusCode: code,
                errorDomain: "SwiftPlay",
                errorComment: message))
        if errors.count > Self.mostEvents { errors.removeFirst() }
    }

    /// As it would be if the period ended now.
    func snapshot(bytes: Int64?, at now: Int64) -> [AccessLog.Event] {
        guard isOpen, var last = access.last else { return access }
        if let playingSince { last.durationWatched += Double(now - playingSince) / 1e9 }
        if let bytes { last.numberOfBytesTransferred = bytes - bytesBefore }
        return access.dropLast() + [last]
    }
}
