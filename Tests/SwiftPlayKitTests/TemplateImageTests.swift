import Testing

@testable import SwiftPlayKit

@Suite struct TemplateImageTests {
    @Test(arguments: [8, 32, 33]) func buttonImagesHaveTheRequestedSize(edge: Int) throws {
        let startImage = try #require(PictureInPictureController.pictureInPictureButtonStartImage(edge: edge))
        let stopImage = try #require(PictureInPictureController.pictureInPictureButtonStopImage(edge: edge))
        for image in [startImage, stopImage] {
            #expect(image.width == edge && image.height == edge && image.coverage.count == edge * edge)
            // The small screen at the lower right of the icon is filled; the upper left corner is empty.
            #expect(image.coverage[edge * 7 / 10 * edge + edge * 3 / 4] == 255 && image.coverage[0] == 0)
        }
        #expect(startImage != stopImage)
        let pixelOffset = (edge * 7 / 10 * edge + edge * 3 / 4) * 4
        #expect(Array(startImage.rgba(red: 1, green: 2, blue: 3)[pixelOffset..<pixelOffset + 4]) == [1, 2, 3, 255])
        #expect(
            Array(startImage.premultipliedBGRA(red: 1, green: 2, blue: 3)[pixelOffset..<pixelOffset + 4]) == [
                3, 2, 1, 255,
            ])
    }

    @Test(arguments: [(0, 8), (-5, 8), (7, 8), (1024, 1024), (.max, 1024)]) func theEdgeLengthIsClampedTo8To1024(
        _ requestedEdge: Int, _ edge: Int
    ) {
        #expect(PictureInPictureController.pictureInPictureButtonStopImage(edge: requestedEdge)?.width == edge)
    }

    @Test func aColourFillsTheShapeOnly() throws {
        let image = try #require(TemplateImage(edge: 8) { _ in })
        #expect(image.rgba(red: 1, green: 2, blue: 3).prefix(4) == [1, 2, 3, 0])
        #expect(image.premultipliedBGRA(red: 255, green: 255, blue: 255).allSatisfy { $0 == 0 })
    }

    @Test func premultipliedColoursAreBlueGreenRedAlpha() throws {
        let image = try #require(PictureInPictureController.pictureInPictureButtonStartImage(edge: 64))
        let pixels = image.premultipliedBGRA(red: 255, green: 100, blue: 0)
        #expect(pixels.count == 64 * 64 * 4)
        for (index, alpha) in image.coverage.enumerated() {
            let pixel = pixels[(index * 4)..<(index * 4 + 4)]
            #expect(pixel.elementsEqual([0, UInt8((100 * Int(alpha) + 127) / 255), alpha, alpha]))
        }
    }
}
