import LedgerStore
import PushPolicy
import SystemCalls
import WireFormat

/// The form in which the ledger stores the rate, the counters and the newest identifiers of a program. The messages
/// have rows of their own.
extension PushQueue {
    /// Returns the stored form.
    /// - Parameter now: The current boot time.
    func stored(now: Duration) -> [UInt8] {
        var writer = MessageWriter()
        writer.write(UInt8(clamping: bucket.count))
        writer.write((now - bucket.refillTime).clampedNanoseconds)
        for count in [
            counters.received, counters.delivered, counters.replaced, counters.duplicates, counters.refused,
        ] { writer.write(Int64(count)) }
        writer.write(UInt8(clamping: recentIDs.count))
        for id in recentIDs { writer.writeText(id) }
        return writer.bytes
    }

    /// Creates the queue of a stored program; the rate and counters of a new one if nothing valid is stored.
    /// - Parameters:
    ///   - pending: The waiting messages, oldest first.
    ///   - passed: The time since the queue was stored.
    ///   - now: The current boot time.
    init(stored bytes: [UInt8], pending: [Message], isForceQuit: Bool, passed: Duration, now: Duration) {
        var reader = MessageReader(bytes)
        let stored = try? Self.read(&reader, storedTime: now - passed, now: now)
        self.init(
            bucket: stored?.bucket ?? PushBucket(), pending: pending, recentIDs: stored?.ids ?? [],
            counters: stored?.counters ?? Counters(), isForceQuit: isForceQuit)
    }

    private static func read(
        _ reader: inout MessageReader, storedTime: Duration, now: Duration
    ) throws(MalformedMessage) -> (bucket: PushBucket, counters: Counters, ids: [String]) {
        let count = Int(try reader.read(UInt8.self))
        let refillTime = min(storedTime - .nanoseconds(try reader.read(Int64.self)), now)
        var counters = Counters()
        counters.received = Int(try reader.read(Int64.self))
        counters.delivered = Int(try reader.read(Int64.self))
        counters.replaced = Int(try reader.read(Int64.self))
        counters.duplicates = Int(try reader.read(Int64.self))
        counters.refused = Int(try reader.read(Int64.self))
        var ids: [String] = []
        for _ in 0..<(try reader.read(UInt8.self)) { ids.append(try reader.readText(limit: keyByteLimit)) }
        try reader.expectEnd()
        return (PushBucket(count: count, refillTime: refillTime), counters, ids)
    }
}
