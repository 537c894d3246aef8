import Testing

@testable import FilmReel

@Suite struct WorkingSetTests {
    private let layout = WallLayout(
        tile: PixelSize(width: 300, height: 450), view: PixelSize(width: 1540, height: 1374), count: 2000)

    @Test func workingSetContainsThePageAndOnePageOnEitherSide() {
        let set = WorkingSet(layout: layout, offset: 10 * layout.pageHeight, isScrollingUp: false)
        #expect(set.visible == 150..<165)
        #expect(set.order.count == 45)
        #expect(Set(set.order) == Set(135..<180))
    }

    @Test func visiblePostersAreFirstInTheOrder() {
        let downOrder = WorkingSet(layout: layout, offset: 10 * layout.pageHeight, isScrollingUp: false).order
        #expect(Array(downOrder[0..<15]) == Array(150..<165))
        #expect(Array(downOrder[15..<30]) == Array(165..<180))
        #expect(Array(downOrder[30...]) == Array((135..<150).reversed()))
        let upOrder = WorkingSet(layout: layout, offset: 10 * layout.pageHeight, isScrollingUp: true).order
        #expect(Array(upOrder[15..<30]) == Array((135..<150).reversed()))
        #expect(Array(upOrder[30...]) == Array(165..<180))
    }

    @Test("at all offsets, the set contains each poster once, and no others")
    func setIsCompleteAtAllOffsets() {
        for view in [PixelSize(width: 1540, height: 1374), PixelSize(width: 350, height: 200)] {
            for count in [0, 1, 14, 16, 200] {
                let layout = WallLayout(tile: layout.tile, view: view, count: count)
                for offset in stride(from: 0, through: layout.maximumOffset, by: 97) {
                    let set = WorkingSet(layout: layout, offset: offset, isScrollingUp: offset.isMultiple(of: 2))
                    #expect(set.order.count == Set(set.order).count)
                    #expect(set.order.starts(with: set.visible))
                    #expect(set.order.allSatisfy { (0..<count).contains($0) })
                    // The set has no gaps.
                    let first = set.order.min() ?? 0, last = set.order.max() ?? -1
                    #expect(last - first + 1 == set.order.count)
                    #expect(set.order.count <= set.visible.count + 2 * layout.pageRowCount * layout.columnCount)
                }
            }
        }
    }
}
