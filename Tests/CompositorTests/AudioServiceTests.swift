import AudioOutput
import AudioPolicy
import CompositorProtocol
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import Compositor

/// Tests that the audio service carries out the decisions of the arbiter: with gain commands in shared memory, and with
/// reports to the programs.
@Suite struct AudioServiceTests {
    private let rig = AudioServiceRig()

    /// The time until an interrupted session is silent, in nanoseconds: its fade of 30 ms, and the buffered audio.
    private static let interruptionTime = AudioService.gainChangeLatency + 30_000_000

    @Test("a session that starts alone is audible at once and without a fade")
    func firstSessionIsAudibleAtOnce() throws {
        let peer = try rig.connect()
        let page = try rig.activate(peer, isRunning: false)
        #expect(page.gate.isOpen && page.gate.milliseconds == 0 && page.duck.decibels == 0)
        #expect(try rig.takeSilentTime(peer) == 0)
    }

    @Test("a session that interrupts a running session becomes audible when the other is silent")
    func sessionWaitsForTheInterruptedSession() throws {
        let peers = [try rig.connect(), try rig.connect()]
        let firstPage = try rig.activate(peers[0]), secondPage = try rig.activate(peers[1])
        #expect(!firstPage.gate.isOpen && firstPage.gate.milliseconds == 30)
        #expect(secondPage.gate.isOpen && secondPage.gate.milliseconds == 30)
        #expect(secondPage.gate.time == firstPage.gate.time + Self.interruptionTime)
        let silentTime = try #require(try rig.takeSilentTime(peers[1]))
        #expect(silentTime / 1000 * 1000 == secondPage.gate.time)
    }

    @Test("a session does not wait for an interrupted session that renders no audio")
    func sessionDoesNotWaitForAPausedSession() throws {
        let peers = [try rig.connect(), try rig.connect()]
        let firstPage = try rig.activate(peers[0], isRunning: false), secondPage = try rig.activate(peers[1])
        #expect(!firstPage.gate.isOpen && secondPage.gate.isOpen && secondPage.gate.milliseconds == 0)
        #expect(try rig.takeSilentTime(peers[1]) == 0)
    }

    @Test("a session that mixes does not wait for other sessions")
    func mixingSessionDoesNotWait() throws {
        let peers = [try rig.connect(), try rig.connect()]
        let firstPage = try rig.activate(peers[0]), secondPage = try rig.activate(peers[1], .playback, .mixWithOthers)
        #expect(firstPage.gate.isOpen && secondPage.gate.isOpen && secondPage.gate.milliseconds == 0)
        #expect(try rig.takeSilentTime(peers[1]) == 0)
    }

    @Test(
        "a session waits for the buffered audio of another program that has just stopped, but not of its own program",
        .measuresTime)
    func sessionWaitsForBufferedAudio() throws {
        let peers = [try rig.connect(), try rig.connect()]
        _ = try rig.activate(peers[0])
        let earliestStop = MonotonicTime.now
        try rig.send(.running(false), from: peers[0])
        let latestStop = MonotonicTime.now
        try rig.send(.deactivate(notifiesOthers: true), from: peers[0])
        _ = try rig.activate(peers[1], isRunning: false)
        let silentTime = try #require(try rig.takeSilentTime(peers[1]))
        #expect(silentTime >= earliestStop + AudioService.gainChangeLatency)
        #expect(silentTime <= latestStop + AudioService.gainChangeLatency)
        try rig.send(.deactivate(notifiesOthers: true), from: peers[1])
        _ = try rig.takeReports(peers[0])
        try rig.send(.activate(hasGesture: false), from: peers[0])
        #expect(try rig.takeSilentTime(peers[0]) == 0)
    }

    @Test("a ducked session is attenuated by the decibels of the settings, and restored when the other session ends")
    func duckedSessionIsAttenuatedAndRestored() throws {
        let peers = [try rig.connect(), try rig.connect()]
        let page = try rig.activate(peers[0])
        _ = try rig.activate(peers[1], .playback, .duckOthers)
        #expect(page.duck.decibels == 14 && page.duck.milliseconds == 250 && page.gate.isOpen)
        let time = page.duck.time
        let reply = try rig.takeReports(peers[1]).compactMap { report in
            if case .activated(_, let duckedTime) = report.report { duckedTime } else { nil }
        }
        #expect(reply.map { $0 / 1000 * 1000 } == [time + AudioService.gainChangeLatency + 250_000_000])
        try rig.send(.running(false), from: peers[1])
        try rig.send(.deactivate(notifiesOthers: true), from: peers[1])
        #expect(page.duck.decibels == 0 && page.duck.milliseconds == 500)
    }

    @Test("reports have ascending sequence numbers across programs; programs of older versions receive none")
    func reportsAreNumberedAcrossPrograms() throws {
        let old = try rig.connect(version: ProtocolVersion.reportSequenceNumbers - 1)
        let peers = [try rig.connect(version: ProtocolVersion.reportSequenceNumbers), try rig.connect()]
        for peer in [old] + peers { _ = try rig.activate(peer) }
        let numbers = try peers.flatMap { try rig.takeReports($0).map(\.sequence) }
        #expect(numbers.count > 2 && Set(numbers).count == numbers.count && !numbers.contains(0))
        let oldNumbers = try rig.takeReports(old).map(\.sequence)
        #expect(oldNumbers.count > 2 && oldNumbers.allSatisfy { $0 == 0 })
    }

    @Test("a session that is opened twice and the session beyond the limit are violations of the protocol")
    func sessionsOfAProgramAreLimited() throws {
        let peer = try rig.connect(), otherPeer = try rig.connect()
        for session in 0..<UInt32(AudioService.sessionLimitOfProgram - 1) { try rig.open(peer, session: session) }
        #expect(throws: MalformedMessage.self) { try rig.open(peer, session: 3) }
        try rig.open(peer, session: 100)
        #expect(throws: MalformedMessage.self) { try rig.open(peer, session: 101) }
        try rig.open(otherPeer, session: 101)
        try rig.send(.close, session: 0, from: peer)
        try rig.open(peer, session: 101)
    }

    @Test("a session with shared memory of the wrong size is a violation of the protocol")
    func gainPageIsValidated() throws {
        let peer = try rig.connect()
        let file = try MemoryFile(name: "page", size: SharedGainPage.pageSize * 2)
        let descriptor = SharedDescriptor(try file.descriptor.duplicate())
        #expect(throws: MalformedMessage.self) {
            try rig.send(.open(mayPlayInBackground: true), from: peer, [descriptor])
        }
        #expect(rig.service.arbiter.ids.isEmpty && rig.service.gainCommands.isEmpty)
    }

    @Test("after a reset all sessions are closed, their programs are notified, and their late requests are ignored")
    func resetClosesAllSessions() throws {
        let peers = [try rig.connect(), try rig.connect()]
        for peer in peers { _ = try rig.activate(peer) }
        for peer in peers { _ = try rig.takeReports(peer) }
        var system = SystemState()
        system.handle(.silentSwitch(true), from: .user)
        rig.service.reset(system, now: MonotonicTime.now)
        for peer in peers { #expect(try rig.takeReports(peer).map(\.report) == [.reset]) }
        #expect(rig.service.arbiter.ids.isEmpty && rig.service.gainCommands.isEmpty)
        try rig.send(.activate(hasGesture: true), from: peers[0])
        #expect(try rig.takeReports(peers[0]).isEmpty)
        // The silent switch is still on.
        let page = try rig.activate(peers[0], .ambient, isRunning: false)
        #expect(!page.gate.isOpen)
    }

    @Test("a program is audible while an active session of it renders audio and no switch mutes it")
    func audibleProgramsRenderUnmutedAudio() throws {
        let peers = [try rig.connect(), try rig.connect()]
        _ = try rig.activate(peers[0], isRunning: false)
        #expect(rig.service.audibleClients.isEmpty)
        try rig.send(.running(true), from: peers[0])
        _ = try rig.activate(peers[1], .ambient)
        #expect(rig.service.audibleClients == [peers[0].id, peers[1].id])
        var system = SystemState()
        system.handle(.silentSwitch(true), from: .user)
        rig.service.apply(system, now: MonotonicTime.now)
        #expect(rig.service.audibleClients == [peers[0].id])
        system.handle(.callArrived(isBanner: false), from: .user)
        rig.service.apply(system, now: MonotonicTime.now)
        #expect(rig.service.audibleClients.isEmpty)
    }

    @Test("a program records while an active session of it with input runs")
    func recordingProgramsRunSessionsWithInput() throws {
        let peers = try (0..<2).map { _ in try rig.connect() }
        _ = try rig.activate(peers[0], .playback, .mixWithOthers)
        _ = try rig.activate(peers[1], .playAndRecord, .mixWithOthers, isRunning: false)
        #expect(rig.service.recordingClients.isEmpty)
        try rig.send(.running(true), from: peers[1])
        #expect(rig.service.recordingClients == [peers[1].id])
        try rig.send(.deactivate(notifiesOthers: true), from: peers[1])
        #expect(rig.service.recordingClients.isEmpty)
    }

    @Test("an interrupted program may resume after the other program has disconnected")
    func disconnectedProgramEndsItsInterruptions() throws {
        let peers = [try rig.connect(), try rig.connect()]
        for peer in peers { _ = try rig.activate(peer) }
        _ = try rig.takeReports(peers[0])
        rig.service.clientDisconnected(peers[1].id, now: MonotonicTime.now)
        #expect(try rig.takeReports(peers[0]).map(\.report).contains(.notice(.ended(shouldResume: true))))
        #expect(rig.service.gainCommands.sessions(of: peers[1].id).isEmpty)
    }

    @Test("the visibility of a program applies to sessions that it opens later")
    func visibilityAppliesToLaterSessions() throws {
        let peer = try rig.connect()
        try rig.send(.visibility(.background), session: 0, from: peer)
        _ = try rig.activate(peer, .ambient, isRunning: false)
        #expect(try rig.takeReports(peer).map(\.report).contains(.refused(.cannotStartPlaying)))
    }

    @Test("a press of the floating window's play button permits one activation in the background")
    func playButtonPressPermitsOneActivation() throws {
        let peers = [try rig.connect(), try rig.connect()]
        _ = try rig.activate(peers[0])
        try rig.send(.visibility(.background), from: peers[1])
        _ = try rig.activate(peers[1], isRunning: false)
        #expect(try rig.takeReports(peers[1]).map(\.report).contains(.refused(.cannotInterruptOthers)))
        rig.programs.registry.recordPlayButtonPress(peers[1].id, now: MonotonicTime.now)
        try rig.send(.activate(hasGesture: false), from: peers[1])
        #expect(try rig.takeSilentTime(peers[1]) != nil)
        try rig.send(.activate(hasGesture: true), from: peers[0])
        try rig.send(.activate(hasGesture: false), from: peers[1])
        #expect(try rig.takeReports(peers[1]).map(\.report).contains(.refused(.cannotInterruptOthers)))
    }

    @Test("a change of the category is reported only for an active session, with its previous category")
    func categoryChangesOfActiveSessionsAreReported() throws {
        let peer = try rig.connect()
        var oldCategories: [AudioCategory] = []
        rig.service.onCategoryChange = { _, oldCategory in oldCategories.append(oldCategory) }
        _ = try rig.activate(peer, isRunning: false)
        #expect(oldCategories.isEmpty)
        try rig.send(.configure(.initial), from: peer)
        try rig.send(.configure(try AudioConfiguration(category: .ambient)), from: peer)
        #expect(oldCategories == [.playback, .soloAmbient])
    }
}
