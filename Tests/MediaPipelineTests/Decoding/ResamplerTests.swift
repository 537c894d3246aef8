import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of resampling. Each channel of an audio file has its own tone, so that the samples show the speaker and the
/// level of each channel.
@Suite struct ResamplerTests {
    /// Returns two seconds of a clip's audio in an output format, channel by channel.
    private func channels(of name: String, as format: PCMFormat) throws -> [[Float]] {
        let reader = try MediaReader(try Fixtures.path(name), wantsAudio: true)
        _ = try reader.outcome().get()
        reader.source.setAudioFormat(format)
        var samples: [Float] = []
        while samples.count < format.rate * format.channels * 2 {
            guard case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(30))) else { break }
            #expect(block.rate == format.rate && block.channels == format.channels)
            samples += block.samples
        }
        return (0..<format.channels).map { channel in
            stride(from: channel, to: samples.count, by: format.channels).map { samples[$0] }
        }
    }

    /// Returns the amplitudes of the first `count` of the tones 300, 500, 700 … Hz. They are measured between 0.5 s and
    /// 1 s, because the resampling filters need some time to settle.
    private func toneAmplitudes(_ samples: [Float], _ count: Int) -> [Double] {
        let recording = AudioRecording(samples: Array(samples.dropFirst(24_000).prefix(24_000)))
        return (0..<count).map { recording.toneAmplitude(Double(300 + 200 * $0)) }
    }

    /// Checks that each amplitude differs from the expected amplitude by less than 0.004.
    private func expectAmplitudes(_ amplitudes: [Double], _ expected: [Double], _ comment: String) {
        #expect(
            zip(amplitudes, expected).allSatisfy { abs($0 - $1) < 0.004 } && amplitudes.count == expected.count,
            "\(comment): \(amplitudes), not \(expected)")
    }

    @Test(arguments: ["surround51.flac", "side51.wav"]) func surroundIsMixedToStereoByBS775WithoutClipping(
        _ name: String
    ) throws {
        let stereoChannels = try channels(of: name, as: PCMFormat(rate: 48_000, channels: 2, speakers: [0, 1]))
        // The amplitudes of a front channel, and of a channel that is mixed to a front speaker.
        let frontAmplitude = 0.25 / (1 + 2 * 0.5.squareRoot()), mixedAmplitude = frontAmplitude * 0.5.squareRoot()
        expectAmplitudes(
            toneAmplitudes(stereoChannels[0], 6), [frontAmplitude, 0, mixedAmplitude, 0, mixedAmplitude, 0], "left")
        expectAmplitudes(
            toneAmplitudes(stereoChannels[1], 6), [0, frontAmplitude, mixedAmplitude, 0, 0, mixedAmplitude], "right")
    }

    @Test func channelsFollowTheDeviceOrder() throws {
        // ALSA orders the channels front, rear, centre, low frequencies.
        let surroundChannels = try channels(
            of: "surround51.flac", as: PCMFormat(rate: 48_000, channels: 6, speakers: [0, 1, 4, 5, 2, 3]))
        for (channel, tone) in [0, 1, 4, 5, 2, 3].enumerated() {
            expectAmplitudes(
                toneAmplitudes(surroundChannels[channel], 6), (0..<6).map { $0 == tone ? 0.25 : 0 },
                "channel \(channel)")
        }
    }

    @Test func sevenPointOneIsMixedToStereoWithoutClipping() throws {
        let stereoChannels = try channels(
            of: "surround71.wav", as: PCMFormat(rate: 48_000, channels: 2, speakers: [0, 1]))
        // The amplitudes of a front channel, and of a channel that is mixed to a front speaker.
        let frontAmplitude = 0.25 / (1 + 3 * 0.5.squareRoot()), mixedAmplitude = frontAmplitude * 0.5.squareRoot()
        expectAmplitudes(
            toneAmplitudes(stereoChannels[0], 8),
            [frontAmplitude, 0, mixedAmplitude, 0, mixedAmplitude, 0, mixedAmplitude, 0],
            "left")
        expectAmplitudes(
            toneAmplitudes(stereoChannels[1], 8),
            [0, frontAmplitude, mixedAmplitude, 0, 0, mixedAmplitude, 0, mixedAmplitude],
            "right")
    }

    @Test func monoPlaysAtFullLevelOnBothSidesOrOnTheCentreSpeaker() throws {
        // The audio file has 44.1 kHz and unsigned 8-bit samples.
        let stereoChannels = try channels(of: "mono.wav", as: PCMFormat(rate: 48_000, channels: 2, speakers: [0, 1]))
        for side in stereoChannels { expectAmplitudes(toneAmplitudes(side, 1), [0.25], "side") }
        let surroundChannels = try channels(
            of: "mono.wav", as: PCMFormat(rate: 48_000, channels: 6, speakers: [0, 1, 4, 5, 2, 3]))
        for channel in 0..<6 {
            expectAmplitudes(
                toneAmplitudes(surroundChannels[channel], 1), [channel == 4 ? 0.25 : 0], "channel \(channel)")
        }
    }

    /// At 10 s the clip's audio changes to mono with another sample rate; its tone and beeps continue.
    @Test func formatChangeKeepsPitchAndTime() throws {
        let reader = try MediaReader(try Fixtures.path("joined.ts"), wantsAudio: true)
        _ = try reader.outcome().get()
        reader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2, speakers: [0, 1]))
        let source = reader.source
        let videoThread = try NamedThread("pictures") { while case .frame? = source.video.pop() {} }
        defer { videoThread.join() }
        defer { reader.source.close() }
        var blocks: [PCMBlock] = []
        while case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(30))) {
            blocks.append(block)
        }
        let frameCount = blocks.map(\.frameCount).reduce(0, +)
        #expect(abs(frameCount - 15 * 48_000) < 48_000 / 5, "\(frameCount)")
        let changedBlocks = blocks.filter {
            $0.presentationTime > 11_000_000_000 && $0.presentationTime < 14_000_000_000
        }
        let leftSamples = changedBlocks.flatMap { block in
            stride(from: 0, to: block.samples.count, by: 2).map { block.samples[$0] }
        }
        let recording = AudioRecording(samples: leftSamples)
        #expect(
            abs(recording.toneAmplitude(200) - 0.02) < 0.006 && recording.toneAmplitude(218) < 0.004,
            "\(recording.toneAmplitude(200))")
        var times: [Int64] = []
        for block in blocks { times.append(block.presentationTime) }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "presentation times increase")
    }
}
