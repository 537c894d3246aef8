import CompositorProtocol
import PushPolicy

/// The pictures of all programs: which programs are connected, which of them hide their pictures, and when pictures are
/// taken. A pure value; times are times since the machine started.
struct SnapshotRecords {
    /// A request to a program, or a change of the stored pictures.
    enum Action: Equatable {
        /// Request a picture from the program with this connection.
        case request(UInt64)
        /// Write the picture that ``SnapshotRecords/handle(_:of:now:)`` has received.
        case write
        /// Delete the picture with this file name.
        case delete(String)
        /// Mark the picture to be deleted when its program starts, or remove the mark.
        case setMarked(String, Bool)
    }

    /// The state of one file name.
    private struct Record {
        /// The identifier to which the file name belongs.
        let identifier: String
        var policy: SnapshotPolicy
        /// The program that was requested to send its picture; nil if no picture is expected.
        var requestedProgram: UInt64?
        /// The program whose work was completed last.
        var lastProgram: UInt64?
        /// The times at which the policy must be called.
        var timers: [Duration] = []
    }

    /// A connected program.
    private struct Program {
        /// The file name of the program's picture.
        var name: String
        var isPrivate = false
        /// Whether a window of the program was on the screen when its role last changed.
        var isForeground = false
    }

    /// The most file names whose state is kept.
    static let recordLimit = 256

    private var records: [String: Record] = [:]
    private var programs: [UInt64: Program] = [:]

    /// The earliest time at which ``handleTimers(now:)`` must be called; nil for none.
    var nextTimer: Duration? { records.values.flatMap(\.timers).min() }

    /// The identifier to which a file name belongs.
    func identifier(of name: String) -> String? { records[name]?.identifier }

    /// The file name of a program's picture; nil if the program is unknown.
    func name(of program: UInt64) -> String? { programs[program]?.name }

    /// The identifier of a program, and whether its picture is hidden; nil if the program is unknown.
    func picture(of program: UInt64) -> (identifier: String, isPrivate: Bool)? {
        name(of: program).flatMap { records[$0] }.map { ($0.identifier, $0.policy.isPrivate) }
    }

    // MARK: Programs

    /// Records a program, or its new identifier.
    ///
    /// - Parameter stored: Returns whether there is a picture with a file name, and whether it is marked.
    mutating func setIdentifier(
        _ identifier: String, of program: UInt64, now: Duration, stored: (String) -> (hasPicture: Bool, isMarked: Bool)
    ) -> [Action] {
        guard let name = SnapshotFile.name(for: identifier), programs[program]?.name != name else { return [] }
        if records[name] == nil {
            removeUnusedRecord()
            let (hasPicture, isMarked) = stored(name)
            records[name] = Record(
                identifier: identifier,
                policy: SnapshotPolicy(hasPicture: hasPicture, isIgnoredOnNextLaunch: isMarked, now: now))
        }
        programs[program, default: Program(name: name)].name = name
        return [.setMarked(name, false)] + handle(.launched, name, now: now) + updatePrivacy(name, now: now)
    }

    /// Removes a program that has disconnected. Its picture stays.
    mutating func remove(_ program: UInt64, now: Duration) -> [Action] {
        guard let name = programs.removeValue(forKey: program)?.name else { return [] }
        if records[name]?.requestedProgram == program { records[name]?.requestedProgram = nil }
        return updatePrivacy(name, now: now)
    }

    /// Records a program's new role.
    ///
    /// - Parameter isFloating: Whether the program's picture is in a floating window.
    mutating func setForeground(_ isForeground: Bool, isFloating: Bool, of program: UInt64, now: Duration) -> [Action] {
        guard let state = programs[program] else { return [] }
        programs[program]?.isForeground = isForeground
        // The picture in the floating window is not a place where the user has left the program.
        guard state.isForeground, !isForeground, !isFloating else { return [] }
        records[state.name]?.lastProgram = program
        return handle(.enteredBackground, state.name, now: now)
    }

    // MARK: Messages

    /// Handles a message other than a picture or an identifier.
    mutating func handle(_ message: SnapshotMessage, from program: UInt64, now: Duration) -> [Action] {
        guard let name = programs[program]?.name else { return [] }
        switch message {
        case .completedWork:
            records[name]?.lastProgram = program
            return handle(.completedWork, name, now: now)
        case .isPrivate(let isPrivate):
            programs[program]?.isPrivate = isPrivate
            return updatePrivacy(name, now: now)
        case .ignoreOnNextLaunch: return [.setMarked(name, true)] + handle(.ignoreOnNextLaunch, name, now: now)
        case .remove: return remove(name, now: now)
        case .picture, .identifier: return []
        }
    }

    /// Deletes the picture with a file name, also if no program uses it.
    mutating func remove(_ name: String, now: Duration) -> [Action] {
        records[name]?.requestedProgram = nil
        let actions = handle(.removed, name, now: now)
        return actions.contains(.delete(name)) ? actions : actions + [.delete(name)]
    }

    /// Returns the file name for a picture of a program; nil if the picture was not requested.
    mutating func takeRequest(of program: UInt64) -> String? {
        guard let name = programs[program]?.name, records[name]?.requestedProgram == program else { return nil }
        records[name]?.requestedProgram = nil
        return name
    }

    /// Handles a picture that a program has drawn.
    mutating func handleDrawing(digest: UInt64, _ name: String, now: Duration) -> [Action] {
        handle(.drew(digest: digest), name, now: now)
    }

    /// Handles the times that have come.
    mutating func handleTimers(now: Duration) -> [Action] {
        records.keys.sorted().flatMap { name -> [Action] in
            guard let record = records[name], record.timers.contains(where: { $0 <= now }) else { return [] }
            records[name]?.timers.removeAll { $0 <= now }
            return handle(.timer, name, now: now)
        }
    }

    // MARK: Policy

    /// Hides the picture if one of the programs with the file name hides it.
    private mutating func updatePrivacy(_ name: String, now: Duration) -> [Action] {
        let isPrivate = programs.values.contains { $0.name == name && $0.isPrivate }
        guard let record = records[name], record.policy.isPrivate != isPrivate else { return [] }
        return handle(.privacyChanged(isPrivate: isPrivate), name, now: now)
    }

    private mutating func handle(_ input: SnapshotPolicy.Input, _ name: String, now: Duration) -> [Action] {
        guard var record = records[name] else { return [] }
        defer { records[name] = record }
        return record.policy.handle(input, now: now).compactMap { action in
            switch action {
            case .request:
                let candidates = programs.filter { $0.value.name == name }.keys
                let program = record.lastProgram.flatMap { candidates.contains($0) ? $0 : nil } ?? candidates.max()
                record.requestedProgram = program
                return program.map { .request($0) }
            case .write: return .write
            case .delete: return .delete(name)
            case .setTimer(let time):
                record.timers.append(time)
                // A picture sets a timer each time it is written: only the earliest and the latest matter.
                if record.timers.count > 2, let first = record.timers.min(), let last = record.timers.max() {
                    record.timers = [first, last]
                }
                return nil
            }
        }
    }

    /// Makes room for a record.
    private mutating func removeUnusedRecord() {
        guard records.count >= Self.recordLimit else { return }
        let usedNames = Set(programs.values.map(\.name))
        if let unused = records.keys.first(where: { !usedNames.contains($0) }) { records[unused] = nil }
    }
}
