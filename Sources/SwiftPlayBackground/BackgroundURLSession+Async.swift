import BackgroundProtocol
import FoundationEssentials
import Glibc
import SystemCalls

/// The wait of an async caller for the end of a download.
final class AsyncDownload: Sendable {
    /// The path to which the file is moved; nil for a package, which stays where it is.
    private let destination: String?
    private let state: Monitor<State>

    private struct State {
        var continuation: CheckedContinuation<BackgroundURLResponse, any Error>?
        var error: BackgroundURLError?
    }

    init(destination: String?, continuation: CheckedContinuation<BackgroundURLResponse, any Error>) {
        self.destination = destination
        state = Monitor(State(continuation: continuation))
    }

    /// Moves the finished file to the destination, which is replaced.
    ///
    /// - Returns: Always true: the file is taken or the caller receives an error.
    func takeFile(_ path: String) -> Bool {
        guard let destination else { return true }
        do throws(SystemCallError) { try DirectoryEntry.rename(path, to: destination) } catch {
            state.withLock { state in
                state.error = BackgroundURLError(
                    code: -3002, "the file cannot be moved to \(destination): \(error.reason)")
            }
        }
        return true
    }

    /// Resumes the caller after the end of a transfer.
    ///
    /// - Parameter error: The reason why the transfer has failed; nil if it has not failed.
    func finish(_ task: BackgroundSessionTask, error: BackgroundURLError?) {
        let (continuation, moveError) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.continuation, state.error)
        }
        if let error = error ?? moveError {
            continuation?.resume(throwing: error)
        } else if let response = task.response {
            continuation?.resume(returning: response)
        } else {
            continuation?.resume(throwing: BackgroundURLError(code: -1, "the server has not responded"))
        }
    }
}

extension BackgroundURLSession {
    /// Downloads a file to a path on the same file system as the user's data folder, and waits for its end.
    ///
    /// If the program exits before the end of the download, the download continues, and the delegate receives its
    /// events after the next start of the program. If the calling task is cancelled, the download is cancelled.
    ///
    /// - Parameters:
    ///   - url: The address of the file.
    ///   - destination: The path of the file, which is replaced if it exists.
    ///   - description: A text that survives a restart of the program, such as a key of the program's own.
    /// - Returns: The response of the server; check its status.
    /// - Throws: ``BackgroundURLError`` if the download fails or the file cannot be moved.
    public func download(
        from url: URL, to destination: URL, description: String = ""
    ) async throws -> BackgroundURLResponse {
        let request = BackgroundURLRequest(url: url)
        let task = BackgroundDownloadTask(
            uuid: Self.makeUUID(), request: request, snapshot: nil, description: description, link: link)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = AsyncDownload(destination: destination.path, continuation: continuation)
                task.record.withLock { $0.waiter = waiter }
                create(task, request, upload: nil, earliestBegin: nil)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}
