/// Decides when the audio sessions of a program that a signal has stopped are suspended and resumed. A pure value.
struct StopDetector: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case suspend(client: UInt64)
        case resume(client: UInt64)
    }

    /// Nanoseconds for which a program must be stopped before its sessions are suspended. Debuggers and users often
    /// stop a program for a shorter time.
    static let patience: Int64 = 3_000_000_000

    private struct Stop: Equatable {
        let since: Int64
        var isSuspended = false
    }

    private var stops: [UInt64: Stop] = [:]

    /// The programs whose sessions are suspended. They are observed until they run again.
    var suspended: Set<UInt64> { Set(stops.filter(\.value.isSuspended).keys) }

    /// Handles the states of the observed programs. Forgets all other programs: if one is observed again, the time of
    /// its stop starts anew.
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
