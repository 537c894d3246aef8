/// The notifications of one program: which of them wake it at once, which wait, and which are dropped.
///
/// The ledger stores the queue in the same transaction as a received message, before it performs the decision.
package struct PushQueue: Hashable, Sendable {
    /// A received notification.
    package struct Message: Hashable, Sendable {
        /// The identifier that the sender or the server gave the message.
        package let id: String
        package let payload: PushPayload
        /// A newer message with the same key replaces an older one that waits.
        package let collapseKey: String
        /// Whether the message wakes the program as soon as a wake is free. Other messages wait for a wake for another
        /// reason, but at most ``longestDelay``.
        package let isUrgent: Bool
        /// The boot time at which the message was received.
        package let receivedTime: Duration

        package init(
            id: String, payload: PushPayload, collapseKey: String = "", isUrgent: Bool = true,
            receivedTime: Duration = .zero
        ) {
            (self.id, self.payload, self.collapseKey) = (id, payload, collapseKey)
            (self.isUrgent, self.receivedTime) = (isUrgent, receivedTime)
        }

        /// The time from which on the message wakes the program.
        fileprivate var wakeTime: Duration { isUrgent ? receivedTime : receivedTime + PushQueue.longestDelay }
    }

    /// What happens with a received message.
    package enum Decision: Hashable, Sendable {
        /// The message is given to the program, which is woken for it.
        case deliver(Message)
        /// The message waits; the value is the identifier of the message that it replaced, or nil.
        case wait(replacing: String?)
        /// The message was received before.
        case ignoreDuplicate
        /// The sender exceeds the limit; it may try again after the delay.
        case refuse(retryAfter: Duration)
    }

    /// What happens with a received message that only has an alert.
    package enum AlertDecision: Hashable, Sendable {
        case show
        /// The message was received before.
        case ignoreDuplicate
        /// The sender exceeds the limit; it may try again after the delay.
        case refuse(retryAfter: Duration)
    }

    /// The numbers of messages since the program registered.
    package struct Counters: Hashable, Sendable {
        package var received = 0
        package var delivered = 0
        package var replaced = 0
        package var duplicates = 0
        package var refused = 0

        package init() {}
    }

    /// The identifiers that are remembered to recognise duplicates.
    package static let duplicateWindow = 200
    /// The most messages that wait, each with its own collapse key.
    package static let pendingLimit = 8
    /// The most messages within a minute that are accepted.
    package static let messagesPerMinute = 600
    /// The longest time for which a message that is not urgent waits for a wake for another reason.
    package static let longestDelay = PushBucket.refillInterval
    /// The longest identifier and collapse key that are compared; longer ones are cut.
    package static let keyByteLimit = 128

    package private(set) var bucket: PushBucket
    /// The waiting messages, oldest first.
    package private(set) var pending: [Message] = []
    package private(set) var counters = Counters()
    /// Whether the user has closed the program for good: it is not woken until the user opens it.
    package private(set) var isForceQuit = false
    package private(set) var isInForeground = false
    /// The newest identifiers, oldest first.
    package private(set) var recentIDs: [String] = []
    private var minuteStart = Duration.zero
    private var minuteCount = 0

    package init(bucket: PushBucket = PushBucket()) { self.bucket = bucket }

    /// Creates the queue of a stored program.
    package init(
        bucket: PushBucket, pending: [Message], recentIDs: [String], counters: Counters = Counters(), isForceQuit: Bool
    ) {
        self.bucket = bucket
        self.counters = counters
        self.pending = pending.suffix(Self.pendingLimit)
        self.recentIDs = recentIDs.suffix(Self.duplicateWindow)
        self.isForceQuit = isForceQuit
    }

    /// Handles a received message.
    /// - Parameter now: the current boot time.
    package mutating func receive(_ message: Message, now: Duration) -> Decision {
        switch admit(message.id, now: now) {
        case .ignoreDuplicate: return .ignoreDuplicate
        case .refuse(let delay): return .refuse(retryAfter: delay)
        case .show: break
        }
        // An open program receives every message; that costs no wake.
        if isInForeground || (!isForceQuit && pending.isEmpty && message.isUrgent && bucket.take(now: now)) {
            counters.delivered += 1
            return .deliver(message)
        }
        return .wait(replacing: store(message))
    }

    /// Handles a received message that only has an alert: it wakes no program.
    package mutating func receiveAlert(_ id: String, now: Duration) -> AlertDecision {
        let decision = admit(id, now: now)
        if decision == .show { counters.delivered += 1 }
        return decision
    }

    /// Counts a message, and returns whether it is accepted.
    private mutating func admit(_ identifier: String, now: Duration) -> AlertDecision {
        if let delay = floodDelay(now: now) {
            counters.refused += 1
            return .refuse(retryAfter: delay)
        }
        let id = Self.shortened(identifier)
        guard !recentIDs.contains(id) else {
            counters.duplicates += 1
            return .ignoreDuplicate
        }
        recentIDs.append(id)
        if recentIDs.count > Self.duplicateWindow { recentIDs.removeFirst() }
        counters.received += 1
        return .show
    }

    /// Returns the waiting messages for a program that is awake for another reason, and removes them.
    package mutating func takeForWake() -> [Message] { isForceQuit ? [] : takeAll() }

    /// Records that the user has opened the program, and returns the waiting messages. They cost no wake.
    package mutating func handleForeground() -> [Message] {
        isForceQuit = false
        isInForeground = true
        return takeAll()
    }

    package mutating func handleBackground() { isInForeground = false }

    /// Records that the user has closed the program for good. Only the newest waiting message is kept.
    package mutating func handleForceQuit() {
        isForceQuit = true
        isInForeground = false
        counters.replaced += max(0, pending.count - 1)
        pending = pending.suffix(1)
    }

    /// Returns the boot time at which the waiting messages wake the program, or nil.
    package func nextDelivery(now: Duration) -> Duration? {
        guard !isForceQuit, let time = pending.map(\.wakeTime).min() else { return nil }
        return max(time, bucket.nextTime(now: now))
    }

    /// Returns the waiting messages if a wake is free: one wake delivers all of them.
    package mutating func takeDue(now: Duration) -> [Message] {
        guard let time = nextDelivery(now: now), time <= now, bucket.take(now: now) else { return [] }
        return takeAll()
    }

    /// Records that a delivered message was not acknowledged. It waits again, unless a newer message replaces it.
    ///
    /// - Parameter wasStarted: whether the wake of the delivery has taken place. Otherwise it costs nothing.
    /// - Returns: false if a newer message replaces the message.
    package mutating func handleFailedDelivery(_ message: Message, wasStarted: Bool) -> Bool {
        counters.delivered -= 1
        if !wasStarted, !isInForeground { bucket.giveBack() }
        let key = Self.shortened(message.collapseKey)
        if pending.contains(where: { isForceQuit || Self.shortened($0.collapseKey) == key }) {
            counters.replaced += 1
            return false
        }
        pending.insert(message, at: 0)
        return true
    }

    /// Removes a waiting message, because an earlier delivery was acknowledged late.
    package mutating func remove(_ id: String) { pending.removeAll { $0.id == id } }

    private mutating func takeAll() -> [Message] {
        defer { pending = [] }
        counters.delivered += pending.count
        return pending
    }

    /// Stores a message, and returns the identifier of the message that it replaced.
    private mutating func store(_ message: Message) -> String? {
        let key = Self.shortened(message.collapseKey)
        // Of a program that was closed for good, only the newest message is kept.
        let isSame = { (other: Message) in isForceQuit || Self.shortened(other.collapseKey) == key }
        var replaced: Message?
        if let index = pending.firstIndex(where: isSame) {
            replaced = pending.remove(at: index)
        } else if pending.count >= Self.pendingLimit {
            replaced = pending.removeFirst()
        }
        if replaced != nil { counters.replaced += 1 }
        pending.append(message)
        return replaced?.id
    }

    /// Counts a message, and returns the rest of the minute if it exceeds the limit.
    private mutating func floodDelay(now: Duration) -> Duration? {
        let minute = Duration.seconds(60)
        if now - minuteStart >= minute || now < minuteStart {
            minuteStart = now
            minuteCount = 0
        }
        minuteCount += 1
        return minuteCount > Self.messagesPerMinute ? minuteStart + minute - now : nil
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= keyByteLimit ? text : String(decoding: text.utf8.prefix(keyByteLimit), as: UTF8.self)
    }
}
