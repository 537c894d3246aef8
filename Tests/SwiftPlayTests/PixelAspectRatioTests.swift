import Foundation
import Testing

@testable import SwiftPlay

@Suite struct PixelAspectRatioTests {
    @Test("A ratio keeps its fraction without reducing it")
    func aspectRatioKeepsAnUnreducedFraction() {
        let ratio = PixelAspectRatio(horizontalSpacing: 32, verticalSpacing: 22)
        #expect(ratio.horizontalSpacing == 32 && ratio.verticalSpacing == 22 && "\(ratio)" == "32:22")
        #expect(ratio != PixelAspectRatio(horizontalSpacing: 16, verticalSpacing: 11))
    }

    @Test("The numbers 1 and Int.max are valid; a negative number makes the ratio square")
    func largestNumberIsValidAndNegativeNumberGivesSquarePixels() {
        #expect(PixelAspectRatio(horizontalSpacing: 1, verticalSpacing: .max).verticalSpacing == .max)
        #expect("\(PixelAspectRatio(horizontalSpacing: .min, verticalSpacing: 1))" == "1:1")
    }

    @Test("The encoded ratio contains the names of both numbers")
    func encodedAspectRatioHasTheKeysHorizontalAndVerticalSpacing() throws {
        let ratio = PixelAspectRatio(horizontalSpacing: 64, verticalSpacing: 45)
        let text = #"{"horizontalSpacing":64,"verticalSpacing":45}"#
        #expect(try JSONDecoder().decode(PixelAspectRatio.self, from: Data(text.utf8)) == ratio)
        #expect(try JSONDecoder().decode(PixelAspectRatio.self, from: JSONEncoder().encode(ratio)) == ratio)
    }

    @Test("A stored number that is not positive makes the ratio square", arguments: [0, -1])
    func nonPositiveEncodedNumberDecodesAsSquare(number: Int) throws {
        let text = #"{"horizontalSpacing":64,"verticalSpacing":\#(number)}"#
        #expect(try JSONDecoder().decode(PixelAspectRatio.self, from: Data(text.utf8)) == .square)
    }
}
