import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct KeyframeSearchTests {
    /// A seek with tolerance reads until it finds a keyframe. A newer seek must not wait for the end of this search.
    @Test func newerSeekCancelsTheKeyframeSearch() throws {
        let opener = try MediaOpener(policy: OpenPolicy())
        let demuxer = try Demuxer(
            location: try Fixtures.path("sparse.ts"), opener: opener, choice: TrackChoice(), readsOtherTracks: false)
        demuxer.select(video: demuxer.info.video?.streamIndex, audio: nil)
        try demuxer.seek(to: 0)
        let packet = try #require(Packet())
        try #require(try demuxer.read(into: packet))
        opener.setSeekIsPending(true)
        do throws(MediaError) {
            let moveResult = try demuxer.advanceToKeyframe(after: 0, upTo: 20_000_000_000)
            Issue.record("the search was not cancelled: \(moveResult)")
        } catch { #expect(error.code == .interrupted) }
        opener.setSeekIsPending(false)
        #expect(try demuxer.advanceToKeyframe(after: 0, upTo: 20_000_000_000) == .moved)
    }
}
