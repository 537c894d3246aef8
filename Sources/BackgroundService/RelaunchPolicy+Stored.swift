import LedgerStore
import SystemCalls
import TransferPolicy
import WireFormat

extension RelaunchPolicy {
    /// Returns the policy in the form in which the ledger stores it. The end of the delay is a calendar time, so that
    /// it keeps its meaning after a start of the machine.
    func stored(clock: ServiceClock) -> [UInt8] {
        var writer = MessageWriter()
        writer.write(delay.clampedNanoseconds)
        writer.write(clock.wall() + (delayEnd.clampedNanoseconds - clock.now()))
        writer.write(Int64(failedStartCount))
        return writer.bytes
    }

    /// Creates the policy of a stored program; a new one if nothing valid is stored.
    init(stored bytes: [UInt8], isForceQuit: Bool, clock: ServiceClock) {
        var reader = MessageReader(bytes)
        guard let delay = try? reader.read(Int64.self), let end = try? reader.read(Int64.self),
            let failures = try? reader.read(Int64.self)
        else {
            self.init()
            if isForceQuit { handleForceQuit() }
            return
        }
        // A calendar that was set must not make the delay longer than it was.
        let rest = min(max(end.subtractingReportingOverflow(clock.wall()).partialValue, 0), max(delay, 0))
        self.init(
            delay: .nanoseconds(delay), delayEnd: .nanoseconds(clock.now() + rest),
            failedStartCount: Int(clamping: failures), isForceQuit: isForceQuit)
    }
}
