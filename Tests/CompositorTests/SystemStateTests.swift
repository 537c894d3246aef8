import CompositorProtocol
import Foundation
import Logging
import TestSupport
import Testing

@testable import Compositor

@Suite("The system's state")
struct SystemStateTests {
    private let program = SystemState.Owner.client(7), other = SystemState.Owner.client(8)

    private func state(_ events: (SystemRequest, SystemState.Owner)...) -> SystemState {
        var state = SystemState()
        for (event, owner) in events { state.handle(event, from: owner) }
        return state
    }

    @Test(
        "each condition keeps an idle compositor running until it ends",
        arguments: [
            (SystemRequest.callComes(isBanner: true), SystemRequest.callEnds),
            (.silentSwitch(true), .silentSwitch(false)),
            (.screenLock(true), .screenLock(false)), (.videoCall(true), .videoCall(false)),
        ])
    func idling(begin: SystemRequest, end: SystemRequest) {
        for owner in [SystemState.Owner.user, program] {
            var state = state((begin, owner))
            #expect(state.isUnderRule)
            state.handle(end, from: owner)
            #expect(!state.isUnderRule && state == SystemState())
        }
    }

    @Test("what a program announced ends with its connection; a user's command does not")
    func leases() {
        var state = state(
            (.callComes(isBanner: false), program), (.silentSwitch(true), program), (.silentSwitch(true), .user),
            (.videoCall(true), program),
            (.screenLock(true), other))
        state.connectionEnded(7)
        #expect(state.call == nil && state.isSilent && !state.isVideoCalled && state.isLocked)
        state.connectionEnded(8)
        #expect(state.isSilent && !state.isLocked)
        state.handle(.silentSwitch(false), from: .user)
        #expect(state == SystemState())
    }

    @Test("calls of two programs last as long as either, in the state of the more advanced call")
    func twoCalls() {
        var state = state((.callComes(isBanner: true), program), (.callComes(isBanner: false), other))
        #expect(state.call == .fullScreen)
        state.handle(.callAccepted, from: program)
        #expect(state.call == .accepted)
        state.handle(.callEnds, from: program)
        #expect(state.call == .fullScreen)
        state.connectionEnded(8)
        #expect(state.call == nil)
    }

    @Test("a program changes only what it announced itself; a user's command changes everything")
    func authority() {
        var state = state((.callComes(isBanner: false), .user), (.screenLock(true), .user))
        state.handle(.callEnds, from: program)
        state.handle(.callAccepted, from: program)
        state.handle(.screenLock(false), from: program)
        #expect(state.call == .fullScreen && state.isLocked)
        state.handle(.callComes(isBanner: true), from: program)
        state.handle(.callEnds, from: .user)
        #expect(state.call == nil)
    }

    @Test("a reset changes nothing")
    func reset() {
        let before = state(
            (.callComes(isBanner: false), .user), (.silentSwitch(true), program), (.deviceAdded(name: "Buds"), program))
        var after = before
        after.handle(.resetMediaServices, from: .user)
        #expect(after == before)
    }

    @Test("conditions of user commands are saved and read back; conditions of programs are not saved")
    func text() {
        var state = state(
            (.callComes(isBanner: false), .user), (.callAccepted, .user), (.silentSwitch(true), .user),
            (.screenLock(true), .user),
            (.videoCall(true), .user), (.deviceAdded(name: "Kopfhörer 2"), program))
        state.hasLostDevice = true
        #expect(SystemState(parsing: state.keptText) == state)
        #expect(SystemState(parsing: "") == SystemState())
        // The combining mark makes one character with the space that is written before it.
        let combining = self.state((.deviceAdded(name: "\u{301}x"), program), (.screenLock(true), .user))
        #expect(SystemState(parsing: combining.keptText) == combining)
        let leased = self.state((.callComes(isBanner: false), program), (.silentSwitch(true), program))
        #expect(leased.keptText == "")
        // A name that would add a line is not remembered.
        #expect(self.state((.deviceAdded(name: "x\nlock"), .user)).keptText == "")
    }

    @Test("after random events and the end of all connections, only conditions of user commands remain")
    func random() {
        var generator = SeededGenerator.printingSeed()
        func next(_ count: Int) -> Int { .random(in: 0..<count, using: &generator) }
        let events: [SystemRequest] = [
            .callComes(isBanner: true), .callComes(isBanner: false), .callAccepted, .callEnds, .silentSwitch(true),
            .silentSwitch(false),
            .screenLock(true), .screenLock(false), .videoCall(true), .videoCall(false), .deviceLost,
            .deviceAdded(name: "Buds"),
        ]
        for _ in 0..<2000 {
            var state = SystemState()
            for _ in 0..<next(20) {
                let owner = next(4)
                if next(8) == 0 {
                    state.connectionEnded(UInt64(owner))
                } else {
                    state.handle(events[next(events.count)], from: owner == 0 ? .user : .client(UInt64(owner)))
                }
            }
            for owner in 0..<4 { state.connectionEnded(UInt64(owner)) }
            #expect(SystemState(parsing: state.keptText) == state)
            state.handle(.callEnds, from: .user)
            for off in [SystemRequest.silentSwitch(false), .screenLock(false), .videoCall(false)] {
                state.handle(off, from: .user)
            }
            #expect(!state.isUnderRule)
        }
    }
}

@Suite("The file of the system's state")
struct SystemStateFileTests {
    private func withFile(_ body: (String) throws -> Void) rethrows {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("swiftplay-state-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func file(_ path: String, boot: String = "one") -> SystemStateFile {
        SystemStateFile(path: path, boot: boot, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private var called: SystemState {
        var state = SystemState()
        state.handle(.callComes(isBanner: false), from: .user)
        return state
    }

    @Test("the next compositor reads the saved state, and the file is deleted without conditions")
    func outlives() {
        withFile { path in
            let first = file(path)
            #expect(first.load() == SystemState())
            first.save(called)
            let second = file(path)
            #expect(second.load() == called)
            second.save(SystemState())
            #expect(
                !FileManager.default.fileExists(atPath: path) && !FileManager.default.fileExists(atPath: path + ".new"))
        }
    }

    @Test("a state saved before a reboot is ignored")
    func otherBoot() {
        withFile { path in
            file(path).save(called)
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
    func damaged(text: String) throws {
        try withFile { path in
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let file = file(path)
            #expect(file.load() == SystemState())
            file.save(called)
            #expect(self.file(path).load() == called)
        }
    }

    @Test("a symbolic link in place of the file is not followed")
    func link() throws {
        try withFile { path in
            let target = path + "-target"
            defer { try? FileManager.default.removeItem(atPath: target) }
            file(target).save(called)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            #expect(file(path).load() == SystemState())
        }
    }
}
