import BackgroundProtocol
import Dispatch
import FoundationEssentials
import SystemCalls

extension BackgroundURLSession {
    /// Handles a message of the service about this session. Called on the link's thread.
    func handle(_ event: ClientEvent, _ file: SharedDescriptor?) {
        switch event {
        case .task(let snapshot):
            // Older services also report transfers of whose end the delegate knows.
            let isOpen =
                !snapshot.activity.phase.isTerminal || link.version >= ClientLimits.hiddenHistoryVersion
                || state.withLock { $0.tasks[snapshot.id] != nil }
            guard isOpen else { return }
            if let task = task(for: snapshot) as? AssetDownloadTask { reportPackage(task) }
        case .progress(let id, let done, let total): handleProgress(id, done, total)
        case .resumed(let id, let offset, let total):
            guard let task = state.withLock({ $0.tasks[id] }) as? BackgroundDownloadTask else { return }
            delegateQueue.async { [self] in
                delegate?.urlSession(
                    self, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: total ?? -1)
            }
        case .event(let event):
            let isNew = state.withLock { state in
                defer { state.lastSequence = max(state.lastSequence, event.sequence) }
                return event.sequence > state.lastSequence
            }
            // A service that was started again does not know that it owes the end of these events.
            link.addStanding(eventEndName, .requestFinishedEvents(session: event.session))
            // The service repeats an event that is on the queue already, or whose acknowledgement was lost.
            if isNew { deliver(event, file) } else { delegateQueue.async { [self] in acknowledge(event) } }
        case .finishedEvents:
            link.removeStanding(eventEndName)
            delegateQueue.async { [self] in
                delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: self)
                invalidateIfDone()
            }
        default: break
        }
    }

    /// The name of the standing request for the end of the events. Standing commands are sent in the order of their
    /// names, so this one follows "attach" and "presence", on which the answer depends.
    var eventEndName: String { "session events \(configuration.identifier)" }

    /// Returns the transfer of a report, which is created if an earlier run of the program has created the transfer.
    private func task(for snapshot: TaskSnapshot) -> BackgroundSessionTask {
        let task = state.withLock { state in
            state.tasks.task(id: snapshot.id) {
                if snapshot.package != nil {
                    AssetDownloadTask(uuid: [], request: nil, snapshot: snapshot, link: link)
                } else if snapshot.bytes.isUpload {
                    BackgroundUploadTask(uuid: [], request: nil, snapshot: snapshot, link: link)
                } else {
                    BackgroundDownloadTask(uuid: [], request: nil, snapshot: snapshot, link: link)
                }
            }
        }
        task.update(snapshot)
        return task
    }

    /// Reports received or sent bytes to the delegate.
    private func handleProgress(_ id: Int64, _ done: Int64, _ total: Int64?) {
        guard let task = state.withLock({ $0.tasks[id] }), !(task is AssetDownloadTask) else { return }
        task.record.withLock { record in
            record.snapshot?.bytes.done = done
            record.snapshot?.bytes.total = total
        }
        delegateQueue.async { [self] in report(done, of: total, task) }
    }

    /// Calls the delegate for the bytes that were not reported yet. Called on the delegate queue.
    private func report(_ done: Int64, of total: Int64?, _ task: BackgroundSessionTask) {
        let newBytes = task.record.withLock { record in
            defer { record.reportedBytes = done }
            return done - record.reportedBytes
        }
        guard newBytes > 0, let delegate else { return }
        if let task = task as? BackgroundDownloadTask {
            delegate.urlSession(
                self, downloadTask: task, didWriteData: newBytes, totalBytesWritten: done,
                totalBytesExpectedToWrite: total ?? -1)
        } else {
            delegate.urlSession(
                self, task: task, didSendBodyData: newBytes, totalBytesSent: done,
                totalBytesExpectedToSend: total ?? -1)
        }
    }

    /// Calls the delegate on its queue, and acknowledges the event when the delegate has returned.
    private func deliver(_ event: ClientEvent.SessionEvent, _ file: SharedDescriptor?) {
        let task = task(for: event.task)
        delegateQueue.async { [self] in
            // An invalidated session has no delegate: the next session of the program receives the event.
            guard !state.withLock({ $0.hasEnded }) else { return }
            // The descriptor keeps the content readable even if another process removes the file.
            withExtendedLifetime(file) { call(event, task, hasFile: file != nil) }
            acknowledge(event)
            invalidateIfDone()
        }
    }

    /// The time after which a command is repeated that the service could not carry out.
    static let repetitionInterval = DispatchTimeInterval.seconds(10)

    /// Tells the service that the delegate has handled an event. The next event waits until the acknowledgement is
    /// durable: after a crash, only the event whose method has not returned is repeated. Called on the delegate queue.
    private func acknowledge(_ event: ClientEvent.SessionEvent) {
        guard !state.withLock({ $0.hasEnded }) else { return }
        do throws(ClientEvent.Refusal) {
            _ = try link.answer(to: .acknowledge(session: event.session, sequence: event.sequence))
            // Not earlier: a list for `allTasks` that the service has sent before the acknowledgement contains the
            // transfer, and would add a second object for it.
            if event.kind == .completed { state.withLock { $0.tasks.remove(id: event.task.id) } }
        } catch {
            // The disk is full, or the session is not attached again after a lost connection.
            delegateQueue.asyncAfter(deadline: .now() + Self.repetitionInterval) { [weak self] in
                self?.acknowledge(event)
            }
        }
    }

    /// Calls the method of the delegate for an event.
    private func call(_ event: ClientEvent.SessionEvent, _ task: BackgroundSessionTask, hasFile: Bool) {
        switch event.kind {
        case .finished:
            if let package = task as? AssetDownloadTask { return reportEnd(of: package) }
            // Without a file, an earlier run of the program has moved the file away and crashed then.
            guard hasFile, let download = task as? BackgroundDownloadTask else { return }
            let path = event.task.file.directory + "/" + event.task.file.name
            if task.record.withLock({ $0.waiter })?.takeFile(path) == true { return }
            // The last bytes arrive with the file, those of a short transfer without any report before.
            report(event.task.bytes.done, of: event.task.bytes.total, task)
            delegate?.urlSession(self, downloadTask: download, didFinishDownloadingTo: URL(filePath: path))
        case .completed: complete(task, task.error)
        case .challenge:
            delegate?.urlSession(self, task: task, didReceive: BackgroundAuthenticationChallenge(task: task))
        }
    }

    /// Reports the end of a transfer to the async caller that waits for it, or else to the delegate. Called on the
    /// delegate queue.
    func complete(_ task: BackgroundSessionTask, _ error: BackgroundURLError?) {
        let waiter = task.record.withLock { record in
            record.isCompleted = true
            return record.waiter
        }
        if let waiter { return waiter.finish(task, error: error) }
        // A session that the service has refused still reports its transfers, and shows no delegate to the program.
        let delegate = state.withLock { $0.delegate }
        delegate?.urlSession(self, task: task, didCompleteWithError: error)
    }
}
