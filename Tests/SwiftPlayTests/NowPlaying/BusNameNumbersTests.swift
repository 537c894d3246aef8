import Testing

@testable import SwiftPlay

@Suite struct BusNameNumbersTests {
    @Test("each bus has its own numbers, and the lowest free number is taken, in every order of releases")
    func lowestFreeNumberOfEachBusIsAllocated() {
        for firstNumber in 0..<3 {
            for secondNumber in 0..<3 where secondNumber != firstNumber {
                var numbers = BusNameNumbers()
                let allocatedNumbers = (0..<3).map { _ in numbers.allocate(onBus: "a") }
                let numberOnOtherBus = numbers.allocate(onBus: "b")
                #expect(allocatedNumbers == [0, 1, 2] && numberOnOtherBus == 0)
                numbers.release(firstNumber, onBus: "a")
                numbers.release(secondNumber, onBus: "a")
                let reallocatedNumbers = (0..<3).map { _ in numbers.allocate(onBus: "a") }
                #expect(reallocatedNumbers == [min(firstNumber, secondNumber), max(firstNumber, secondNumber), 3])
            }
        }
    }

    @Test func releasingAllNumbersRestoresTheInitialState() {
        var numbers = BusNameNumbers()
        let number = numbers.allocate(onBus: "a")
        numbers.release(number, onBus: "a")
        numbers.release(7, onBus: "c")
        #expect(numbers == BusNameNumbers())
    }
}
