import SystemCalls

/// The thread `file sync`: writes files to the disk and computes their digests, so that a slow disk does not delay the
/// network.
final class FileSynchronizer: Sendable {
    /// A file to synchronise.
    struct Job: Sendable {
        /// The number of the transfer.
        let transfer: UInt64
        /// The descriptor of the file.
        let descriptor: SharedDescriptor
        /// The number of times that the file was truncated.
        let generation: Int
        /// The length of the content that will be on the disk.
        let length: Int64
        /// Whether the digest of this content is computed, too.
        var computesDigest = false
    }

    /// The result of a job.
    struct Outcome: Sendable {
        /// The number of the transfer.
        let transfer: UInt64
        /// The number of times that the file was truncated before the job.
        let generation: Int
        /// The length of the content that is on the disk if `error` is nil.
        let length: Int64
        /// The reason why the file could not be written or read.
        let error: SystemCallError?
        /// The SHA-256 digest of the content, if the job asks for it; empty if the file is shorter.
        var digest: [UInt8]?
    }

    /// The jobs that wait, at most one for each transfer; and whether the thread must end.
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
                report(FileSynchronizer.perform(job, queue, report))
            }
        }
    }

    deinit {
        queue.update { $0.isClosed = true }
        if !thread.join(until: MonotonicTime.now + Self.joinTimeout) { thread.detach() }
    }

    /// Enqueues a job. A transfer enqueues its next job after the outcome of the last one.
    func submit(_ job: Job) { queue.update { $0.jobs.append(job) } }

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

    /// Performs a job. While it computes a digest, which takes long for a large file, it reports the outcomes of the
    /// other jobs.
    private static func perform(_ job: Job, _ queue: Monitor<Queue>, _ report: (Outcome) -> Void) -> Outcome {
        let error = synchronize(job.descriptor)
        var outcome = Outcome(
            transfer: job.transfer, generation: job.generation, length: job.length, error: error)
        guard error == nil, job.computesDigest else { return outcome }
        do throws(SystemCallError) {
            outcome.digest =
                try FileDigest.sha256(of: job.descriptor, length: job.length) {
                    while let other = nextShortJob(queue) { report(perform(other, queue, report)) }
                    return queue.withLock { !$0.isClosed }
                } ?? []
        } catch {
            outcome = Outcome(
                transfer: job.transfer, generation: job.generation, length: job.length, error: error)
        }
        return outcome
    }

    /// Removes and returns the next job without a digest; nil if there is none.
    private static func nextShortJob(_ queue: Monitor<Queue>) -> Job? {
        queue.withLock { queue in
            queue.jobs.firstIndex { !$0.computesDigest }.map { queue.jobs.remove(at: $0) }
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
