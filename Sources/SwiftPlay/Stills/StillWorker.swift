import MediaPipeline
import SharedFrames
import SystemCalls

/// The worker of an image generator: the queue of its requests, and the thread "stills" that serves them.
final class StillWorker: Sendable {
    struct Settings: Sendable {
        var before = MediaTime.positiveInfinity
        var after = MediaTime.positiveInfinity
        var maximum = PixelSize(width: 0, height: 0)
        var appliesTransform = false
    }

    typealias Answer = @Sendable (Result<PixelBuffer, PlaybackError>?) -> Void

    private struct Request: Sendable {
        var number: UInt64
        var time: MediaTime
        var settings: Settings
        var answer: Answer
    }

    private struct State {
        var waiting: [Request] = []
        /// The request that the thread is serving; nil if there is none or it was cancelled.
        var running: Request?
        var lastNumber: UInt64 = 0
        var isClosed = false
        /// The numbers of requests that were cancelled before they were made.
        var cancelled: Set<UInt64> = []
    }

    let settings = Monitor(Settings())
    private let asset: Asset
    private let policy: OpenPolicy
    private let state = Monitor(State())
    private let thread = Monitor<NamedThread?>(nil)

    init(asset: Asset, policy: OpenPolicy) {
        self.asset = asset
        self.policy = policy
    }

    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    func request(_ number: UInt64, _ time: MediaTime, _ answer: @escaping Answer) {
        let settings = settings.withLock { $0 }
        let isTaken = state.update { state in
            guard !state.isClosed, state.cancelled.remove(number) == nil else { return false }
            state.waiting.append(Request(number: number, time: time, settings: settings, answer: answer))
            return true
        }
        guard isTaken else { return answer(nil) }
        do throws(SystemCallError) {
            try thread.withLock { thread throws(SystemCallError) in
                if thread == nil { thread = try NamedThread("stills") { self.run() } }
            }
        } catch {
            guard forget({ $0 == number }).count == 1 else { return }
            answer(
                .failure(
                    PlaybackError(.resources, "cannot start a thread for pictures: \(error.reason)", underlying: error))
            )
        }
    }

    /// Cancels a request. A request that is not made yet is cancelled when it is made: its task may be cancelled first.
    func cancel(_ number: UInt64) {
        let over = forget { $0 == number }
        if over.isEmpty { state.withLock { _ = $0.cancelled.insert(number) } }
        for request in over { request.answer(nil) }
    }

    /// Cancels all requests whose number satisfies `isMeant`.
    func cancel(_ isMeant: (UInt64) -> Bool) {
        for request in forget(isMeant) { request.answer(nil) }
    }

    /// Removes and returns the unanswered requests whose number satisfies `isMeant`.
    private func forget(_ isMeant: (UInt64) -> Bool) -> [Request] {
        state.update { state -> [Request] in
            var over = state.waiting.filter { isMeant($0.number) }
            state.waiting.removeAll { isMeant($0.number) }
            if let running = state.running, isMeant(running.number) {
                over.append(running)
                state.running = nil
            }
            return over
        }
    }

    /// Cancels all requests and returns after the thread has ended.
    func close() {
        state.update { $0.isClosed = true }
        cancel { _ in true }
        thread.withLock { $0.take() }?.join()
    }

    // MARK: Thread "stills"

    private func run() {
        let stills = StillSource(asset: asset, policy: policy)
        defer { stills.close() }
        while true {
            let next: Request?? = state.wait { state in
                if state.isClosed { return .some(nil) }
                guard !state.waiting.isEmpty else { return nil }
                let request = state.waiting.removeFirst()
                state.running = request
                return .some(request)
            }
            guard let request = next ?? nil else { return }
            let result = stills.picture(at: request.time, request.settings) { [state] in
                state.withLock { $0.running?.number == request.number && !$0.isClosed }
            }
            let isWanted = state.withLock { state in
                guard state.running?.number == request.number else { return false }
                state.running = nil
                return true
            }
            if isWanted { request.answer(result) }
        }
    }
}
