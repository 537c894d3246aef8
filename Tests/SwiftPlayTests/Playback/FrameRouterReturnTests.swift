import CompositorProtocol
import SharedFrames
import SystemCalls
import TestSupport
import Testing
import VideoOutput
import WireFormat

@testable import SwiftPlay

/// Tests of the picture's return to a layer whose display blocks until the test opens a gate.
@Suite("A return from the floating window") final class FrameRouterReturnTests {
    private struct Gate {
        var isOpen = true
        /// The number of frames passed to the display.
        var entered = 0
    }

    private let output = TestOutput()
    private let frames = TestFrames()
    private let remote: RemotePicture
    private let peer: MessageSocket
    private let gate = Monitor(Gate())
    private let completions = Monitor(0)
    private let place = PixelRect(x: 0, y: 0, width: 16, height: 16)
    private var router = FrameRouter()

    init() throws {
        let (ours, theirs) = try MessageSocket.pair()
        remote = try RemotePicture(session: 1, socket: ours, version: ProtocolVersion.current, answerPatience: .max)
        peer = theirs
        output.onPresent { [gate] in
            gate.update { $0.entered += 1 }
            _ = gate.wait(until: Deadline.after(.seconds(30))) { $0.isOpen ? true : nil }
        }
        router.setOutput(output)
        router.show(try frames.frame(1), due: 0)
        settle()
        #expect(router.beginHandover(to: remote))
        router.completeHandover()
        settle()
        router.show(try frames.frame(2), due: 0)
        settle()
        _ = output.takeCalls()
        gate.update { $0 = Gate(isOpen: false) }
    }

    deinit { gate.update { $0.isOpen = true } }

    private func settle() { #expect(router.waitUntilIdle(until: Deadline.after(.seconds(30)))) }

    private func waitUntilDrawing() {
        #expect(gate.wait(until: Deadline.after(.seconds(30))) { $0.entered > 0 ? true : nil } == true)
    }

    private func openGate() { gate.update { $0.isOpen = true } }

    private var complete: @Sendable () -> Void { { [completions] in completions.update { $0 += 1 } } }

    private func waitForCompletion() {
        #expect(completions.wait(until: Deadline.after(.seconds(30))) { $0 > 0 ? true : nil } == true)
    }

    /// Returns the numbers of the frames that the floating window received.
    private func pushed() throws -> [UInt64] {
        let ring = try #require(remote.descriptors.first)
        let file = try MemoryFile(
            received: try FileDescriptor(duplicating: ring), minimumSize: DescriptorRing.byteCount,
            maximumSize: DescriptorRing.byteCount)
        var reader = try DescriptorRingReader(file)
        var ids: [UInt64] = []
        while let entry = try reader.pop() { ids.append(FrameEntry(entry).frame) }
        return ids
    }

    @Test("a return does not block; the window receives frames until the layer has shown one")
    func returnDoesNotBlock() throws {
        #expect(router.returnToLayer(from: remote, completion: complete) != nil)
        waitUntilDrawing()
        #expect(completions.withLock { $0 } == 0 && router.destination == .both)
        router.show(try frames.frame(3), due: 0)
        openGate()
        waitForCompletion()
        #expect(router.destination == .layer)
        #expect(try pushed() == [1, 2, 3])
        router.show(try frames.frame(4), due: 0)
        settle()
        #expect(try pushed() == [1, 2, 3])
        let presented = output.takeCalls().filter { if case .present = $0 { true } else { false } }
        #expect(presented == [.present(2), .present(3), .present(4)])
        #expect(completions.withLock { $0 } == 1)
    }

    @Test("a return is cancelled by its number while the display is blocked; the frame is drawn later")
    func returnIsCancelledByNumber() throws {
        let number = try #require(router.returnToLayer(from: remote, completion: complete))
        waitUntilDrawing()
        router.cancelReturn(number - 1)
        #expect(completions.withLock { $0 } == 0 && router.destination == .both)
        router.cancelReturn(number)
        #expect(completions.withLock { $0 } == 1 && router.destination == .layer)
        router.show(try frames.frame(3), due: 0)
        openGate()
        settle()
        router.cancelReturn(number)
        #expect(completions.withLock { $0 } == 1)
        #expect(try pushed() == [1, 2])
        #expect(output.takeCalls().last == .present(3))
    }

    @Test("both places receive frames during the return animation", arguments: [false, true])
    func bothPlacesReceiveFramesDuringAnimation(isCancelled: Bool) throws {
        let number = try #require(router.beginReturn(from: remote, to: place, completion: complete))
        waitUntilDrawing()
        #expect(completions.withLock { $0 } == 0 && router.destination == .both)
        if isCancelled { router.cancelReturn(number) } else { openGate() }
        waitForCompletion()
        #expect(router.destination == .both)
        openGate()
        settle()
        router.show(try frames.frame(3), due: 0)
        settle()
        #expect(try pushed() == [1, 2, 3])
        #expect(router.beginReturn(from: remote, to: place, completion: complete) == nil, "already returning")
        // The compositor reports that the window is closed; the layer already shows the picture.
        #expect(router.returnToLayer(from: remote, completion: complete) == nil && router.destination == .layer)
        #expect(completions.withLock { $0 } == 2)
    }

    @Test("a return ends when the layer loses its output, or when the router is released", arguments: [false, true])
    func returnEndsWithOutputOrRouter(isRouterGone: Bool) throws {
        #expect(router.returnToLayer(from: remote, completion: complete) != nil)
        waitUntilDrawing()
        if isRouterGone { router = FrameRouter() } else { router.setOutput(nil) }
        #expect(completions.withLock { $0 } == 1 && router.destination == .layer)
    }

    @Test("a completed return does not end a handoff that started after it")
    func returnDoesNotEndLaterHandoff() throws {
        #expect(router.returnToLayer(from: remote, completion: complete) != nil)
        waitUntilDrawing()
        #expect(router.beginHandover(to: remote))
        #expect(completions.withLock { $0 } == 1)
        openGate()
        settle()
        #expect(router.destination == .both && completions.withLock { $0 } == 1)
    }

    @Test("a router that takes over the window does not wait for the other router's display and feeds the window alone")
    func takeoverDoesNotWait() throws {
        let other = FrameRouter()
        other.setOutput(TestOutput())
        other.show(try frames.frame(7), due: 0)
        #expect(other.waitUntilIdle(until: Deadline.after(.seconds(30))))
        #expect(other.takeOver(remote, from: router))
        waitUntilDrawing()
        #expect(other.destination == .remote && router.destination == .layer)
        router.show(try frames.frame(3), due: 0)
        openGate()
        settle()
        #expect(other.waitUntilIdle(until: Deadline.after(.seconds(30))))
        #expect(try pushed() == [1, 2, 7])
    }

    @Test("a return completes immediately if the layer has no output")
    func returnWithoutOutputCompletesImmediately() throws {
        router.setOutput(nil)
        #expect(router.beginReturn(from: remote, to: place, completion: complete) == nil)
        #expect(completions.withLock { $0 } == 0)
        #expect(router.returnToLayer(from: remote, completion: complete) == nil && router.destination == .layer)
        #expect(router.returnToLayer(from: remote, completion: complete) == nil)
        #expect(completions.withLock { $0 } == 2)
    }
}
