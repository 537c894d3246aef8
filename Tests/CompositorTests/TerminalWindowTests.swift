import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import Compositor
@testable import VideoOutput

@Suite struct TerminalWindowTests {
    private let terminal: PseudoTerminal
    private let device: SharedDescriptor
    private let share: TerminalShare
    private let window: TerminalWindow
    private let place: TerminalPlace
    private let kind = TerminalKind(colours: .direct, halvesOnly: false)

    init() throws {
        terminal = try PseudoTerminal()
        device = SharedDescriptor(try FileDescriptor(opening: terminal.path, flags: O_RDWR | O_NOCTTY))
        share = try TerminalShare()
        window = try TerminalWindow(
            kind: kind, terminal: device.raw, share: try TerminalShare(received: share.descriptor.raw))
        place = try #require(
            TerminalPlace(cells: PixelRect(x: 4, y: 3, width: 100, height: 30), cellWidth: 10, cellHeight: 20))
    }

    /// Grey noise, another with each seed.
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
            frame: UInt64(seed))
    }

    /// Until it comes to a rest, reading what it writes.
    private func read(into model: inout TerminalModel) -> [String] {
        var outcomes: [String] = []
        for _ in 0..<1000 {
            let outcome = window.proceed(now: 0)
            outcomes.append("\(outcome)")
            while let bytes = terminal.read() { model.write(bytes) }
            if window.blockedDescriptor == nil { break }
        }
        return outcomes
    }

    @Test func pictureIsWrittenOnlyToItsCells() throws {
        var model = TerminalModel(columns: 120, rows: 34)
        share.open(place)
        try show(1)
        let outcomes = read(into: &model)
        #expect(outcomes.last == "shown(frame: 1)")
        #expect(outcomes.count > 1, "a terminal takes a few kilobytes at a time")
        #expect(model.guestArea == Window.Area(x: 4, y: 3, width: 100, height: 30))
        #expect(model.faults == [])
        // Its turn is over.
        #expect(share.tryLock())
    }

    @Test func fullTerminalKeepsLockAndNewestPictureWaits() throws {
        share.open(place)
        for seed in 1...3 {
            try show(UInt8(seed))
            if case .idle = window.proceed(now: 0) {} else { Issue.record("nobody reads") }
        }
        #expect(window.blockedDescriptor != nil)
        #expect(!share.tryLock())
        var model = TerminalModel(columns: 120, rows: 34)
        #expect(read(into: &model).last == "shown(frame: 1)")
        #expect(read(into: &model).last == "shown(frame: 3)")
        #expect(model.faults == [] && model.guestPictures == 2)
    }

    @Test func lockHeldByProgramIsRetried() throws {
        share.open(place)
        #expect(share.tryLock())
        try show(1)
        if case .idle = window.proceed(now: 1_000) {} else { Issue.record("it is the program's turn") }
        #expect(window.nextTick == 1_001_000)
        _ = window.proceed(now: 2_000_000)
        #expect(window.nextTick == 4_000_000)
        #expect(terminal.read() == nil)
        share.unlock()
        var model = TerminalModel(columns: 120, rows: 34)
        #expect(read(into: &model).last == "shown(frame: 1)")
        #expect(window.nextTick == nil)
    }

    @Test func pictureWithoutCellsIsNotWritten() throws {
        try show(1)
        if case .idle = window.proceed(now: 0) {} else { Issue.record("there is no place") }
        #expect(terminal.read() == nil)
        // Given later, other ones, and lost.
        for _ in 0..<3 {
            share.open(place)
            if case .needsPainting = window.proceed(now: 0) {
            } else {
                Issue.record("the picture was painted for another place")
            }
            try show(1)
            var model = TerminalModel(columns: 120, rows: 34)
            #expect(read(into: &model).last == "shown(frame: 1)")
            if case .idle = window.proceed(now: 0) {} else { Issue.record("all is done") }
        }
    }

    @Test func writingStopsIfProgramTakesCellsBack() throws {
        share.open(place)
        try show(1)
        _ = window.proceed(now: 0)
        #expect(window.blockedDescriptor != nil)
        // A program that did not wait: a crash, or we hung.
        share.close()
        while terminal.read() != nil {}
        if case .idle = window.proceed(now: 0) {} else { Issue.record("the place is gone") }
        #expect(terminal.read() == nil)
        #expect(share.tryLock())
    }

    @Test func stopEndsWriting() throws {
        share.open(place)
        try show(1)
        _ = window.proceed(now: 0)
        window.stop()
        while terminal.read() != nil {}
        _ = window.proceed(now: 0)
        #expect(terminal.read() == nil)
        #expect(share.tryLock())
    }

    @Test func descriptorOfOtherKindIsRejected() throws {
        let file = try MemoryFile(name: "test", size: 64), other = try TerminalShare(received: share.descriptor.raw)
        #expect(throws: SystemCallError.self) {
            try TerminalWindow(kind: kind, terminal: file.descriptor.raw, share: other)
        }
    }

    @Test func programsDescriptorStaysBlocking() throws {
        #expect(fcntl(device.raw, F_GETFL) & O_NONBLOCK == 0)
    }
}
