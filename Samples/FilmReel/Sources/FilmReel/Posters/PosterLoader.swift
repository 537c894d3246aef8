import Dispatch
import Synchronization

/// Loads the posters of the working set into memory on background threads, the most urgent posters first. Thread-safe.
///
/// One thread reads posters from the storage, which may wait for the disk. Other threads make the posters that the
/// storage does not contain.
final class PosterLoader: Sendable {
    /// The state of all posters.
    fileprivate struct State {
        /// The indices of the posters of the working set, in the order in which the posters are needed.
        var order: [Int] = []
        /// The indices of ``order`` as a set.
        var workingSet: Set<Int> = []
        /// The posters in memory, by index.
        var posters: [Int: any Poster] = [:]
        /// The indices of the posters that a thread is reading or making.
        var indicesInProgress: Set<Int> = []
        /// The indices of the posters that the storage does not contain.
        var missingIndices: Set<Int> = []
        /// The reasons why posters cannot be made, by index.
        var failureReasons: [Int: String] = [:]
        /// The number of posters that the loader has made.
        var madeCount = 0
        var isClosed = false
    }

    private let films: [Film]
    private let storage: any PosterStorage
    private let maker: PosterMaker
    /// Called on a thread of the loader after a poster was loaded, or could not be made.
    private let onArrival: @Sendable () -> Void
    private let state = Mutex(State())
    /// The threads of the loader. The first thread reads; all others make posters.
    private let threads = Mutex<[WorkerThread]>([])
    /// A semaphore for each thread, which wakes the thread when there may be work.
    private let wakeUps: [DispatchSemaphore]

    /// The longest time that a thread sleeps, in seconds.
    private static let longestSleep = 1.0
    /// The longest time that ``close()`` waits for all threads, in seconds. Cancelled work ends within a tenth of a
    /// second, unless the disk does not respond.
    private static let closingTimeLimit = 2.0

    /// Starts the threads of the loader.
    ///
    /// - Parameters:
    ///   - films: The films of the wall.
    ///   - storage: The storage of the posters.
    ///   - maker: The object that makes posters.
    ///   - makerCount: The number of threads that make posters.
    ///   - onArrival: Called on a thread of the loader after a poster was loaded, or could not be made.
    init(
        films: [Film], storage: any PosterStorage, maker: PosterMaker, makerCount: Int,
        onArrival: @escaping @Sendable () -> Void
    ) {
        (self.films, self.storage, self.maker, self.onArrival) = (films, storage, maker, onArrival)
        wakeUps = (0...makerCount).map { _ in DispatchSemaphore(value: 0) }
        threads.withLock { threads in
            threads.append(WorkerThread("poster reader") { [self] in runReader() })
            for number in stride(from: 1, through: makerCount, by: 1) {
                // Drawing has priority over decoding.
                threads.append(WorkerThread("poster maker \(number)", niceness: 5) { [self] in runMaker(number) })
            }
        }
    }

    /// Cancels the making of posters and ends the threads. The loader must be closed before it is released.
    func close() {
        state.withLock { $0.isClosed = true }
        maker.cancel()
        for wakeUp in wakeUps { wakeUp.signal() }
        let threads = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        let deadline = DispatchTime.now() + Self.closingTimeLimit
        for thread in threads where !thread.join(until: deadline) {
            print("film-reel: a thread of the posters has not ended in time")
        }
        storage.synchronize()
    }

    // MARK: Requests

    /// Sets the working set. Releases the posters that do not belong to the new working set.
    ///
    /// - Parameter order: The indices of the posters, in the order in which the posters are needed.
    func setWorkingSet(_ order: [Int]) {
        let released = state.withLock { state -> [any Poster] in
            state.order = order
            state.workingSet = Set(order)
            let releasedIndices = state.posters.keys.filter { !state.workingSet.contains($0) }
            return releasedIndices.compactMap { state.posters.removeValue(forKey: $0) }
        }
        // Release the posters here, outside the lock.
        withExtendedLifetime(released) {}
        for wakeUp in wakeUps { wakeUp.signal() }
    }

    /// Returns the poster with this index; nil if the poster is not in memory.
    func poster(_ index: Int) -> (any Poster)? { state.withLock { $0.posters[index] } }

    /// Releases a poster whose pages the kernel has dropped, and requests to read the poster again.
    func reload(_ index: Int) {
        let poster = state.withLock { $0.posters.removeValue(forKey: index) }
        withExtendedLifetime(poster) {}
        wakeUps[0].signal()
    }

    /// Returns whether a poster is in memory or could not be made.
    func isFinished(_ index: Int) -> Bool {
        state.withLock { $0.posters[index] != nil || $0.failureReasons[index] != nil }
    }

    /// The number of posters that are in memory.
    var readyCount: Int { state.withLock { $0.posters.count } }
    /// The number of posters that were made since the start.
    var madeCount: Int { state.withLock { $0.madeCount } }
    /// Returns the reason why a poster could not be made; nil if there was no failure.
    func failure(of index: Int) -> String? { state.withLock { $0.failureReasons[index] } }

    // MARK: Threads

    /// Reads posters from the storage until the loader is closed; runs on the reader thread.
    private func runReader() {
        var prefetched: Set<Int> = []
        while !state.withLock({ $0.isClosed }) {
            let (nextIndex, unreadIndices) = state.withLock { state -> (Int?, [Int]) in
                let unreadIndices = state.order.filter { state.needsReading($0) }
                if let first = unreadIndices.first { state.indicesInProgress.insert(first) }
                return (unreadIndices.first, unreadIndices)
            }
            guard let nextIndex else {
                prefetched = []
                _ = wakeUps[0].wait(timeout: .now() + Self.longestSleep)
                continue
            }
            // Prefetch all posters of the working set, so that the disk reads them while this thread checks the first
            // posters.
            for index in unreadIndices where prefetched.insert(index).inserted { storage.prefetch(films[index]) }
            finish(nextIndex, storage.poster(of: films[nextIndex]).map { .success($0) })
        }
    }

    /// Makes missing posters until the loader is closed; runs on each maker thread.
    private func runMaker(_ number: Int) {
        while !state.withLock({ $0.isClosed }) {
            let nextIndex = state.withLock { state -> Int? in
                let nextIndex = state.order.first { state.needsMaking($0) }
                if let nextIndex { state.indicesInProgress.insert(nextIndex) }
                return nextIndex
            }
            guard let nextIndex else {
                _ = wakeUps[number].wait(timeout: .now() + Self.longestSleep)
                continue
            }
            let film = films[nextIndex]
            finish(nextIndex, Result { try storage.keep(try maker.makePoster(of: film), for: film) }, isMade: true)
        }
    }

    /// Records the result for a poster.
    ///
    /// - Parameters:
    ///   - result: The poster, or the reason why there is none; nil if the storage does not contain the poster.
    ///   - isMade: Whether the poster was made instead of read.
    private func finish(_ index: Int, _ result: Result<any Poster, any Error>?, isMade: Bool = false) {
        let unusedPoster = state.withLock { state -> (any Poster)? in
            state.indicesInProgress.remove(index)
            if isMade { state.missingIndices.remove(index) }
            switch result {
            case .success(let poster):
                if isMade { state.madeCount += 1 }
                guard state.workingSet.contains(index) else { return poster }
                state.posters[index] = poster
            case .failure(let error): state.failureReasons[index] = "\(error)"
            case nil: state.missingIndices.insert(index)
            }
            return nil
        }
        withExtendedLifetime(unusedPoster) {}
        if result == nil {
            for wakeUp in wakeUps.dropFirst() { wakeUp.signal() }
        } else {
            onArrival()
        }
    }
}

extension PosterLoader.State {
    /// Returns whether a poster must be read from the storage.
    fileprivate func needsReading(_ index: Int) -> Bool { isIdle(index) && !missingIndices.contains(index) }
    /// Returns whether a poster must be made.
    fileprivate func needsMaking(_ index: Int) -> Bool { isIdle(index) && missingIndices.contains(index) }

    private func isIdle(_ index: Int) -> Bool {
        posters[index] == nil && failureReasons[index] == nil && !indicesInProgress.contains(index)
    }
}
