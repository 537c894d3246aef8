/// The state of the machine that decides whether transfers run.
package struct MachineConditions: Hashable, Sendable {
    /// The reach of the network, as NetworkManager reports it.
    package enum Connectivity: Hashable, Sendable, CaseIterable {
        /// The internet can be reached, or connectivity checks are off.
        case full
        /// Only the local network can be reached.
        case limited
        /// A sign-in page answers in place of the internet.
        case portal
        /// There is no network.
        case offline
    }

    /// The source of the machine's power.
    package enum Power: Hashable, Sendable {
        case mains
        /// The battery, with its charge in percent.
        case battery(percent: Double)
    }

    package var connectivity = Connectivity.full
    package var isMetered = false
    package var power = Power.mains
    /// Whether the desktop saves power.
    package var savesPower = false

    package init() {}
}

/// The conditions under which a transfer runs.
package struct ConditionPolicy: Hashable, Sendable {
    /// The battery charge that a discretionary transfer needs at first.
    package static let fullCharge = 50.0
    /// The battery charge that suffices after half of the resource time.
    package static let relaxedCharge = 20.0

    /// Whether the system chooses the time of the transfer, by network and power.
    package var isDiscretionary: Bool
    /// Whether a transfer that is not discretionary may use a metered network.
    package var allowsExpensiveNetworkAccess: Bool
    /// The boot time before which the transfer does not begin, or nil.
    package var earliestBegin: Duration?
    /// The end of the relaunch delay that holds the transfer back, or nil.
    package var relaunchDelayEnd: Duration?

    package init(
        isDiscretionary: Bool = false, allowsExpensiveNetworkAccess: Bool = true, earliestBegin: Duration? = nil,
        relaunchDelayEnd: Duration? = nil
    ) {
        self.isDiscretionary = isDiscretionary
        self.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        self.earliestBegin = earliestBegin
        self.relaunchDelayEnd = relaunchDelayEnd
    }

    /// Returns the first condition that is not met, or nil if the transfer can run.
    /// - Parameters:
    ///   - elapsedShare: the used share of the resource timeout, 0 to 1. A discretionary transfer accepts a lower
    ///     battery from 0.5 on, and any power from 0.75 on. It never accepts a metered network.
    ///   - now: the current boot time.
    package func waitingReason(
        under conditions: MachineConditions, elapsedShare: Double = 0, now: Duration
    ) -> WaitingReason? {
        if let earliestBegin, now < earliestBegin { return .time(until: earliestBegin) }
        if let relaunchDelayEnd, now < relaunchDelayEnd { return .relaunchDelay(until: relaunchDelayEnd) }
        switch conditions.connectivity {
        case .full: break
        case .limited, .offline: return .network
        case .portal: return .portal
        }
        if conditions.isMetered, isDiscretionary || !allowsExpensiveNetworkAccess { return .metered }
        if isDiscretionary, !hasEnoughPower(conditions, elapsedShare: elapsedShare) { return .power }
        return nil
    }

    private func hasEnoughPower(_ conditions: MachineConditions, elapsedShare: Double) -> Bool {
        if elapsedShare >= 0.75 { return true }
        if case .battery(let percent) = conditions.power {
            // A charge that is not a number counts as an empty battery.
            guard percent >= (elapsedShare >= 0.5 ? Self.relaxedCharge : Self.fullCharge) else { return false }
        }
        return !conditions.savesPower
    }
}
