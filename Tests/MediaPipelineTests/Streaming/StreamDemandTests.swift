import SystemCalls
import Testing

@testable import MediaPipeline

@Suite struct StreamDemandTests {
    @Test("reading the playhead a thousand times does not make a later call deeper")
    func playheadIsReadAtTheSameStackDepth() throws {
        let demand = StreamDemand(), stackAddress = Monitor(0)
        demand.setPlayhead {
            var marker = 0
            let address = withUnsafeMutablePointer(to: &marker) { Int(bitPattern: $0) }
            stackAddress.withLock { $0 = address }
            return 7
        }
        func readAddress() -> Int {
            #expect(demand.playheadTime == 7)
            return stackAddress.withLock { $0 }
        }
        let firstAddress = readAddress()
        for _ in 0..<1000 { _ = demand.playheadTime }
        #expect(readAddress() == firstAddress)
    }
}
