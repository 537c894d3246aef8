import AudioPolicy
import SharedFrames
import Testing
import WireFormat

@testable import CompositorProtocol

/// Tests the bytes of messages, because programs and compositors of different versions communicate. A round trip
/// through the same code would not detect a changed number.
@Suite struct WireNumbersTests {
    @Test func helloMessageEncodesBothVersionsAndTheProgramName() {
        #expect(
            ClientMessage.hello(newest: 0x0102, oldest: 3, program: "ab").encoded == [1, 2, 1, 3, 0, 2, 0, 97, 98])
    }

    @Test func openSessionMessageEncodesTheSurface() {
        #expect(
            ClientMessage.openSession(session: 7, surface: .x11(display: ":1", authority: "")).encoded
                == [2, 7, 0, 0, 0, 1, 2, 0, 58, 49, 0, 0])
        #expect(ClientMessage.openSession(session: 7, surface: .headless).encoded == [2, 7, 0, 0, 0, 2])
    }

    @Test(
        arguments: [(.sixteen, 1), (.palette, 2), (.direct, 3)] as [(TerminalFeatures.Colours, UInt8)])
    func openSessionMessageEncodesTheTerminalColours(_ colours: TerminalFeatures.Colours, _ number: UInt8) {
        let features = TerminalFeatures(colours: colours, hasOnlyHalfBlocks: true)
        #expect(
            ClientMessage.openSession(session: 7, surface: .terminal(features)).encoded
                == [2, 7, 0, 0, 0, 3, number, 1])
    }

    @Test(
        arguments: [
            (ClientMessage.requestStart(session: 5), 6), (.start(session: 5), 7), (.stop(session: 5), 8),
            (.closeSession(session: 5), 10),
            (.clearOverlay(session: 5), 12), (.terminalCellsChanged(session: 5), 17),
        ] as [(ClientMessage, UInt8)])
    func messagesWithOnlyASessionNumberHaveTheirMessageNumbers(_ message: ClientMessage, _ messageNumber: UInt8) {
        #expect(message.encoded == [messageNumber, 5, 0, 0, 0])
    }

    @Test func bufferSlotMessagesEncodeSessionAndSlotNumbers() {
        #expect(ClientMessage.addSlot(session: 1, slot: 0x0403_0201).encoded == [3, 1, 0, 0, 0, 1, 2, 3, 4])
        #expect(ClientMessage.removeSlot(session: 1, slot: 2).encoded == [4, 1, 0, 0, 0, 2, 0, 0, 0])
    }

    @Test func playbackMessageEncodesPausePositionAndDuration() {
        let playback = PlaybackState(isPaused: true, position: 2, duration: 3)
        #expect(
            ClientMessage.playback(session: 1, playback).encoded
                == [9, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func messagesAboutProgramsEncodeRolesAndWindows() {
        for (number, presence) in zip(1..., [.noWindow, .hidden, .shown, .focused] as [ProgramPresence]) {
            #expect(ClientMessage.presence(presence).encoded == [24, UInt8(number)])
        }
        for (number, role) in zip(1..., [.none, .backgroundMedia, .secondary, .primary] as [ProgramRole]) {
            #expect(ServerMessage.role(role).encoded == [23, UInt8(number)])
        }
        for (number, level) in zip(1..., [.normal, .warning, .critical] as [MemoryPressureLevel]) {
            #expect(ServerMessage.memoryPressure(level).encoded == [25, UInt8(number)])
        }
        #expect(
            ServerMessage.program(
                ProgramSnapshot(
                    processID: 2, name: "a", role: .primary, presence: .focused, isFloating: false, isAudible: true)
            ).encoded == [24, 2, 0, 0, 0, 1, 0, 97, 4, 4, 0, 1])
        #expect(ClientMessage.system(.listPrograms, isPersistent: false).encoded == [19, 12])
    }

    @Test func messagesAboutMemoryEncodeSizesAndTheLastWarning() {
        #expect(ClientMessage.system(.listMemory, isPersistent: false).encoded == [19, 13])
        #expect(ClientMessage.report(.isRestartable(true)).encoded == [25, 2, 1])
        #expect(ServerMessage.memoryReportRequested.encoded == [26] && ServerMessage.exitRequested.encoded == [27])
        var report = MemoryReport()
        (report.frameBytes, report.packetBytes, report.cacheBytes) = (1, 2, 3)
        let sizes: [UInt8] = (1...3).flatMap { [$0, 0, 0, 0, 0, 0, 0, 0] }
        #expect(ClientMessage.report(.memory(report)).encoded == [25, 1] + sizes + [0])
        report.warning = .init(level: .warning, age: 4, releasedBytes: 5)
        let warning: [UInt8] = [1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]
        #expect(ClientMessage.report(.memory(report)).encoded == [25, 1] + sizes + warning)
        let program = ProgramSnapshot(
            processID: 2, name: "a", role: .primary, presence: .focused, isFloating: false, isAudible: true)
        #expect(
            ServerMessage.programMemory(ProgramMemory(program: program, budget: 6, usage: (1, 2), report: nil)).encoded
                == [28, 2, 0, 0, 0, 1, 0, 97, 4, 4, 0, 1, 6, 0, 0, 0, 0, 0, 0, 0, 1] + sizes.prefix(16) + [0])
    }

    @Test func negativeSizesAreRefused() {
        for size in [-1, Int64.min] {
            var report = MemoryReport()
            report.cacheBytes = size
            #expect(throws: MalformedMessage.self) {
                try ClientMessage(decoding: ClientMessage.report(.memory(report)).encoded)
            }
        }
    }

    @Test("the budget of a role is limited by the memory of the machine")
    func roleBudgetsAreLimitedByTheMachinesMemory() {
        #expect(ProgramRole.allCases.map { $0.memoryBudget(total: nil) >> 20 } == [48, 48, 128, 256])
        #expect(ProgramRole.allCases.map { $0.memoryBudget(total: 1_000_000) } == [10_000, 10_000, 20_000, 30_000])
    }

    @Test func loadedMessageEncodesThePosition() {
        #expect(ClientMessage.loaded(session: 1, until: 2).encoded == [23, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0])
        for position in [-1, PlaybackState.timeLimit + 1] {
            let message = ClientMessage.loaded(session: 1, until: position)
            #expect(throws: MalformedMessage.self) { try ClientMessage(decoding: message.encoded) }
        }
    }

    @Test func overlayTextMessageEncodesTheText() {
        #expect(ClientMessage.overlayText(session: 1, "ab").encoded == [26, 1, 0, 0, 0, 2, 0, 97, 98])
    }

    @Test func animationMessagesEncodeRectanglesAsSignedIntegers() {
        let rectangle = PixelRect(x: -1, y: 2, width: 3, height: 4)
        let rectangleBytes: [UInt8] = [255, 255, 255, 255, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]
        #expect(
            ClientMessage.startAnimated(session: 1, origin: rectangle).encoded == [13, 1, 0, 0, 0] + rectangleBytes)
        #expect(ClientMessage.stopAnimated(session: 1, place: rectangle).encoded == [14, 1, 0, 0, 0] + rectangleBytes)
    }

    @Test func booleanMessageFieldsOccupyOneByte() {
        #expect(
            ClientMessage.audioState(session: 1, AudioState(volume: 1000, isMuted: true)).encoded == [
                15, 1, 0, 0, 0, 0xE8, 3, 1,
            ])
        #expect(ClientMessage.setRequiresLinearPlayback(session: 1, true).encoded == [16, 1, 0, 0, 0, 1])
        #expect(ClientMessage.buffering(session: 1, false).encoded == [21, 1, 0, 0, 0, 0])
    }

    @Test(
        arguments: [
            (AudioRequest.open(mayPlayInBackground: true), [1, 1]), (.activate(hasGesture: false), [3, 0]),
            (.deactivate(notifiesOthers: true), [4, 1]),
            (.running(true), [5, 1]), (.visibility(.foreground), [6, 1]), (.visibility(.background), [6, 2]),
            (.visibility(.pictureInPicture), [6, 3]),
            (.prefersNoInterruptions(true), [7, 1]), (.close, [8]), (.mayPlayInBackground(false), [9, 0]),
            (.prefersInterruptionOnRouteDisconnect(false), [10, 0]), (.overrideOutput(isSpeaker: true), [11, 1]),
        ] as [(AudioRequest, [UInt8])])
    func audioRequestsHaveTheirProtocolNumbers(_ request: AudioRequest, _ bytes: [UInt8]) {
        #expect(ClientMessage.audio(session: 2, request).encoded == [18, 2, 0, 0, 0] + bytes)
    }

    @Test func audioConfigurationEncodesCategoryModeAndOptions() throws {
        let configuration = try AudioConfiguration(category: .playback, mode: .voicePrompt, options: .duckOthers)
        #expect(
            ClientMessage.audio(session: 2, .configure(configuration)).encoded == [18, 2, 0, 0, 0, 2, 2, 3, 2, 0, 0, 0])
    }

    @Test(
        arguments: [
            (SystemRequest.callArrived(isBanner: true), [1, 1]), (.callAccepted, [2]), (.callEnded, [3]),
            (.silentSwitch(true), [4, 1]),
            (.screenLock(false), [5, 0]), (.resetMediaServices, [6]), (.listSessions, [7]), (.deviceLost, [8]),
            (.deviceAdded(name: "a"), [9, 1, 0, 97]), (.videoCall(true), [10, 1]),
            (.deviceChosen(name: "b"), [11, 1, 0, 98]), (.listPictures, [15]), (.watchPrograms, [16]),
        ] as [(SystemRequest, [UInt8])])
    func systemEventsHaveTheirProtocolNumbers(_ request: SystemRequest, _ bytes: [UInt8]) {
        #expect(ClientMessage.system(request, isPersistent: false).encoded == [19] + bytes)
        #expect(ClientMessage.system(request, isPersistent: true).encoded == [20] + bytes)
    }

    @Test(
        arguments: [
            (ServerMessage.sessionOpened(session: 5), 3), (.granted(session: 5), 5), (.stopped(session: 5), 8),
            (.replaced(session: 5), 9),
            (.removed(session: 5), 13),
        ] as [(ServerMessage, UInt8)])
    func repliesWithOnlyASessionNumberHaveTheirMessageNumbers(_ message: ServerMessage, _ messageNumber: UInt8) {
        #expect(message.encoded == [messageNumber, 5, 0, 0, 0])
    }

    @Test func refusalMessagesEncodeTheReason() {
        #expect(ServerMessage.refused(reason: "a").encoded == [2, 1, 0, 97])
        #expect(ServerMessage.sessionFailed(session: 1, reason: "a").encoded == [4, 1, 0, 0, 0, 1, 0, 97])
        #expect(ServerMessage.startFailed(session: 1, reason: "").encoded == [7, 1, 0, 0, 0, 0, 0])
    }

    @Test func welcomeMessageEncodesTheVersion() {
        #expect(ServerMessage.welcome(version: 0x0102).encoded == [1, 2, 1])
    }

    @Test func frameShownMessageEncodesTheFrameNumber() {
        #expect(ServerMessage.shown(session: 1, frame: 2).encoded == [6, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test(
        arguments: [
            (ServerMessage.Action.restore, [1]), (.close, [2]), (.playPause, [3]),
            (.skip(-1), [4] + [UInt8](repeating: 255, count: 8)),
            (.seek(to: 1), [5, 1, 0, 0, 0, 0, 0, 0, 0]), (.volume(1000), [6, 0xE8, 3]), (.mute, [7]),
        ] as [(ServerMessage.Action, [UInt8])])
    func controlActionsHaveTheirProtocolNumbers(_ action: ServerMessage.Action, _ bytes: [UInt8]) {
        #expect(ServerMessage.action(session: 1, action).encoded == [10, 1, 0, 0, 0] + bytes)
    }

    @Test(
        arguments: [
            (
                AudioReport.activated(othersSilentAt: 1, othersDuckedAt: 0),
                [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            ),
            (.refused(.badParam), [2, 0xCE, 255, 255, 255]), (.done(nil), [3, 0, 0, 0, 0]),
            (.notice(.began(.default)), [4, 1]),
            (.notice(.began(.appWasSuspended)), [4, 2]), (.notice(.began(.routeDisconnected)), [4, 3]),
            (.notice(.ended(shouldResume: true)), [5, 1]), (.notice(.silenceSecondaryAudioHint(false)), [6, 0]),
            (.reset, [8]),
            (.route(nil), [9, 0]),
            (.outputOverride(.done), [11, 1]), (.outputOverride(.noSoundServer), [11, 2]),
            (.outputOverride(.noSpeaker), [11, 3]),
            (.outputOverride(.notAllowed), [11, 4]),
        ] as [(AudioReport, [UInt8])])
    func audioReportsHaveTheirProtocolNumbers(_ report: AudioReport, _ bytes: [UInt8]) {
        #expect(ServerMessage.audio(session: 1, sequence: 0, report).encoded == [14, 1, 0, 0, 0] + bytes)
    }

    @Test func numberedAudioReportHasItsOwnMessageNumber() {
        let bytes = ServerMessage.audio(session: 1, sequence: 9, .reset).encoded
        #expect(bytes.prefix(6) == [20, 1, 0, 0, 0, 9] && bytes.last == 8)
    }

    @Test(
        arguments: [
            (AudioRoute.Port.speaker, 0), (.headphones, 1), (.lineOut, 2), (.hdmi, 3), (.usb, 4), (.bluetooth, 5),
            (.soundServer, 6),
        ] as [(AudioRoute.Port, UInt8)])
    func audioPortsHaveTheirProtocolNumbers(_ port: AudioRoute.Port, _ number: UInt8) {
        let route = AudioRoute(device: "d", port: port, name: "n")
        #expect(ServerMessage.audioRoute(route).encoded == [17, 1, 1, 0, 100, number, 1, 0, 110])
    }

    @Test func systemStateMessageEncodesFourConditionBytes() {
        #expect(ServerMessage.systemState(SystemSnapshot()).encoded == [19, 0, 0, 0, 0])
        #expect(
            ServerMessage.systemState(SystemSnapshot(phoneCall: .accepted, isLocked: true)).encoded == [19, 3, 0, 1, 0])
    }
}
