import CompositorProtocol
import VideoOutput

/// The displays that windows are on, connected to when a session first names one and left with the last.
struct DisplayTable {
    private struct Key: Hashable {
        let display: String
        let authority: String
    }

    private var open: [Key: XConnection] = [:]

    var connections: [XConnection] { Array(open.values) }

    /// nil for a surface that is no display.
    mutating func connection(for surface: ClientMessage.Surface) throws(XError) -> XConnection? {
        guard case .x11(let display, let authority) = surface else { return nil }
        let key = Key(display: display, authority: authority)
        if let known = open[key], !known.isBroken { return known }
        let made = try XConnection(display: display, authority: authority)
        open[key] = made
        return made
    }

    mutating func remove(_ connection: XConnection) {
        open = open.filter { $0.value !== connection }
    }

    /// Leaves the displays that none of `surfaces` is on.
    mutating func dropUnused(in surfaces: [ClientMessage.Surface]) {
        let used = Set(surfaces.compactMap { surface -> Key? in
            if case .x11(let display, let authority) = surface { Key(display: display, authority: authority) } else { nil }
        })
        open = open.filter { used.contains($0.key) }
    }
}
