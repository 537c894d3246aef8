import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of separate audio files. The tone of vbr.mp3 has 300 Hz in the first second and 100 Hz more in each of the
/// following seconds, so that the samples show their position in the file.
@Suite struct MergedSourceTests {
    private static let second: Int64 = 1_000_000_000

    /// The audio and the numbers of the frames that a source delivers.
    private struct Output {
        /// The samples of the left channel, at 48 kHz.
        var samples: [Float] = []
        /// The time of the first sample, in nanoseconds on the item's timeline.
        var startTime: Int64?
        var frameCount = 0

        /// The frequency that each second plays between 0.3 and 0.7 s, out of the frequencies of vbr.mp3; nil for
        /// silence.
        var tones: [Double?] {
            let recording = AudioRecording(samples: samples, startTime: startTime ?? 0)
            let firstSecond = Int((recording.startTime + second / 2) / second)
            let lastSecond = Int(recording.time(of: samples.count) / second)
            return (firstSecond..<max(firstSecond, lastSecond)).map { number in
                let start = Int64(number) * second
                let part = recording.between(start + second * 3 / 10, start + second * 7 / 10)
                return (0..<20).map { Double(300 + 100 * $0) }.first { part.toneAmplitude($0) > 0.05 }
            }
        }
    }

    /// Returns what a source delivers until both tracks end or `audioLimit` seconds of audio have arrived.
    private func output(of source: LocalMediaSource, audioLimit: Int = 60, hasVideo: Bool = true, hasAudio: Bool = true)
        throws -> Output
    {
        var output = Output(), hasVideoEnded = !hasVideo, hasAudioEnded = !hasAudio
        let deadline = Deadline.after(.seconds(60))
        while !(hasVideoEnded && hasAudioEnded), output.samples.count < audioLimit * 48_000 {
            if MonotonicTime.now > deadline { throw TestFailure("the tracks do not end: \(output.frameCount) frames") }
            while let item = source.video.popIfAny() {
                if case .frame = item { output.frameCount += 1 } else { hasVideoEnded = true }
            }
            switch source.audio.pop(until: Deadline.after(.milliseconds(hasAudioEnded ? 1 : 20))) {
            case .block(let block)?:
                output.startTime = output.startTime ?? block.presentationTime
                output.samples += stride(from: 0, to: block.samples.count, by: block.channels).map { block.samples[$0] }
            case .end?: hasAudioEnded = true
            case nil: continue
            }
        }
        return output
    }

    /// Returns a reader of a clip to which audio files of the test clips are added.
    private func reader(_ name: String, audioFiles: [String]) throws -> MediaReader {
        let files = audioFiles.map { AudioFile(location: Fixtures.directory + "/" + $0) }
        let reader = try MediaReader(try Fixtures.path(name), wantsAudio: true) { $0.audioFiles = files }
        reader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        return reader
    }

    /// Returns the frequencies of vbr.mp3 in a range of seconds.
    private func tones(_ seconds: Range<Int>) -> [Double?] { seconds.map { Double(300 + 100 * $0) } }

    @Test("an audio file is played instead of the item's audio, at its time", arguments: ["count30.mkv", "count30.ts"])
    func anAudioFileReplacesTheAudio(_ name: String) throws {
        let reader = try reader(name, audioFiles: ["vbr.mp3"])
        let info = try reader.outcome().get()
        let audioTracks = info.tracks.filter { $0.kind == .audio }
        #expect(audioTracks.map(\.isExternal) == [false, true] && audioTracks.last?.title == "vbr.mp3")
        #expect(info.audio?.streamIndex == audioTracks.last?.id)
        let output = try output(of: reader.source)
        #expect(output.tones == tones(0..<20) && output.frameCount == 600)
    }

    @Test("of a film without audio, an audio file is played") func anAudioFileIsPlayedWithAFilmWithoutAudio() throws {
        let reader = try reader("silent.mp4", audioFiles: ["vbr.mp3"])
        let output = try output(of: reader.source)
        #expect(output.tones == tones(0..<20) && output.frameCount == 120)
    }

    @Test("the film continues after the end of a shorter audio file") func theFilmOutlastsTheAudioFile() throws {
        let reader = try reader("count30.mp4", audioFiles: ["audio.ogg"])
        let output = try output(of: reader.source)
        #expect(output.frameCount == 600 && abs(output.samples.count - 3 * 48_000) < 4_800)
    }

    @Test("an audio file of an audio file is played to its end") func anAudioFileOutlastsAnAudioItem() throws {
        let reader = try reader("audio.ogg", audioFiles: ["vbr.mp3"])
        let output = try output(of: reader.source, hasVideo: false)
        #expect(output.tones == tones(0..<20))
    }

    @Test("seeks move the film and the audio file to the same time", arguments: [true, false])
    func seeksMoveBoth(_ isExact: Bool) throws {
        let reader = try reader("count30.mp4", audioFiles: ["vbr.mp3"])
        _ = try reader.outcome().get()
        for (number, target) in [13.0, 2, 17].enumerated() {
            let time = Int64(target * 1e9), generation = UInt32(number + 1)
            reader.source.seek(
                SeekRequest(time: time, precision: isExact ? .exact : .keyframe, generation: generation))
            let frame = try #require(try reader.next())
            let output = try output(of: reader.source, audioLimit: 2)
            let startTime = try #require(output.startTime)
            #expect(abs(startTime - frame.presentationTime) < Self.second / 10)
            #expect(abs(startTime - time) < (isExact ? Self.second / 10 : 2 * Self.second + 1))
            let firstSecond = Int((startTime + Self.second / 2) / Self.second)
            #expect(output.tones.first == tones(firstSecond..<firstSecond + 1).first)
        }
    }

    @Test("an audio file that cannot be opened causes a warning") func anUnreadableAudioFileCausesAWarning() throws {
        let reader = try reader("short.mp4", audioFiles: ["missing.mp3", "silent.mp4"])
        let info = try reader.outcome().get()
        let warnings = info.warnings
        #expect(warnings.count == 2 && warnings.allSatisfy { $0.hasPrefix("audio file ") }, "\(warnings)")
        #expect(info.tracks.allSatisfy { !$0.isExternal } && info.audio != nil)
    }

    /// Waits until an audio file that is not selected is added, and returns its tracks.
    private func addedTracks(of reader: MediaReader) -> [MediaTrack] {
        while let event = reader.source.events.pop(until: Deadline.after(.seconds(60))) {
            if case .audioFileAdded(let tracks, isSelected: false) = event { return tracks }
        }
        return []
    }

    @Test("a film continues while the server of an added audio file does not answer", arguments: [true, false])
    func aSlowAudioFileDoesNotDelayTheFilm(_ serverContinues: Bool) throws {
        let server = try StallingServer(try Fixtures.path("vbr.mp3"), servingFirst: 0)
        let reader = try reader("count30.mp4", audioFiles: [])
        _ = try reader.outcome().get()
        reader.source.changeAudioFiles(.add(AudioFile(location: server.address)))
        reader.source.seek(SeekRequest(time: 18 * Self.second, precision: .exact, generation: 1))
        #expect(try reader.next()?.presentationTime == 18 * Self.second)
        let output = try output(of: reader.source)
        #expect(output.frameCount == 59)
        if serverContinues {
            server.resume()
            #expect(addedTracks(of: reader).map(\.title) == ["vbr.mp3"])
        }
        reader.source.interrupt()
        #expect(reader.source.join(until: Deadline.after(.seconds(10))))
    }

    @Test("an audio file is added, selected and removed while the item is open")
    func anAudioFileIsAddedAndRemoved() throws {
        let reader = try reader("count30.mp4", audioFiles: [])
        let ownTrack = try #require(try reader.outcome().get().audio?.streamIndex)
        #expect(try output(of: reader.source, audioLimit: 1).tones == [nil])
        reader.source.changeAudioFiles(.add(AudioFile(location: try Fixtures.path("vbr.mp3"), title: "Comments")))
        let addedTracks = addedTracks(of: reader)
        #expect(addedTracks.map(\.title) == ["Comments"])
        let addedTrack = try #require(addedTracks.first?.id)
        let selections = [(ownTrack, nil), (addedTrack, 800.0 as Double?)]
        for (number, (track, tone)) in selections.enumerated() {
            reader.source.selectAtNextSeek(.audio, track: track)
            reader.source.seek(SeekRequest(time: 5 * Self.second, precision: .exact, generation: UInt32(number + 1)))
            _ = try reader.next()
            #expect(try output(of: reader.source, audioLimit: 1).tones.first == tone)
        }
        reader.source.changeAudioFiles(.remove(track: addedTrack))
        // Audio that was read before the removal is still played.
        #expect(try output(of: reader.source, hasAudio: false).samples.count < 8 * 48_000)
        // The selection of the removed track yields no audio.
        for (generation, track) in [(UInt32(3), addedTrack), (4, ownTrack)] {
            reader.source.selectAtNextSeek(.audio, track: track)
            reader.source.seek(SeekRequest(time: 18 * Self.second, precision: .exact, generation: generation))
            _ = try reader.next()
            let output = try output(of: reader.source, hasAudio: track == ownTrack)
            #expect(output.tones == (track == ownTrack ? [nil, nil] : []) && output.frameCount > 50)
        }
    }
}
