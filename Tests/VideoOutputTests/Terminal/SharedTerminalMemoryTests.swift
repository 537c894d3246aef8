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
    private func place(_ generation: UInt32 = 0) throws -> TerminalPlace {
        try #require(TerminalPlace(cells: cells, cellWidth: 10, cellHeight: 20, generation: generation))
    }

    @Test func theCompositorReadsItsCellsUntilThePlayerClosesThem() throws {
        let owner = try SharedTerminalMemory(), other = try SharedTerminalMemory(received: owner.descriptor.raw)
        #expect(other.place == nil)
        owner.open(try place())
        #expect(other.place == (try place(1)))
        owner.open(try place())
        #expect(other.place == (try place(2)), "each opening has a new generation")
        owner.close()
        #expect(other.place == nil)
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
        func receivedPlace(_ values: [UInt32]) -> TerminalPlace? {
            for (index, value) in values.enumerated() {
                words.base.storeBytes(of: value, toByteOffset: index * 4, as: UInt32.self)
            }
            return other.place
        }
        let valid: [UInt32] = [1, 7, 79, 21, 39, 11, 10, 20]
        #expect(receivedPlace(valid) == (try self.place(7)))
        for (index, value) in [
            (0, 0), (0, 2), (2, .max), (2, 9_999), (3, 1 << 31), (4, 0), (4, 401), (5, 0), (5, .max), (6, 1), (7, 0),
            (7, .max),
        ] as [(Int, UInt32)] {
            var values = valid
            values[index] = value
            #expect(receivedPlace(values) == nil, "\(value) at \(index)")
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
            !turn.begin(terminal: terminal.slave.raw) {
                asked += 1
                return asked < 5
            })
        #expect(asked == 5)
        #expect(
            turn.begin(terminal: terminal.slave.raw) {
                asked += 1
                if asked == 10 { other.unlock() }
                return true
            })
        #expect(asked == 10 && !other.tryLock())
        turn.end()
        #expect(other.tryLock())
    }

    @Test func thePlayerDoesNotWaitTwiceForAHungCompositor() throws {
        let terminal = try PseudoTerminal(), owner = try SharedTerminalMemory(),
            other = try SharedTerminalMemory(received: owner.descriptor.raw)
        var turn = TerminalLock(owner), asked = 0
        #expect(other.tryLock())
        #expect(
            turn.begin(terminal: terminal.slave.raw) {
                asked += 1
                return true
            })
        #expect(asked > 10)
        turn.end()
        #expect(!owner.tryLock(), "the guest still holds the lock")
        asked = 0
        #expect(
            turn.begin(terminal: terminal.slave.raw) {
                asked += 1
                return true
            })
        #expect(asked == 1)
        turn.end()
    }
}
