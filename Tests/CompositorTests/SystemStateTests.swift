import CompositorProtocol
import Foundation
import Logging
import TestSupport
import Testing

@testable import Compositor

@Suite("The system's state")
struct SystemStateTests {
    /// Two programs that announce system-wide conditions.
    private let program = SystemState.Owner.client(7), otherProgram = SystemState.Owner.client(8)

    /// Returns the system state after the requests of the given owners.
    private func state(_ events: (SystemRequest, SystemState.Owner)...) -> SystemState {
        var state = SystemState()
        for (event, owner) in events { state.handle(event, from: owner) }
        return state
    }

    @Test(
        "each condition keeps an idle compositor running until it ends",
        arguments: [
            (SystemRequest.callArrived(isBanner: true), SystemRequest.callEnded),
            (.silentSwitch(true), .silentSwitch(false)),
            (.screenLock(true), .screenLock(false)), (.videoCall(true), .videoCall(false)),
        ])
    func conditionsKeepTheIdleCompositorRunning(beginRequest: SystemRequest, endRequest: SystemRequest) {
        for owner in [SystemState.Owner.user, program] {
            var state = state((beginRequest, owner))
            #expect(state.hasActiveCondition)
            state.handle(endRequest, from: owner)
            #expect(!state.hasActiveCondition && state == SystemState())
        }
    }

    @Test("conditions of a program end with its connection; conditions of user commands remain")
    func conditionsOfAProgramEndWithItsConnection() {
        var state = state(
            (.callArrived(isBanner: false), program), (.silentSwitch(true), program), (.silentSwitch(true), .user),
            (.videoCall(true), program),
            (.screenLock(true), otherProgram))
        state.endConditions(of: 7)
        #expect(state.phoneCall == nil && state.isSilent && !state.isInVideoCall && state.isLocked)
        state.endConditions(of: 8)
        #expect(state.isSilent && !state.isLocked)
        state.handle(.silentSwitch(false), from: .user)
        #expect(state == SystemState())
    }

    @Test("calls of two programs last as long as either, in the state of the more advanced call")
    func phoneCallStateLastsUntilBothCallsEnd() {
        var state = state((.callArrived(isBanner: true), program), (.callArrived(isBanner: false), otherProgram))
        #expect(state.phoneCall == .fullScreen)
        state.handle(.callAccepted, from: program)
        #expect(state.phoneCall == .accepted)
        state.handle(.callEnded, from: program)
        #expect(state.phoneCall == .fullScreen)
        state.endConditions(of: 8)
        #expect(state.phoneCall == nil)
    }

    @Test("a program changes only its own conditions; a user command changes all conditions")
    func programChangesOnlyItsOwnConditions() {
        var state = state((.callArrived(isBanner: false), .user), (.screenLock(true), .user))
        state.handle(.callEnded, from: program)
        state.handle(.callAccepted, from: program)
        state.handle(.screenLock(false), from: program)
        #expect(state.phoneCall == .fullScreen && state.isLocked)
        state.handle(.callArrived(isBanner: true), from: program)
        state.handle(.callEnded, from: .user)
        #expect(state.phoneCall == nil)
    }

    @Test("a reset keeps all conditions")
    func resetKeepsAllConditions() {
        let stateBefore = state(
            (.callArrived(isBanner: false), .user), (.silentSwitch(true), program),
            (.deviceAdded(name: "Buds"), program))
        var stateAfter = stateBefore
        stateAfter.handle(.resetMediaServices, from: .user)
        #expect(stateAfter == stateBefore)
    }

    @Test("conditions of user commands are saved and read back; conditions of programs are not saved")
    func onlyConditionsOfUserCommandsAreSaved() {
        var state = state(
            (.callArrived(isBanner: false), .user), (.callAccepted, .user), (.silentSwitch(true), .user),
            (.screenLock(true), .user),
            (.videoCall(true), .user), (.deviceAdded(name: "Kopfhörer 2"), program))
        state.hasLostDevice = true
        #expect(SystemState(parsing: state.persistentText) == state)
        #expect(SystemState(parsing: "") == SystemState())
        // The combining mark U+0301 forms one character with the space that precedes the device name in the text.
        let stateWithCombiningMark = self.state((.deviceAdded(name: "\u{301}x"), program), (.screenLock(true), .user))
        #expect(SystemState(parsing: stateWithCombiningMark.persistentText) == stateWithCombiningMark)
        let stateOfProgram = self.state((.callArrived(isBanner: false), program), (.silentSwitch(true), program))
        #expect(stateOfProgram.persistentText == "")
        // A device name with a line break is not saved.
        #expect(self.state((.deviceAdded(name: "x\nlock"), .user)).persistentText == "")
    }

    @Test("after random events and the end of all connections, only conditions of user commands remain")
    func onlyUserConditionsRemainAfterRandomEvents() {
        var generator = SeededGenerator.printingSeed()
        func randomIndex(_ count: Int) -> Int { .random(in: 0..<count, using: &generator) }
        let events: [SystemRequest] = [
            .callArrived(isBanner: true), .callArrived(isBanner: false), .callAccepted, .callEnded, .silentSwitch(true),
            .silentSwitch(false),
            .screenLock(true), .screenLock(false), .videoCall(true), .videoCall(false), .deviceLost,
            .deviceAdded(name: "Buds"),
        ]
        for _ in 0..<2000 {
            var state = SystemState()
            for _ in 0..<randomIndex(20) {
                let owner = randomIndex(4)
                if randomIndex(8) == 0 {
                    state.endConditions(of: UInt64(owner))
                } else {
                    state.handle(events[randomIndex(events.count)], from: owner == 0 ? .user : .client(UInt64(owner)))
                }
            }
            for owner in 0..<4 { state.endConditions(of: UInt64(owner)) }
            #expect(SystemState(parsing: state.persistentText) == state)
            state.handle(.callEnded, from: .user)
            for endRequest in [SystemRequest.silentSwitch(false), .screenLock(false), .videoCall(false)] {
                state.handle(endRequest, from: .user)
            }
            #expect(!state.hasActiveCondition)
        }
    }
}

@Suite("The file of the system's state")
struct SystemStateFileTests {
    /// Runs `body` with the path of a file that does not exist yet, and deletes the file afterwards.
    private func withFile(_ body: (String) throws -> Void) rethrows {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("swiftplay-state-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    /// Returns the state file at `path`, for the boot of the machine with the identifier `boot`.
    private func file(_ path: String, boot: String = "one") -> SystemStateFile {
        SystemStateFile(path: path, boot: boot, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The system state during an incoming phone call.
    private var stateDuringIncomingCall: SystemState {
        var state = SystemState()
        state.handle(.callArrived(isBanner: false), from: .user)
        return state
    }

    @Test("the next compositor reads the saved state, and the file is deleted without conditions")
    func savedStateIsLoaded() {
        withFile { path in
            let firstFile = file(path)
            #expect(firstFile.load() == SystemState())
            firstFile.save(stateDuringIncomingCall)
            let secondFile = file(path)
            #expect(secondFile.load() == stateDuringIncomingCall)
            secondFile.save(SystemState())
            #expect(
                !FileManager.default.fileExists(atPath: path) && !FileManager.default.fileExists(atPath: path + ".new"))
        }
    }

    @Test("a state saved before a reboot is ignored")
    func stateSavedBeforeARebootIsIgnored() {
        withFile { path in
            file(path).save(stateDuringIncomingCall)
            #expect(file(path, boot: "two").load() == SystemState())
        }
    }

    @Test(
        "a damaged file counts as empty, and is replaced",
        arguments: [
            "", "\u{0}\u{1}\u{2}", "swiftplay-system-state 1 one\ncall maybe\n",
            "swiftplay-system-state 1 one\nnonsense\n",
            "swiftplay-system-state 2 one\nlock\n", "swiftplay-system-state 1 one\nlock on\n", "lock\n",
            "swiftplay-system-state 1 one\n" + String(repeating: "lock\n", count: 5000),
        ])
    func damagedFileCountsAsEmptyAndIsReplaced(text: String) throws {
        try withFile { path in
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let file = file(path)
            #expect(file.load() == SystemState())
            file.save(stateDuringIncomingCall)
            #expect(self.file(path).load() == stateDuringIncomingCall)
        }
    }

    @Test("a symbolic link in place of the file is not followed")
    func symbolicLinkIsNotFollowed() throws {
        try withFile { path in
            let target = path + "-target"
            defer { try? FileManager.default.removeItem(atPath: target) }
            file(target).save(stateDuringIncomingCall)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            #expect(file(path).load() == SystemState())
        }
    }
}
