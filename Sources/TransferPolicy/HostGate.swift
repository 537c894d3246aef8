/// The hosts that asked for fewer requests.
///
/// A reply with status 429 or 503 closes the host for all transfers. When the time has passed, one transfer probes the
/// host; its reply opens the host or closes it again.
package struct HostGate: Hashable, Sendable {
    /// What a host permits.
    package enum State: Hashable, Sendable {
        /// The host accepts transfers.
        case open
        /// The host accepts no transfers until this boot time.
        case closed(until: Duration)
        /// The time has passed, and one transfer may probe the host.
        case probe
        /// A transfer probes the host until this boot time at the latest; other transfers wait.
        case probing(until: Duration)
    }

    /// The most hosts that are remembered. If more hosts close, the host that opens first is forgotten.
    package static let hostLimit = 1024
    /// The delay after the first closing reply without `Retry-After`; it doubles with each further reply.
    package static let firstDelay = Duration.seconds(5)
    /// The longest delay without `Retry-After`.
    package static let longestDelay = Duration.seconds(3600)
    /// The time after which a probe without a reply counts as lost.
    package static let probeTimeout = Duration.seconds(120)

    private struct Closure: Hashable, Sendable {
        var end: Duration
        var count: Int
        var probeEnd: Duration?
    }

    private var closures: [String: Closure] = [:]

    package init() {}

    /// The number of hosts that are closed or probed.
    package var closedHostCount: Int { closures.count }

    /// Returns what a host permits now.
    package func state(of host: String, now: Duration) -> State {
        guard let closure = closures[host] else { return .open }
        if let probeEnd = closure.probeEnd, now < probeEnd { return .probing(until: probeEnd) }
        return now < closure.end ? .closed(until: closure.end) : .probe
    }

    /// Returns the time at which the state of a closed host changes, or nil for an open host.
    package func nextChange(of host: String, now: Duration) -> Duration? {
        switch state(of: host, now: now) {
        case .open: nil
        case .probe: now
        case .closed(let end), .probing(let end): end
        }
    }

    /// Closes a host after a reply with status 429 or 503.
    /// - Parameters:
    ///   - retryAfter: the server's `Retry-After`, or nil.
    ///   - now: the current boot time.
    /// - Returns: the boot time at which one transfer may probe the host.
    @discardableResult
    package mutating func close(_ host: String, retryAfter: Duration?, now: Duration) -> Duration {
        let old = closures[host]
        // Replies to requests that were sent before the host closed count as one.
        let isNew = old.map { $0.probeEnd != nil || now >= $0.end } ?? true
        let count = (old?.count ?? 0) + (isNew ? 1 : 0)
        let doublings = min(max(count - 1, 0), 20)
        let backoff = min(Self.firstDelay * (1 << doublings), Self.longestDelay)
        let delay = retryAfter.map { RetryPolicy.clampedRetryAfter($0) } ?? backoff
        let end = isNew ? now + delay : max(now + delay, old?.end ?? now)
        closures[host] = Closure(end: end, count: count, probeEnd: nil)
        if closures.count > Self.hostLimit, let first = closures.min(by: { $0.value.end < $1.value.end }) {
            closures[first.key] = nil
        }
        return end
    }

    /// Records the start of a transfer. If the host is waiting for a probe, this transfer is the probe.
    package mutating func handleStart(_ host: String, now: Duration) {
        if state(of: host, now: now) == .probe { closures[host]?.probeEnd = now + Self.probeTimeout }
    }

    /// Opens a host after a reply that does not ask for fewer requests.
    package mutating func open(_ host: String) { closures[host] = nil }

    /// Permits another probe after a probe that ended without a reply.
    package mutating func handleFailure(_ host: String) { closures[host]?.probeEnd = nil }
}
