import CompositorProtocol
import Glibc
import SystemCalls

/// Copies, encodes and writes pictures on the thread "snapshots", so that the main thread never waits for them. Used by
/// the compositor's main thread.
final class SnapshotThread {
    /// A step of the thread's work.
    private enum Job: Sendable {
        case copy(name: String, SnapshotShape.Layout, title: String, SharedDescriptor)
        case write(name: String, SnapshotPicture, SnapshotFile.Texts)

        /// The file name of the picture.
        var name: String {
            switch self {
            case .copy(let name, _, _, _), .write(let name, _, _): name
            }
        }
    }

    /// A finished step.
    enum Report: Sendable {
        /// The picture was copied from the program's memory.
        case copied(name: String, SnapshotPicture)
        /// The picture cannot be used or written, for the given reason.
        case failed(name: String, reason: String)
    }

    private struct State {
        var jobs: [Job] = []
        var reports: [Report] = []
        /// The name of the picture that is being written; nil if none is, or if it was deleted meanwhile.
        var writtenName: String?
        var isClosing = false
    }

    /// The most steps that wait, beyond which pictures are dropped. Each program has at most one step.
    private static let jobLimit = 128

    /// Signalled after each report.
    let event: EventDescriptor
    private let state = Monitor(State())
    private let folder: SnapshotFolder
    /// The thread; nil until the first picture.
    private var thread: NamedThread?

    init(folder: SnapshotFolder) throws(SystemCallError) {
        event = try EventDescriptor()
        self.folder = folder
    }

    /// Copies a picture from the program's memory. ``Report/copied(name:_:)`` follows.
    func copy(_ name: String, _ layout: SnapshotShape.Layout, title: String, _ descriptor: SharedDescriptor) {
        add(.copy(name: name, layout, title: title, descriptor))
    }

    /// Writes a picture.
    func write(_ name: String, _ picture: SnapshotPicture, _ texts: SnapshotFile.Texts) {
        add(.write(name: name, picture, texts))
    }

    /// Deletes a picture before this method returns, and drops the steps that would write it again.
    func delete(_ name: String) throws(SystemCallError) {
        try state.withLock { (state) throws(SystemCallError) in
            state.jobs.removeAll { $0.name == name }
            state.reports.removeAll { if case .copied(name, _) = $0 { true } else { false } }
            if state.writtenName == name { state.writtenName = nil }
            try folder.remove(name)
        }
    }

    /// Returns the reports since the last call.
    func takeReports() -> [Report] {
        event.drain()
        return state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }

    /// Finishes all steps and ends the thread.
    func close() {
        state.update { $0.isClosing = true }
        thread?.join()
        thread = nil
    }

    private func add(_ job: Job) {
        let isAdded = state.update { state in
            guard !state.isClosing, state.jobs.count < Self.jobLimit else { return false }
            state.jobs.append(job)
            return true
        }
        guard isAdded, thread == nil else { return }
        let (state, folder, event) = (state, folder, event)
        do throws(SystemCallError) {
            thread = try NamedThread("snapshots") { Self.run(state, folder, event) }
        } catch { add(.failed(name: job.name, reason: "cannot start a thread: \(error)")) }
    }

    private func add(_ report: Report) {
        state.withLock { state in
            state.jobs = []
            state.reports.append(report)
        }
        event.signal()
    }

    /// The body of the thread.
    private static func run(_ state: Monitor<State>, _ folder: SnapshotFolder, _ event: EventDescriptor) {
        while let job = nextJob(state) {
            do throws(SystemCallError) {
                switch job {
                case .copy(let name, let layout, let title, let descriptor):
                    let picture = try SnapshotPicture(
                        layout, title: title, descriptor: FileDescriptor(duplicating: descriptor.raw))
                    state.withLock { $0.reports.append(.copied(name: name, picture)) }
                    event.signal()
                case .write(let name, let picture, let texts): try write(name, picture, texts, state, folder)
                }
            } catch {
                state.withLock { $0.reports.append(.failed(name: job.name, reason: "\(error)")) }
                event.signal()
            }
        }
    }

    /// Waits for the next step; returns nil when the thread must end.
    private static func nextJob(_ state: Monitor<State>) -> Job? {
        let next: Job?? = state.wait { state in
            guard !state.jobs.isEmpty else { return state.isClosing ? .some(nil) : nil }
            let job = state.jobs.removeFirst()
            if case .write(let name, _, _) = job { state.writtenName = name }
            return job
        }
        return next ?? nil
    }

    /// Writes a picture, unless it is deleted meanwhile.
    private static func write(
        _ name: String, _ picture: SnapshotPicture, _ texts: SnapshotFile.Texts, _ state: Monitor<State>,
        _ folder: SnapshotFolder
    ) throws(SystemCallError) {
        guard let image = picture.encoded(), let file = SnapshotFile.adding(texts, to: image) else {
            throw SystemCallError(call: "the picture cannot be encoded", number: ENOMEM)
        }
        try folder.write(file, for: name)
        // The lock is held while the file gets its name: a picture that the main thread deletes does not return.
        try state.withLock { (state) throws(SystemCallError) in
            defer { state.writtenName = nil }
            guard state.writtenName == name else { return folder.discard(name) }
            try folder.publish(name)
        }
    }
}
