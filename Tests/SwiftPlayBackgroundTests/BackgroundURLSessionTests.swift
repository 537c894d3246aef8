import BackgroundProtocol
import Dispatch
import FoundationEssentials
import SystemCalls
import Testing

@testable import SwiftPlayBackground

/// Sessions without a service.
@Suite struct BackgroundURLSessionTests {
    private let queue: DispatchQueue
    private let delegate: RecordingDelegate
    private let session: BackgroundURLSession

    init() throws {
        queue = DispatchQueue(label: "delegate")
        delegate = RecordingDelegate()
        session = BackgroundURLSession(
            configuration: .background(withIdentifier: "films"), delegate: delegate, delegateQueue: queue,
            link: try BackgroundLink(program: ProgramDescription(name: "test")) { _, _ in })
    }

    /// Adds a stored download to the session.
    private func addTask(_ id: Int64) -> BackgroundDownloadTask {
        let task = BackgroundDownloadTask(uuid: [], request: nil, snapshot: makeSnapshot(id), link: session.link)
        session.state.withLock { $0.tasks.store(task, id: id) }
        return task
    }

    /// Lets the session end with its transfers, which it knows.
    private func finishTasks() {
        session.state.withLock { state in (state.isInvalid, state.knowsEarlierTasks) = (true, true) }
    }

    /// Waits for the calls that are on the delegate queue, and for those that they add to it.
    private func waitForCalls() { for _ in 0..<2 { queue.sync {} } }

    @Test("the end of the events reaches the delegate if the session ends before that call")
    func theEndOfEventsPrecedesTheEndOfTheSession() {
        finishTasks()
        queue.suspend()
        queue.async { [session] in session.invalidateIfDone() }
        session.handle(.finishedEvents(session: 1), nil)
        queue.resume()
        waitForCalls()
        #expect(delegate.calls.withLock { $0 } == ["finished-events", "invalid"])
        #expect(session.delegate == nil)
    }

    @Test("a session with two cancelled downloads ends after the delegate has received both errors")
    func theSessionEndsAfterCancelledDownloads() {
        let tasks = [addTask(1), addTask(2)]
        finishTasks()
        queue.suspend()
        for (task, id) in zip(tasks, [1, 2] as [Int64]) { session.finish(task, setAside: id) {} }
        queue.resume()
        waitForCalls()
        #expect(delegate.calls.withLock { $0 } == ["completed 1 -999", "completed 2 -999", "invalid"])
    }

    @Test("a download counts until its error has reached the delegate, so that no other one ends the session before")
    func aFailedDownloadCountsUntilTheDelegateHasItsError() {
        let cancelled = addTask(1)
        let refused = BackgroundDownloadTask(uuid: [], request: nil, snapshot: nil, link: session.link)
        session.state.withLock { $0.tasks.add(refused) }
        queue.suspend()
        session.finish(cancelled, setAside: 1) {}
        session.fail(refused, BackgroundURLError(code: -1, "the disk is full"))
        let count = session.state.withLock { $0.tasks.all.count }
        queue.resume()
        waitForCalls()
        #expect(count == 2 && session.state.withLock { $0.tasks.all.isEmpty })
        #expect(delegate.calls.withLock { $0 } == ["completed 1 -999", "completed 0 -1"])
    }

    @Test("a download of a session that the service has refused reports its error and its text to the delegate")
    func aDownloadOfARefusedSessionIsReported() throws {
        session.state.withLock { $0.refusal = BackgroundURLError(code: -1, "another process uses the session") }
        let url = try #require(URL(string: "https://example.org/film.mkv"))
        let task = session.downloadTask(with: BackgroundURLRequest(url: url), description: "film")
        waitForCalls()
        #expect(session.delegate == nil && task.taskDescription == "film")
        #expect(delegate.calls.withLock { $0 } == ["completed 0 -1"])
    }

    @Test("the async caller of a download that is cancelled with resume data receives the error, and not the delegate")
    func anAsyncDownloadThatIsSetAsideThrows() async {
        let task = addTask(1)
        await #expect(throws: BackgroundURLError(code: -999, "cancelled")) {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<BackgroundURLResponse, any Error>) in
                let waiter = AsyncDownload(destination: nil, continuation: continuation)
                task.record.withLock { $0.waiter = waiter }
                session.finish(task, setAside: 1) {}
                queue.sync {}
                // Only resumes a caller that has received nothing.
                waiter.finish(task, error: BackgroundURLError(code: 0, "the download has not ended"))
            }
        }
        #expect(delegate.calls.withLock { $0.isEmpty })
    }
}

/// Returns the report of a download that is suspended.
func makeSnapshot(_ id: Int64) -> TaskSnapshot {
    TaskSnapshot(
        id: id, session: 1, number: id, program: "test", identifier: "films",
        address: "https://example.org/film.mkv", description: "film",
        activity: TaskSnapshot.Activity(.suspended, "suspended"),
        file: TaskSnapshot.File(directory: "/nowhere", name: "film.mkv", isKept: false), bytes: TaskSnapshot.Bytes())
}

/// Records the calls of a session.
private final class RecordingDelegate: BackgroundURLSessionDelegate {
    let calls = Monitor<[String]>([])

    func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask, didCompleteWithError error: BackgroundURLError?
    ) {
        let call = "completed \(task.taskIdentifier) \(error?.code ?? 0)"
        calls.withLock { $0.append(call) }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: BackgroundURLSession) {
        calls.withLock { $0.append("finished-events") }
    }

    func urlSession(_ session: BackgroundURLSession, didBecomeInvalidWithError error: BackgroundURLError?) {
        calls.withLock { $0.append("invalid") }
    }
}
