import Testing

@testable import VideoOutput

@Suite struct Palette256Tests {
    /// Returns the colour that xterm shows for a palette index from 16 to 255.
    private func colour(_ index: UInt32) -> (red: UInt32, green: UInt32, blue: UInt32) {
        if index >= 232 {
            let level = 8 + 10 * (index - 232)
            return (level, level, level)
        }
        func level(_ step: UInt32) -> UInt32 { step == 0 ? 0 : 55 + 40 * step }
        let cube = index - 16
        return (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
    }

    /// Returns the squared distance in RGB between the colour of a palette index and the colour with the given
    /// components.
    private func distance(_ index: UInt32, _ red: UInt32, _ green: UInt32, _ blue: UInt32) -> Int {
        let colour = colour(index)
        func squaredDifference(_ a: UInt32, _ b: UInt32) -> Int { (Int(a) - Int(b)) * (Int(a) - Int(b)) }
        return squaredDifference(colour.red, red) + squaredDifference(colour.green, green)
            + squaredDifference(colour.blue, blue)
    }

    @Test func cubeColoursMapToThemselves() {
        for index in 16...231 as ClosedRange<UInt32> {
            let colour = colour(index)
            #expect(Palette256.nearest(red: colour.red, green: colour.green, blue: colour.blue) == index)
        }
    }

    @Test func greysOfThePaletteMapToThemselves() {
        for index in 232...255 as ClosedRange<UInt32> {
            let level = colour(index).red
            let nearestIndex = Palette256.nearest(red: level, green: level, blue: level)
            #expect(colour(nearestIndex) == (level, level, level), "\(level)")
        }
    }

    @Test func blackAndWhiteUseTheColourCube() {
        #expect(Palette256.nearest(red: 0, green: 0, blue: 0) == 16)
        #expect(Palette256.nearest(red: 255, green: 255, blue: 255) == 231)
    }

    @Test func eachChannelLevelMapsToTheNearestColour() {
        for level in 0...255 as ClosedRange<UInt32> {
            let chosenDistance = distance(Palette256.nearest(red: level, green: 0, blue: 255), level, 0, 255)
            #expect(chosenDistance == (16...255).map { distance($0, level, 0, 255) }.min(), "\(level)")
        }
    }

    @Test func nearestPaletteColourIsReturned() {
        for red in stride(from: 0, through: 255, by: 17) as StrideThrough<UInt32> {
            for green in stride(from: 0, through: 255, by: 17) as StrideThrough<UInt32> {
                for blue in stride(from: 0, through: 255, by: 17) as StrideThrough<UInt32> {
                    let chosenDistance = distance(
                        Palette256.nearest(red: red, green: green, blue: blue), red, green, blue)
                    let smallestDistance = (16...255).map { distance($0, red, green, blue) }.min() ?? 0
                    #expect(chosenDistance == smallestDistance, "\(red) \(green) \(blue)")
                }
            }
        }
    }
}
