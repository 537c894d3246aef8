import AudioPolicy
import SharedFrames
import Testing
import WireFormat

@testable import CompositorProtocol

/// What a peer may not say: each field on its own.
@Suite struct MessageLimitsTests {
    private func place(_ x: Int32, _ y: Int32, _ width: UInt32, _ height: UInt32) -> Bool {
        var w = MessageWriter()
        w.write(UInt8(14))
        w.write(UInt32(1))
        w.write(x)
        w.write(y)
        w.write(width)
        w.write(height)
        return (try? ClientMessage(decoding: w.bytes)) != nil
    }

    @Test func rectanglesAreLimitedToX11Coordinates() {
        #expect(place(-32_767, 32_767, 1, 16_384) && place(0, 0, 16_384, 1))
    }

    @Test(
        arguments: [
            (-32_768, 0, 1, 1), (32_768, 0, 1, 1), (0, -32_768, 1, 1), (0, 32_768, 1, 1), (.min, 0, 1, 1), (0, 0, 0, 1),
            (0, 0, 1, 0),
            (0, 0, 16_385, 1), (0, 0, 1, .max),
        ] as [(Int32, Int32, UInt32, UInt32)])
    func placesBeyondAreRefused(_ x: Int32, _ y: Int32, _ width: UInt32, _ height: UInt32) {
        #expect(!place(x, y, width, height))
    }

    @Test func playbackTimesAreClampedAtCreation() {
        let limit = PlaybackFacts.timeLimit
        let high = PlaybackFacts(isPaused: false, position: .max, duration: .max)
        #expect(high.position == limit && high.duration == limit)
        let low = PlaybackFacts(isPaused: false, position: .min, duration: .min)
        #expect(low.position == -limit && low.duration == 0)
    }

    @Test(arguments: [0, 4, 255] as [UInt8]) func unknownColoursOfATerminalAreRefused(_ colours: UInt8) {
        #expect((try? ClientMessage(decoding: [2, 7, 0, 0, 0, 3, colours, 0])) == nil)
    }

    @Test(arguments: [0, 4, 255] as [UInt8]) func unknownSurfacesAreRefused(_ surface: UInt8) {
        #expect((try? ClientMessage(decoding: [2, 7, 0, 0, 0, surface])) == nil)
    }

    @Test(arguments: [0, 12, 255] as [UInt8]) func unknownAudioRequestsAreRefused(_ kind: UInt8) {
        #expect((try? ClientMessage(decoding: [18, 1, 0, 0, 0, kind])) == nil)
        #expect((try? ClientMessage(decoding: [18, 1, 0, 0, 0, kind, 0])) == nil)
    }

    @Test(arguments: [0, 12, 255] as [UInt8]) func unknownSystemEventsAreRefused(_ kind: UInt8) {
        for message in [19, 20] as [UInt8] { #expect((try? ClientMessage(decoding: [message, kind])) == nil) }
    }

    @Test func inconsistentConfigurationIsRejected() {
        func isTaken(_ category: UInt8, _ mode: UInt8, _ options: UInt8) -> Bool {
            (try? ClientMessage(decoding: [18, 2, 0, 0, 0, 2, category, mode, options, 0, 0, 0])) != nil
        }
        #expect(isTaken(2, 1, 1))
        #expect(!isTaken(0, 1, 0), "a film's mode of ambient sound")
        #expect(!isTaken(1, 0, 2), "an option of solo ambient sound")
        #expect(!isTaken(6, 0, 0) && !isTaken(2, 9, 0), "no category, no mode")
        #expect(!isTaken(2, 0, 0x80), "an option of another category")
    }

    @Test(arguments: [0, 8, 255] as [UInt8]) func unknownActionsAreRefused(_ action: UInt8) {
        #expect((try? ServerMessage(decoding: [10, 1, 0, 0, 0, action])) == nil)
    }

    @Test func numberedReportRequiresItsNumber() {
        var bytes = ServerMessage.audio(session: 1, sequence: 9, .reset).encoded
        bytes[5] = 0
        #expect((try? ServerMessage(decoding: bytes)) == nil)
    }

    @Test(arguments: [4, 255] as [UInt8]) func unknownStatesOfACallAreRefused(_ call: UInt8) {
        #expect((try? ServerMessage(decoding: [19, call, 0, 0, 0])) == nil)
    }

    @Test(arguments: [5, 9, 255] as [UInt8]) func unknownReasonsOfARouteAreRefused(_ reason: UInt8) {
        #expect((try? ServerMessage(decoding: [14, 1, 0, 0, 0, 10, reason, 0, 0])) == nil)
        #expect((try? ServerMessage(decoding: [14, 1, 0, 0, 0, 10, 8, 0, 0])) != nil)
    }

    @Test(arguments: [0, 5, 255] as [UInt8]) func unknownOutcomesOfAnOverrideAreRefused(_ outcome: UInt8) {
        #expect((try? ServerMessage(decoding: [14, 1, 0, 0, 0, 11, outcome])) == nil)
    }

    @Test(arguments: [7, 255] as [UInt8]) func unknownPortsAreRefused(_ port: UInt8) {
        #expect((try? ServerMessage(decoding: [17, 1, 1, 0, 100, port, 1, 0, 110])) == nil)
    }

    @Test func numberOfHoldersIsLimited() throws {
        let facts = AudioSessionFacts(
            processID: 1, program: "p", session: 1, configuration: .initial, claim: .active, isRunning: true,
            isNowPlaying: false,
            presence: .foreground, duckDecibels: 0, isSilent: false, heldBy: Array(0..<1000))
        #expect(facts.heldBy == Array(0..<64))
        #expect(try ServerMessage(decoding: ServerMessage.audioSession(facts).encoded) == .audioSession(facts))
        var bytes = ServerMessage.audioSession(facts).encoded
        // The count stands before 64 holders of four bytes each.
        bytes[bytes.count - 64 * 4 - 1] = 65
        #expect((try? ServerMessage(decoding: bytes + [0, 0, 0, 0])) == nil)
    }

    @Test func longNameIsTruncated() throws {
        let message = ClientMessage.hello(current: 1, oldest: 1, program: String(repeating: "ü", count: 5000))
        guard case .hello(_, _, let program) = try ClientMessage(decoding: message.encoded) else {
            Issue.record("another message")
            return
        }
        #expect(program == String(repeating: "ü", count: 512))
    }
}
