import BackgroundProtocol
import FoundationEssentials

/// The delegate of a background session. All methods are optional and are called on the session's delegate queue.
///
/// An event counts as delivered when the method has returned. If the program crashes before, the event is delivered
/// again after its next start: every event is delivered at least once.
public protocol BackgroundURLSessionDelegate: AnyObject, Sendable {
    /// A file is complete. It is removed when this method returns: move or copy it.
    ///
    /// The method is not called again if the program has moved the file away and crashed before it returned.
    func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didFinishDownloadingTo location: URL)
    /// Bytes of a download have arrived. Called at most ten times a second, and with the last bytes before
    /// ``urlSession(_:downloadTask:didFinishDownloadingTo:)``.
    func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
    /// A download continues after an interruption.
    func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64)
    /// Bytes of an upload were sent. Called at most ten times a second.
    func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64)
    /// The server requests a user name and password. Call ``BackgroundAuthenticationChallenge/use(user:password:)`` now
    /// or later; until then the transfer waits.
    func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask,
        didReceive challenge: BackgroundAuthenticationChallenge)
    /// A transfer has ended: without an error if the server has answered, otherwise with the reason.
    func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask, didCompleteWithError error: BackgroundURLError?)
    /// All events of the session were delivered. Call the completion handler of
    /// ``BackgroundApplicationDelegate/application(handleEventsForBackgroundURLSession:completionHandler:)`` now.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: BackgroundURLSession)
    /// The session was invalidated; with an error if the service cannot be used.
    func urlSession(_ session: BackgroundURLSession, didBecomeInvalidWithError error: BackgroundURLError?)
}

extension BackgroundURLSessionDelegate {
    /// Does nothing; the file is removed.
    public func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didFinishDownloadingTo location: URL
    ) {}
    /// Does nothing.
    public func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}
    /// Does nothing.
    public func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {}
    /// Does nothing.
    public func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {}
    /// Cancels the transfer, because the program has no user name and password.
    public func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask,
        didReceive challenge: BackgroundAuthenticationChallenge
    ) { challenge.cancel() }
    /// Does nothing.
    public func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask, didCompleteWithError error: BackgroundURLError?
    ) {}
    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: BackgroundURLSession) {}
    /// Does nothing.
    public func urlSession(_ session: BackgroundURLSession, didBecomeInvalidWithError error: BackgroundURLError?) {}
}

/// The request of a server or proxy for a user name and password.
public struct BackgroundAuthenticationChallenge: Sendable {
    /// The waiting transfer.
    public let task: BackgroundSessionTask

    /// Supplies the user name and password. The service stores them outside its record of transfers.
    public func use(user: String, password: String) {
        guard let id = task.record.withLock({ $0.snapshot?.id }) else { return }
        let command = ClientCommand.authenticate(task: id, user: user, password: password)
        task.link.performUntilFinished(command, name: "authenticate \(id)")
    }

    /// Cancels the transfer.
    public func cancel() { task.cancel() }
}
