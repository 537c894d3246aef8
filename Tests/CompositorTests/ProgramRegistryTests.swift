import Testing

@testable import Compositor

@Suite struct ProgramRegistryTests {
    /// Returns a registry of `count` connections; `process` returns the process ID for each connection's number.
    private func registry(_ count: Int, process: (Int) -> Int32) -> ProgramRegistry {
        var registry = ProgramRegistry()
        for id in 0..<count { registry.add(ProgramRegistry.Program(id: UInt64(id), processID: process(id))) }
        return registry
    }

    @Test func connectionCountsAreLimitedPerProcessAndInTotal() {
        let processRegistry = registry(ProgramRegistry.connectionLimitOfProcess) { _ in 7 }
        #expect(processRegistry.reasonToRefuse(7) != nil && processRegistry.reasonToRefuse(8) == nil)
        let foreignRegistry = registry(ProgramRegistry.connectionLimitOfForeignProcesses) { _ in 0 }
        #expect(foreignRegistry.reasonToRefuse(0) != nil && foreignRegistry.reasonToRefuse(7) == nil)
        var fullRegistry = registry(ProgramRegistry.connectionLimit) { Int32($0 + 1) }
        #expect(fullRegistry.reasonToRefuse(1_000_000) != nil)
        fullRegistry.remove(3)
        #expect(fullRegistry.reasonToRefuse(1_000_000) == nil)
    }

    @Test("a press of the play button counts once, for its own program, and expires")
    func playButtonPressCountsOnceForItsProgramAndExpires() {
        var registry = registry(2) { Int32($0 + 1) }
        registry.recordPlayButtonPress(0, now: 100)
        registry.recordPlayButtonPress(9, now: 100)
        let otherProgramPress = registry.takePlayButtonPress(1, now: 101),
            firstPress = registry.takePlayButtonPress(0, now: 101),
            secondPress = registry.takePlayButtonPress(0, now: 102)
        #expect(!otherProgramPress && firstPress && !secondPress)
        registry.recordPlayButtonPress(0, now: 100)
        let expiredPress = registry.takePlayButtonPress(0, now: 100 + ProgramRegistry.playButtonPressLifetime)
        #expect(!expiredPress)
    }

    @Test("a program plays in the background if it declares so and the user allows it")
    func backgroundAudioNeedsDeclarationAndPermission() {
        for isDeclared in [false, true] {
            for isAllowed in [false, true] {
                var registry = registry(1) { _ in 7 }
                registry.allowsBackgroundAudio = isAllowed
                registry.update(0) { $0.declaresBackgroundAudio = isDeclared }
                #expect(registry.mayPlayInBackground(0) == (isDeclared && isAllowed))
                // A disconnected program has no rights, and a new connection starts with the default declaration.
                registry.remove(0)
                #expect(!registry.mayPlayInBackground(0))
                registry.add(ProgramRegistry.Program(id: 0, processID: 7))
                #expect(registry.mayPlayInBackground(0) == isAllowed)
            }
        }
    }

    @Test("each used service is recorded once, in any order, and only for its program")
    func usedServicesAreRecordedForTheirProgram() {
        for first in ProgramRegistry.Service.allCases {
            for second in ProgramRegistry.Service.allCases {
                var registry = registry(2) { Int32($0 + 1) }
                for service in [first, second, first] { registry.addService(service, of: 1) }
                #expect(registry[1]?.services == [first, second] && registry[0]?.services == [])
                #expect(registry.all.map(\.id) == [0, 1])
            }
        }
    }

    @Test("a program's reports are kept without an audio session and forgotten with its connection")
    func reportedStateIsForgottenWithTheConnection() {
        var registry = registry(1) { _ in 7 }
        registry.update(0) { program in
            (program.name, program.version, program.visibility) = ("player", 6, .background)
        }
        registry.addService(.pictureInPicture, of: 0)
        registry.addService(.pictureInPicture, of: 5)
        registry.update(5) { _ in Issue.record("a disconnected program was updated") }
        #expect(registry[0]?.visibility == .background && registry[0]?.services == [.pictureInPicture])
        #expect(registry[0]?.supports(6) == true && registry[0]?.supports(7) == false)
        registry.remove(0)
        #expect(registry.isEmpty && registry[0] == nil)
        registry.add(ProgramRegistry.Program(id: 0, processID: 7))
        #expect(registry[0]?.visibility == .foreground && registry[0]?.services == [])
        #expect(registry[0]?.supports(0) == false)
    }
}
