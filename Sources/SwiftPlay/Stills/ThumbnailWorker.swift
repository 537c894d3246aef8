import MediaPipeline
import SharedFrames
import SystemCalls

/// The worker of an image generator: the queue of its requests, and the thread "stills" that serves them.
final class ThumbnailWorker: Sendable {
    /// The settings of an image generator. A request keeps the settings with which it was made.
    struct Settings: Sendable {
        /// See ``ImageGenerator/requestedTimeToleranceBefore``.
        var toleranceBefore = MediaTime.positiveInfinity
        /// See ``ImageGenerator/requestedTimeToleranceAfter``.
        var toleranceAfter = MediaTime.positiveInfinity
        /// See ``ImageGenerator/maximumSize``.
        var maximumSize = PixelSize(width: 0, height: 0)
        /// See ``ImageGenerator/appliesPreferredTrackTransform``.
        var appliesTransform = false
    }

    /// Receives the picture or the error of a request; nil if the request was cancelled.
    typealias Handler = @Sendable (Result<PixelBuffer, PlaybackError>?) -> Void

    /// A request for the picture at a time.
    private struct Request: Sendable {
        /// The number by which the request can be cancelled.
        var number: UInt64
        /// The time of the picture in the file.
        var time: MediaTime
        /// The settings with which the request was made.
        var settings: Settings
        /// Receives the picture or the error of this request.
        var handler: Handler
    }

    /// The requests that are not answered yet.
    private struct State {
        /// The requests that the thread "stills" has not begun, oldest first.
        var waitingRequests: [Request] = []
        /// The request that the thread "stills" is serving; nil if there is none or it was cancelled.
        var runningRequest: Request?
        /// The number of the newest request.
        var lastRequestNumber: UInt64 = 0
        /// Whether ``endAfterRequests()`` was called: the thread "stills" ends after the last request.
        var isEnding = false
        /// The reserved numbers whose requests were not made yet. Removing a number cancels its request.
        var reservedNumbers: Set<UInt64> = []
    }

    /// The present settings of the image generator.
    let settings = Monitor(Settings())
    private let asset: Asset
    private let policy: OpenPolicy
    private let state = Monitor(State())
    private let thread = Monitor<NamedThread?>(nil)

    init(asset: Asset, policy: OpenPolicy) {
        self.asset = asset
        self.policy = policy
    }

    /// Reserves the number of a new request, by which the request can be cancelled, and returns the number.
    func reserveRequestNumber() -> UInt64 {
        state.withLock { state in
            state.lastRequestNumber += 1
            state.reservedNumbers.insert(state.lastRequestNumber)
            return state.lastRequestNumber
        }
    }

    /// Adds a request, and starts the thread "stills" on first use.
    func request(_ number: UInt64, _ time: MediaTime, _ handler: @escaping Handler) {
        let settings = settings.withLock { $0 }
        let isAccepted = state.update { state in
            guard state.reservedNumbers.remove(number) != nil else { return false }
            state.waitingRequests.append(Request(number: number, time: time, settings: settings, handler: handler))
            return true
        }
        guard isAccepted else { return handler(nil) }
        do throws(SystemCallError) {
            try thread.withLock { thread throws(SystemCallError) in
                if thread == nil { thread = try NamedThread("stills") { self.run() } }
            }
        } catch {
            guard removeRequests({ $0 == number }).count == 1 else { return }
            handler(
                .failure(
                    PlaybackError(.resources, "cannot start a thread for pictures: \(error.reason)", underlying: error))
            )
        }
    }

    /// Cancels a request. If the request was not made yet, it is cancelled as soon as it is made.
    func cancel(_ number: UInt64) {
        let cancelledRequests = removeRequests { $0 == number }
        if cancelledRequests.isEmpty { state.withLock { _ = $0.reservedNumbers.remove(number) } }
        for request in cancelledRequests { request.handler(nil) }
    }

    /// Cancels all requests whose number satisfies `predicate`.
    func cancel(_ predicate: (UInt64) -> Bool) {
        for request in removeRequests(predicate) { request.handler(nil) }
    }

    /// Removes and returns the unanswered requests whose number satisfies `predicate`.
    private func removeRequests(_ predicate: (UInt64) -> Bool) -> [Request] {
        state.update { state -> [Request] in
            var removedRequests = state.waitingRequests.filter { predicate($0.number) }
            state.waitingRequests.removeAll { predicate($0.number) }
            if let runningRequest = state.runningRequest, predicate(runningRequest.number) {
                removedRequests.append(runningRequest)
                state.runningRequest = nil
            }
            return removedRequests
        }
    }

    /// Ends the thread "stills" after the last request. Without a request, returns after the thread has ended. There
    /// are no later requests.
    func endAfterRequests() {
        let isIdle = state.update { state in
            state.isEnding = true
            return state.waitingRequests.isEmpty && state.runningRequest == nil
        }
        let thread = thread.withLock { $0.take() }
        if isIdle { thread?.join() } else { thread?.detach() }
    }

    // MARK: Thread "stills"

    /// The body of the thread "stills": serves one request after the other until the generator is released and no
    /// request is left.
    private func run() {
        ThreadPriority.utility.applyToCurrentThread()
        let source = ThumbnailSource(asset: asset, policy: policy)
        defer { source.close() }
        while true {
            let nextRequest: Request?? = state.wait { state in
                guard !state.waitingRequests.isEmpty else { return state.isEnding ? .some(nil) : nil }
                let request = state.waitingRequests.removeFirst()
                state.runningRequest = request
                return .some(request)
            }
            guard let request = nextRequest ?? nil else { return }
            let result = source.picture(at: request.time, request.settings) { [state] in
                state.withLock { $0.runningRequest?.number == request.number }
            }
            let isWanted = state.withLock { state in
                guard state.runningRequest?.number == request.number else { return false }
                state.runningRequest = nil
                return true
            }
            if isWanted { request.handler(result) }
        }
    }
}
