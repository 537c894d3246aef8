import CompositorProtocol
import SharedFrames
import SystemCalls
import Testing
import WireFormat

@testable import SwiftPlay

@Suite final class RemoteFrameSinkTests {
    private let frames = TestFrames()
    private let frameSink: RemoteFrameSink
    /// The compositor's end of the socket connection.
    private let compositorSocket: MessageSocket
    /// The ring buffer into which the test writes releases, in the role of the compositor.
    private let releases: SharedRingWriter

    init() throws {
        let (sinkSocket, peerSocket) = try MessageSocket.pair()
        frameSink = try RemoteFrameSink(
            session: 1, socket: sinkSocket, version: ProtocolVersion.newest, stallTimeout: .max)
        compositorSocket = peerSocket
        releases = try SharedRingWriter(
            MemoryFile(
                received: FileDescriptor(duplicating: frameSink.descriptors[1]), minimumSize: SharedRing.byteCount,
                maximumSize: SharedRing.byteCount))
    }

    /// Sends a new frame to the compositor. Returns the number of the frame's slot.
    private func push(_ id: UInt64) throws -> UInt32 {
        let frame = try frames.frame(id)
        #expect(frameSink.push(frame, due: 0))
        return frame.buffer.slot.id
    }

    /// Releases frames in the role of the compositor.
    private func release(_ ids: UInt64...) {
        for id in ids { releases.push(ReleasedFrame(frame: id, shownAt: 0).entry) }
    }

    /// Reads the messages that were sent since the last call. Returns the slots that stay mapped; `slots` were mapped
    /// before.
    private func mappedSlots(_ slots: Set<UInt32> = []) throws -> Set<UInt32> {
        var slots = slots
        while case .message(let incoming) = compositorSocket.receive() {
            switch try ClientMessage(decoding: incoming.bytes) {
            case .addSlot(_, let slot): #expect(slots.insert(slot).inserted, "slot \(slot) was announced twice")
            case .removeSlot(_, let slot): #expect(slots.remove(slot) != nil, "slot \(slot) was not announced")
            default: break
            }
        }
        return slots
    }

    /// When a program becomes background media, its pool releases slots. The compositor learns of it with the next
    /// frame.
    @Test func compositorUnmapsReleasedMemoryWithTheNextFrame() throws {
        let firstSlot = try push(1), secondSlot = try push(2)
        #expect(try mappedSlots() == [firstSlot, secondSlot])
        release(1, 2)
        #expect(frameSink.checkReleases() == nil)
        frames.pool.setFreeSlotLimit(1)
        #expect(
            try mappedSlots([firstSlot, secondSlot]) == [firstSlot, secondSlot], "no message before the next frame")
        let thirdSlot = try push(3)
        #expect(try mappedSlots([firstSlot, secondSlot]) == [thirdSlot])
    }

    @Test func compositorUnmapsAllUnusedMemoryWhenTheWindowCloses() throws {
        let firstSlot = try push(1), secondSlot = try push(2)
        release(1)
        frameSink.unmapUnusedMemory()
        #expect(try mappedSlots() == [secondSlot], "the compositor still holds frame 2")
        let nextSlot = try push(3)
        #expect(nextSlot == firstSlot)
        #expect(try mappedSlots([secondSlot]) == [firstSlot, secondSlot])
        release(2, 3)
        frameSink.unmapUnusedMemory()
        #expect(try mappedSlots([firstSlot, secondSlot]) == [])
    }

    @Test("releases that cannot be valid end the connection, also without a new frame")
    func anOverrunOfReleasesEndsTheConnection() throws {
        _ = try push(1)
        for id in 0...SharedRing.capacity { release(UInt64(id)) }
        #expect(frameSink.checkReleases() == nil)
        var isClosed = false
        for _ in 0..<10 where !isClosed { if case .closed = compositorSocket.receive() { isClosed = true } }
        #expect(isClosed)
    }
}
