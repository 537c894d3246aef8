import DesktopBus
import SystemCalls
import TestSupport

/// Two connections to a bus of the test's own, in one loop.
final class BusRig {
    static let path = "/org/example/thing"
    static let interface = "org.example.Thing"

    let bus: SessionBus
    let one: BusConnection
    let other: BusConnection
    private(set) var otherName = ""

    init() throws {
        bus = try SessionBus()
        one = try BusConnection(address: bus.address)
        other = try BusConnection(address: bus.address)
        try other.requestName("org.example.Other") { [unowned self] isOurs in
            if isOurs { otherName = "org.example.Other" }
        }
        try run { !otherName.isEmpty }
    }

    /// Serves both until something is so.
    func run(within patience: Duration = .seconds(10), until isSo: () -> Bool) throws {
        let end = Deadline.after(patience)
        while !isSo() {
            guard MonotonicTime.now < end else { throw RigError("it did not come to be within \(patience)") }
            var entries = [one, other].map { Poll.Entry($0.descriptor, $0.events) }
            try Poll.wait(&entries, until: [one.deadline, other.deadline, end].compactMap { $0 }.min())
            for connection in [one, other] { try connection.process() }
        }
    }

    /// What the other one answers.
    func call(
        _ member: String, _ arguments: [BusValue] = [], of interface: String = BusRig.interface,
        patience: Int64 = 5_000_000_000
    ) throws -> Result<[BusValue], BusError> {
        var answer: Result<[BusValue], BusError>?
        try one.call(.init(to: otherName, path: Self.path, interface: interface, member, arguments), patience: patience)
        { answer = $0 }
        try run { answer != nil }
        return answer ?? .failure(BusError("none", ""))
    }
}
