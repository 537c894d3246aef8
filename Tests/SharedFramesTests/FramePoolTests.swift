import Synchronization
import SystemCalls
import Testing
@testable import SharedFrames

@Suite struct FramePoolTests {
    private func isRefused(_ pool: FramePool, size: Int) -> Bool {
        do throws(FramePool.Refusal) {
            _ = try pool.acquire(size: size)
            return false
        } catch {
            if case .limitReached = error { return true }
            return false
        }
    }

    @Test func aSlotComesBackAndIsUsedAgain() throws {
        let pool = FramePool()
        var buffer: FrameBuffer? = try pool.acquire(size: 4096)
        let id = buffer?.slot.id
        #expect(pool.usage == (1, 0, 4096))
        buffer = nil
        #expect(pool.usage == (1, 1, 4096))
        buffer = try pool.acquire(size: 4096)
        #expect(buffer?.slot.id == id && pool.usage == (1, 0, 4096))
    }

    @Test func whatIsLentIsNotLentTwice() throws {
        let pool = FramePool()
        let buffers = try (0..<10).map { _ in try pool.acquire(size: 4096) }
        #expect(Set(buffers.map(\.slot.id)).count == 10)
        #expect(Set(buffers.map(\.base)).count == 10)
    }

    @Test func aSecondHolderKeepsTheSlotOut() throws {
        let pool = FramePool()
        var first: FrameBuffer? = try pool.acquire(size: 4096)
        let second = first
        first = nil
        #expect(pool.usage.free == 0)
        withExtendedLifetime(second) {}
        #expect(first == nil)
    }

    @Test func framesAreBounded() throws {
        let pool = FramePool(limit: .init(frames: 2, bytes: 1 << 20))
        var buffers = [try pool.acquire(size: 64), try pool.acquire(size: 64)]
        #expect(isRefused(pool, size: 64))
        buffers.removeLast()
        #expect(!isRefused(pool, size: 64))
    }

    @Test func bytesAreBounded() throws {
        let pool = FramePool(limit: .init(frames: 100, bytes: 10_000))
        let buffers = [try pool.acquire(size: 5000), try pool.acquire(size: 5000)]
        #expect(isRefused(pool, size: 5000) && isRefused(pool, size: 1))
        #expect(buffers.count == 2 && pool.usage.bytes == 10_000)
    }

    @Test func anotherSizeGivesUpTheOldOne() throws {
        let pool = FramePool()
        var lent: FrameBuffer? = try pool.acquire(size: 4096)
        _ = try pool.acquire(size: 4096)
        #expect(pool.usage == (2, 1, 8192))
        let large = try pool.acquire(size: 8192)
        #expect(pool.usage == (2, 0, 12_288), "the free one is gone, the lent one is not")
        lent = nil
        #expect(pool.usage == (1, 0, 8192), "a slot of the old size is not kept")
        withExtendedLifetime(large) {}
        #expect(lent == nil)
    }

    @Test func aLowerLimitFreesAtOnceAndTheRestAsItComesBack() throws {
        let pool = FramePool()
        var lent = try (0..<6).map { _ in try pool.acquire(size: 4096) }
        lent.removeLast(2)
        #expect(pool.usage == (6, 2, 24_576))
        pool.setLimit(.init(frames: 2, bytes: 1 << 20))
        #expect(pool.usage == (4, 0, 16_384))
        #expect(isRefused(pool, size: 4096))
        lent.removeAll()
        #expect(pool.usage == (2, 2, 8192))
        pool.setLimit(.init(frames: 2, bytes: 4096))
        #expect(pool.usage == (1, 1, 4096))
    }

    @Test func whatTheSystemRefusesDoesNotCount() {
        let pool = FramePool()
        #expect(throws: FramePool.Refusal.self) { _ = try pool.acquire(size: 0) }
        #expect(pool.usage == (0, 0, 0))
    }

    @Test func twoThreadsNeverHoldTheSameSlot() throws {
        let pool = FramePool(limit: .init(frames: 8, bytes: 1 << 20))
        let failures = Atomic<Int>(0)
        let work: @Sendable () -> Void = {
            for round in 0..<5000 {
                guard let buffer = try? pool.acquire(size: 64) else { continue }
                let word = buffer.base.assumingMemoryBound(to: Int.self)
                let mark = round &+ Int(bitPattern: ObjectIdentifier(buffer))
                word.pointee = mark
                if word.pointee != mark { failures.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        let threads = [try NamedThread("pool 1", work), try NamedThread("pool 2", work)]
        for thread in threads { thread.join() }
        #expect(failures.load(ordering: .relaxed) == 0)
        #expect(pool.usage.frames == pool.usage.free && pool.usage.frames <= 2)
    }
}
