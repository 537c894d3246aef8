import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests playback of an audio file with an attached cover picture.
@Suite struct CoverTests {
    @Test func coverIsTheOnlyFrameAndAudioDeterminesTheDuration() throws {
        let reader = try MediaReader(try Fixtures.path("cover.m4a"), wantsAudio: true)
        let info = try reader.outcome().get()
        #expect(info.video?.isCoverPicture == true && info.video?.width == 320 && info.audio?.codec == "aac")
        #expect(info.artwork?.format == .png || info.artwork?.format == .jpeg)
        #expect(info.artwork?.bytes.prefix(2) == [0x89, 0x50] || info.artwork?.bytes.prefix(2) == [0xff, 0xd8])
        #expect(info.duration.map { abs($0 - 3_000_000_000) < 50_000_000 } == true)
        let cover = try #require(try reader.next())
        #expect(
            cover.presentationTime == 0 && cover.duration == 0
                && cover.format.displaySize == PixelSize(width: 320, height: 180))
        // The queue of video frames ends at once, long before the audio.
        #expect(try reader.next() == nil)
    }

    @Test(arguments: [SeekRequest.Precision.exact, .keyframe]) func aSeekDeliversTheCoverAgain(
        _ precision: SeekRequest.Precision
    ) throws {
        let reader = try MediaReader(try Fixtures.path("cover.m4a"), wantsAudio: true)
        _ = try reader.outcome().get()
        reader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        for (generation, time) in [2_000_000_000, 0, 2_900_000_000].enumerated() as EnumeratedSequence<[Int64]> {
            reader.source.seek(SeekRequest(time: time, precision: precision, generation: UInt32(generation + 1)))
            let cover = try #require(try reader.next())
            #expect(cover.generation == UInt32(generation + 1) && cover.presentationTime == time)
            #expect(try reader.next() == nil)
            guard case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(30))) else {
                Issue.record("no audio after a seek to \(time)")
                return
            }
            #expect(abs(block.presentationTime - time) < 100_000_000, "\(block.presentationTime) for \(time)")
        }
    }

    @Test func coverWithoutAudioCannotBePlayed() throws {
        let reader = try MediaReader(try Fixtures.path("cover.m4a"))
        guard case .failure = try reader.outcome() else {
            Issue.record("a cover without audio was played")
            return
        }
    }
}
