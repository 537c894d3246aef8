import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import Compositor
@testable import VideoOutput

@Suite struct TerminalWindowTests {
    /// The terminal in which the window is drawn.
    private let terminal: PseudoTerminal
    /// The terminal device that the compositor receives from the program.
    private let device: SharedDescriptor
    /// The memory that the player shares with the compositor: it assigns cells of the terminal and contains the write
    /// lock.
    private let sharedMemory: SharedTerminalMemory
    private let window: TerminalWindow
    /// The cells of the window.
    private let region: TerminalRegion
    private let features = TerminalFeatures(colours: .direct, hasOnlyHalfBlocks: false)

    init() throws {
        terminal = try PseudoTerminal()
        device = SharedDescriptor(try FileDescriptor(opening: terminal.path, flags: O_RDWR | O_NOCTTY))
        sharedMemory = try SharedTerminalMemory()
        window = try TerminalWindow(
            features: features, terminal: device.raw,
            sharedMemory: try SharedTerminalMemory(received: sharedMemory.descriptor.raw))
        region = try #require(
            TerminalRegion(cells: PixelRect(x: 4, y: 3, width: 100, height: 30), cellWidth: 10, cellHeight: 20))
    }

    /// Shows a picture of grey noise that depends on `seed`.
    private func show(_ seed: UInt8) throws {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(pixelFormat: gray, width: 320, height: 180, planes: [.init(offset: 0, stride: 320)]))
        let pixels = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.requiredSize + 64, alignment: 64)
        defer { pixels.deallocate() }
        var state = UInt32(seed)
        for index in pixels.indices {
            state = state &* 1_664_525 &+ 1_013_904_223
            pixels[index] = UInt8(state >> 24)
        }
        let base = try #require(pixels.baseAddress)
        window.show(
            PictureMemory(base: UnsafeRawPointer(base), layout: layout),
            FrameFormat(layout: layout, attributes: PictureAttributes()),
            frameNumber: UInt64(seed))
    }

    /// Lets the window write until it has written all bytes, passes these bytes to `model`, and returns the window's
    /// results.
    private func read(into model: inout TerminalModel) -> [String] {
        var results: [String] = []
        for _ in 0..<1000 {
            let result = window.continueWriting(now: 0)
            results.append("\(result)")
            while let bytes = terminal.read() { model.write(bytes) }
            if window.blockedDescriptor == nil { break }
        }
        return results
    }

    @Test func pictureIsWrittenOnlyToItsCells() throws {
        var model = TerminalModel(columns: 120, rows: 34)
        sharedMemory.allowDrawing(in: region)
        try show(1)
        let results = read(into: &model)
        #expect(results.last == "shown(frame: 1)")
        #expect(results.count > 1, "a terminal takes a few kilobytes at a time")
        #expect(model.compositorArea == Window.Area(x: 4, y: 3, width: 100, height: 30))
        #expect(model.faults == [])
        // The window has released the lock for writing to the terminal.
        #expect(sharedMemory.tryLock())
    }

    @Test func fullTerminalKeepsLockAndNewestPictureWaits() throws {
        sharedMemory.allowDrawing(in: region)
        for seed in 1...3 {
            try show(UInt8(seed))
            if case .idle = window.continueWriting(now: 0) {
            } else {
                Issue.record("the window is not idle although the terminal is full")
            }
        }
        #expect(window.blockedDescriptor != nil)
        #expect(!sharedMemory.tryLock())
        var model = TerminalModel(columns: 120, rows: 34)
        #expect(read(into: &model).last == "shown(frame: 1)")
        #expect(read(into: &model).last == "shown(frame: 3)")
        #expect(model.faults == [] && model.compositorPictureCount == 2)
    }

    @Test func lockHeldByProgramIsRetried() throws {
        sharedMemory.allowDrawing(in: region)
        #expect(sharedMemory.tryLock())
        try show(1)
        if case .idle = window.continueWriting(now: 1_000) {
        } else {
            Issue.record("the window is not idle although the program holds the lock")
        }
        #expect(window.nextTick == 1_001_000)
        _ = window.continueWriting(now: 2_000_000)
        #expect(window.nextTick == 4_000_000)
        #expect(terminal.read() == nil)
        sharedMemory.unlock()
        var model = TerminalModel(columns: 120, rows: 34)
        #expect(read(into: &model).last == "shown(frame: 1)")
        #expect(window.nextTick == nil)
    }

    @Test func pictureWithoutCellsIsNotWritten() throws {
        try show(1)
        if case .idle = window.continueWriting(now: 0) {
        } else {
            Issue.record("the window is not idle although it has no cells")
        }
        #expect(terminal.read() == nil)
        // Newly assigned cells require another painting of the picture.
        for _ in 0..<3 {
            sharedMemory.allowDrawing(in: region)
            if case .needsPainting = window.continueWriting(now: 0) {
            } else {
                Issue.record("the picture need not be painted for the new cells")
            }
            try show(1)
            var model = TerminalModel(columns: 120, rows: 34)
            #expect(read(into: &model).last == "shown(frame: 1)")
            if case .idle = window.continueWriting(now: 0) {
            } else {
                Issue.record("the window is not idle although the picture is written")
            }
        }
    }

    @Test func writingStopsIfProgramTakesCellsBack() throws {
        sharedMemory.allowDrawing(in: region)
        try show(1)
        _ = window.continueWriting(now: 0)
        #expect(window.blockedDescriptor != nil)
        // The program takes the cells back without the lock: it has crashed, or the compositor hangs.
        sharedMemory.revokeDrawing()
        while terminal.read() != nil {}
        if case .idle = window.continueWriting(now: 0) {
        } else {
            Issue.record("the window is not idle although its cells are gone")
        }
        #expect(terminal.read() == nil)
        #expect(sharedMemory.tryLock())
    }

    @Test func stopEndsWriting() throws {
        sharedMemory.allowDrawing(in: region)
        try show(1)
        _ = window.continueWriting(now: 0)
        window.stop()
        while terminal.read() != nil {}
        _ = window.continueWriting(now: 0)
        #expect(terminal.read() == nil)
        #expect(sharedMemory.tryLock())
    }

    @Test func descriptorThatIsNoTerminalIsRejected() throws {
        let file = try MemoryFile(name: "test", size: 64),
            receivedMemory = try SharedTerminalMemory(received: sharedMemory.descriptor.raw)
        #expect(throws: SystemCallError.self) {
            try TerminalWindow(features: features, terminal: file.descriptor.raw, sharedMemory: receivedMemory)
        }
    }

    @Test func programsDescriptorStaysBlocking() throws {
        #expect(fcntl(device.raw, F_GETFL) & O_NONBLOCK == 0)
    }
}
