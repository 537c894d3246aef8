import Testing

@testable import AudioOutput

@Suite struct PositionMapTests {
    @Test func streamPositionDoesNotAdvanceDuringSilence() {
        let map = PositionMap()
        map.append(device: 0, stream: 0, advances: true)
        map.append(device: 500, stream: 500, advances: true)
        map.append(device: 1000, stream: 1000, advances: false)
        map.append(device: 1480, stream: 1000, advances: true)
        #expect(map.stream(at: 999) == 999)
        #expect(map.stream(at: 1200) == 1000)
        #expect(map.stream(at: 1580) == 1100)
        map.trim(heard: 1100)
        #expect(map.currentSegment == .init(device: 1000, stream: 1000, advances: false))
        #expect(map.nextSegment == .init(device: 1480, stream: 1000, advances: true))
        map.reset(device: 2000, stream: 7)
        #expect(map.stream(at: 3000) == 7)
    }

    @Test func newestPositionsRemainAfterManyAppends() {
        let map = PositionMap()
        for i in 0..<1000 {
            map.append(device: i * 20, stream: i * 10, advances: true)
            map.append(device: i * 20 + 10, stream: i * 10 + 10, advances: false)
        }
        #expect(map.stream(at: 999 * 20 + 5) == 9995)
        #expect(map.stream(at: 990 * 20 + 15) == 9910)
    }
}
