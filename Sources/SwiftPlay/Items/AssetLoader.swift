import MediaPipeline
import SystemCalls

/// A loader that opens an asset's file once and answers all pending requests. Any thread.
final class AssetLoader: Sendable {
    enum Progress: Sendable {
        case notYetLoaded
        case loading
        case loaded(MediaInfo)
        case failed(PlaybackError)
    }

    private typealias Waiter = CheckedContinuation<MediaInfo, any Error>

    private struct State {
        var progress = Progress.notYetLoaded
        /// The reader that is opening the file; nil if no opening is under way.
        var reader: MediaInfoReader?
        /// The number of the newest opening. The results of cancelled openings are ignored.
        var opening: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let location: String
    private let policy: OpenPolicy
    private let state = Monitor(State())

    init(location: String, policy: OpenPolicy) {
        self.location = location
        self.policy = policy
    }

    var progress: Progress { state.withLock { $0.progress } }

    /// Returns the properties once the file is open. Does not block a thread.
    ///
    /// - Throws: ``PlaybackError``, or `CancellationError` if the task or the loading was cancelled.
    func info() async throws -> MediaInfo {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(continuation, number)
                // If the task was cancelled before this line, `onCancel` ran before there was a request to remove.
                if Task.isCancelled { remove(number) }
            }
        } onCancel: {
            remove(number)
        }
    }

    /// Cancels the opening under way: all pending requests receive `CancellationError`.
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
        let isKnown = if case .loaded = progress { true } else { false }
        if !isKnown { finish(.success(info), opening: nil) }
    }

    private func add(_ waiter: Waiter, _ number: UInt64) {
        let answer: Result<MediaInfo, any Error>? = state.withLock { state in
            switch state.progress {
            case .loaded(let info): return .success(info)
            case .failed(let error): return .failure(error)
            case .loading: state.waiters[number] = waiter
            case .notYetLoaded:
                do throws(SystemCallError) {
                    try open(&state)
                    state.waiters[number] = waiter
                } catch {
                    // Threads and descriptors may be available later, so the next request tries again.
                    return .failure(
                        PlaybackError(
                            .resources, "\(location): cannot be opened: \(error.reason)", underlying: error))
                }
            }
            return nil
        }
        if let answer { waiter.resume(with: answer) }
    }

    private func open(_ state: inout State) throws(SystemCallError) {
        state.opening += 1
        let number = state.opening
        state.reader = try MediaInfoReader(location: location, policy: policy) { [weak self] result in
            self?.finish(result.mapError { PlaybackError($0) }, opening: number)
        }
        state.progress = .loading
    }

    /// Removes the request of a cancelled task, and cancels the opening if no request is left.
    private func remove(_ number: UInt64) {
        let (waiter, reader) = state.withLock { state -> (Waiter?, MediaInfoReader?) in
            guard let waiter = state.waiters.removeValue(forKey: number) else { return (nil, nil) }
            guard state.waiters.isEmpty, case .loading = state.progress else { return (waiter, nil) }
            state.progress = .notYetLoaded
            return (waiter, state.reader.take())
        }
        reader?.interrupt()
        waiter?.resume(throwing: CancellationError())
    }

    /// Answers all pending requests.
    ///
    /// - Parameter opening: The number of the opening that ended; nil if the file was opened elsewhere.
    private func finish(_ result: Result<MediaInfo, PlaybackError>, opening: UInt64?) {
        let (reader, waiters) = state.withLock { state -> (MediaInfoReader?, [Waiter]) in
            if let opening {
                guard opening == state.opening, case .loading = state.progress else { return (nil, []) }
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
