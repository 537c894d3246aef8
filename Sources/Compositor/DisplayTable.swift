import CompositorProtocol
import SystemCalls
import VideoOutput

/// The displays that windows are on: connected to in the background when a session first names one, and left with the last.
struct DisplayTable {
    struct Key: Hashable {
        let display: String
        let authority: String

        /// nil for a surface that is no display.
        init?(_ surface: ClientMessage.Surface) {
            guard case .x11(let display, let authority) = surface else { return nil }
            (self.display, self.authority) = (display, authority)
        }
    }

    enum Lookup {
        case connected(XConnection)
        /// ``takeFinished(now:)`` says what becomes of it.
        case opening
        case failed(String)
    }

    /// The number of displays that are opened at the same time, cancelled ones included: more than one process can ask for.
    private static let openingLimit = 64

    private var open: [Key: XConnection] = [:]
    private var openings: [Key: DisplayOpening] = [:]
    /// Called off, and not over yet.
    private var cancelled: [DisplayOpening] = []
    private let wake: EventDescriptor
    private let watch: XCallWatch

    init() throws(SystemCallError) {
        wake = try EventDescriptor()
        watch = try XCallWatch()
    }

    var connections: [XConnection] { Array(open.values) }

    /// Readable when a connection has been made, or could not be.
    var descriptor: Int32 { wake.raw }

    /// When the next server is waited for no longer; host time.
    var deadline: Int64? { openings.values.map(\.deadline).min() }

    /// The connection to a display, which is made where there is none.
    mutating func find(_ key: Key) -> Lookup {
        if let known = open[key], !known.isBroken { return .connected(known) }
        guard openings[key] == nil else { return .opening }
        guard openings.count + cancelled.count < Self.openingLimit else { return .failed("too many X displays are being opened") }
        do throws(SystemCallError) {
            openings[key] = try DisplayOpening(display: key.display, authority: key.authority, watch: watch, wake: wake)
            return .opening
        } catch { return .failed("the X display cannot be opened: \(error)") }
    }

    /// The displays that have answered, or have not in time.
    mutating func takeFinished(now: Int64) -> [(key: Key, outcome: DisplayOpening.Outcome)] {
        wake.drain()
        cancelled.removeAll { $0.isOver }
        var finished: [(key: Key, outcome: DisplayOpening.Outcome)] = []
        for (key, opening) in openings {
            if let outcome = opening.outcome {
                openings[key] = nil
                if case .connected(let connection) = outcome { open[key] = connection }
                finished.append((key, outcome))
            } else if now >= opening.deadline {
                cancel(key)
                finished.append((key, .failed("the X display \(key.display) does not answer")))
            }
        }
        return finished
    }

    private mutating func cancel(_ key: Key) {
        guard let opening = openings.removeValue(forKey: key) else { return }
        opening.cancel()
        cancelled.append(opening)
    }

    mutating func remove(_ connection: XConnection) {
        open = open.filter { $0.value !== connection }
    }

    /// Leaves the displays that none of `surfaces` is on.
    mutating func dropUnused(in surfaces: [ClientMessage.Surface]) {
        let used = Set(surfaces.compactMap { Key($0) })
        open = open.filter { used.contains($0.key) }
        for key in openings.keys where !used.contains(key) { cancel(key) }
    }
}
