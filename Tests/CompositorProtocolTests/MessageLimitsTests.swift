import AudioPolicy
import SharedFrames
import Testing
import WireFormat

@testable import CompositorProtocol

/// Tests the limits of each message field separately.
@Suite struct MessageLimitsTests {
    /// Returns whether a message with this rectangle is accepted.
    private func isRectangleAccepted(_ x: Int32, _ y: Int32, _ width: UInt32, _ height: UInt32) -> Bool {
        var writer = MessageWriter()
        writer.write(UInt8(14))
        writer.write(UInt32(1))
        writer.write(x)
        writer.write(y)
        writer.write(width)
        writer.write(height)
        return (try? ClientMessage(decoding: writer.bytes)) != nil
    }

    @Test func rectanglesAreLimitedToX11Coordinates() {
        #expect(isRectangleAccepted(-32_767, 32_767, 1, 16_384) && isRectangleAccepted(0, 0, 16_384, 1))
    }

    @Test(
        arguments: [
            (-32_768, 0, 1, 1), (32_768, 0, 1, 1), (0, -32_768, 1, 1), (0, 32_768, 1, 1), (.min, 0, 1, 1), (0, 0, 0, 1),
            (0, 0, 1, 0),
            (0, 0, 16_385, 1), (0, 0, 1, .max),
        ] as [(Int32, Int32, UInt32, UInt32)])
    func rectanglesBeyondTheLimitsAreRefused(_ x: Int32, _ y: Int32, _ width: UInt32, _ height: UInt32) {
        #expect(!isRectangleAccepted(x, y, width, height))
    }

    @Test func playbackTimesAreClampedAtCreation() {
        let limit = PlaybackState.timeLimit
        let stateWithHighestTimes = PlaybackState(isPaused: false, position: .max, duration: .max)
        #expect(stateWithHighestTimes.position == limit && stateWithHighestTimes.duration == limit)
        let stateWithLowestTimes = PlaybackState(isPaused: false, position: .min, duration: .min)
        #expect(stateWithLowestTimes.position == -limit && stateWithLowestTimes.duration == 0)
    }

    @Test(arguments: [0, 4, 255] as [UInt8]) func unknownTerminalColourModesAreRefused(_ colours: UInt8) {
        #expect((try? ClientMessage(decoding: [2, 7, 0, 0, 0, 3, colours, 0])) == nil)
    }

    @Test(arguments: [0, 4, 255] as [UInt8]) func unknownWindowSurfacesAreRefused(_ surfaceNumber: UInt8) {
        #expect((try? ClientMessage(decoding: [2, 7, 0, 0, 0, surfaceNumber])) == nil)
    }

    @Test(arguments: [0, 12, 255] as [UInt8]) func unknownAudioRequestsAreRefused(_ requestNumber: UInt8) {
        #expect((try? ClientMessage(decoding: [18, 1, 0, 0, 0, requestNumber])) == nil)
        #expect((try? ClientMessage(decoding: [18, 1, 0, 0, 0, requestNumber, 0])) == nil)
    }

    @Test(arguments: [0, 14, 255] as [UInt8]) func unknownSystemEventsAreRefused(_ eventNumber: UInt8) {
        for message in [19, 20] as [UInt8] { #expect((try? ClientMessage(decoding: [message, eventNumber])) == nil) }
    }

    @Test func inconsistentAudioConfigurationIsRejected() {
        func isAccepted(_ category: UInt8, _ mode: UInt8, _ options: UInt8) -> Bool {
            (try? ClientMessage(decoding: [18, 2, 0, 0, 0, 2, category, mode, options, 0, 0, 0])) != nil
        }
        #expect(isAccepted(2, 1, 1))
        #expect(!isAccepted(0, 1, 0), "the ambient category does not allow the moviePlayback mode")
        #expect(!isAccepted(1, 0, 2), "the soloAmbient category does not allow the option")
        #expect(!isAccepted(6, 0, 0) && !isAccepted(2, 9, 0), "the category or the mode is unknown")
        #expect(!isAccepted(2, 0, 0x80), "the playback category does not allow the option")
    }

    @Test(arguments: [0, 8, 255] as [UInt8]) func unknownControlActionsAreRefused(_ action: UInt8) {
        #expect((try? ServerMessage(decoding: [10, 1, 0, 0, 0, action])) == nil)
    }

    @Test func numberedAudioReportWithNumberZeroIsRefused() {
        var bytes = ServerMessage.audio(session: 1, sequence: 9, .reset).encoded
        bytes[5] = 0
        #expect((try? ServerMessage(decoding: bytes)) == nil)
    }

    @Test(arguments: [4, 255] as [UInt8]) func unknownPhoneCallStatesAreRefused(_ call: UInt8) {
        #expect((try? ServerMessage(decoding: [19, call, 0, 0, 0])) == nil)
    }

    @Test(arguments: [5, 9, 255] as [UInt8]) func unknownRouteChangeReasonsAreRefused(_ reason: UInt8) {
        #expect((try? ServerMessage(decoding: [14, 1, 0, 0, 0, 10, reason, 0, 0])) == nil)
        #expect((try? ServerMessage(decoding: [14, 1, 0, 0, 0, 10, 8, 0, 0])) != nil)
    }

    @Test(arguments: [0, 5, 255] as [UInt8]) func unknownOutputOverrideOutcomesAreRefused(_ outcome: UInt8) {
        #expect((try? ServerMessage(decoding: [14, 1, 0, 0, 0, 11, outcome])) == nil)
    }

    @Test(arguments: [7, 255] as [UInt8]) func unknownAudioPortsAreRefused(_ port: UInt8) {
        #expect((try? ServerMessage(decoding: [17, 1, 1, 0, 100, port, 1, 0, 110])) == nil)
    }

    @Test func numberOfInterruptingProgramsIsLimited() throws {
        let session = AudioSessionSnapshot(
            processID: 1, program: "p", session: 1, configuration: .initial, activation: .active, isRunning: true,
            isNowPlaying: false,
            visibility: .foreground, duckDecibels: 0, isSilent: false, interruptedBy: Array(0..<1000))
        #expect(session.interruptedBy == Array(0..<64))
        #expect(try ServerMessage(decoding: ServerMessage.audioSession(session).encoded) == .audioSession(session))
        var bytes = ServerMessage.audioSession(session).encoded
        // The count precedes the 64 process IDs of `interruptedBy`, which have four bytes each.
        bytes[bytes.count - 64 * 4 - 1] = 65
        #expect((try? ServerMessage(decoding: bytes + [0, 0, 0, 0])) == nil)
    }

    @Test func longProgramNameIsTruncated() throws {
        let message = ClientMessage.hello(newest: 1, oldest: 1, program: String(repeating: "ü", count: 5000))
        guard case .hello(_, _, let program) = try ClientMessage(decoding: message.encoded) else {
            Issue.record("a different message was decoded")
            return
        }
        #expect(program == String(repeating: "ü", count: 512))
    }
}
