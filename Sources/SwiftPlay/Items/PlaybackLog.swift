import FoundationEssentials
import HTTPTransfer
import MediaPipeline

/// The access log and the error log of an item: a pure value. Positions are times on the item's timeline and `now` is
/// the host time, both in nanoseconds.
///
/// A period of playback lasts from the start of playback to a seek or the item's end. It has one event, or in a stream
/// one event for each variant that was downloaded for the period.
struct PlaybackLog: Sendable {
    /// The maximum number of events in each log. The oldest events are removed.
    static let eventLimit = 1000

    /// An event of the access log.
    struct Entry: Sendable {
        /// The event as programs receive it.
        var event: AccessLog.Event
        /// The position at which the event begins.
        let startPosition: Int64
        /// The number of the source whose downloads the event counts. See ``PlaybackLog/sourceNumber``.
        let sourceNumber: Int
        /// The numbers of the download runs (downloads without a seek or a change of the variant) that the event
        /// counts; nil if there are none.
        var downloadRunNumbers: ClosedRange<Int>?
    }

    /// The properties of an item that each of its access log events contains.
    struct Item: Sendable, Equatable {
        /// The path or address of the item.
        var uri: String
        /// See ``AccessLog/Event/playbackType``.
        var type = "FILE"
    }

    /// The events of the access log.
    var entries: [Entry] = []
    /// The events of the error log.
    private(set) var errors: [ErrorLog.Event] = []
    /// The number of ``entries``, counted from the end, that belong to the current period of playback; 0 between two
    /// periods.
    private(set) var currentPeriodEntryCount = 0
    /// The properties of the item that each new event contains.
    private(set) var item = Item(uri: "")
    /// The position and host time up to which the events count playback; nil while the item is paused.
    private var countedUntil: (position: Int64, hostTime: Int64)?
    /// The last position that the events of the current period have counted; nil between two periods. After a stall,
    /// playback continues from an earlier position if the clock has run on before the stall was noticed.
    private var lastCountedPosition: Int64?
    /// The host time at which the item was opened, for the startup time.
    private var openingTime: Int64?
    /// The host time at which the item became ready to play; nil before that.
    private var readyTime: Int64?
    /// The number of dropped frames that the events have counted so far.
    private var loggedDroppedFrameCount = 0
    /// The number of bytes read from a local file that the events of earlier periods have counted.
    private var loggedByteCount: Int64 = 0
    /// The number of the item's source, from 0: it increases each time the item is opened.
    private(set) var sourceNumber = 0
    /// The download runs that no entry counts yet.
    var uncountedDownloads: [DownloadRun] = []
    /// The identifier that all events of the item share.
    let sessionID = UUID().uuidString

    // MARK: Playback

    /// Records that the item was opened. Ends the current period of playback, because the new source counts its bytes
    /// from 0.
    mutating func recordOpening(at now: Int64) {
        closePeriod(at: nil, byteCount: nil, droppedFrameCount: loggedDroppedFrameCount, now: now)
        (openingTime, readyTime, loggedByteCount, uncountedDownloads) = (now, nil, 0, [])
        sourceNumber += 1
    }

    /// Records that the item is ready to play.
    mutating func recordReadiness(at now: Int64) { readyTime = readyTime ?? now }

    /// Records that playback started.
    ///
    /// - Parameters:
    ///   - droppedFrameCount: The number of frames that the player has dropped so far.
    /// - Returns: The number of new events.
    mutating func recordStart(of item: Item, at position: Int64, droppedFrameCount: Int, now: Int64) -> Int {
        if countedUntil == nil { countedUntil = (max(position, lastCountedPosition ?? position), now) }
        guard currentPeriodEntryCount == 0 else { return 0 }
        (self.item, loggedDroppedFrameCount) = (item, droppedFrameCount)
        // Downloads from before the last seek belong to the new event, too: no other event has counted them.
        let currentRunIndex = uncountedDownloads.lastIndex { !$0.isVariantChange } ?? 0
        add(uncountedDownloads.prefix(currentRunIndex + 1), at: position)
        entries[entries.count - 1].event.playbackStartDate = Date.now
        if entries.count == 1, let openingTime, let readyTime {
            entries[0].event.startupTime = Double(readyTime - openingTime) / 1e9
        }
        uncountedDownloads.removeFirst(min(currentRunIndex + 1, uncountedDownloads.count))
        return 1 + addEventsForUncountedDownloads()
    }

    /// Adds the playback time and the dropped frames since the last call to the events of the current period.
    ///
    /// - Parameter position: The current position; if it is nil (unknown), playback at rate 1 since the last call is
    ///   assumed.
    mutating func advance(to position: Int64?, droppedFrameCount: Int, now: Int64) {
        guard let lastCount = countedUntil, currentPeriodEntryCount > 0 else { return }
        let position = max(lastCount.position, position ?? lastCount.position &+ (now &- lastCount.hostTime))
        (countedUntil, lastCountedPosition) = ((position, now), position)
        let entryIndex = currentPeriodEntryIndex(at: lastCount.position)
        entries[entryIndex].event.numberOfDroppedVideoFrames += max(0, droppedFrameCount - loggedDroppedFrameCount)
        loggedDroppedFrameCount = droppedFrameCount
        var end = position
        for index in entries.indices.suffix(currentPeriodEntryCount).reversed() {
            let isFirst = index == entries.count - currentPeriodEntryCount
            let start = isFirst ? lastCount.position : max(lastCount.position, entries[index].startPosition)
            if start < end { entries[index].event.durationWatched += Double(end - start) / 1e9 }
            if entries[index].startPosition <= position, entries[index].event.playbackStartDate == nil {
                entries[index].event.playbackStartDate = Date.now
            }
            end = min(end, start)
        }
    }

    /// Records that playback has paused or stopped.
    mutating func recordStop(at position: Int64?, droppedFrameCount: Int, now: Int64) {
        advance(to: position, droppedFrameCount: droppedFrameCount, now: now)
        countedUntil = nil
    }

    /// Counts a stall of playback.
    mutating func recordStall(at position: Int64) {
        if currentPeriodEntryCount > 0 { entries[currentPeriodEntryIndex(at: position)].event.numberOfStalls += 1 }
    }

    /// Ends the current period of playback, because of a seek or the item's end.
    ///
    /// - Parameter byteCount: The number of bytes read from a local file so far; nil for items from the network.
    mutating func closePeriod(at position: Int64?, byteCount: Int64?, droppedFrameCount: Int, now: Int64) {
        recordStop(at: position, droppedFrameCount: droppedFrameCount, now: now)
        if currentPeriodEntryCount > 0, let byteCount {
            setByteCount(byteCount)
            loggedByteCount = byteCount
        }
        (currentPeriodEntryCount, lastCountedPosition) = (0, nil)
    }

    /// Sets the number of bytes read from a local file so far.
    mutating func setByteCount(_ byteCount: Int64) {
        guard currentPeriodEntryCount > 0 else { return }
        entries[entries.count - 1].event.numberOfBytesTransferred = byteCount - loggedByteCount
    }

    /// Returns the first position after `position` at which another event of the current period of playback begins; nil
    /// if there is none.
    func nextEventStart(after position: Int64) -> Int64? {
        entries.suffix(currentPeriodEntryCount).map(\.startPosition).filter { $0 > position }.min()
    }

    /// Returns the index of the entry of the current period of playback that contains a position.
    private func currentPeriodEntryIndex(at position: Int64) -> Int {
        let indices = entries.indices.suffix(currentPeriodEntryCount)
        return indices.last { entries[$0].startPosition <= position } ?? indices.startIndex
    }

    // MARK: Events

    /// Adds an access log event that counts the given download runs and begins at `position`.
    mutating func add(_ runs: ArraySlice<DownloadRun>, at position: Int64) {
        let event = AccessLog.Event(
            uri: item.uri, playbackSessionID: sessionID, playbackStartOffset: Double(position) / 1e9,
            playbackType: item.type)
        var entry = Entry(event: event, startPosition: position, sourceNumber: sourceNumber)
        if let firstRun = runs.first, let lastRun = runs.last {
            entry.downloadRunNumbers = firstRun.number...lastRun.number
            entry.event.setDownloads(runs.dropFirst().reduce(into: firstRun) { $0.add($1) })
        }
        entries.append(entry)
        currentPeriodEntryCount += 1
        if entries.count > Self.eventLimit {
            entries.removeFirst()
            currentPeriodEntryCount = min(currentPeriodEntryCount, entries.count)
        }
    }

    /// Records an error or a warning.
    ///
    /// - Parameter code: The number of a ``PlaybackError/Code``; 0 for a warning.
    mutating func recordError(uri: String, code: Int, _ message: String) {
        add(
            ErrorLog.Event(
                date: Date.now, uri: uri, serverAddress: nil, playbackSessionID: sessionID, errorStatusCode: code,
                errorDomain: ErrorLog.Event.playbackDomain, errorComment: message))
    }

    /// Records a failed request.
    mutating func recordFailure(_ failure: TransferFailure) { add(ErrorLog.Event(failure, sessionID: sessionID)) }

    /// Adds an event to the error log. Removes the oldest event if the log is full.
    private mutating func add(_ error: ErrorLog.Event) {
        errors.append(error)
        if errors.count > Self.eventLimit { errors.removeFirst() }
    }
}
