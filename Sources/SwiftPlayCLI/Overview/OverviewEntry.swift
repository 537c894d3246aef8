import BackgroundProtocol
import CompositorProtocol
import SwiftPlayKit

/// A program in the overview.
struct OverviewEntry: Sendable {
    /// The picture of a program, or the reason why a placeholder is shown.
    enum Picture: Sendable {
        /// The picture, and the time since it was written in seconds.
        case snapshot(Snapshot, age: Int64)
        /// The program hides its picture.
        case isPrivate
        /// The screen is locked.
        case screenIsLocked
        /// The program has no picture.
        case none
    }

    /// The name or identifier of the program.
    var program: String
    var picture: Picture
    /// The program's processes, by their IDs.
    var processes: [ProgramSnapshot] = []
    /// Whether a process without windows is known from an audio session only.
    var hasAudio = false
    /// The program's transfers that have not ended.
    var transfers: [TaskSnapshot] = []

    /// What the overview knows about all programs.
    struct Sources: Sendable {
        var programs: [ProgramSnapshot] = []
        var pictures: [ProgramPicture] = []
        var sessions: [AudioSessionSnapshot] = []
        var transfers: [TaskSnapshot] = []
        var snapshots: [Snapshot] = []
        var isLocked = false
        /// The time in seconds since 1970.
        var now: Int64 = 0
    }

    /// Returns all programs: those with floating windows first, then those that are audible, those with transfers, and
    /// the others; each group in the order of the names.
    static func entries(_ sources: Sources) -> [OverviewEntry] {
        let identifiers = Dictionary(sources.pictures.map { ($0.processID, $0.identifier) }) { first, _ in first }
        let privateIdentifiers = Set(sources.pictures.filter(\.isPrivate).map(\.identifier))
        let snapshots = Dictionary(sources.snapshots.map { ($0.texts.identifier, $0) }) { first, _ in first }
        var entries: [String: OverviewEntry] = [:]
        func change(_ program: String, _ body: (inout OverviewEntry) -> Void) {
            let picture: Picture =
                if privateIdentifiers.contains(program) {
                    .isPrivate
                } else if let snapshot = snapshots[program] {
                    sources.isLocked
                        ? .screenIsLocked : .snapshot(snapshot, age: max(0, sources.now - snapshot.writingTime))
                } else {
                    .none
                }
            body(&entries[program, default: OverviewEntry(program: program, picture: picture)])
        }
        for program in sources.programs {
            change(identifiers[program.processID] ?? program.name) { $0.processes.append(program) }
        }
        for session in sources.sessions where session.isRunning && !session.isSilent {
            change(identifiers[session.processID] ?? session.program) { $0.hasAudio = true }
        }
        for transfer in sources.transfers where !transfer.activity.phase.isTerminal {
            change(transfer.program) { $0.transfers.append(transfer) }
        }
        for identifier in snapshots.keys { change(identifier) { _ in } }
        return entries.values.sorted { ($0.rank, $0.program) < ($1.rank, $1.program) }
    }

    /// Whether a process of the program has a floating window.
    var isFloating: Bool { processes.contains(where: \.isFloating) }
    /// Whether a process of the program is audible.
    var isAudible: Bool { hasAudio || processes.contains(where: \.isAudible) }

    /// The place of the program's group.
    private var rank: Int { isFloating ? 0 : isAudible ? 1 : transfers.isEmpty ? 3 : 2 }
}
