/// What the messages require of the connection.
extension ClientMessage {
    /// The number of file descriptors that come with the message.
    package var descriptorCount: Int {
        switch self {
        case .openSession(_, .terminal): 5
        case .openSession: 3
        case .slot, .overlay, .audio(_, .open): 1
        default: 0
        }
    }

    /// The first protocol version with the message. The library does not send the message to older compositors.
    package var version: UInt16 {
        switch self {
        case .setLinear: ProtocolVersion.linear
        case .terminalCellsChanged: ProtocolVersion.terminals
        case .system(_, isPersistent: true), .system(.deviceChosen, _): ProtocolVersion.leases
        case .audio(_, let request): request.version
        case .system: ProtocolVersion.audio
        case .startFrom, .land: ProtocolVersion.animations
        case .audioState: ProtocolVersion.audioState
        case .overlay, .clearOverlay: ProtocolVersion.overlays
        case .buffering: ProtocolVersion.buffering
        case .interfaces, .loaded: ProtocolVersion.interfaces
        default: ProtocolVersion.oldest
        }
    }

    /// The interface that the message belongs to, and its first version with the message; nil for messages that are
    /// older than the interfaces.
    package var interface: (ProtocolInterface, version: UInt16)? {
        if case .loaded = self { (.windows, 2) } else { nil }
    }
}
