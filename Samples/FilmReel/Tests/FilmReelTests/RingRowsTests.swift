import Testing

@testable import FilmReel

@Suite struct RingRowsTests {
    @Test("spans cover each row once, at its row of the ring")
    func spansCoverAllRows() {
        let ring = RingRows(height: 10)
        for start in 0..<35 {
            for count in 0...10 {
                let spans = ring.spans(of: start..<start + count)
                #expect(spans.flatMap { Array($0.contentRows) } == Array(start..<start + count))
                #expect(spans.count <= 2)
                for span in spans {
                    #expect(!span.contentRows.isEmpty)
                    #expect(span.ringRow == span.contentRows.lowerBound % 10)
                    #expect(span.ringRow + span.contentRows.count <= 10)
                }
            }
        }
    }

    @Test("after any movements, the ring contains the rows of the view")
    func ringContainsTheView() {
        let ring = RingRows(height: 10)
        var content = [Int](repeating: -1, count: 10), oldOffset: Int?
        for newOffset in [0, 3, 3, 12, 13, 40, 39, 30, 21, 20, 0, 10] {
            for span in ring.spans(of: ring.newRows(from: oldOffset, to: newOffset)) {
                for (number, row) in span.contentRows.enumerated() { content[span.ringRow + number] = row }
            }
            oldOffset = newOffset
            for row in newOffset..<newOffset + 10 { #expect(content[row % 10] == row) }
        }
    }

    @Test func smallMovementDrawsOnlyNewRows() {
        let ring = RingRows(height: 10)
        #expect(ring.newRows(from: 5, to: 8) == 15..<18)
        #expect(ring.newRows(from: 5, to: 3) == 3..<5)
        #expect(ring.newRows(from: 5, to: 5).isEmpty)
        #expect(ring.newRows(from: 5, to: 15) == 15..<25)
        #expect(ring.newRows(from: nil, to: 7) == 7..<17)
    }
}
