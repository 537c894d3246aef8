import AudioPolicy
import Testing
import WireFormat

@testable import CompositorProtocol

/// Tests the bytes of messages from the compositor whose numbers a round trip would not check.
@Suite struct ServerMessageNumbersTests {
    @Test("the message with the size of the picture encodes width, then height")
    func renderSizeEncodesWidthAndHeight() {
        #expect(
            ServerMessage.renderSize(session: 1, width: 2, height: 0x0403).encoded
                == [11, 1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 0, 0])
    }

    @Test("the messages about settings and video calls encode a boolean")
    func booleansAreEncoded() {
        #expect(ServerMessage.settings(startsPictureInPictureAutomatically: true).encoded == [12, 1])
        #expect(ServerMessage.settings(startsPictureInPictureAutomatically: false).encoded == [12, 0])
        #expect(ServerMessage.suspended(session: 2, true).encoded == [18, 2, 0, 0, 0, 1])
        #expect(ServerMessage.systemDone.encoded == [16])
    }

    @Test("the refusal of an unknown message encodes the number of that message and the reason")
    func unsupportedMessageEncodesNumberAndReason() {
        #expect(ServerMessage.unsupported(message: 77, reason: "a").encoded == [22, 77, 1, 0, 97])
    }

    @Test("the lists of interfaces of both sides are in ascending order of their numbers")
    func interfacesAreEncodedInOrder() {
        let versions = InterfaceVersions([200: 0x0102, 3: 4, 1: 5])
        let bytes: [UInt8] = [3, 1, 5, 0, 3, 4, 0, 200, 2, 1]
        #expect(ServerMessage.interfaces(versions).encoded == [21] + bytes)
        #expect(ClientMessage.interfaces(versions).encoded == [22] + bytes)
    }

    @Test("a change of the audio route encodes its reason, the previous route and the current route")
    func routeChangeEncodesBothRoutes() {
        let route = AudioRoute(device: "d", port: .usb, name: "n")
        let routeBytes: [UInt8] = [1, 1, 0, 100, 4, 1, 0, 110]
        let header: [UInt8] = [14, 1, 0, 0, 0, 10]
        let removal = AudioReport.routeChange(RouteChange(.noSuitableRouteForCategory, from: route, to: nil))
        #expect(ServerMessage.audio(session: 1, sequence: 0, removal).encoded == header + [7] + routeBytes + [0])
        let addition = AudioReport.routeChange(RouteChange(.newDeviceAvailable, from: nil, to: route))
        #expect(ServerMessage.audio(session: 1, sequence: 0, addition).encoded == header + [1, 0] + routeBytes)
    }

    @Test("each property of an audio session has its own byte")
    func audioPropertiesHaveTheirOwnBytes() {
        func bytes(_ change: (inout AudioArbiter.Properties) -> Void) -> [UInt8] {
            var properties = AudioArbiter.Properties()
            change(&properties)
            return Array(ServerMessage.audio(session: 1, sequence: 0, .properties(properties)).encoded.dropFirst(5))
        }
        #expect(bytes { _ in } == [7, 0, 0, 0, 0, 3])
        #expect(bytes { $0.isOtherAudioPlaying = true } == [7, 1, 0, 0, 0, 3])
        #expect(bytes { $0.secondaryAudioShouldBeSilenced = true } == [7, 0, 1, 0, 0, 3])
        #expect(bytes { $0.isOtherAudioAudible = true } == [7, 0, 0, 1, 0, 3])
        #expect(bytes { $0.isNowPlaying = true } == [7, 0, 0, 0, 1, 3])
        #expect(bytes { $0.promptStyle = .none } == [7, 0, 0, 0, 0, 1])
        #expect(bytes { $0.promptStyle = .short } == [7, 0, 0, 0, 0, 2])
    }

    @Test("the state of an audio session encodes all of its fields in order")
    func audioSessionEncodesItsFields() throws {
        let session = AudioSessionSnapshot(
            processID: 2, program: "p", session: 3,
            configuration: try AudioConfiguration(category: .playback, options: .duckOthers), activation: .interrupted,
            isRunning: true, isNowPlaying: false, visibility: .background, duckDecibels: 14, isSilent: true,
            interruptedBy: [-1, 5])
        #expect(
            ServerMessage.audioSession(session).encoded
                == [15, 2, 0, 0, 0, 1, 0, 112, 3, 0, 0, 0, 2, 0, 2, 0, 0, 0, 3, 1, 0, 2, 14, 1, 2]
                + [255, 255, 255, 255, 5, 0, 0, 0])
    }

    @Test("the activations of a session have the numbers 1 to 3", arguments: [0, 4, 255] as [UInt8])
    func unknownActivationsAreRefused(_ number: UInt8) {
        let session = AudioSessionSnapshot(
            processID: 1, program: "", session: 1, configuration: .initial, activation: .inactive, isRunning: false,
            isNowPlaying: false, visibility: .foreground, duckDecibels: 0, isSilent: false, interruptedBy: [])
        var bytes = ServerMessage.audioSession(session).encoded
        // The activation follows the number of the message, the process ID, the empty name, the session's number, the
        // category, the mode and the options.
        let index = 1 + 4 + 2 + 4 + 1 + 1 + 4
        #expect(bytes[index] == 1)
        bytes[index] = number
        #expect(throws: MalformedMessage("an unknown activation")) { try ServerMessage(decoding: bytes) }
    }

    @Test("the numbers after the newest messages are unknown", arguments: [0, 255] as [UInt8])
    func numbersAfterTheNewestMessagesAreUnknown(_ number: UInt8) throws {
        let newestClientMessage = try MessageSamples.clientMessages().compactMap(\.encoded.first).max() ?? 0
        let newestServerMessage = MessageSamples.serverMessages.compactMap(\.encoded.first).max() ?? 0
        #expect(newestClientMessage == 27 && newestServerMessage == 32)
        for number in [number, newestClientMessage + 1] {
            #expect(throws: MalformedMessage("an unknown message", isUnknown: true)) {
                try ClientMessage(decoding: [number])
            }
        }
        for number in [number, newestServerMessage + 1] {
            #expect(throws: MalformedMessage("an unknown message")) { try ServerMessage(decoding: [number]) }
        }
    }

    @Test("unknown roles, presences, pressures and reports are refused", arguments: [0, 5, 255] as [UInt8])
    func unknownStatesOfProgramsAreRefused(_ number: UInt8) {
        #expect(throws: MalformedMessage("an unknown role")) { try ServerMessage(decoding: [23, number]) }
        #expect(throws: MalformedMessage("an unknown presence")) { try ClientMessage(decoding: [24, number]) }
        #expect(throws: MalformedMessage("an unknown memory pressure")) { try ServerMessage(decoding: [25, number]) }
        #expect(throws: MalformedMessage("an unknown report", isUnknown: true)) {
            try ClientMessage(decoding: [25, number])
        }
    }
}
