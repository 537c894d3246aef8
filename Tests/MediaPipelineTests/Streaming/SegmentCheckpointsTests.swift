import Testing

@testable import MediaPipeline

@Suite struct SegmentCheckpointsTests {
    @Test("the state before a segment is returned with the first times of all later packets, and then removed")
    func stateBeforeASegmentIsReturned() {
        let second: Int64 = 1_000_000_000
        var checkpoints = SegmentCheckpoints()
        checkpoints.append(time: 0, overlapRule: SegmentOverlapRule(), formats: [:], previous: nil)
        checkpoints.recordDelivery(track: 0, decodingTime: 5)
        checkpoints.append(time: second, overlapRule: SegmentOverlapRule(), formats: [:], previous: nil)
        checkpoints.recordDelivery(track: 0, decodingTime: 95)
        checkpoints.recordDelivery(track: 0, decodingTime: 105)
        checkpoints.append(time: 2 * second, overlapRule: SegmentOverlapRule(), formats: [:], previous: nil)
        checkpoints.recordDelivery(track: 1, decodingTime: 205)
        // The segment is found although the playlist of another variant rounds its start differently.
        #expect(checkpoints.contains(second + 50_000_000) && !checkpoints.contains(3 * second))
        let checkpoint = checkpoints.take(from: second)
        #expect(checkpoint?.time == second && checkpoint?.firstTimes == [0: 95, 1: 205])
        let repeatedCheckpoint = checkpoints.take(from: second), firstCheckpoint = checkpoints.take(from: 0)
        #expect(repeatedCheckpoint == nil && firstCheckpoint?.firstTimes == [0: 5])
    }
}
