import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// The service for the pictures of programs that the overview shows: requests them, and keeps them in files. Used by
/// the compositor's main thread.
final class SnapshotService: EventSource {
    private let programs: ProgramConnections
    private let logger: Logger
    /// The directory of the pictures, and the thread that copies, encodes and writes them; nil if the directory cannot
    /// be used. All other services of the compositor then go on.
    private let store: (folder: SnapshotFolder, thread: SnapshotThread)?
    private var records = SnapshotRecords()
    /// The titles of the pictures that the thread copies, by their file names.
    private var titles: [String: String] = [:]

    /// Creates the service.
    ///
    /// - Parameter path: The path of the directory for the pictures.
    init(path: String, programs: ProgramConnections, logger: Logger) {
        (self.programs, self.logger) = (programs, logger)
        do throws(SystemCallError) {
            let folder = try SnapshotFolder(path: path)
            store = (folder, try SnapshotThread(folder: folder))
        } catch {
            store = nil
            logger.warning("no pictures of programs are kept: \(path) cannot be used: \(error)")
        }
    }

    /// Writes all pictures that have been copied, and ends the thread.
    func close() {
        takeReports()
        store?.thread.close()
    }

    // MARK: Programs

    /// Handles a message of a program.
    ///
    /// A picture that cannot be used is dropped, and all other services continue to serve the program.
    func handle(
        _ message: SnapshotMessage, _ descriptors: [SharedDescriptor], from program: ProgramRegistry.Program
    ) {
        switch message {
        case .identifier(let identifier): setIdentifier(identifier, of: program.id)
        case .picture(let shape, let title):
            guard let descriptor = descriptors.first else { return }
            handlePicture(shape, title, descriptor, from: program)
        case .completedWork, .isPrivate, .ignoreOnNextLaunch, .remove:
            addIfUnknown(program)
            perform(records.handle(message, from: program.id, now: now))
        }
    }

    /// Records a program that reports its windows.
    func addIfUnknown(_ program: ProgramRegistry.Program) {
        if records.name(of: program.id) == nil { setIdentifier(program.name, of: program.id) }
    }

    /// Records the new role of a program.
    func handle(_ role: ProgramRole, isFloating: Bool, of program: UInt64) {
        let isForeground = role >= .secondary
        perform(records.setForeground(isForeground, isFloating: isFloating, of: program, now: now))
    }

    /// Removes a program that has disconnected. Its picture stays.
    func handleDisconnection(of program: UInt64) { perform(records.remove(program, now: now)) }

    /// Returns the identifier of a program.
    func identifier(of program: ProgramRegistry.Program) -> String {
        records.picture(of: program.id)?.identifier ?? program.name
    }

    /// Returns the identifier of a program, and whether its picture is hidden; nil for a program without a picture.
    func picture(of program: ProgramRegistry.Program) -> (identifier: String, isPrivate: Bool)? {
        records.picture(of: program.id)
    }

    /// Deletes the picture of the programs with an identifier, because the user has closed them.
    func removePicture(of identifier: String) {
        if let name = SnapshotFile.name(for: identifier) { perform(records.remove(name, now: now)) }
    }

    private func setIdentifier(_ identifier: String, of program: UInt64) {
        perform(
            records.setIdentifier(identifier, of: program, now: now) { [store] name in
                (store?.folder.contains(name) == true, store?.folder.isMarked(name) == true)
            })
    }

    /// Passes a requested picture to the thread.
    private func handlePicture(
        _ shape: SnapshotShape, _ title: String, _ descriptor: SharedDescriptor, from program: ProgramRegistry.Program
    ) {
        guard let name = records.takeRequest(of: program.id) else {
            return logger.debug("ignored a picture that was not requested", metadata: ["pid": "\(program.processID)"])
        }
        guard let layout = shape.layout else {
            return logger.warning(
                "refused a picture: its size or the length of its rows is out of bounds",
                metadata: [
                    "pid": "\(program.processID)", "size": "\(shape.width)x\(shape.height)",
                    "stride": "\(shape.stride)",
                ])
        }
        titles[name] = title
        store?.thread.copy(name, layout, title: title, descriptor)
    }

    // MARK: Events

    var entries: [Poll.Entry] { store.map { [Poll.Entry($0.thread.event.raw)] } ?? [] }

    var deadline: Int64? {
        // The timers count while the machine is suspended; the loop's clock does not.
        records.nextTimer.map { MonotonicTime.now + max(0, ($0 - now).wholeNanoseconds) }
    }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if ready.contains(where: { $0.isReady }) { takeReports() }
        if records.nextTimer.map({ $0 <= self.now }) == true { perform(records.handleTimers(now: self.now)) }
    }

    /// The time since the machine started.
    private var now: Duration { .nanoseconds(BootTime.now) }

    /// Handles the reports of the thread.
    private func takeReports() {
        for report in store?.thread.takeReports() ?? [] {
            switch report {
            case .copied(let name, let picture):
                // A picture that was deleted while it was copied has no title any more.
                guard let title = titles.removeValue(forKey: name), let identifier = records.identifier(of: name)
                else { continue }
                for action in records.handleDrawing(digest: picture.digest, name, now: now) where action == .write {
                    store?.thread.write(name, picture, SnapshotFile.Texts(identifier: identifier, title: title))
                }
            case .failed(let name, let reason):
                titles[name] = nil
                logger.warning(
                    "a picture cannot be kept",
                    metadata: ["program": "\(records.identifier(of: name) ?? name)", "reason": "\(reason)"])
            }
        }
    }

    private func perform(_ actions: [SnapshotRecords.Action]) {
        for action in actions {
            do throws(SystemCallError) {
                switch action {
                case .request(let program):
                    if programs.supports(.programs, 3, program: program) {
                        programs.send(.snapshotRequested, to: program)
                    }
                case .delete(let name):
                    titles[name] = nil
                    try store?.thread.delete(name)
                case .setMarked(let name, let isMarked): try store?.folder.setMarked(name, isMarked)
                case .write: break
                }
            } catch { logger.warning("a picture cannot be changed: \(error)") }
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, limited to the range of the result.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (nanoseconds, isOverflow) = seconds.multipliedReportingOverflow(by: MonotonicTime.nanosecondsPerSecond)
        return isOverflow ? .max / 2 : nanoseconds + attoseconds / 1_000_000_000
    }
}
