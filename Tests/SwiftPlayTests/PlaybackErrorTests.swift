import MediaPipeline
import Testing

@testable import SwiftPlay

@Suite struct PlaybackErrorTests {
    @Test(arguments: [
        (MediaError.Code.notFound, PlaybackError.Code.notFound), (.notPermitted, .notPermitted),
        (.refusedByPolicy, .notPermitted),
        (.isDirectory, .notMedia), (.isEmpty, .notMedia), (.notMedia, .notMedia), (.unsupportedCodec, .unsupported),
        (.unsupportedFormat, .unsupported), (.corrupt, .corrupt), (.network, .input), (.input, .input),
        (.interrupted, .input),
        (.outOfMemory, .resources), (.untrustedServer, .untrustedServer),
    ])
    func everyMediaErrorMapsToAPlaybackErrorCode(_ code: MediaError.Code, _ expected: PlaybackError.Code) {
        let error = PlaybackError(MediaError(code, "what failed"))
        #expect(error.code == expected && error.message == "what failed")
        #expect(error.underlying as? MediaError == MediaError(code, "what failed"))
    }

    @Test func errorCodesHaveFixedRawValues() {
        let codes: [PlaybackError.Code] = [
            .notFound, .notPermitted, .notMedia, .unsupported, .corrupt, .input, .resources, .output, .untrustedServer,
            .itemInUse,
        ]
        #expect(codes.map(\.rawValue) == Array(1...10))
        #expect(PlaybackError.Code.pictureInPictureStartFailed.rawValue == -1001)
    }

    @Test func errorDescriptionIsItsMessage() {
        #expect("\(PlaybackError(.corrupt, "the file is damaged"))" == "the file is damaged")
        #expect(PlaybackError(.corrupt, "the file is damaged").failureReason == nil)
    }

    @Test(arguments: [TLSVerification.systemRoots, .authorities(file: "/ca.pem"), .none])
    func tlsVerificationMapsToTLSTrustAndBack(_ verification: TLSVerification) {
        #expect(TLSVerification(verification.trust) == verification)
    }
}
