import MediaPipeline
import SystemCalls

/// A loader that opens an asset's file once and completes all pending requests with the result.
/// Safe to use from any thread.
final class AssetLoader: Sendable {
    /// The progress of loading the asset's properties.
    enum Progress: Sendable {
        /// No request was made, or all requests were cancelled.
        case notYetLoaded
        /// The file is being opened.
        case loading
        /// The file was opened, with these properties.
        case loaded(MediaInfo)
        /// The file could not be opened.
        case failed(PlaybackError)
    }

    /// A request that waits until the file is open.
    private typealias Waiter = CheckedContinuation<MediaInfo, any Error>

    /// The progress of opening the file, and the requests that wait until the file is open.
    private struct State {
        /// The progress of loading the asset's properties.
        var progress = Progress.notYetLoaded
        /// The reader that is opening the file; nil if the file is not being opened.
        var reader: MediaInfoReader?
        /// The number of the newest attempt to open the file. Results of cancelled attempts are ignored.
        var openingNumber: UInt64 = 0
        /// The waiting requests by their numbers.
        var waiters: [UInt64: Waiter] = [:]
        /// The number of the newest request.
        var lastRequestNumber: UInt64 = 0
    }

    private let location: String
    /// The policy for opening the file: which certificates of https servers are accepted.
    private let policy: OpenPolicy
    private let state = Monitor(State())

    init(location: String, policy: OpenPolicy) {
        self.location = location
        self.policy = policy
    }

    /// The progress of loading the asset's properties.
    var progress: Progress { state.withLock { $0.progress } }

    /// Returns the asset's properties once the file is open. Does not block a thread.
    ///
    /// - Throws: ``PlaybackError``, or `CancellationError` if the task or the loading was cancelled.
    func mediaInfo() async throws -> MediaInfo {
        let requestNumber = state.withLock { state in
            state.lastRequestNumber += 1
            return state.lastRequestNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                addRequest(continuation, requestNumber)
                // A task that was cancelled before this line has run `onCancel` already, when there was no request to
                // remove.
                if Task.isCancelled { removeRequest(requestNumber) }
            }
        } onCancel: {
            removeRequest(requestNumber)
        }
    }

    /// Stops opening the file: all pending requests receive `CancellationError`.
    func cancel() {
        let (reader, waiters) = state.withLock { state in
            if case .loading = state.progress { state.progress = .notYetLoaded }
            defer { state.waiters = [:] }
            return (state.reader.take(), state.waiters.values)
        }
        reader?.interrupt()
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    }

    /// Stores properties that a player or an image generator has read, unless they are loaded already.
    func provide(_ info: MediaInfo) {
        let isLoaded = if case .loaded = progress { true } else { false }
        if !isLoaded { finishLoading(.success(info), openingNumber: nil) }
    }

    /// Completes a request at once if loading has ended. Otherwise adds the request to the waiting requests, and starts
    /// opening the file if necessary.
    private func addRequest(_ waiter: Waiter, _ requestNumber: UInt64) {
        let result: Result<MediaInfo, any Error>? = state.withLock { state in
            switch state.progress {
            case .loaded(let info): return .success(info)
            case .failed(let error): return .failure(error)
            case .loading: state.waiters[requestNumber] = waiter
            case .notYetLoaded:
                do throws(SystemCallError) {
                    try startOpening(&state)
                    state.waiters[requestNumber] = waiter
                } catch {
                    // Threads and file descriptors may be available later, so the next request opens the file again.
                    return .failure(
                        PlaybackError(
                            .resources, "\(location): cannot be opened: \(error.reason)", underlying: error))
                }
            }
            return nil
        }
        if let result { waiter.resume(with: result) }
    }

    /// Starts opening the file, on another thread.
    private func startOpening(_ state: inout State) throws(SystemCallError) {
        state.openingNumber += 1
        let openingNumber = state.openingNumber
        state.reader = try MediaInfoReader(location: location, policy: policy) { [weak self] result in
            self?.finishLoading(result.mapError { PlaybackError($0) }, openingNumber: openingNumber)
        }
        state.progress = .loading
    }

    /// Removes the request of a cancelled task, and stops opening the file if no request is left.
    private func removeRequest(_ requestNumber: UInt64) {
        let (waiter, reader) = state.withLock { state -> (Waiter?, MediaInfoReader?) in
            guard let waiter = state.waiters.removeValue(forKey: requestNumber) else { return (nil, nil) }
            guard state.waiters.isEmpty, case .loading = state.progress else { return (waiter, nil) }
            state.progress = .notYetLoaded
            return (waiter, state.reader.take())
        }
        reader?.interrupt()
        waiter?.resume(throwing: CancellationError())
    }

    /// Stores the properties or the error, and completes all pending requests.
    ///
    /// - Parameter openingNumber: The number of the attempt to open the file that ended; nil if a player or an image
    ///   generator opened the file.
    private func finishLoading(_ result: Result<MediaInfo, PlaybackError>, openingNumber: UInt64?) {
        let (reader, waiters) = state.withLock { state -> (MediaInfoReader?, [Waiter]) in
            if let openingNumber {
                guard openingNumber == state.openingNumber, case .loading = state.progress else { return (nil, []) }
            }
            switch result {
            case .success(let info): state.progress = .loaded(info)
            case .failure(let error): state.progress = .failed(error)
            }
            defer { state.waiters = [:] }
            return (state.reader.take(), Array(state.waiters.values))
        }
        reader?.interrupt()
        for waiter in waiters { waiter.resume(with: result.mapError { $0 as any Error }) }
    }
}
