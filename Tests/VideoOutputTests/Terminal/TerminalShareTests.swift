import Glibc
import SharedFrames
import SystemCalls
import Testing

@testable import VideoOutput

@Suite struct TerminalShareTests {
    private let cells = PixelRect(x: 79, y: 21, width: 39, height: 11)

    private func place(_ generation: UInt32 = 0) throws -> TerminalPlace {
        try #require(TerminalPlace(cells: cells, cellWidth: 10, cellHeight: 20, generation: generation))
    }

    @Test func theOtherSeesThePlaceAsLongAsItIsGiven() throws {
        let owner = try TerminalShare(), other = try TerminalShare(received: owner.descriptor.raw)
        #expect(other.place == nil)
        owner.open(try place())
        #expect(other.place == (try place(1)))
        owner.open(try place())
        #expect(other.place == (try place(2)), "what stood there was lost")
        owner.close()
        #expect(other.place == nil)
    }

    @Test func oneHasTheTurnUntilItLetsGoOrIsGone() throws {
        let owner = try TerminalShare()
        var other: TerminalShare? = try TerminalShare(received: owner.descriptor.raw)
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

    @Test func nonsenseIsNoPlace() throws {
        let file = try MemoryFile(name: "test", size: TerminalShare.byteCount), words = try file.map(writable: true)
        let other = try TerminalShare(received: file.descriptor.raw)
        func place(_ values: [UInt32]) -> TerminalPlace? {
            for (index, value) in values.enumerated() {
                words.base.storeBytes(of: value, toByteOffset: index * 4, as: UInt32.self)
            }
            return other.place
        }
        let sound: [UInt32] = [1, 7, 79, 21, 39, 11, 10, 20]
        #expect(place(sound) == (try self.place(7)))
        for (index, value) in [
            (0, 0), (0, 2), (2, .max), (2, 9_999), (3, 1 << 31), (4, 0), (4, 401), (5, 0), (5, .max), (6, 1), (7, 0),
            (7, .max),
        ] as [(Int, UInt32)] {
            var values = sound
            values[index] = value
            #expect(place(values) == nil, "\(value) at \(index)")
        }
    }

    @Test func memoryThatCanShrinkIsRefused() throws {
        let event = try EventDescriptor()
        #expect(throws: SystemCallError.self) { try TerminalShare(received: event.raw) }
        let small = try MemoryFile(name: "test", size: 32)
        #expect(throws: SystemCallError.self) { try TerminalShare(received: small.descriptor.raw) }
    }

    @Test func aTurnThatIsNotWantedAnyMoreIsNotWaitedFor() throws {
        let terminal = try PseudoTerminal(), owner = try TerminalShare(),
            other = try TerminalShare(received: owner.descriptor.raw)
        var turn = TerminalTurn(owner), asked = 0
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

    @Test func oneThatHangsIsNotWaitedForAgain() throws {
        let terminal = try PseudoTerminal(), owner = try TerminalShare(),
            other = try TerminalShare(received: owner.descriptor.raw)
        var turn = TerminalTurn(owner), asked = 0
        #expect(other.tryLock())
        #expect(
            turn.begin(terminal: terminal.slave.raw) {
                asked += 1
                return true
            })
        #expect(asked > 10)
        turn.end()
        #expect(!owner.tryLock(), "it is still the other's turn")
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
