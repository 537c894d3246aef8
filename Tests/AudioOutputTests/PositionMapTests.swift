import Testing

@testable import AudioOutput

@Suite struct PositionMapTests {
    @Test func streamPositionDoesNotAdvanceDuringSilence() {
        let map = PositionMap()
        map.append(deviceFrame: 0, streamFrame: 0, advancesStream: true)
        map.append(deviceFrame: 500, streamFrame: 500, advancesStream: true)
        map.append(deviceFrame: 1000, streamFrame: 1000, advancesStream: false)
        map.append(deviceFrame: 1480, streamFrame: 1000, advancesStream: true)
        #expect(map.streamFrame(at: 999) == 999)
        #expect(map.streamFrame(at: 1200) == 1000)
        #expect(map.streamFrame(at: 1580) == 1100)
        map.trim(heard: 1100)
        #expect(map.currentSegment == .init(deviceFrame: 1000, streamFrame: 1000, advancesStream: false))
        #expect(map.nextSegment == .init(deviceFrame: 1480, streamFrame: 1000, advancesStream: true))
        map.reset(deviceFrame: 2000, streamFrame: 7)
        #expect(map.streamFrame(at: 3000) == 7)
    }

    @Test func newestPositionsRemainAfterManyAppends() {
        let map = PositionMap()
        for i in 0..<1000 {
            map.append(deviceFrame: i * 20, streamFrame: i * 10, advancesStream: true)
            map.append(deviceFrame: i * 20 + 10, streamFrame: i * 10 + 10, advancesStream: false)
        }
        #expect(map.streamFrame(at: 999 * 20 + 5) == 9995)
        #expect(map.streamFrame(at: 990 * 20 + 15) == 9910)
    }
}
