import Dispatch
import Synchronization

/// Brings the posters of the working set into memory, on its own threads, the most urgent ones first. Any thread.
///
/// The thread "poster reader" takes posters from the storage, perhaps from the disk. The threads "poster maker" make
/// the missing ones.
final class PosterLoader: Sendable {
    /// What is known of the posters.
    fileprivate struct State {
        /// The posters of the working set, in the order in which they are needed.
        var wanted: [Int] = []
        /// The same posters.
        var wantedSet: Set<Int> = []
        /// The posters that are in memory.
        var posters: [Int: any Poster] = [:]
        /// The posters that a thread is reading or making.
        var inProgress: Set<Int> = []
        /// The posters that the storage does not have.
        var missing: Set<Int> = []
        /// The posters that cannot be made.
        var failed: [Int: String] = [:]
        /// The number of posters that were made.
        var madeCount = 0
        var isClosed = false
    }

    private let films: [Film]
    private let storage: any PosterStorage
    private let maker: PosterMaker
    /// Called on a thread of the loader after a poster has come into memory, or has failed.
    private let onArrival: @Sendable () -> Void
    private let state = Mutex(State())
    /// The threads, of which the first one reads.
    private let threads = Mutex<[WorkerThread]>([])
    /// Wakes each thread when there may be work.
    private let wakeUps: [DispatchSemaphore]

    /// The longest time that a thread sleeps, in seconds.
    private static let longestSleep = 1.0
    /// The longest time that ``close()`` waits for a thread, in seconds. A still takes no longer.
    private static let closingDeadline = 25.0

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - films: The films of the wall.
    ///   - storage: The place where posters are kept.
    ///   - maker: Makes the posters.
    ///   - makerCount: The number of threads that make posters.
    ///   - onArrival: Called on a thread of the loader after a poster has come into memory, or has failed.
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

    /// Ends the threads. The loader must be closed before it is released.
    func close() {
        state.withLock { $0.isClosed = true }
        for wakeUp in wakeUps { wakeUp.signal() }
        let threads = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads where !thread.join(seconds: Self.closingDeadline) {
            print("film-reel: a thread of the posters has not ended in time")
        }
    }

    // MARK: Requests

    /// Sets the working set. Posters that do not belong to it are released.
    ///
    /// - Parameter order: The posters in the order in which they are needed.
    func setWorkingSet(_ order: [Int]) {
        let released = state.withLock { state -> [any Poster] in
            state.wanted = order
            state.wantedSet = Set(order)
            let old = state.posters.keys.filter { !state.wantedSet.contains($0) }
            return old.compactMap { state.posters.removeValue(forKey: $0) }
        }
        // The posters end here, outside the lock.
        withExtendedLifetime(released) {}
        for wakeUp in wakeUps { wakeUp.signal() }
    }

    /// Returns the poster if it is in memory.
    func poster(_ index: Int) -> (any Poster)? { state.withLock { $0.posters[index] } }

    /// Reads a poster again whose pages the kernel has dropped.
    func reload(_ index: Int) {
        let poster = state.withLock { $0.posters.removeValue(forKey: index) }
        withExtendedLifetime(poster) {}
        wakeUps[0].signal()
    }

    /// Returns whether all of these posters are in memory or have failed.
    func isComplete(_ indices: Range<Int>) -> Bool {
        state.withLock { state in indices.allSatisfy { state.posters[$0] != nil || state.failed[$0] != nil } }
    }

    /// The number of posters that are in memory.
    var readyCount: Int { state.withLock { $0.posters.count } }
    /// The number of posters that were made since the start.
    var madeCount: Int { state.withLock { $0.madeCount } }
    /// The reason why a poster cannot be made; nil if it can.
    func failure(of index: Int) -> String? { state.withLock { $0.failed[index] } }

    // MARK: Threads

    /// The body of the thread that reads.
    private func runReader() {
        var prefetched: Set<Int> = []
        while !state.withLock({ $0.isClosed }) {
            let (next, ahead) = state.withLock { state -> (Int?, [Int]) in
                let unread = state.wanted.filter { state.needsReading($0) }
                if let first = unread.first { state.inProgress.insert(first) }
                return (unread.first, unread)
            }
            guard let next else {
                prefetched = []
                _ = wakeUps[0].wait(timeout: .now() + Self.longestSleep)
                continue
            }
            // The disk reads all posters of the working set while the first ones are checked.
            for index in ahead where prefetched.insert(index).inserted { storage.prefetch(films[index]) }
            finish(next, storage.poster(of: films[next]).map { .success($0) })
        }
    }

    /// The body of a thread that makes posters.
    private func runMaker(_ number: Int) {
        while !state.withLock({ $0.isClosed }) {
            let next = state.withLock { state -> Int? in
                let next = state.wanted.first { state.needsMaking($0) }
                if let next { state.inProgress.insert(next) }
                return next
            }
            guard let next else {
                _ = wakeUps[number].wait(timeout: .now() + Self.longestSleep)
                continue
            }
            let film = films[next]
            finish(next, Result { try storage.keep(try maker.makePoster(of: film), for: film) }, isMade: true)
        }
    }

    /// Records the result for a poster.
    ///
    /// - Parameters:
    ///   - result: The poster, or the reason why there is none; nil if the storage does not have it.
    ///   - isMade: Whether the poster was made.
    private func finish(_ index: Int, _ result: Result<any Poster, any Error>?, isMade: Bool = false) {
        let unused = state.withLock { state -> (any Poster)? in
            state.inProgress.remove(index)
            if isMade { state.missing.remove(index) }
            switch result {
            case .success(let poster):
                if isMade { state.madeCount += 1 }
                guard state.wantedSet.contains(index) else { return poster }
                state.posters[index] = poster
            case .failure(let error): state.failed[index] = "\(error)"
            case nil: state.missing.insert(index)
            }
            return nil
        }
        withExtendedLifetime(unused) {}
        if result == nil {
            for wakeUp in wakeUps.dropFirst() { wakeUp.signal() }
        } else {
            onArrival()
        }
    }
}

extension PosterLoader.State {
    /// Returns whether the storage must be asked for a poster.
    fileprivate func needsReading(_ index: Int) -> Bool { isIdle(index) && !missing.contains(index) }
    /// Returns whether a poster must be made.
    fileprivate func needsMaking(_ index: Int) -> Bool { isIdle(index) && missing.contains(index) }

    private func isIdle(_ index: Int) -> Bool {
        posters[index] == nil && failed[index] == nil && !inProgress.contains(index)
    }
}
