import CompositorProtocol
import SharedFrames
import SystemCalls
import TestSupport
import Testing
import VideoOutput
import WireFormat

@testable import SwiftPlay

/// Tests of the picture's return from the floating window to a layer whose output blocks until the test opens a gate.
@Suite("A return from the floating window") final class FrameRouterReturnTests {
    /// A gate at which the output waits before it shows a frame; a closed gate blocks the output.
    private struct Gate {
        var isOpen = true
        /// The number of frames that have arrived at the gate.
        var arrivedFrameCount = 0
    }

    private let output = TestOutput()
    private let frames = TestFrames()
    /// The sink that sends frames to the floating window.
    private let frameSink: RemoteFrameSink
    /// The compositor's end of the socket connection.
    private let compositorSocket: MessageSocket
    private let gate = Monitor(Gate())
    /// The number of calls of the completion handler of the return to the layer.
    private let completionCount = Monitor(0)
    /// The rectangle of the layer on the screen.
    private let layerRect = PixelRect(x: 0, y: 0, width: 16, height: 16)
    private var router = FrameRouter()

    init() throws {
        let (sinkSocket, peerSocket) = try MessageSocket.pair()
        frameSink = try RemoteFrameSink(
            session: 1, socket: sinkSocket, version: ProtocolVersion.newest, stallTimeout: .max)
        compositorSocket = peerSocket
        output.onPresent { [gate] in
            gate.update { $0.arrivedFrameCount += 1 }
            _ = gate.wait(until: Deadline.after(.seconds(30))) { $0.isOpen ? true : nil }
        }
        router.setOutput(output)
        router.show(try frames.frame(1), due: 0)
        waitUntilPresenterIsIdle()
        #expect(router.beginHandover(to: frameSink))
        router.completeHandover()
        waitUntilPresenterIsIdle()
        router.show(try frames.frame(2), due: 0)
        waitUntilPresenterIsIdle()
        _ = output.takeCalls()
        gate.update { $0 = Gate(isOpen: false) }
    }

    deinit { gate.update { $0.isOpen = true } }

    /// Waits until the presenter thread is idle.
    private func waitUntilPresenterIsIdle() { #expect(router.waitUntilIdle(until: Deadline.after(.seconds(30)))) }

    /// Waits until the output has begun to show a frame.
    private func waitUntilDrawing() {
        #expect(gate.wait(until: Deadline.after(.seconds(30))) { $0.arrivedFrameCount > 0 ? true : nil } == true)
    }

    private func openGate() { gate.update { $0.isOpen = true } }

    /// The completion handler of the return to the layer.
    private var completion: @Sendable () -> Void { { [completionCount] in completionCount.update { $0 += 1 } } }

    /// Waits until the completion handler of the return to the layer was called.
    private func waitForCompletion() {
        #expect(completionCount.wait(until: Deadline.after(.seconds(30))) { $0 > 0 ? true : nil } == true)
    }

    /// Returns the numbers of all frames that were sent to the floating window.
    private func sentFrameNumbers() throws -> [UInt64] {
        let ring = try #require(frameSink.descriptors.first)
        let file = try MemoryFile(
            received: try FileDescriptor(duplicating: ring), minimumSize: SharedRing.byteCount,
            maximumSize: SharedRing.byteCount)
        var reader = try SharedRingReader(file)
        var ids: [UInt64] = []
        while let entry = try reader.pop() { ids.append(FrameEntry(entry).frame) }
        return ids
    }

    @Test("a return does not block; the window receives frames until the layer has shown one")
    func returnToLayerDoesNotBlock() throws {
        #expect(router.returnToLayer(from: frameSink, completion: completion) != nil)
        waitUntilDrawing()
        #expect(completionCount.withLock { $0 } == 0 && router.destination == .both)
        router.show(try frames.frame(3), due: 0)
        openGate()
        waitForCompletion()
        #expect(router.destination == .layer)
        #expect(try sentFrameNumbers() == [1, 2, 3])
        router.show(try frames.frame(4), due: 0)
        waitUntilPresenterIsIdle()
        #expect(try sentFrameNumbers() == [1, 2, 3])
        let presentCalls = output.takeCalls().filter { if case .present = $0 { true } else { false } }
        #expect(presentCalls == [.present(2), .present(3), .present(4)])
        #expect(completionCount.withLock { $0 } == 1)
    }

    @Test("a return is cancelled by its number while the display is blocked; the frame is drawn later")
    func returnToLayerIsCancelledByItsNumber() throws {
        let number = try #require(router.returnToLayer(from: frameSink, completion: completion))
        waitUntilDrawing()
        router.cancelReturn(number - 1)
        #expect(completionCount.withLock { $0 } == 0 && router.destination == .both)
        router.cancelReturn(number)
        #expect(completionCount.withLock { $0 } == 1 && router.destination == .layer)
        router.show(try frames.frame(3), due: 0)
        openGate()
        waitUntilPresenterIsIdle()
        router.cancelReturn(number)
        #expect(completionCount.withLock { $0 } == 1)
        #expect(try sentFrameNumbers() == [1, 2])
        #expect(output.takeCalls().last == .present(3))
    }

    @Test("the layer and the window receive frames during the return animation", arguments: [false, true])
    func layerAndWindowReceiveFramesDuringReturnAnimation(isCancelled: Bool) throws {
        let number = try #require(router.beginReturn(from: frameSink, to: layerRect, completion: completion))
        waitUntilDrawing()
        #expect(completionCount.withLock { $0 } == 0 && router.destination == .both)
        if isCancelled { router.cancelReturn(number) } else { openGate() }
        waitForCompletion()
        #expect(router.destination == .both)
        openGate()
        waitUntilPresenterIsIdle()
        router.show(try frames.frame(3), due: 0)
        waitUntilPresenterIsIdle()
        #expect(try sentFrameNumbers() == [1, 2, 3])
        #expect(router.beginReturn(from: frameSink, to: layerRect, completion: completion) == nil, "already returning")
        // The compositor reports that the window is closed; the layer already shows the picture.
        #expect(router.returnToLayer(from: frameSink, completion: completion) == nil && router.destination == .layer)
        #expect(completionCount.withLock { $0 } == 2)
    }

    @Test("a return ends when the layer loses its output, or when the router is released", arguments: [false, true])
    func returnToLayerCompletesWhenTheOutputIsRemovedOrTheRouterIsReleased(isRouterReleased: Bool) throws {
        #expect(router.returnToLayer(from: frameSink, completion: completion) != nil)
        waitUntilDrawing()
        if isRouterReleased { router = FrameRouter() } else { router.setOutput(nil) }
        #expect(completionCount.withLock { $0 } == 1 && router.destination == .layer)
    }

    @Test("a completed return does not end a handover to the window that started after it")
    func completedReturnToTheLayerDoesNotEndALaterHandoverToTheWindow() throws {
        #expect(router.returnToLayer(from: frameSink, completion: completion) != nil)
        waitUntilDrawing()
        #expect(router.beginHandover(to: frameSink))
        #expect(completionCount.withLock { $0 } == 1)
        openGate()
        waitUntilPresenterIsIdle()
        #expect(router.destination == .both && completionCount.withLock { $0 } == 1)
    }

    @Test("a router that takes over the window does not wait for the other router's output, and alone sends frames")
    func windowTakeoverDoesNotWaitForTheOtherRoutersOutput() throws {
        let otherRouter = FrameRouter()
        otherRouter.setOutput(TestOutput())
        otherRouter.show(try frames.frame(7), due: 0)
        #expect(otherRouter.waitUntilIdle(until: Deadline.after(.seconds(30))))
        #expect(otherRouter.takeOver(frameSink, from: router))
        waitUntilDrawing()
        #expect(otherRouter.destination == .remote && router.destination == .layer)
        router.show(try frames.frame(3), due: 0)
        openGate()
        waitUntilPresenterIsIdle()
        #expect(otherRouter.waitUntilIdle(until: Deadline.after(.seconds(30))))
        #expect(try sentFrameNumbers() == [1, 2, 7])
    }

    @Test("a return completes immediately if the layer has no output")
    func returnToLayerWithoutOutputCompletesImmediately() throws {
        router.setOutput(nil)
        #expect(router.beginReturn(from: frameSink, to: layerRect, completion: completion) == nil)
        #expect(completionCount.withLock { $0 } == 0)
        #expect(router.returnToLayer(from: frameSink, completion: completion) == nil && router.destination == .layer)
        #expect(router.returnToLayer(from: frameSink, completion: completion) == nil)
        #expect(completionCount.withLock { $0 } == 2)
    }
}
