import Glibc
import SystemCalls

/// The thread `file sync`: writes files to the disk and computes their digests, so that a slow disk does not delay the
/// network.
final class FileSynchronizer: Sendable {
    /// Work on a file.
    enum Work: Sendable {
        /// Start writing the file to the disk; only a failure of the disk has an outcome.
        case startWriteback
        /// Wait until the file is on the disk.
        case synchronize
        /// The same for the file of an error page.
        case synchronizeErrorPage
        /// Wait until the file is on the disk, and compute the digest of its content.
        case synchronizeAndDigest
    }

    /// A file to work on.
    struct Job: Sendable {
        /// The number of the transfer.
        let transfer: UInt64
        /// The descriptor of the file.
        let descriptor: SharedDescriptor
        /// The number of times that the file was truncated.
        let generation: Int
        /// The length of the content.
        let length: Int64
        /// What to do.
        var work = Work.synchronize
    }

    /// The result of a job.
    struct Outcome: Sendable {
        /// The number of the transfer.
        let transfer: UInt64
        /// What was done.
        let work: Work
        /// The number of times that the file was truncated before the job.
        let generation: Int
        /// The length of the content that is on the disk if `error` is nil.
        let length: Int64
        /// The reason why the file could not be written or read.
        let error: SystemCallError?
        /// The SHA-256 digest of the content, if the job asks for it; empty if the file is shorter.
        var digest: [UInt8]?
    }

    /// The jobs that wait, at most two for each transfer; and whether the thread must end.
    private struct Queue: Sendable {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let queue: Monitor<Queue>
    private let outcomes: Monitor<[Outcome]>
    private let thread: NamedThread
    /// Signalled when an outcome is available.
    let outcomeEvent: EventDescriptor

    /// The maximum time that `deinit` waits for the thread, in nanoseconds.
    private static let joinTimeout: Int64 = 5_000_000_000

    /// Starts the thread.
    init() throws(SystemCallError) {
        let (queue, outcomes, event) = (Monitor(Queue()), Monitor<[Outcome]>([]), try EventDescriptor())
        (self.queue, self.outcomes, outcomeEvent) = (queue, outcomes, event)
        thread = try NamedThread("file sync") {
            let report: (Outcome) -> Void = { outcome in
                outcomes.withLock { $0.append(outcome) }
                event.signal()
            }
            while let job = FileSynchronizer.nextJob(queue) {
                FileSynchronizer.perform(job, queue, report)
            }
        }
    }

    deinit {
        queue.update { $0.isClosed = true }
        if !thread.join(until: MonotonicTime.now + Self.joinTimeout) { thread.detach() }
    }

    /// Enqueues a job. A transfer enqueues its next synchronisation after the outcome of the last one. A job that
    /// starts writeback is ignored while another one of the same transfer waits.
    func submit(_ job: Job) {
        queue.update { queue in
            if job.work == .startWriteback,
                queue.jobs.contains(where: { $0.transfer == job.transfer && $0.work == .startWriteback })
            {
                return
            }
            queue.jobs.append(job)
        }
    }

    /// Removes and returns all outcomes, in order.
    func removeOutcomes() -> [Outcome] {
        outcomeEvent.drain()
        return outcomes.withLock { outcomes in
            defer { outcomes = [] }
            return outcomes
        }
    }

    /// Writes a file to the disk; returns the error if that fails.
    static func synchronize(_ descriptor: SharedDescriptor) -> SystemCallError? {
        do throws(SystemCallError) {
            try descriptor.fileDescriptor.synchronize()
            return nil
        } catch { return error }
    }

    /// Starts writing a file to the disk. Does nothing on a system that does not permit that.
    private static func startWriteback(_ descriptor: SharedDescriptor) throws(SystemCallError) {
        do throws(SystemCallError) { try descriptor.fileDescriptor.startWriteback() } catch {
            guard [EIO, ENOSPC, EDQUOT].contains(error.number) else { return }
            throw error
        }
    }

    /// Performs a job and reports its outcome. While it computes a digest, which takes long for a large file, it
    /// performs the other jobs.
    private static func perform(_ job: Job, _ queue: Monitor<Queue>, _ report: (Outcome) -> Void) {
        var error: SystemCallError?
        var digest: [UInt8]?
        do throws(SystemCallError) {
            if job.work == .startWriteback { return try startWriteback(job.descriptor) }
            try job.descriptor.fileDescriptor.synchronize()
            if job.work == .synchronizeAndDigest {
                digest =
                    try FileDigest.sha256(of: job.descriptor, length: job.length) {
                        while let other = nextShortJob(queue) { perform(other, queue, report) }
                        return queue.withLock { !$0.isClosed }
                    } ?? []
            }
        } catch let failure { error = failure }
        report(
            Outcome(
                transfer: job.transfer, work: job.work, generation: job.generation, length: job.length, error: error,
                digest: digest))
    }

    /// Removes and returns the next job without a digest; nil if there is none.
    private static func nextShortJob(_ queue: Monitor<Queue>) -> Job? {
        queue.withLock { queue in
            queue.jobs.firstIndex { $0.work != .synchronizeAndDigest }.map { queue.jobs.remove(at: $0) }
        }
    }

    /// Waits for the next job; nil if the thread must end.
    private static func nextJob(_ queue: Monitor<Queue>) -> Job? {
        let job: Job?? = queue.wait { queue -> Job?? in
            if !queue.jobs.isEmpty { return .some(queue.jobs.removeFirst()) }
            return queue.isClosed ? .some(nil) : nil
        }
        return job ?? nil
    }
}
