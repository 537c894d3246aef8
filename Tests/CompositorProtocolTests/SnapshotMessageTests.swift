import SharedFrames
import Testing
import WireFormat

@testable import CompositorProtocol

@Suite struct SnapshotMessageTests {
    private func layout(_ width: UInt32, _ height: UInt32, _ stride: UInt32) -> SnapshotShape.Layout? {
        SnapshotShape(width: width, height: height, stride: stride).layout
    }

    @Test func theLargestPictureFitsIntoTheLargestFile() throws {
        let largest = try #require(layout(512, 512, 512 * 4 + 256))
        #expect(largest.size == PixelSize(width: 512, height: 512) && largest.stride == 2304)
        #expect(largest.requiredSize == 511 * 2304 + 2048 && largest.requiredSize <= SnapshotShape.maximumFileSize)
    }

    @Test func theSmallestPictureHasOnePixel() { #expect(layout(1, 1, 4)?.requiredSize == 4) }

    @Test(
        "lengths, rows that overlap, rows that are too long and rows that are not aligned are refused",
        arguments: [
            (0, 1, 4), (1, 0, 4), (513, 1, 2052), (1, 513, 4), (1, 100_000, 4), (100_000, 1, 400_000),
            (.max, .max, .max), (10, 10, 39), (10, 10, 36), (10, 10, 42), (10, 10, 300), (10, 10, 0),
            (0x4000_0000, 1, 0), (0x4000_0001, 1, 4),
        ] as [(UInt32, UInt32, UInt32)])
    func wrongShapesAreRefused(width: UInt32, height: UInt32, stride: UInt32) {
        #expect(layout(width, height, stride) == nil)
    }

    @Test("a wrong shape is no malformed message, so that its program stays connected")
    func wrongShapesCanBeDecoded() throws {
        let message = ClientMessage.snapshot(
            .picture(SnapshotShape(width: 1, height: 100_000, stride: 1), title: "a"))
        #expect(try ClientMessage(decoding: message.encoded) == message)
    }

    @Test(
        "pictures are reduced to 512 pixels with the same proportions",
        arguments: [
            (1920, 1080, 512, 288), (1080, 1920, 288, 512), (512, 512, 512, 512), (100, 50, 100, 50),
            (16_384, 1, 512, 1), (513, 512, 512, 511),
        ])
    func picturesAreReduced(width: Int, height: Int, newWidth: Int, newHeight: Int) {
        #expect(
            SnapshotShape.size(reducing: PixelSize(width: width, height: height))
                == PixelSize(width: newWidth, height: newHeight))
    }

    @Test func onlyAPictureComesWithADescriptor() {
        let shape = SnapshotShape(width: 1, height: 1, stride: 4)
        #expect(ClientMessage.snapshot(.picture(shape, title: "")).descriptorCount == 1)
        #expect(ClientMessage.snapshot(.completedWork).descriptorCount == 0)
    }

    @Test func theMessagesBelongToTheThirdVersionOfTheirInterface() {
        let message = ClientMessage.snapshot(.completedWork)
        #expect(message.interface?.0 == .programs && message.interface?.version == 3)
        #expect(message.version == ProtocolVersion.interfaces)
        let close = ClientMessage.system(.close(program: "a"), isPersistent: true)
        #expect(close.interface?.0 == .system && close.interface?.version == 4)
    }

    @Test("an unknown message about a picture does not end the connection of a newer program")
    func unknownMessagesAreMarked() {
        #expect(throws: MalformedMessage("an unknown message about a picture", isUnknown: true)) {
            try ClientMessage(decoding: [27, 99])
        }
    }

    @Test func theMessagesEncodeTheirFieldsInOrder() {
        let shape = SnapshotShape(width: 1, height: 2, stride: 0x0403)
        #expect(
            ClientMessage.snapshot(.picture(shape, title: "a")).encoded
                == [27, 3, 1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 0, 0, 1, 0, 97])
        #expect(ClientMessage.snapshot(.identifier("b")).encoded == [27, 1, 1, 0, 98])
        #expect(ClientMessage.snapshot(.isPrivate(true)).encoded == [27, 4, 1])
        #expect(ServerMessage.snapshotRequested.encoded == [29])
        #expect(ServerMessage.programClosed(processID: 2, wasKilled: true).encoded == [30, 2, 0, 0, 0, 1])
    }
}
