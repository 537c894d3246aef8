import Foundation
import FoundationNetworking
import Synchronization

/// What a server has sent with a feed, by which it recognises that the feed has not changed.
struct FeedValidators: Codable, Equatable, Sendable {
    var entityTag: String?
    var lastModified: String?
}

/// The answer to a request for a feed.
enum FeedResponse: Equatable, Sendable {
    /// The feed has not changed since the validators were received.
    case unchanged
    case changed(Data, FeedValidators)
}

/// Requests feeds and their pictures: small files, which are received into memory.
struct FeedFetcher: Sendable {
    /// The time for one request in seconds. A background fetch has 25 s.
    private static let timeout = 20.0

    /// Requests a file.
    ///
    /// - Parameters:
    ///   - validators: What the server has sent with the last version of the file.
    ///   - limit: The largest file that is accepted, in bytes.
    /// - Throws: ``PodcastsError`` if there is no file, or `CancellationError`.
    func fetch(
        _ url: URL, validators: FeedValidators = FeedValidators(), limit: Int = FeedParser.byteLimit
    ) async throws -> FeedResponse {
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: Self.timeout)
        request.setValue(validators.entityTag, forHTTPHeaderField: "If-None-Match")
        request.setValue(validators.lastModified, forHTTPHeaderField: "If-Modified-Since")
        let (response, data) = try await BoundedRequest(limit: limit).perform(request)
        switch response.statusCode {
        case 304: return .unchanged
        case 200:
            let entityTag = response.value(forHTTPHeaderField: "ETag")
            let lastModified = response.value(forHTTPHeaderField: "Last-Modified")
            return .changed(data, FeedValidators(entityTag: entityTag, lastModified: lastModified))
        default: throw PodcastsError("the server answers with status \(response.statusCode)")
        }
    }
}

/// One request whose response has a size limit.
private final class BoundedRequest: NSObject, URLSessionDataDelegate {
    private typealias Result = (HTTPURLResponse, Data)

    private struct State {
        var response: HTTPURLResponse?
        var data = Data()
        var failure: PodcastsError?
        var continuation: CheckedContinuation<Result, any Error>?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    func perform(_ request: URLRequest) async throws -> (HTTPURLResponse, Data) {
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        // The session retains its delegate until then.
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        let scheme = request.url?.scheme?.lowercased(), oldScheme = task.currentRequest?.url?.scheme?.lowercased()
        // A server must not lead to a file, nor from an encrypted connection to an open one.
        completionHandler(scheme == "https" || scheme == "http" && oldScheme == "http" ? request : nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = state.withLock { state in
            guard state.data.count + data.count <= limit else {
                state.failure = PodcastsError("the file has more than \(limit >> 20) MiB")
                return true
            }
            state.data += data
            return false
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (continuation, data, failure) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.continuation, state.data, state.failure)
        }
        if let failure {
            continuation?.resume(throwing: failure)
        } else if let error {
            let isCancelled = (error as? URLError)?.code == .cancelled
            continuation?.resume(throwing: isCancelled ? CancellationError() : Self.failure(error))
        } else if let response = task.response as? HTTPURLResponse {
            continuation?.resume(returning: (response, data))
        } else {
            continuation?.resume(throwing: PodcastsError("the server has not answered with HTTP"))
        }
    }

    /// Returns the failure of a request in words.
    private static func failure(_ error: any Error) -> PodcastsError {
        switch (error as? URLError)?.code {
        case .timedOut: PodcastsError("the server has not answered in time")
        case .cannotFindHost: PodcastsError("the name of the server is unknown")
        case .cannotConnectToHost: PodcastsError("there is no connection to the server")
        default: PodcastsError("the request has failed: \(error.localizedDescription)")
        }
    }
}
