import AudioPolicy
import SharedFrames
import Testing

@testable import CompositorProtocol

/// Sample messages for the tests: at least one of each kind, and several of a kind that has variants.
enum MessageSamples {
    /// Returns a frame format whose attributes all differ from their defaults.
    static func format() throws -> FrameFormat {
        let pixelFormat = try #require(PixelFormat(name: "yuv420p"))
        let layout = try #require(
            FrameLayout(
                pixelFormat: pixelFormat, width: 640, height: 360,
                planes: [
                    .init(offset: 0, stride: 704), .init(offset: 300_000, stride: 352),
                    .init(offset: 400_000, stride: 352),
                ]))
        var attributes = PictureAttributes()
        (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (16, 11)
        (attributes.matrix, attributes.primaries, attributes.transfer) = (.bt709, .bt2020, .pq)
        attributes.isFullRange = true
        (attributes.peakLuminance, attributes.crop) = (4000, PictureCrop(left: 1, top: 2, right: 638, bottom: 300))
        attributes.orientation = PictureOrientation(transposes: true, mirrorsX: false, mirrorsY: true)
        return FrameFormat(layout: layout, attributes: attributes)
    }

    /// Returns the shape of an overlay with two boxes.
    static func overlay() throws -> OverlayShape {
        try #require(
            OverlayShape(
                size: PixelSize(width: 480, height: 270),
                rects: [
                    PixelRect(x: 0, y: 0, width: 480, height: 1), PixelRect(x: 100, y: 200, width: 280, height: 70),
                ]))
    }

    /// Returns sample messages from programs to the compositor.
    static func clientMessages() throws -> [ClientMessage] {
        [
            .hello(newest: 3, oldest: 1, program: "Spieler ä"), .hello(newest: .max, oldest: 0, program: ""),
            .openSession(session: 1, surface: .x11(display: ":0.1", authority: "/run/cookie")),
            .openSession(session: .max, surface: .headless),
            .addSlot(session: 1, slot: 2), .removeSlot(session: 1, slot: .max),
            .format(session: 1, number: 63, format: try format()),
            .requestStart(session: 4), .start(session: 5), .stop(session: 6),
            .playback(session: 7, PlaybackState(isPaused: true, position: -1, duration: 0)),
            .playback(
                session: 7,
                PlaybackState(
                    isPaused: false, position: PlaybackState.timeLimit, duration: PlaybackState.timeLimit)),
            .closeSession(session: 8),
            .overlay(session: 9, shape: try overlay()), .clearOverlay(session: .max),
            .startAnimated(session: 3, origin: PixelRect(x: -32_767, y: 20, width: 1, height: 16_384)),
            .audioState(session: 2, AudioState(volume: .max, isMuted: true)),
            .openSession(session: 3, surface: .terminal(TerminalFeatures(colours: .direct, hasOnlyHalfBlocks: true))),
            .openSession(session: 3, surface: .terminal(TerminalFeatures(colours: .sixteen, hasOnlyHalfBlocks: false))),
            .terminalCellsChanged(session: 4),
            .stopAnimated(session: .max, place: PixelRect(x: 1200, y: 32_767, width: 640, height: 360)),
            .setRequiresLinearPlayback(session: 10, true), .setRequiresLinearPlayback(session: .max, false),
            .buffering(session: 12, true), .buffering(session: .max, false),
            .loaded(session: 13, until: 0), .loaded(session: .max, until: PlaybackState.timeLimit),
            .overlayText(session: 14, "Untertitel ä"), .overlayText(session: .max, ""),
            .interfaces(.supported), .interfaces(InterfaceVersions()),
            .interfaces(InterfaceVersions([1: .max, 255: 1])),
            .report(.isRestartable(true)), .report(.memory(MemoryReport())), .report(.memory(memoryReport)),
        ] + snapshotMessages.map { .snapshot($0) } + ProgramPresence.allCases.map { .presence($0) }
            + (try audioRequests().map { .audio(session: 11, $0) })
            + systemRequests.flatMap { [.system($0, isPersistent: false), .system($0, isPersistent: true)] }
    }

    /// Messages about a program's picture.
    private static let snapshotMessages: [SnapshotMessage] = [
        .identifier("org.example.ä"), .completedWork,
        .picture(SnapshotShape(width: 512, height: .max, stride: 2048), title: "Ein Film"),
        .picture(SnapshotShape(width: 0, height: 1, stride: 0), title: ""), .isPrivate(true), .isPrivate(false),
        .ignoreOnNextLaunch, .remove,
    ]

    /// The report of a program that has received a warning.
    private static var memoryReport: MemoryReport {
        var report = MemoryReport()
        (report.frameBytes, report.packetBytes, report.cacheBytes) = (.max, 1 << 33, 1)
        report.warning = .init(level: .critical, age: 3, releasedBytes: .max)
        return report
    }

    /// A program, for messages that describe it.
    private static let program = ProgramSnapshot(
        processID: 77, name: "swiftplay", role: .secondary, presence: .shown, isFloating: false, isAudible: true)

    /// Sample announcements of system-wide conditions, such as the arrival of a phone call, and sample queries.
    private static let systemRequests: [SystemRequest] = [
        .callArrived(isBanner: true), .callAccepted, .callEnded, .silentSwitch(true), .screenLock(false),
        .resetMediaServices, .listSessions,
        .deviceLost, .deviceAdded(name: "Kopfhörer"), .videoCall(true), .videoCall(false),
        .deviceChosen(name: "Kopfhörer"), .listPrograms, .listMemory, .close(program: "4711"), .close(program: ""),
        .listPictures, .watchPrograms,
    ]

    /// The state of an interrupted audio session.
    private static let sessionSnapshot = AudioSessionSnapshot(
        processID: .max, program: "swiftplay", session: 1, configuration: .initial, activation: .interrupted,
        isRunning: true, isNowPlaying: false,
        visibility: .pictureInPicture, duckDecibels: 14, isSilent: true, interruptedBy: [0, -1, 77])

    /// Returns sample requests of programs about audio sessions.
    private static func audioRequests() throws -> [AudioRequest] {
        [
            .open(mayPlayInBackground: true), .configure(.initial),
            .configure(
                try AudioConfiguration(
                    category: .playback, mode: .voicePrompt,
                    options: [.interruptSpokenAudioAndMixWithOthers, .duckOthers])),
            .activate(hasGesture: false), .deactivate(notifiesOthers: true), .running(true),
            .prefersNoInterruptions(true),
            .close,
            .mayPlayInBackground(false), .prefersInterruptionOnRouteDisconnect(false),
            .overrideOutput(isSpeaker: true), .overrideOutput(isSpeaker: false),
        ] + AudioArbiter.Visibility.allCases.map { .visibility($0) }
    }

    /// An audio route to a USB headset.
    private static let route = AudioRoute(device: "default:1", port: .usb, name: "Kopfhörer")

    /// Sample reports of the compositor about audio sessions.
    private static let audioReports: [AudioReport] =
        [
            .route(nil), .route(route), .routeChange(RouteChange(.override, from: nil, to: route)),
            .routeChange(RouteChange(.noSuitableRouteForCategory, from: route, to: nil)),
            .activated(othersSilentAt: .max, othersDuckedAt: 0), .done(nil), .reset,
            .notice(.ended(shouldResume: true)),
            .notice(.ended(shouldResume: false)), .notice(.silenceSecondaryAudioHint(true)),
        ] + OutputOverrideOutcome.allCases.map { .outputOverride($0) }
        + AudioSessionErrorCode.allCases.flatMap { [.refused($0), .done($0)] }
        + AudioArbiter.Reason.allCases.map { .notice(.began($0)) }
        + AudioArbiter.PromptStyle.allCases.map { style in
            var properties = AudioArbiter.Properties()
            (properties.isOtherAudioPlaying, properties.isOtherAudioAudible) = (true, true)
            (properties.isNowPlaying, properties.promptStyle) = (true, style)
            return .properties(properties)
        }

    /// Sample messages from the compositor to programs.
    static let serverMessages: [ServerMessage] =
        audioReports.flatMap { [.audio(session: .max, sequence: 0, $0), .audio(session: 1, sequence: .max, $0)] } + [
            .welcome(version: 1), .refused(reason: "zu alt"), .sessionOpened(session: 1),
            .sessionFailed(session: 2, reason: "no display"),
            .granted(session: 3), .shown(session: 4, frame: .max), .startFailed(session: 5, reason: ""),
            .stopped(session: 6),
            .replaced(session: 7), .action(session: 8, .restore), .action(session: 8, .close),
            .action(session: 8, .playPause),
            .action(session: 8, .skip(-10_000_000_000)),
            .action(session: 8, .seek(to: .max)), .action(session: 8, .volume(1000)), .action(session: 8, .mute),
            .renderSize(session: 9, width: 480, height: 270), .settings(startsPictureInPictureAutomatically: false),
            .interfaces(.supported), .interfaces(InterfaceVersions([9: 3])),
            .unsupported(message: 255, reason: "unbekannt"),
            .removed(session: 10), .systemDone, .audioSession(sessionSnapshot), .audioRoute(nil), .audioRoute(route),
            .suspended(session: 3, true),
            .memoryPressure(.critical), .role(.primary),
            .program(program), .memoryReportRequested, .exitRequested,
            .programMemory(ProgramMemory(program: program, budget: 1 << 28, usage: (1, .max), report: memoryReport)),
            .programMemory(ProgramMemory(program: program, budget: 0, usage: nil, report: nil)),
            .snapshotRequested, .programsChanged, .programClosed(processID: 77, wasKilled: true),
            .programPicture(ProgramPicture(processID: 77, identifier: "org.example.ä", isPrivate: true)),
            .systemState(SystemSnapshot()),
            .systemState(SystemSnapshot(phoneCall: .accepted, isSilent: true, isLocked: true, isInVideoCall: true)),
        ]
}
