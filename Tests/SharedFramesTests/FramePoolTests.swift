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

    @Test("memory that leaves the pool is mapped until the handler, or another thread, releases it")
    func leavingMemoryIsReleasedLater() throws {
        let callCount = Atomic(0)
        let pool = FramePool { _ in callCount.add(1, ordering: .relaxed) }
        var buffers = try (0..<4).map { _ in try pool.acquire(size: 4096) }
        weak var slot: FrameSlot?
        slot = buffers[0].slot
        buffers = []
        pool.setFreeSlotLimit(0)
        #expect(pool.usage == (0, 0, 0) && slot != nil && callCount.load(ordering: .relaxed) == 1)
        pool.releaseMemory()
        #expect(slot == nil)
        _ = try pool.acquire(size: 4096)
        #expect(pool.usage == (0, 0, 0) && callCount.load(ordering: .relaxed) == 2)
    }

    @Test func aHandlerThatIsTooSlowKeepsLimitedMemory() throws {
        let pool = FramePool(limit: FramePool.Limit(frameCount: 200)) { _ in }
        var buffers = try (0..<FramePool.leavingSlotLimit).map { _ in try pool.acquire(size: 4096) }
        weak var slot: FrameSlot?
        slot = buffers[0].slot
        pool.setFreeSlotLimit(0)
        buffers = []
        #expect(slot != nil)
        _ = try pool.acquire(size: 4096)
        #expect(slot == nil)
    }

    @Test func slotsInUseAreDistinct() throws {
        let pool = FramePool()
        let buffers = try (0..<10).map { _ in try pool.acquire(size: 4096) }
        #expect(Set(buffers.map(\.slot.id)).count == 10)
        #expect(Set(buffers.map(\.base)).count == 10)
    }

    @Test func aSecondReferenceKeepsTheSlotInUse() throws {
        let pool = FramePool()
        var firstReference: FrameBuffer? = try pool.acquire(size: 4096)
        let secondReference = firstReference
        firstReference = nil
        #expect(pool.usage.free == 0)
        withExtendedLifetime(secondReference) {}
        #expect(firstReference == nil)
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
        var slotIDs: Set<UInt32> = [], heldBuffers: [FrameBuffer] = []
        for round in 0..<1000 {
            let buffer = try pool.acquire(size: round % 3 == 0 ? 8192 : 4096)
            slotIDs.insert(buffer.slot.id)
            heldBuffers.append(buffer)
            if heldBuffers.count > 6 { heldBuffers.removeFirst() }
        }
        #expect(slotIDs.count <= 9, "\(slotIDs.count) memory files for 7 frames at once")
    }

    @Test func freeSlotsOfAnUnusedSizeAreReleased() throws {
        let pool = FramePool()
        var heldBuffer: FrameBuffer? = try pool.acquire(size: 4096)
        _ = try pool.acquire(size: 4096)
        #expect(pool.usage == (2, 1, 8192))
        for _ in 0..<100 { _ = try pool.acquire(size: 8192) }
        #expect(pool.usage == (2, 1, 12_288), "the free slot is released, the slot in use is not")
        heldBuffer = nil
        #expect(pool.usage == (1, 1, 8192), "a returned slot of the unused size is not kept")
        #expect(heldBuffer == nil)
    }

    /// A seek uses many slots for a moment.
    @Test func slotsThatWereFreeAllTheTimeAreReleased() throws {
        let pool = FramePool()
        var heldBuffers = try (0..<10).map { _ in try pool.acquire(size: 4096) }
        heldBuffers.removeLast(7)
        for _ in 0..<300 {
            heldBuffers.append(try pool.acquire(size: 4096))
            heldBuffers.append(try pool.acquire(size: 4096))
            heldBuffers.removeFirst(2)
        }
        #expect(pool.usage == (5, 2, 5 * 4096), "five slots were in use at once")
    }

    @Test func manyDifferentBufferSizesKeepFewSlots() throws {
        let pool = FramePool()
        for size in 1...50 { _ = try pool.acquire(size: size * 4096) }
        #expect(pool.usage.frames <= 4)
        #expect(pool.usage.frames == pool.usage.free)
    }

    @Test func freeSlotsOfOtherSizesAreReleasedAtTheLimit() throws {
        let pool = FramePool(limit: .init(frameCount: 3, byteCount: 20_000))
        do {
            let buffers = try (0..<3).map { _ in try pool.acquire(size: 4096) }
            #expect(buffers.count == 3)
        }
        let largeBuffer = try pool.acquire(size: 12_288)
        #expect(pool.usage == (2, 1, 16_384))
        let smallBuffer = try pool.acquire(size: 4096)
        #expect(refusesBuffer(pool, size: 8192), "slots in use are not released")
        withExtendedLifetime((largeBuffer, smallBuffer)) {}
    }

    @Test func acquireWaitsUntilAFullPoolHasAFreeSlot() throws {
        let pool = FramePool(limit: .init(frameCount: 1, byteCount: 1 << 20))
        let heldBuffer = Monitor<FrameBuffer?>(try pool.acquire(size: 64))
        #expect(throws: FramePool.Refusal.self) {
            try pool.acquire(size: 64, waitingUntil: MonotonicTime.now + 1_000_000)
        }
        let hasAcquired = Monitor<Bool?>(nil)
        let thread = try NamedThread("pool waiter") {
            let buffer = try? pool.acquire(size: 64, waitingUntil: MonotonicTime.now + 60_000_000_000)
            hasAcquired.update { $0 = buffer != nil }
        }
        heldBuffer.withLock { $0 = nil }
        thread.join()
        #expect(hasAcquired.withLock { $0 } == true)
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

    @Test func aLowerLimitReleasesFreeSlotsAtOnceAndUsedSlotsWhenReturned() throws {
        let pool = FramePool()
        var heldBuffers = try (0..<6).map { _ in try pool.acquire(size: 4096) }
        heldBuffers.removeLast(2)
        #expect(pool.usage == (6, 2, 24_576))
        pool.setLimit(.init(frameCount: 2, byteCount: 1 << 20))
        #expect(pool.usage == (4, 0, 16_384))
        #expect(refusesBuffer(pool, size: 4096))
        heldBuffers.removeAll()
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
        let failureCount = Atomic<Int>(0)
        let work: @Sendable () -> Void = {
            for round in 0..<5000 {
                guard let buffer = try? pool.acquire(size: 64) else { continue }
                let word = buffer.base.assumingMemoryBound(to: Int.self)
                let uniqueValue = round &+ Int(bitPattern: ObjectIdentifier(buffer))
                word.pointee = uniqueValue
                if word.pointee != uniqueValue { failureCount.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        let threads = [try NamedThread("pool 1", work), try NamedThread("pool 2", work)]
        for thread in threads { thread.join() }
        #expect(failureCount.load(ordering: .relaxed) == 0)
        #expect(pool.usage.frames == pool.usage.free && pool.usage.frames <= 2)
    }

    @Test func theLimitOfFreeSlotsAppliesToFreeAndToReturnedSlots() throws {
        let pool = FramePool()
        var buffers = try (0..<4).map { _ in try pool.acquire(size: 4096) }
        buffers.removeLast(2)
        #expect(pool.usage == (4, 2, 4 * 4096))
        pool.setFreeSlotLimit(1)
        #expect(pool.usage == (3, 1, 3 * 4096))
        buffers = []
        #expect(pool.usage == (1, 1, 4096), "a returned slot beyond the limit is released")
        pool.setFreeSlotLimit(nil)
        buffers = try (0..<3).map { _ in try pool.acquire(size: 4096) }
        buffers = []
        #expect(pool.usage == (3, 3, 3 * 4096))
        pool.setFreeSlotLimit(0)
        #expect(pool.usage == (0, 0, 0))
    }
}
