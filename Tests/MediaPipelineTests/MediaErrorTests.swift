import CFFmpeg
import Glibc
import HTTPTransfer
import Testing

@testable import MediaPipeline

@Suite struct MediaErrorTests {
    @Test(
        arguments: [
            (ENOENT, MediaError.Code.notFound), (EACCES, .notPermitted), (EPERM, .notPermitted), (ENOMEM, .outOfMemory),
            (ECONNREFUSED, .network),
            (ETIMEDOUT, .network), (EHOSTUNREACH, .network), (ENETUNREACH, .network), (EIO, .input), (EINVAL, .input),
        ] as [(Int32, MediaError.Code)])
    func errnoMapsToAnErrorCode(_ errorNumber: Int32, _ code: MediaError.Code) {
        #expect(MediaError(ffmpeg: cffmpeg_error(errorNumber), doing: "opening").code == code)
    }

    @Test func ffmpegErrorsMapToErrorCodes() {
        #expect(MediaError(ffmpeg: cffmpeg_error_invalid_data, doing: "x").code == .corrupt)
        #expect(MediaError(ffmpeg: cffmpeg_error_decoder_not_found, doing: "x").code == .unsupportedCodec)
        #expect(MediaError(ffmpeg: cffmpeg_error_exit, doing: "x").code == .interrupted)
    }

    @Test func messageStatesTheFailureAndTheReason() {
        #expect(
            MediaError(ffmpeg: cffmpeg_error(ENOENT), doing: "opening the file").message
                == "opening the file: No such file or directory")
    }

    @Test(arguments: [0, 1, -12_345_678, .max, .min + 1] as [Int32]) func anUnknownErrorCodeHasAMessage(_ code: Int32) {
        let error = MediaError(ffmpeg: code, doing: "reading")
        #expect(
            error.message.hasPrefix("reading: ") && error.message.count > "reading: ".count
                && !error.message.contains("\n"))
    }

    @Test func timesAreLimitedTo36Years() {
        #expect(Int64.max.boundedTime == 1 << 60 && Int64.min.boundedTime == -(1 << 60))
        #expect((5 as Int64).boundedTime == 5 && (-5 as Int64).boundedTime == -5)
    }

    @Test func formatNeedsADifferentSpeakerForEachChannel() {
        #expect(PCMFormat(rate: 48_000, channels: 2, speakers: [0, 1]).speakers == [0, 1])
        for speakers in [[0], [0, 0], [0, 18], [0, 1, 2]] as [[UInt8]] {
            #expect(PCMFormat(rate: 48_000, channels: 2, speakers: speakers).speakers == [], "\(speakers)")
        }
    }

    @Test(
        "each error of a request has a code for the player",
        arguments: [
            (HTTPError.Code.cancelled, MediaError.Code.interrupted), (.invalidAddress, .refusedByPolicy),
            (.refusedRedirect, .refusedByPolicy), (.status(401), .notPermitted), (.status(403), .notPermitted),
            (.status(407), .notPermitted), (.status(404), .notFound), (.status(410), .notFound),
            (.status(500), .network), (.untrusted, .untrustedServer), (.outOfResources, .outOfMemory),
            (.unknownHost, .network), (.unreachable, .network), (.timeout, .network), (.incomplete, .network),
            (.notResumable, .network), (.protocolViolation, .input), (.tooLarge, .input),
        ])
    func requestErrorsMapToErrorCodes(_ code: HTTPError.Code, _ expected: MediaError.Code) {
        let error = MediaError(HTTPError(code, "http://a/", "the reason"), doing: "cannot be fetched")
        #expect(error.code == expected && error.message == "cannot be fetched: the reason")
    }

    @Test("an address in a message has no query and at most 200 characters")
    func addressInAMessageIsShortened() {
        let error = HTTPError(.timeout, "", "the reason")
        let short = MediaError(error, doing: "cannot be fetched", of: "http://a/b?key=secret#part")
        #expect(short.message == "cannot be fetched (http://a/b): the reason")
        let path = String(repeating: "x", count: 300)
        #expect(MediaError(.input, "bad", of: "http://a/\(path)").message == "bad (…\(path.suffix(200)))")
    }
}
