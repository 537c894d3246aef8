import Synchronization
import SystemCalls
import Testing

@testable import SharedFrames

@Suite struct FramePoolTests {
    /// Returns whether the pool refuses a buffer of `size` bytes.
    private func refusesBuffer(_ pool: FramePool, size: Int) -> Bool {
        do throws(FramePool.Refusal) {
            _ = try pool.acquire(size: size)
            return false
        } catch {
            if case .limitReached = error { return true }
            return false
        }
    }

    @Test func aReturnedSlotIsReused() throws {
        let pool = FramePool()
        var buffer: FrameBuffer? = try pool.acquire(size: 4096)
        let id = buffer?.slot.id
        #expect(pool.usage == (1, 0, 4096))
        buffer = nil
        #expect(pool.usage == (1, 1, 4096))
        buffer = try pool.acquire(size: 4096)
        #expect(buffer?.slot.id == id && pool.usage == (1, 0, 4096))
    }

    @Test func slotsInUseAreDistinct() throws {
        let pool = FramePool()
        let buffers = try (0..<10).map { _ in try pool.acquire(size: 4096) }
        #expect(Set(buffers.map(\.slot.id)).count == 10)
        #expect(Set(buffers.map(\.base)).count == 10)
    }

    @Test func aSecondReferenceKeepsTheSlotInUse() throws {
        let pool = FramePool()
        var first: FrameBuffer? = try pool.acquire(size: 4096)
        let second = first
        first = nil
        #expect(pool.usage.free == 0)
        withExtendedLifetime(second) {}
        #expect(first == nil)
    }

    @Test func poolRefusesMoreFramesThanItsLimit() throws {
        let pool = FramePool(limit: .init(frameCount: 2, byteCount: 1 << 20))
        var buffers = [try pool.acquire(size: 64), try pool.acquire(size: 64)]
        #expect(refusesBuffer(pool, size: 64))
        buffers.removeLast()
        #expect(!refusesBuffer(pool, size: 64))
    }

    @Test func poolRefusesMoreBytesThanItsLimit() throws {
        let pool = FramePool(limit: .init(frameCount: 100, byteCount: 10_000))
        let buffers = [try pool.acquire(size: 5000), try pool.acquire(size: 5000)]
        #expect(refusesBuffer(pool, size: 5000) && refusesBuffer(pool, size: 1))
        #expect(buffers.count == 2 && pool.usage.bytes == 10_000)
    }

    /// A decoder and the filter that follows it acquire buffers of two sizes in turn.
    @Test func alternatingBufferSizesReuseMemory() throws {
        let pool = FramePool()
        var made: Set<UInt32> = [], held: [FrameBuffer] = []
        for round in 0..<1000 {
            let buffer = try pool.acquire(size: round % 3 == 0 ? 8192 : 4096)
            made.insert(buffer.slot.id)
            held.append(buffer)
            if held.count > 6 { held.removeFirst() }
        }
        #expect(made.count <= 9, "\(made.count) memory files for 7 frames at once")
    }

    @Test func slotsOfAnUnusedSizeAreFreed() throws {
        let pool = FramePool()
        var lent: FrameBuffer? = try pool.acquire(size: 4096)
        _ = try pool.acquire(size: 4096)
        #expect(pool.usage == (2, 1, 8192))
        for _ in 0..<100 { _ = try pool.acquire(size: 8192) }
        #expect(pool.usage == (2, 1, 12_288), "the free slot is freed, the slot in use is not")
        lent = nil
        #expect(pool.usage == (1, 1, 8192), "a slot of the old size is not kept")
        #expect(lent == nil)
    }

    @Test func manyDifferentBufferSizesKeepFewSlots() throws {
        let pool = FramePool()
        for size in 1...50 { _ = try pool.acquire(size: size * 4096) }
        #expect(pool.usage.frames <= 4)
        #expect(pool.usage.frames == pool.usage.free)
    }

    @Test func freeSlotsOfOtherSizesAreFreedAtTheLimit() throws {
        let pool = FramePool(limit: .init(frameCount: 3, byteCount: 20_000))
        do {
            let buffers = try (0..<3).map { _ in try pool.acquire(size: 4096) }
            #expect(buffers.count == 3)
        }
        let large = try pool.acquire(size: 12_288)
        #expect(pool.usage == (2, 1, 16_384))
        let second = try pool.acquire(size: 4096)
        #expect(refusesBuffer(pool, size: 8192), "slots in use are not freed")
        withExtendedLifetime((large, second)) {}
    }

    @Test func acquireWaitsUntilAFullPoolHasAFreeSlot() throws {
        let pool = FramePool(limit: .init(frameCount: 1, byteCount: 1 << 20))
        let lent = Monitor<FrameBuffer?>(try pool.acquire(size: 64))
        #expect(throws: FramePool.Refusal.self) {
            try pool.acquire(size: 64, waitingUntil: MonotonicTime.now + 1_000_000)
        }
        let waiter = Monitor<Bool?>(nil)
        let thread = try NamedThread("pool waiter") {
            let buffer = try? pool.acquire(size: 64, waitingUntil: MonotonicTime.now + 60_000_000_000)
            waiter.update { $0 = buffer != nil }
        }
        lent.withLock { $0 = nil }
        thread.join()
        #expect(waiter.withLock { $0 } == true)
    }

    @Test func unpooledSlotReceivesADescriptorWithTheSameBytes() throws {
        let buffer = try FrameBuffer(unpooledSize: 10_000)
        for index in 0..<10_000 {
            buffer.base.storeBytes(of: UInt8(truncatingIfNeeded: index &* 7), toByteOffset: index, as: UInt8.self)
        }
        let descriptor = try buffer.slot.descriptor()
        #expect(try buffer.slot.descriptor().raw == descriptor.raw, "the descriptor is created once")
        let received = try MemoryFile(
            received: try FileDescriptor(duplicating: descriptor.raw), minimumSize: 10_000, maximumSize: 10_000)
        let mapping = try received.map(writable: false)
        let isEqual = mapping.withBytes {
            $0.enumerated().allSatisfy { $0.element == UInt8(truncatingIfNeeded: $0.offset &* 7) }
        }
        #expect(isEqual)
    }

    @Test func lowerLimitFreesUnusedSlotsAtOnceAndUsedSlotsOnReturn() throws {
        let pool = FramePool()
        var lent = try (0..<6).map { _ in try pool.acquire(size: 4096) }
        lent.removeLast(2)
        #expect(pool.usage == (6, 2, 24_576))
        pool.setLimit(.init(frameCount: 2, byteCount: 1 << 20))
        #expect(pool.usage == (4, 0, 16_384))
        #expect(refusesBuffer(pool, size: 4096))
        lent.removeAll()
        #expect(pool.usage == (2, 2, 8192))
        pool.setLimit(.init(frameCount: 2, byteCount: 4096))
        #expect(pool.usage == (1, 1, 4096))
    }

    @Test func failedAllocationDoesNotCountAsUsage() {
        let pool = FramePool()
        #expect(throws: FramePool.Refusal.self) { _ = try pool.acquire(size: 0) }
        #expect(pool.usage == (0, 0, 0))
    }

    @Test func twoThreadsNeverHoldTheSameSlot() throws {
        let pool = FramePool(limit: .init(frameCount: 8, byteCount: 1 << 20))
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
