/// Decides when a program that a signal stopped loses its sound, and when it gets it back. A pure value.
struct StopDetector: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case suspend(client: UInt64)
        case resume(client: UInt64)
    }

    /// Nanoseconds for which a program must be stopped. A shorter stop is the affair of its user or its debugger.
    static let patience: Int64 = 3_000_000_000

    private struct Stop: Equatable {
        let since: Int64
        var isSuspended = false
    }

    private var stops: [UInt64: Stop] = [:]

    /// Programs whose sessions are suspended: they are observed until they run again.
    var suspended: Set<UInt64> { Set(stops.filter(\.value.isSuspended).keys) }

    /// Takes in the state of the observed programs. A program that is not among them is forgotten: the next stop is
    /// counted from its beginning.
    mutating func look(_ isStopped: [UInt64: Bool], now: Int64) -> [Action] {
        stops = stops.filter { isStopped[$0.key] != nil }
        return isStopped.sorted { $0.key < $1.key }.compactMap { client, isStopped in
            guard isStopped else {
                return stops.removeValue(forKey: client)?.isSuspended == true ? .resume(client: client) : nil
            }
            let stop = stops[client, default: Stop(since: now)]
            let isNew = !stop.isSuspended && now - stop.since >= Self.patience
            stops[client] = Stop(since: stop.since, isSuspended: stop.isSuspended || isNew)
            return isNew ? .suspend(client: client) : nil
        }
    }
}
