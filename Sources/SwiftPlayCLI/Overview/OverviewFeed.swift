import CompositorProtocol
import Glibc
import SwiftPlay
import SwiftPlayKit
import SystemCalls

/// Keeps what the overview knows about all programs up to date: the compositor's lists, the transfers, and the
/// pictures. Used by the thread of its event loop.
final class OverviewFeed {
    /// Called after each change.
    var onChange: () -> Void = {}
    /// Whether the window is visible. Reports about transfers wait while it is not.
    var isVisible = true

    private var sources = OverviewEntry.Sources()
    private let transfers: TransferClient
    private let path: String
    /// Reports new pictures; nil while their directory does not exist.
    private var directory: DirectoryWatch?
    /// Whether pictures may have changed since they were read.
    private var needsSnapshots = true
    /// Whether the compositor has reported its lists.
    private var hasLists = false
    /// Why the compositor's lists are out of date; empty if they are not.
    private var compositorNotice = ""

    /// Adds the sources of events to a loop.
    init(_ loop: EventLoop) throws {
        path = try CompositorAddress.snapshotPath()
        transfers = try TransferClient()
        directory = DirectoryWatch(path, .contents)
        loop.add(SystemWatch { [unowned self] in handle($0) }, to: .programs)
        loop.add(
            ClosureSource(entries: { [unowned self] in [Poll.Entry(isVisible ? transfers.changes.raw : -1)] }) {
                [unowned self] isReady, _ in
                guard isReady else { return }
                transfers.changes.drain()
                onChange()
            }, to: .programs)
        loop.add(
            ClosureSource(entries: { [unowned self] in [Poll.Entry(directory?.raw ?? -1)] }) {
                [unowned self] isReady, _ in
                guard isReady, directory?.drain() == true else { return }
                needsSnapshots = true
                onChange()
            }, to: .programs)
        transfers.follow()
    }

    /// Why the shown state may be out of date; empty if it is not.
    var notice: String {
        guard compositorNotice.isEmpty else { return compositorNotice }
        return transfers.failure.map { "the transfers cannot be listed: \($0)" } ?? ""
    }

    /// Returns all programs with the present ages of their pictures.
    func entries() -> [OverviewEntry] {
        if needsSnapshots {
            needsSnapshots = false
            sources.snapshots = SnapshotReader.snapshots(in: path, known: sources.snapshots)
        }
        sources.transfers = transfers.current
        sources.now = Int64(time(nil))
        return OverviewEntry.entries(sources)
    }

    /// Reads the pictures again before they are used next.
    func setNeedsSnapshots() { needsSnapshots = true }

    private func handle(_ event: SystemWatch.Event) {
        switch event {
        case .lists(let reply):
            (sources.programs, sources.sessions, sources.pictures) = (reply.programs, reply.sessions, reply.pictures)
            sources.isLocked = reply.conditions.isLocked
            (hasLists, compositorNotice) = (true, "")
            if directory == nil {
                // The compositor has created the directory.
                directory = DirectoryWatch(path, .contents)
                needsSnapshots = true
            }
        case .noCompositor:
            if hasLists { compositorNotice = "the compositor has exited: programs may have started or ended" }
        case .failed(let reason): compositorNotice = reason
        }
        onChange()
    }
}
