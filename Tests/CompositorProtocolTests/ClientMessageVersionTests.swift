import AudioPolicy
import SharedFrames
import Testing
import WireFormat

@testable import CompositorProtocol

/// Tests the versions that messages require. A program that sends a message to an older compositor is disconnected.
@Suite struct ClientMessageVersionTests {
    private static let place = PixelRect(x: 0, y: 0, width: 1, height: 1)

    @Test(
        "messages that were added later require the protocol version that added them",
        arguments: [
            (ClientMessage.hello(newest: 9, oldest: 2, program: ""), 2), (.addSlot(session: 1, slot: 1), 2),
            (.playback(session: 1, PlaybackState(isPaused: true, position: 0, duration: 0)), 2),
            (.clearOverlay(session: 1), 3), (.startAnimated(session: 1, origin: place), 5),
            (.stopAnimated(session: 1, place: place), 5),
            (.audioState(session: 1, AudioState(volume: 0, isMuted: false)), 5),
            (.setRequiresLinearPlayback(session: 1, true), 5), (.terminalCellsChanged(session: 1), 5),
            (.buffering(session: 1, true), 8), (.loaded(session: 1, until: 0), 9), (.overlayText(session: 1, ""), 9),
            (.presence(.shown), 9), (.report(.isRestartable(true)), 9), (.interfaces(.supported), 9),
        ] as [(ClientMessage, UInt16)])
    func messagesRequireTheirProtocolVersion(_ message: ClientMessage, _ version: UInt16) {
        #expect(message.version == version)
    }

    @Test(
        "requests about audio sessions require version 6, and newer requests the version that added them",
        arguments: [
            (AudioRequest.open(mayPlayInBackground: true), 6), (.configure(.initial), 6),
            (.activate(hasGesture: true), 6), (.deactivate(notifiesOthers: true), 6), (.running(true), 6),
            (.visibility(.background), 6), (.prefersNoInterruptions(true), 6), (.close, 6),
            (.mayPlayInBackground(true), 7), (.prefersInterruptionOnRouteDisconnect(true), 7),
            (.overrideOutput(isSpeaker: true), 9),
        ] as [(AudioRequest, UInt16)])
    func audioRequestsRequireTheirProtocolVersion(_ request: AudioRequest, _ version: UInt16) {
        #expect(ClientMessage.audio(session: 1, request).version == version)
    }

    @Test("a condition that outlives its connection requires version 7, and queries of programs version 9")
    func systemRequestsRequireTheirProtocolVersion() {
        #expect(ClientMessage.system(.callAccepted, isPersistent: false).version == 6)
        #expect(ClientMessage.system(.callAccepted, isPersistent: true).version == 7)
        #expect(ClientMessage.system(.deviceChosen(name: "a"), isPersistent: false).version == 7)
        for query in [SystemRequest.listPrograms, .listMemory, .listPictures, .watchPrograms, .close(program: "a")] {
            for isPersistent in [false, true] {
                #expect(ClientMessage.system(query, isPersistent: isPersistent).version == 9)
            }
        }
    }

    @Test("actions of the user require the protocol version that added their controls")
    func actionsRequireTheirProtocolVersion() {
        let actions: [ServerMessage.Action] = [
            .restore, .close, .playPause, .skip(1), .seek(to: 1), .volume(1), .mute,
        ]
        #expect(actions.map(\.version) == [2, 2, 2, 2, 4, 5, 5])
    }

    @Test("each message of a versioned interface states a version that this build supports")
    func interfacesOfMessagesAreSupported() throws {
        var names: [String] = []
        for message in try MessageSamples.clientMessages() {
            guard let (interface, version) = message.interface else { continue }
            #expect(version >= 1 && version <= interface.currentVersion, "\(message)")
            #expect(message.version == ProtocolVersion.interfaces, "\(message)")
            names.append("\(interface) \(version)")
        }
        #expect(
            Set(names) == [
                "windows 2", "windows 3", "programs 1", "programs 2", "programs 3", "system 2", "system 3", "system 4",
                "system 5",
            ])
    }

    @Test("no sample message requires a newer protocol version than this build supports")
    func sampleMessagesAreSupported() throws {
        for message in try MessageSamples.clientMessages() {
            #expect((ProtocolVersion.oldest...ProtocolVersion.newest).contains(message.version), "\(message)")
        }
    }
}
