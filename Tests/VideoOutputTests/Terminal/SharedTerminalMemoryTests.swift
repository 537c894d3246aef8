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

    @Test func theCompositorHasARegionUntilThePlayerRevokesDrawing() throws {
        let playerMemory = try SharedTerminalMemory(),
            compositorMemory = try SharedTerminalMemory(received: playerMemory.descriptor.raw)
        #expect(compositorMemory.region == nil)
        playerMemory.allowDrawing(in: try region())
        #expect(compositorMemory.region == (try region(1)))
        playerMemory.allowDrawing(in: try region())
        #expect(compositorMemory.region == (try region(2)), "each permission has a new generation")
        playerMemory.revokeDrawing()
        #expect(compositorMemory.region == nil)
    }

    @Test func theTerminalLockIsHeldUntilUnlockOrDeinit() throws {
        let playerMemory = try SharedTerminalMemory()
        var compositorMemory: SharedTerminalMemory? = try SharedTerminalMemory(received: playerMemory.descriptor.raw)
        #expect(compositorMemory?.tryLock() == true)
        #expect(!playerMemory.tryLock())
        compositorMemory?.unlock()
        #expect(playerMemory.tryLock())
        #expect(compositorMemory?.tryLock() == false)
        playerMemory.unlock()
        #expect(compositorMemory?.tryLock() == true)
        compositorMemory = nil
        #expect(playerMemory.tryLock())
    }

    /// Returns a function that writes words into shared memory, and returns the region that the compositor then reads.
    private static func regionReader() throws -> ([UInt32]) -> TerminalRegion? {
        let file = try MemoryFile(name: "test", size: SharedTerminalMemory.byteCount)
        let mapping = try file.map(writable: true)
        let compositorMemory = try SharedTerminalMemory(received: file.descriptor.raw)
        return { words in
            for (index, word) in words.enumerated() {
                mapping.base.storeBytes(of: word, toByteOffset: index * 4, as: UInt32.self)
            }
            return compositorMemory.region
        }
    }

    @Test func malformedCellRectanglesAndSizesAreRejected() throws {
        let receivedRegion = try Self.regionReader()
        let validValues: [UInt32] = [1, 7, 79, 21, 39, 11, 10, 20]
        #expect(receivedRegion(validValues) == (try self.region(7)))
        for (index, value) in [
            (0, 0), (0, 2), (2, .max), (2, 9_999), (3, 1 << 31), (4, 0), (4, 401), (5, 0), (5, .max), (6, 1), (7, 0),
            (7, .max),
        ] as [(Int, UInt32)] {
            var values = validValues
            values[index] = value
            #expect(receivedRegion(values) == nil, "\(value) at \(index)")
        }
    }

    @Test(arguments: [TerminalMode.symbols, .sixel, .kitty])
    func theCompositorReceivesTheStyleOfPictures(_ mode: TerminalMode) throws {
        let playerMemory = try SharedTerminalMemory(),
            compositorMemory = try SharedTerminalMemory(received: playerMemory.descriptor.raw)
        for colours in [TerminalColours.direct, .indexed256, .indexed16] {
            var style = TerminalPictureStyle(colours: colours, hasOnlyHalfBlocks: colours == .direct)
            (style.mode, style.hasFullSixelPalette) = (mode, colours != .indexed256)
            playerMemory.allowDrawing(
                in: try #require(
                    TerminalRegion(cells: cells, cellWidth: 10, cellHeight: 20, controlRows: 1, style: style)))
            let region = try #require(compositorMemory.region)
            #expect(region.style == style && region.controlRows == 1)
            #expect(region.pictureCells == PixelRect(x: 79, y: 21, width: 39, height: 10))
        }
        playerMemory.allowDrawing(in: try region())
        #expect(compositorMemory.region?.style == nil && compositorMemory.region?.controlRows == 0)
    }

    @Test func theCompositorReceivesTheWayThroughAMultiplexer() throws {
        let playerMemory = try SharedTerminalMemory(),
            compositorMemory = try SharedTerminalMemory(received: playerMemory.descriptor.raw)
        for (multiplexer, mode) in [(TerminalPassthrough.Multiplexer.tmux, TerminalMode.sixel), (.screen, .kitty)] {
            var style = TerminalPictureStyle(colours: .direct, hasOnlyHalfBlocks: false)
            style.mode = mode
            style.passthrough = TerminalPassthrough(multiplexer: multiplexer, x: 300, y: 9_999)
            style.imageNumber = 200
            // An older compositor reads `words` only. It must not draw an image, because it does not know how the
            // multiplexer passes images on.
            #expect(TerminalPictureStyle(words: style.words, passthroughWords: [0, 0, 0])?.mode == .symbols)
            playerMemory.allowDrawing(
                in: try #require(TerminalRegion(cells: cells, cellWidth: 10, cellHeight: 20, style: style)))
            #expect(compositorMemory.region?.style == style)
        }
    }

    @Test func malformedStylesAreRejected() throws {
        let receivedRegion = try Self.regionReader()
        let validValues: [UInt32] = [1, 7, 79, 21, 39, 11, 10, 20, 3, 2, 0, 1, 1]
        #expect(receivedRegion(validValues)?.style?.mode == .kitty)
        for (index, value) in [
            (8, 4), (8, .max), (9, 0), (9, 4), (10, 2), (11, .max), (12, 2), (12, 1 << 31),
        ] as [(Int, UInt32)] {
            var values = validValues
            values[index] = value
            #expect(receivedRegion(values) == nil, "\(value) at \(index)")
        }
        let passedValues: [UInt32] = [1, 7, 79, 21, 39, 11, 10, 20, 1, 2, 0, 1, 1, 0x301, 4 << 16 | 5, 200]
        #expect(receivedRegion(passedValues)?.style?.passthrough == TerminalPassthrough(multiplexer: .tmux, x: 5, y: 4))
        for (index, value) in [
            (8, 3), (13, 0x303), (13, 0x401), (13, .max), (14, 10_000), (14, 10_000 << 16), (15, 0), (15, 15),
            (15, 256),
        ] as [(Int, UInt32)] {
            var values = passedValues
            values[index] = value
            #expect(receivedRegion(values) == nil, "\(value) at \(index)")
        }
        // An older program leaves the words at zero.
        #expect(receivedRegion([1, 7, 79, 21, 39, 11, 10, 20, 0, 0, 0, 0, 0]) == (try region(7)))
    }

    @Test func otherDescriptorsAndSmallMemoryFilesAreRejected() throws {
        let event = try EventDescriptor()
        #expect(throws: SystemCallError.self) { try SharedTerminalMemory(received: event.raw) }
        let smallFile = try MemoryFile(name: "test", size: 32)
        #expect(throws: SystemCallError.self) { try SharedTerminalMemory(received: smallFile.descriptor.raw) }
    }

    @Test func waitingForTheTerminalLockStopsWhenTheConditionFails() throws {
        let terminal = try PseudoTerminal(), playerMemory = try SharedTerminalMemory(),
            compositorMemory = try SharedTerminalMemory(received: playerMemory.descriptor.raw)
        var terminalLock = TerminalLock(playerMemory), checkCount = 0
        #expect(compositorMemory.tryLock())
        #expect(
            !terminalLock.acquire(terminal: terminal.slave.raw) {
                checkCount += 1
                return checkCount < 5
            })
        #expect(checkCount == 5)
        #expect(
            terminalLock.acquire(terminal: terminal.slave.raw) {
                checkCount += 1
                if checkCount == 10 { compositorMemory.unlock() }
                return true
            })
        #expect(checkCount == 10 && !compositorMemory.tryLock())
        terminalLock.release()
        #expect(compositorMemory.tryLock())
    }

    @Test func thePlayerWaitsOnlyOnceForAHungCompositor() throws {
        let terminal = try PseudoTerminal(), playerMemory = try SharedTerminalMemory(),
            compositorMemory = try SharedTerminalMemory(received: playerMemory.descriptor.raw)
        var terminalLock = TerminalLock(playerMemory), checkCount = 0
        #expect(compositorMemory.tryLock())
        #expect(
            terminalLock.acquire(terminal: terminal.slave.raw) {
                checkCount += 1
                return true
            })
        #expect(checkCount > 10)
        terminalLock.release()
        #expect(!playerMemory.tryLock(), "the compositor still holds the lock")
        checkCount = 0
        #expect(
            terminalLock.acquire(terminal: terminal.slave.raw) {
                checkCount += 1
                return true
            })
        #expect(checkCount == 1)
        terminalLock.release()
    }
}
