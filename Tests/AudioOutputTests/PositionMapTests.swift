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

    @Test("content that continues the last segment adds no segment; content at its start replaces it")
    func adjacentSegmentsAreMerged() {
        let map = PositionMap()
        map.append(deviceFrame: 0, streamFrame: 10, advancesStream: true)
        for frame in 1...100 { map.append(deviceFrame: frame, streamFrame: 10 + frame, advancesStream: true) }
        #expect(map.nextSegment == map.currentSegment)
        map.append(deviceFrame: 200, streamFrame: 210, advancesStream: false)
        map.append(deviceFrame: 200, streamFrame: 50, advancesStream: true)
        #expect(map.nextSegment == .init(deviceFrame: 200, streamFrame: 50, advancesStream: true))
        #expect(map.streamFrame(at: 199) == 209 && map.streamFrame(at: 200) == 50)
    }

    @Test("the last segment is never removed, and frames before the first segment are at its start")
    func lastSegmentRemains() {
        let map = PositionMap()
        map.append(deviceFrame: 100, streamFrame: 7, advancesStream: true)
        map.trim(heard: 1_000_000)
        #expect(map.currentSegment == .init(deviceFrame: 100, streamFrame: 7, advancesStream: true))
        #expect(map.streamFrame(at: 1_000_000) == 1_000_000 - 93 && map.streamFrame(at: 50) == 7)
    }
}
