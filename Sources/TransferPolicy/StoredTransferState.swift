/// A transfer state in the form in which a database stores it: a name, and at most one number.
package struct StoredTransferState: Hashable, Sendable {
    /// The stable name of the state, with a reason after a colon, such as `waiting:disk`.
    package let name: String
    /// The error number or the end of a delay in nanoseconds of boot time; nil for states without either.
    package let number: Int64?

    package init(name: String, number: Int64?) {
        self.name = name
        self.number = number
    }

    /// Creates the stored form of a state.
    package init(_ state: TransferState) {
        switch state {
        case .created: self.init(name: "created", number: nil)
        case .queued: self.init(name: "queued", number: nil)
        case .waiting(let reason):
            self.init(name: "waiting:" + Self.name(of: reason), number: Self.number(of: reason))
        case .connecting: self.init(name: "connecting", number: nil)
        case .receiving: self.init(name: "receiving", number: nil)
        case .verifying: self.init(name: "verifying", number: nil)
        case .finishing: self.init(name: "finishing", number: nil)
        case .finished: self.init(name: "finished", number: nil)
        case .delivered: self.init(name: "delivered", number: nil)
        case .paused: self.init(name: "paused", number: nil)
        case .failed(let failure): self.init(name: "failed:" + Self.name(of: failure), number: Self.number(of: failure))
        case .cancelled: self.init(name: "cancelled", number: nil)
        }
    }

    /// The state, or nil if the name is unknown or the number is missing or out of range.
    package var state: TransferState? {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return Self.plainStates.first { StoredTransferState($0) == self } }
        switch parts[0] {
        case "waiting": return reason(named: parts[1]).map { .waiting($0) }
        case "failed": return failure(named: parts[1]).map { .failed($0) }
        default: return nil
        }
    }

    private static let plainStates: [TransferState] = [
        .created, .queued, .connecting, .receiving, .verifying, .finishing, .finished, .delivered, .paused, .cancelled,
    ]

    private static func name(of reason: WaitingReason) -> String {
        switch reason {
        case .network: "network"
        case .portal: "portal"
        case .signInPage: "page"
        case .metered: "metered"
        case .power: "power"
        case .time: "time"
        case .hostSlots: "slots"
        case .disk: "disk"
        case .publication: "publication"
        case .relaunchDelay: "relaunch"
        case .retry: "retry"
        case .credentials: "credentials"
        }
    }

    private static func number(of reason: WaitingReason) -> Int64? {
        switch reason {
        case .disk(let errorNumber), .publication(let errorNumber): Int64(errorNumber)
        default: reason.end.map { $0.clampedNanoseconds }
        }
    }

    private static func name(of failure: TransferFailure) -> String {
        switch failure {
        case .resourceTimeout: "timeout"
        case .badServerResponse: "response"
        case .tooManyRedirects: "redirects"
        case .redirectRefused: "redirect"
        case .unsupportedURL: "url"
        case .certificate: "certificate"
        case .digestMismatch: "digest"
        case .tooLarge: "size"
        case .directoryChanged: "directory"
        case .unreadableFile: "upload"
        case .unsupportedStream: "stream"
        case .cannotWrite: "write"
        }
    }

    private static func number(of failure: TransferFailure) -> Int64? {
        if case .cannotWrite(let errorNumber) = failure { return Int64(errorNumber) }
        return nil
    }

    private func reason(named name: Substring) -> WaitingReason? {
        switch (name, number) {
        case ("network", nil): .network
        case ("portal", nil): .portal
        case ("metered", nil): .metered
        case ("power", nil): .power
        case ("slots", nil): .hostSlots
        case ("credentials", nil): .credentials
        case ("page", .some(let number)): .signInPage(until: .nanoseconds(number))
        case ("time", .some(let number)): .time(until: .nanoseconds(number))
        case ("relaunch", .some(let number)): .relaunchDelay(until: .nanoseconds(number))
        case ("retry", .some(let number)): .retry(until: .nanoseconds(number))
        case ("disk", .some(let number)): Int32(exactly: number).map { .disk(errorNumber: $0) }
        case ("publication", .some(let number)): Int32(exactly: number).map { .publication(errorNumber: $0) }
        default: nil
        }
    }

    private func failure(named name: Substring) -> TransferFailure? {
        switch (name, number) {
        case ("timeout", nil): .resourceTimeout
        case ("response", nil): .badServerResponse
        case ("redirects", nil): .tooManyRedirects
        case ("redirect", nil): .redirectRefused
        case ("url", nil): .unsupportedURL
        case ("certificate", nil): .certificate
        case ("digest", nil): .digestMismatch
        case ("size", nil): .tooLarge
        case ("directory", nil): .directoryChanged
        case ("upload", nil): .unreadableFile
        case ("stream", nil): .unsupportedStream
        case ("write", .some(let number)): Int32(exactly: number).map { .cannotWrite(errorNumber: $0) }
        default: nil
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range of the type.
    package var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isOutOfRange) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isOutOfRange ? (seconds < 0 ? .min : .max) : sum
    }
}
