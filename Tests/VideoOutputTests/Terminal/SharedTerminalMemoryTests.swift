import Glibc
import SharedFrames
import SystemCalls
import Testing

@testable import VideoOutput

@Suite struct SharedTerminalMemoryTests {
    /// The rectangle of terminal cells in which the compositor may draw.
    private let cells = PixelRect(x: 79, y: 21, width: 39, height: 11)

    /// Returns the part of the terminal in which the compositor draws: the cells and the size of a cell in pixels. A
    /// higher `generation` means that all cells must be redrawn.
    private func region(_ generation: UInt32 = 0) throws -> TerminalRegion {
        try #require(TerminalRegion(cells: cells, cellWidth: 10, cellHeight: 20, generation: generation))
    }

    @Test func theCompositorReadsItsCellsUntilThePlayerClosesThem() throws {
        let owner = try SharedTerminalMemory(), other = try SharedTerminalMemory(received: owner.descriptor.raw)
        #expect(other.region == nil)
        owner.allowDrawing(in: try region())
        #expect(other.region == (try region(1)))
        owner.allowDrawing(in: try region())
        #expect(other.region == (try region(2)), "each opening has a new generation")
        owner.revokeDrawing()
        #expect(other.region == nil)
    }

    @Test func theTerminalLockIsHeldUntilUnlockOrDeinit() throws {
        let owner = try SharedTerminalMemory()
        var other: SharedTerminalMemory? = try SharedTerminalMemory(received: owner.descriptor.raw)
        #expect(other?.tryLock() == true)
        #expect(!owner.tryLock())
        other?.unlock()
        #expect(owner.tryLock())
        #expect(other?.tryLock() == false)
        owner.unlock()
        #expect(other?.tryLock() == true)
        other = nil
        #expect(owner.tryLock())
    }

    @Test func malformedCellRectanglesAndSizesAreRejected() throws {
        let file = try MemoryFile(name: "test", size: SharedTerminalMemory.byteCount),
            words = try file.map(writable: true)
        let other = try SharedTerminalMemory(received: file.descriptor.raw)
        func receivedRegion(_ values: [UInt32]) -> TerminalRegion? {
            for (index, value) in values.enumerated() {
                words.base.storeBytes(of: value, toByteOffset: index * 4, as: UInt32.self)
            }
            return other.region
        }
        let valid: [UInt32] = [1, 7, 79, 21, 39, 11, 10, 20]
        #expect(receivedRegion(valid) == (try self.region(7)))
        for (index, value) in [
            (0, 0), (0, 2), (2, .max), (2, 9_999), (3, 1 << 31), (4, 0), (4, 401), (5, 0), (5, .max), (6, 1), (7, 0),
            (7, .max),
        ] as [(Int, UInt32)] {
            var values = valid
            values[index] = value
            #expect(receivedRegion(values) == nil, "\(value) at \(index)")
        }
    }

    @Test func descriptorsOtherThanSealedMemoryOfTheRightSizeAreRejected() throws {
        let event = try EventDescriptor()
        #expect(throws: SystemCallError.self) { try SharedTerminalMemory(received: event.raw) }
        let small = try MemoryFile(name: "test", size: 32)
        #expect(throws: SystemCallError.self) { try SharedTerminalMemory(received: small.descriptor.raw) }
    }

    @Test func waitingForTheTerminalLockStopsWhenTheConditionFails() throws {
        let terminal = try PseudoTerminal(), owner = try SharedTerminalMemory(),
            other = try SharedTerminalMemory(received: owner.descriptor.raw)
        var turn = TerminalLock(owner), asked = 0
        #expect(other.tryLock())
        #expect(
            !turn.acquire(terminal: terminal.slave.raw) {
                asked += 1
                return asked < 5
            })
        #expect(asked == 5)
        #expect(
            turn.acquire(terminal: terminal.slave.raw) {
                asked += 1
                if asked == 10 { other.unlock() }
                return true
            })
        #expect(asked == 10 && !other.tryLock())
        turn.release()
        #expect(other.tryLock())
    }

    @Test func thePlayerDoesNotWaitTwiceForAHungCompositor() throws {
        let terminal = try PseudoTerminal(), owner = try SharedTerminalMemory(),
            other = try SharedTerminalMemory(received: owner.descriptor.raw)
        var turn = TerminalLock(owner), asked = 0
        #expect(other.tryLock())
        #expect(
            turn.acquire(terminal: terminal.slave.raw) {
                asked += 1
                return true
            })
        #expect(asked > 10)
        turn.release()
        #expect(!owner.tryLock(), "the guest still holds the lock")
        asked = 0
        #expect(
            turn.acquire(terminal: terminal.slave.raw) {
                asked += 1
                return true
            })
        #expect(asked == 1)
        turn.release()
    }
}
