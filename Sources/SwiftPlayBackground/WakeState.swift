import BackgroundProtocol
import PushEncryption

/// Whether the program is open, its keys, and its running and newest completed notifications: a value.
struct WakeState {
    /// The most completed notifications that are remembered.
    static let completedLimit = 200
    var isInForeground = false
    /// The keys that decrypt notifications of servers; nil if such notifications are delivered as they arrive.
    var keys: PushKeys?
    /// The notifications whose completion handlers were not called.
    var runningNotifications: Set<Int64> = []
    /// The results of completed notifications, and their order.
    var results: [Int64: WakeResult] = [:], completedIDs: [Int64] = []

    /// What happens with a notification that has arrived.
    enum Arrival: Equatable {
        case new, running
        case completed(WakeResult)
    }

    /// Records that a notification has arrived. A service that was started again repeats notifications.
    mutating func handleArrival(_ id: Int64) -> Arrival {
        if let result = results[id] { return .completed(result) }
        return runningNotifications.insert(id).inserted ? .new : .running
    }

    /// Records the result of a notification.
    mutating func complete(_ id: Int64, _ result: WakeResult) {
        runningNotifications.remove(id)
        if results.updateValue(result, forKey: id) == nil { completedIDs.append(id) }
        if completedIDs.count > Self.completedLimit { results[completedIDs.removeFirst()] = nil }
    }
}
