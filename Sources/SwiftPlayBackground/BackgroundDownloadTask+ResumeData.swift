import BackgroundProtocol
import FoundationEssentials

extension BackgroundDownloadTask {
    /// Cancels the download, and keeps its received bytes for ``BackgroundURLSession/downloadTask(withResumeData:)``.
    ///
    /// The bytes are kept until the resource time of the download ends. The data are opaque; they may be stored and
    /// used by a later start of the program. A download whose last reply was final, such as an error page, cannot be
    /// continued.
    ///
    /// - Parameter completionHandler: Called on the delegate queue before the delegate receives the error -999; at once
    ///   if the download could not be created. Receives the resume data; nil if the download cannot be continued,
    ///   because no bytes have arrived, it has ended, or the server cannot continue.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        record.withLock { $0.isCancelling = true }
        perform(.setAside(completionHandler))
    }

    /// Cancels the download, and keeps its received bytes, as ``cancel(byProducingResumeData:)`` does.
    ///
    /// - Returns: The resume data; nil if the download cannot be continued.
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel(byProducingResumeData: { continuation.resume(returning: $0) })
        }
    }
}

extension BackgroundSessionTask {
    /// Cancels the stored transfer `id` and keeps its bytes; if that is not possible, cancels it.
    func setAside(_ id: Int64, _ handler: @escaping @Sendable (Data?) -> Void) {
        link.perform(.setAside(task: id)) { [self] answer in
            let session = record.withLock { $0.snapshot }.flatMap { BackgroundConnection.shared.session($0.session) }
            switch answer {
            case .success:
                let address = record.withLock { $0.snapshot?.address ?? "" }
                let data = Data(ResumeToken(task: id, address: address).encoded)
                guard let session else { return handler(data) }
                session.finish(self, setAside: id) { handler(data) }
            case .failure:
                perform(.cancel)
                guard let session else { return handler(nil) }
                session.delegateQueue.async { handler(nil) }
            }
        }
    }
}

extension BackgroundURLSession {
    /// Creates a download that continues a cancelled one, and is suspended. The delegate receives
    /// `urlSession(_:downloadTask:didResumeAtOffset:expectedTotalBytes:)` when the server continues.
    ///
    /// The task has the number, the text and the resource time of the cancelled one. If the received bytes do not exist
    /// any more, or another task uses them, the download fails at once, and the delegate receives the error.
    ///
    /// - Parameter resumeData: The data of a download of this session, from
    ///   ``BackgroundDownloadTask/cancel(byProducingResumeData:)``.
    public func downloadTask(withResumeData resumeData: Data) -> BackgroundDownloadTask {
        let task = BackgroundDownloadTask(uuid: [], request: nil, snapshot: nil, link: link)
        guard let token = try? ResumeToken(decoding: Array(resumeData)) else {
            fail(task, BackgroundURLError(code: -1015, "the resume data are damaged; download the file from its start"))
            return task
        }
        guard state.withLock({ $0.tasks[token.task] == nil }) else {
            fail(task, BackgroundURLError(code: -1, "another task continues this download already"))
            return task
        }
        store(task) { key in .takeBack(session: key, token) }
        return task
    }

    /// Ends a task whose transfer was cancelled and keeps its bytes: calls the handler, and then the async caller
    /// or the delegate.
    func finish(_ task: BackgroundSessionTask, setAside id: Int64, _ handler: @escaping @Sendable () -> Void) {
        let activity = TaskSnapshot.Activity(.cancelled, "cancelled", errorCode: -999)
        task.record.withLock { $0.snapshot?.activity = activity }
        delegateQueue.async { [self] in
            // Without the transfer, the session could end before this call. The handler may continue the download.
            state.withLock { $0.tasks.remove(id: id) }
            handler()
            complete(task, task.error)
            invalidateIfDone()
        }
    }
}
