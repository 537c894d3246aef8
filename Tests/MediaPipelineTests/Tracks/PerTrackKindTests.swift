import Testing

@testable import MediaPipeline

@Suite struct PerTrackKindTests {
    @Test("The subscript reads the value of each kind")
    func subscriptReadsTheValueOfEachKind() {
        let values = PerTrackKind(video: 1, audio: 2, subtitle: 3)
        #expect(MediaTrack.Kind.allCases.map { values[$0] } == [1, 2, 3])
    }

    @Test("The subscript changes one kind only", arguments: MediaTrack.Kind.allCases)
    func subscriptChangesOneKindOnly(_ kind: MediaTrack.Kind) {
        var values = PerTrackKind(video: 0, audio: 0, subtitle: 0)
        values[kind] = 5
        #expect(MediaTrack.Kind.allCases.filter { values[$0] == 5 } == [kind])
        #expect([values.video, values.audio, values.subtitle].reduce(0, +) == 5)
    }
}
