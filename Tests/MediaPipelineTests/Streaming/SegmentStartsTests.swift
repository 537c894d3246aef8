import Testing

@testable import MediaPipeline

@Suite struct SegmentStartsTests {
    @Test("the state before a segment is returned with the first times of all later packets, and then forgotten")
    func stateBeforeASegmentIsReturned() {
        let second: Int64 = 1_000_000_000
        var starts = SegmentStarts()
        starts.append(time: 0, seam: SeamRule(), formats: [:], previous: nil)
        starts.delivered(track: 0, decodingTime: 5)
        starts.append(time: second, seam: SeamRule(), formats: [:], previous: nil)
        starts.delivered(track: 0, decodingTime: 95)
        starts.delivered(track: 0, decodingTime: 105)
        starts.append(time: 2 * second, seam: SeamRule(), formats: [:], previous: nil)
        starts.delivered(track: 1, decodingTime: 205)
        // The segment is found although the playlist of another variant rounds its start differently.
        #expect(starts.contains(second + 50_000_000) && !starts.contains(3 * second))
        let start = starts.take(from: second)
        #expect(start?.time == second && start?.firstTimes == [0: 95, 1: 205])
        let later = starts.take(from: second), first = starts.take(from: 0)
        #expect(later == nil && first?.firstTimes == [0: 5])
    }
}
