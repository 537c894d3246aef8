/// The number of descriptors, the protocol version and the interface version that each message requires.
extension ClientMessage {
    /// The number of file descriptors that come with the message.
    package var descriptorCount: Int {
        switch self {
        case .openSession(_, .terminal): 5
        case .openSession: 3
        case .addSlot, .overlay, .audio(_, .open), .snapshot(.picture): 1
        default: 0
        }
    }

    /// The first protocol version with the message. Programs do not send the message to compositors of older versions.
    package var version: UInt16 {
        switch self {
        case .setRequiresLinearPlayback: ProtocolVersion.linearPlayback
        case .terminalCellsChanged: ProtocolVersion.terminals
        case .interfaces, .loaded, .overlayText, .presence, .report, .snapshot, .system(.listPrograms, _),
            .system(.listMemory, _), .system(.close, _), .system(.listPictures, _), .system(.watchPrograms, _):
            ProtocolVersion.interfaces
        case .system(_, isPersistent: true), .system(.deviceChosen, _): ProtocolVersion.connectionBoundConditions
        case .audio(_, let request): request.version
        case .system: ProtocolVersion.audio
        case .startAnimated, .stopAnimated: ProtocolVersion.animations
        case .audioState: ProtocolVersion.audioState
        case .overlay, .clearOverlay: ProtocolVersion.overlays
        case .buffering: ProtocolVersion.buffering
        default: ProtocolVersion.oldest
        }
    }

    /// The protocol interface that the message belongs to, and the interface's first version with the message; nil for
    /// messages that are older than versioned interfaces.
    package var interface: (ProtocolInterface, version: UInt16)? {
        switch self {
        case .loaded: (.windows, 2)
        case .overlayText: (.windows, 3)
        case .presence: (.programs, 1)
        case .report: (.programs, 2)
        case .snapshot: (.programs, 3)
        case .system(.watchPrograms, _): (.system, 5)
        case .system(.close, _), .system(.listPictures, _): (.system, 4)
        case .system(.listMemory, _): (.system, 3)
        case .system(.listPrograms, _): (.system, 2)
        default: nil
        }
    }
}
