import Dispatch
import Synchronization
import Testing

@testable import FilmReel

@Suite struct PosterLoaderTests {
    /// A storage that contains the posters with even numbers, and records the order of requests.
    private final class Storage: PosterStorage {
        let requests = Mutex<[String]>([])
        let releasedCount = Mutex(0)

        final class CountedPoster: Poster {
            let storage: Storage
            init(_ storage: Storage) { self.storage = storage }
            deinit { storage.releasedCount.withLock { $0 += 1 } }
            func withBytes(ofRows rows: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool { true }
        }

        func poster(of film: Film) -> (any Poster)? {
            requests.withLock { $0.append(film.path) }
            return film.isPicture ? CountedPoster(self) : nil
        }

        func keep(_ pixels: [UInt8], for film: Film) throws -> any Poster { CountedPoster(self) }
    }

    /// The films of the tests. Only the films with even numbers have posters in the storage; no film exists as a file.
    private let films = (0..<60).map { Film(path: "/nowhere/\($0)", version: "", isPicture: $0.isMultiple(of: 2)) }
    private let storage = Storage()

    private func makeLoader() -> PosterLoader {
        PosterLoader(
            films: films, storage: storage, maker: PosterMaker(tile: PixelSize(width: 10, height: 15)), makerCount: 1,
            onArrival: {})
    }

    /// Waits until a condition holds; returns whether it does.
    private func wait(_ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<500 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
        return condition()
    }

    @Test func postersAreReadInTheOrderOfNeed() async throws {
        let loader = makeLoader()
        defer { loader.close() }
        let order = [8, 2, 30, 4]
        loader.setWorkingSet(order)
        #expect(try await wait { loader.readyCount == 4 })
        #expect(storage.requests.withLock { $0 } == order.map { "/nowhere/\($0)" })
    }

    @Test func postersOutsideTheSetAreReleased() async throws {
        let loader = makeLoader()
        defer { loader.close() }
        loader.setWorkingSet([0, 2, 4])
        #expect(try await wait { loader.readyCount == 3 })
        loader.setWorkingSet([4, 6])
        #expect(loader.poster(0) == nil)
        #expect(try await wait { loader.poster(6) != nil })
        #expect(loader.poster(4) != nil)
        #expect(storage.releasedCount.withLock { $0 } == 2)
    }

    @Test func posterThatCannotBeMadeFails() async throws {
        let loader = makeLoader()
        defer { loader.close() }
        loader.setWorkingSet([1, 2])
        #expect(!loader.isFinished(3))
        #expect(try await wait { loader.isFinished(1) && loader.isFinished(2) })
        #expect(loader.poster(1) == nil)
        #expect(loader.failure(of: 1)?.isEmpty == false)
        #expect(loader.failure(of: 2) == nil)
        #expect(loader.madeCount == 0)
    }

    @Test func droppedPosterIsReadAgain() async throws {
        let loader = makeLoader()
        defer { loader.close() }
        loader.setWorkingSet([2])
        #expect(try await wait { loader.readyCount == 1 })
        loader.reload(2)
        #expect(try await wait { loader.readyCount == 1 })
        #expect(storage.requests.withLock { $0.count } == 2)
    }
}
