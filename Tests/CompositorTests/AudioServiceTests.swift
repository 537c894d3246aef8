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
    private let fixture = AudioServiceFixture()

    /// The time until an interrupted session is silent, in nanoseconds: its fade of 30 ms, and the buffered audio.
    private static let interruptionTime = AudioService.gainChangeLatency + 30_000_000

    @Test("a session that starts alone is audible at once and without a fade")
    func firstSessionIsAudibleAtOnce() throws {
        let peer = try fixture.connect()
        let page = try fixture.activate(peer, isRunning: false)
        #expect(page.gate.isOpen && page.gate.milliseconds == 0 && page.duck.decibels == 0)
        #expect(try fixture.takeSilentTime(peer) == 0)
    }

    @Test("a session that interrupts a running session becomes audible when the other is silent")
    func sessionWaitsForTheInterruptedSession() throws {
        let peers = [try fixture.connect(), try fixture.connect()]
        let firstPage = try fixture.activate(peers[0]), secondPage = try fixture.activate(peers[1])
        #expect(!firstPage.gate.isOpen && firstPage.gate.milliseconds == 30)
        #expect(secondPage.gate.isOpen && secondPage.gate.milliseconds == 30)
        #expect(secondPage.gate.time == firstPage.gate.time + Self.interruptionTime)
        let silentTime = try #require(try fixture.takeSilentTime(peers[1]))
        #expect(silentTime / 1000 * 1000 == secondPage.gate.time)
    }

    @Test("a session does not wait for an interrupted session that renders no audio")
    func sessionDoesNotWaitForAPausedSession() throws {
        let peers = [try fixture.connect(), try fixture.connect()]
        let firstPage = try fixture.activate(peers[0], isRunning: false), secondPage = try fixture.activate(peers[1])
        #expect(!firstPage.gate.isOpen && secondPage.gate.isOpen && secondPage.gate.milliseconds == 0)
        #expect(try fixture.takeSilentTime(peers[1]) == 0)
    }

    @Test("a session that mixes does not wait for other sessions")
    func mixingSessionDoesNotWait() throws {
        let peers = [try fixture.connect(), try fixture.connect()]
        let firstPage = try fixture.activate(peers[0]),
            secondPage = try fixture.activate(peers[1], .playback, .mixWithOthers)
        #expect(firstPage.gate.isOpen && secondPage.gate.isOpen && secondPage.gate.milliseconds == 0)
        #expect(try fixture.takeSilentTime(peers[1]) == 0)
    }

    @Test(
        "a session waits for the buffered audio of another program that has just stopped, but not of its own program",
        .measuresTime)
    func sessionWaitsForBufferedAudio() throws {
        let peers = [try fixture.connect(), try fixture.connect()]
        _ = try fixture.activate(peers[0])
        let earliestStop = MonotonicTime.now
        try fixture.send(.running(false), from: peers[0])
        let latestStop = MonotonicTime.now
        try fixture.send(.deactivate(notifiesOthers: true), from: peers[0])
        _ = try fixture.activate(peers[1], isRunning: false)
        let silentTime = try #require(try fixture.takeSilentTime(peers[1]))
        #expect(silentTime >= earliestStop + AudioService.gainChangeLatency)
        #expect(silentTime <= latestStop + AudioService.gainChangeLatency)
        try fixture.send(.deactivate(notifiesOthers: true), from: peers[1])
        _ = try fixture.takeReports(peers[0])
        try fixture.send(.activate(hasGesture: false), from: peers[0])
        #expect(try fixture.takeSilentTime(peers[0]) == 0)
    }

    @Test("a ducked session is attenuated by the decibels of the settings, and restored when the other session ends")
    func duckedSessionIsAttenuatedAndRestored() throws {
        let peers = [try fixture.connect(), try fixture.connect()]
        let page = try fixture.activate(peers[0])
        _ = try fixture.activate(peers[1], .playback, .duckOthers)
        #expect(page.duck.decibels == 14 && page.duck.milliseconds == 250 && page.gate.isOpen)
        let time = page.duck.time
        let reply = try fixture.takeReports(peers[1]).compactMap { report in
            if case .activated(_, let duckedTime) = report.report { duckedTime } else { nil }
        }
        #expect(reply.map { $0 / 1000 * 1000 } == [time + AudioService.gainChangeLatency + 250_000_000])
        try fixture.send(.running(false), from: peers[1])
        try fixture.send(.deactivate(notifiesOthers: true), from: peers[1])
        #expect(page.duck.decibels == 0 && page.duck.milliseconds == 500)
    }

    @Test("reports have ascending sequence numbers across programs; programs of older versions receive none")
    func reportsAreNumberedAcrossPrograms() throws {
        let oldPeer = try fixture.connect(version: ProtocolVersion.reportSequenceNumbers - 1)
        let peers = [try fixture.connect(version: ProtocolVersion.reportSequenceNumbers), try fixture.connect()]
        for peer in [oldPeer] + peers { _ = try fixture.activate(peer) }
        let numbers = try peers.flatMap { try fixture.takeReports($0).map(\.sequence) }
        #expect(numbers.count > 2 && Set(numbers).count == numbers.count && !numbers.contains(0))
        let oldNumbers = try fixture.takeReports(oldPeer).map(\.sequence)
        #expect(oldNumbers.count > 2 && oldNumbers.allSatisfy { $0 == 0 })
    }

    @Test("a session that is opened twice and the session beyond the limit are violations of the protocol")
    func sessionsOfAProgramAreLimited() throws {
        let peer = try fixture.connect(), otherPeer = try fixture.connect()
        for session in 0..<UInt32(AudioService.sessionLimitOfProgram - 1) { try fixture.open(peer, session: session) }
        #expect(throws: MalformedMessage.self) { try fixture.open(peer, session: 3) }
        try fixture.open(peer, session: 100)
        #expect(throws: MalformedMessage.self) { try fixture.open(peer, session: 101) }
        try fixture.open(otherPeer, session: 101)
        try fixture.send(.close, session: 0, from: peer)
        try fixture.open(peer, session: 101)
    }

    @Test("a session with shared memory of the wrong size is a violation of the protocol")
    func gainPageIsValidated() throws {
        let peer = try fixture.connect()
        let file = try MemoryFile(name: "page", size: SharedGainPage.pageSize * 2)
        let descriptor = SharedDescriptor(try file.descriptor.duplicate())
        #expect(throws: MalformedMessage.self) {
            try fixture.send(.open(mayPlayInBackground: true), from: peer, [descriptor])
        }
        #expect(fixture.service.arbiter.ids.isEmpty && fixture.service.gainCommands.isEmpty)
    }

    @Test("after a reset all sessions are closed, their programs are notified, and their late requests are ignored")
    func resetClosesAllSessions() throws {
        let peers = [try fixture.connect(), try fixture.connect()]
        for peer in peers { _ = try fixture.activate(peer) }
        for peer in peers { _ = try fixture.takeReports(peer) }
        var system = SystemState()
        system.handle(.silentSwitch(true), from: .user)
        fixture.service.reset(system, now: MonotonicTime.now)
        for peer in peers { #expect(try fixture.takeReports(peer).map(\.report) == [.reset]) }
        #expect(fixture.service.arbiter.ids.isEmpty && fixture.service.gainCommands.isEmpty)
        try fixture.send(.activate(hasGesture: true), from: peers[0])
        #expect(try fixture.takeReports(peers[0]).isEmpty)
        // After the reset, the silent switch is still on.
        let page = try fixture.activate(peers[0], .ambient, isRunning: false)
        #expect(!page.gate.isOpen)
    }

    @Test("a program is audible while an active session of it renders audio and no switch mutes it")
    func audibleProgramsRenderUnmutedAudio() throws {
        let peers = [try fixture.connect(), try fixture.connect()]
        _ = try fixture.activate(peers[0], isRunning: false)
        #expect(fixture.service.audibleClients.isEmpty)
        try fixture.send(.running(true), from: peers[0])
        _ = try fixture.activate(peers[1], .ambient)
        #expect(fixture.service.audibleClients == [peers[0].id, peers[1].id])
        var system = SystemState()
        system.handle(.silentSwitch(true), from: .user)
        fixture.service.apply(system, now: MonotonicTime.now)
        #expect(fixture.service.audibleClients == [peers[0].id])
        system.handle(.callArrived(isBanner: false), from: .user)
        fixture.service.apply(system, now: MonotonicTime.now)
        #expect(fixture.service.audibleClients.isEmpty)
    }

    @Test("a program records while an active session of it with input runs")
    func recordingProgramsRunSessionsWithInput() throws {
        let peers = try (0..<2).map { _ in try fixture.connect() }
        _ = try fixture.activate(peers[0], .playback, .mixWithOthers)
        _ = try fixture.activate(peers[1], .playAndRecord, .mixWithOthers, isRunning: false)
        #expect(fixture.service.recordingClients.isEmpty)
        try fixture.send(.running(true), from: peers[1])
        #expect(fixture.service.recordingClients == [peers[1].id])
        try fixture.send(.deactivate(notifiesOthers: true), from: peers[1])
        #expect(fixture.service.recordingClients.isEmpty)
    }

    @Test("an interrupted program may resume after the other program has disconnected")
    func disconnectedProgramEndsItsInterruptions() throws {
        let peers = [try fixture.connect(), try fixture.connect()]
        for peer in peers { _ = try fixture.activate(peer) }
        _ = try fixture.takeReports(peers[0])
        fixture.service.handleDisconnection(of: peers[1].id, now: MonotonicTime.now)
        #expect(try fixture.takeReports(peers[0]).map(\.report).contains(.notice(.ended(shouldResume: true))))
        #expect(fixture.service.gainCommands.sessions(of: peers[1].id).isEmpty)
    }

    @Test("the visibility of a program applies to sessions that it opens later")
    func visibilityAppliesToLaterSessions() throws {
        let peer = try fixture.connect()
        try fixture.send(.visibility(.background), session: 0, from: peer)
        _ = try fixture.activate(peer, .ambient, isRunning: false)
        #expect(try fixture.takeReports(peer).map(\.report).contains(.refused(.cannotStartPlaying)))
    }

    @Test("a press of the floating window's play button permits one activation in the background")
    func playButtonPressPermitsOneActivation() throws {
        let peers = [try fixture.connect(), try fixture.connect()]
        _ = try fixture.activate(peers[0])
        try fixture.send(.visibility(.background), from: peers[1])
        _ = try fixture.activate(peers[1], isRunning: false)
        #expect(try fixture.takeReports(peers[1]).map(\.report).contains(.refused(.cannotInterruptOthers)))
        fixture.programs.registry.recordPlayButtonPress(peers[1].id, now: MonotonicTime.now)
        try fixture.send(.activate(hasGesture: false), from: peers[1])
        #expect(try fixture.takeSilentTime(peers[1]) != nil)
        try fixture.send(.activate(hasGesture: true), from: peers[0])
        try fixture.send(.activate(hasGesture: false), from: peers[1])
        #expect(try fixture.takeReports(peers[1]).map(\.report).contains(.refused(.cannotInterruptOthers)))
    }

    @Test("a change of the category is reported only for an active session, with its previous category")
    func categoryChangesOfActiveSessionsAreReported() throws {
        let peer = try fixture.connect()
        var oldCategories: [AudioCategory] = []
        fixture.service.onCategoryChange = { _, oldCategory in oldCategories.append(oldCategory) }
        _ = try fixture.activate(peer, isRunning: false)
        #expect(oldCategories.isEmpty)
        try fixture.send(.configure(.initial), from: peer)
        try fixture.send(.configure(try AudioConfiguration(category: .ambient)), from: peer)
        #expect(oldCategories == [.playback, .soloAmbient])
    }
}
