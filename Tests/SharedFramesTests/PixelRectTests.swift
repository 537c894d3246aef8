import Testing

@testable import SharedFrames

@Suite struct PixelRectTests {
    private let rect = PixelRect(x: 10, y: 20, width: 30, height: 40)

    @Test func rightAndLowerEdgesAreOutsideTheRectangle() {
        #expect(rect.contains(x: 10, y: 20) && rect.contains(x: 39, y: 59))
        #expect(!rect.contains(x: 40, y: 20) && !rect.contains(x: 10, y: 60))
        #expect(!rect.contains(x: 9, y: 20) && !rect.contains(x: 10, y: 19))
    }

    @Test func anEmptyRectangleContainsNoPoint() {
        #expect(!PixelRect(x: 0, y: 0, width: 0, height: 5).contains(x: 0, y: 0))
    }

    @Test func sharedAreaIsCountedInPixels() {
        #expect(rect.sharedArea(with: rect) == 1200)
        #expect(rect.sharedArea(with: PixelRect(x: 0, y: 0, width: 20, height: 30)) == 100)
        #expect(rect.sharedArea(with: PixelRect(x: 15, y: 25, width: 2, height: 3)) == 6)
    }

    @Test func adjacentRectanglesShareNoArea() {
        let rightNeighbour = PixelRect(x: 40, y: 20, width: 5, height: 40),
            lowerNeighbour = PixelRect(x: 10, y: 60, width: 30, height: 1)
        #expect(rect.sharedArea(with: rightNeighbour) == 0 && !rect.overlaps(rightNeighbour))
        #expect(rect.sharedArea(with: lowerNeighbour) == 0 && !rect.overlaps(lowerNeighbour))
    }

    @Test func rectanglesApartInBothDirectionsShareNoArea() {
        // The computed width and height of the overlap are negative, but their product is positive.
        #expect(rect.sharedArea(with: PixelRect(x: 100, y: 100, width: 5, height: 5)) == 0)
    }

    @Test func overlapIsSymmetricAndAgreesWithTheSharedArea() {
        for x in stride(from: -10, through: 60, by: 5) {
            for y in stride(from: -10, through: 80, by: 5) {
                let other = PixelRect(x: x, y: y, width: 7, height: 9)
                #expect(rect.overlaps(other) == other.overlaps(rect))
                #expect(rect.overlaps(other) == (rect.sharedArea(with: other) > 0), "\(other)")
            }
        }
    }

    @Test func aSizeWithoutAPixelIsEmpty() {
        #expect(!PixelSize(width: 1, height: 1).isEmpty && rect.size == PixelSize(width: 30, height: 40))
        for (width, height) in [(0, 1), (1, 0), (-1, 5), (5, -1)] {
            #expect(PixelSize(width: width, height: height).isEmpty)
        }
    }
}

@Suite struct OverlayPictureTests {
    /// Returns a box of an overlay with `bytes` bytes of pixels; nil if the box is invalid.
    private func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int, bytes: Int? = nil) -> OverlayPicture.Box? {
        OverlayPicture.Box(
            rect: PixelRect(x: x, y: y, width: width, height: height),
            pixels: [UInt8](repeating: 0, count: bytes ?? max(0, width * height * 4)))
    }

    @Test func overlayBoxNeedsFourBytesForEachPixel() {
        #expect(box(0, 0, 3, 2) != nil)
        for bytes in [0, 23, 25, 48] { #expect(box(0, 0, 3, 2, bytes: bytes) == nil) }
    }

    @Test(arguments: [(0, 2), (2, 0), (-1, 4), (4, -1), (-2, -2)]) func emptyOverlayBoxIsRefused(
        _ width: Int, _ height: Int
    ) {
        #expect(box(0, 0, width, height, bytes: width * height * 4 < 0 ? 0 : width * height * 4) == nil)
    }

    @Test func boxesOutsideTheOverlayAreDropped() throws {
        let boxes = try [
            box(0, 0, 10, 10), box(-1, 0, 2, 2), box(0, -1, 2, 2), box(9, 0, 2, 2), box(0, 9, 2, 2), box(8, 8, 2, 2),
        ]
        .map { try #require($0) }
        let picture = OverlayPicture(size: PixelSize(width: 10, height: 10), boxes: boxes, text: "text")
        #expect(picture.boxes == [boxes[0], boxes[5]] && picture.text == "text")
    }

    @Test func overlayGeometriesWithDifferentCoveredHeightsAreNotEqual() {
        let size = PixelSize(width: 10, height: 10), picture = PixelRect(x: 0, y: 0, width: 10, height: 10)
        let geometry = OverlayGeometry(windowSize: size, pictureRect: picture, videoSize: size)
        var coveredGeometry = geometry
        coveredGeometry.coveredRowCount = 3
        #expect(geometry != coveredGeometry && geometry.coveredRowCount == 0)
    }
}

@Suite struct VideoFrameIdentityTests {
    @Test func frameIdentifiersIncrease() {
        let firstID = VideoFrame.makeID(), secondID = VideoFrame.makeID()
        #expect(secondID > firstID)
    }

    @Test func frameIdentifiersAreUniqueAcrossThreads() async {
        let identifiers = await withTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<8 { group.addTask { (0..<1000).map { _ in VideoFrame.makeID() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(identifiers).count == 8000)
    }

    @Test func unpooledBufferMemoryIsWritable() throws {
        let buffer = try FrameBuffer(unpooledSize: 4096)
        buffer.base.storeBytes(of: 0xAB, toByteOffset: 4095, as: UInt8.self)
        #expect(buffer.slot.size >= 4096 && buffer.base.load(fromByteOffset: 4095, as: UInt8.self) == 0xAB)
    }
}
