import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct NaturalOrderTests {
    @Test func numbersCountByTheirValue() {
        let names = ["a 2", "a 10", "A 11", "B", "b1", "b01x", "c", "c0", "c00", "c99999999999999999999999", "d"]
        #expect(
            names.reversed().map { Array($0.utf8) }.sorted(by: NaturalOrder.precedes).map {
                String(decoding: $0, as: UTF8.self)
            } == names)
    }

    @Test func theOrderIsStrictAndTotal() {
        var generator = SeededGenerator.printingSeed()
        let alphabet = Array("aAb019. ".utf8)
        func name() -> [UInt8] {
            (0..<Int.random(in: 0...5, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
        }
        for _ in 0..<3000 {
            let (a, b, c) = (name(), name(), name())
            #expect(!NaturalOrder.precedes(a, a))
            #expect(a == b || NaturalOrder.precedes(a, b) != NaturalOrder.precedes(b, a), "\(a) \(b)")
            if NaturalOrder.precedes(a, b), NaturalOrder.precedes(b, c) {
                #expect(NaturalOrder.precedes(a, c), "\(a) \(b) \(c)")
            }
        }
    }
}
