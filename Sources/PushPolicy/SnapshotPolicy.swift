/// The times at which the picture of one program in the overview is taken, and when it is deleted.
package struct SnapshotPolicy: Hashable, Sendable {
    /// The shortest time between two pictures.
    package static let shortestInterval = Duration.seconds(10)
    /// The time for which a picture is kept without a new one.
    package static let longestAge = Duration.seconds(30 * 24 * 3600)

    package enum Input: Hashable, Sendable {
        /// The program has returned from its method for entering the background, or its time for that has passed.
        case enteredBackground
        /// A fetch, a notification or the events of transfers have been completed.
        case completedWork
        /// The program has drawn the picture; the value is a digest of its pixels.
        case drew(digest: UInt64)
        /// The session or layer is private now, or no longer.
        case privacyChanged(isPrivate: Bool)
        /// The program asks not to show the picture at its next launch.
        case ignoreOnNextLaunch
        /// The program starts.
        case launched
        /// The registration of the program was removed.
        case removed
        case timer
    }

    package enum Action: Hashable, Sendable {
        /// Ask the program for a picture.
        case request
        /// Write the picture that the program has drawn.
        case write
        case delete
        /// Send ``Input/timer`` at this boot time.
        case setTimer(Duration)
    }

    /// Whether the program has a picture.
    package private(set) var hasPicture = false
    package private(set) var isPrivate = false
    /// The digest of the written picture.
    private var digest: UInt64?
    private var lastRequest: Duration?
    private var lastWrite: Duration
    /// Whether a picture was requested too early after the last one.
    private var isRequestPending = false
    private var isIgnoredOnNextLaunch: Bool

    /// Creates the state of a program.
    ///
    /// - Parameters:
    ///   - hasPicture: Whether an earlier run has left a picture.
    ///   - isIgnoredOnNextLaunch: Whether an earlier run has sent ``Input/ignoreOnNextLaunch``.
    ///   - now: The current boot time, from which the age of that picture is counted.
    package init(hasPicture: Bool = false, isIgnoredOnNextLaunch: Bool = false, now: Duration = .zero) {
        (self.hasPicture, self.isIgnoredOnNextLaunch, lastWrite) = (hasPicture, isIgnoredOnNextLaunch, now)
    }

    /// Whether the overview shows a placeholder in place of the picture.
    package func showsPlaceholder(isScreenLocked: Bool) -> Bool { isPrivate || isScreenLocked || !hasPicture }

    /// Handles an input and returns the actions, in order.
    /// - Parameter now: the current boot time.
    package mutating func handle(_ input: Input, now: Duration) -> [Action] {
        switch input {
        case .enteredBackground, .completedWork: return request(now: now)
        case .timer:
            let expiry: [Action] = hasPicture && now - lastWrite >= Self.longestAge ? delete() : []
            guard isRequestPending else { return expiry }
            return expiry + request(now: now)
        case .drew(let newDigest):
            // A picture that was requested before the program became private is discarded.
            guard !isPrivate, newDigest != digest || !hasPicture else { return [] }
            digest = newDigest
            hasPicture = true
            lastWrite = now
            return [.write, .setTimer(now + Self.longestAge)]
        case .privacyChanged(let isPrivate):
            self.isPrivate = isPrivate
            if isPrivate { isRequestPending = false }
            return isPrivate ? delete() : []
        case .ignoreOnNextLaunch:
            isIgnoredOnNextLaunch = true
            return []
        case .launched:
            guard isIgnoredOnNextLaunch else { return [] }
            isIgnoredOnNextLaunch = false
            return delete()
        case .removed:
            isRequestPending = false
            return delete()
        }
    }

    private mutating func request(now: Duration) -> [Action] {
        guard !isPrivate else { return [] }
        if let lastRequest, now - lastRequest < Self.shortestInterval {
            if isRequestPending { return [] }
            isRequestPending = true
            return [.setTimer(lastRequest + Self.shortestInterval)]
        }
        isRequestPending = false
        lastRequest = now
        return [.request]
    }

    private mutating func delete() -> [Action] {
        digest = nil
        guard hasPicture else { return [] }
        hasPicture = false
        return [.delete]
    }
}
