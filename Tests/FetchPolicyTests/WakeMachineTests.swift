import Testing

@testable import FetchPolicy

@Suite struct WakeMachineTests {
    @Test func aProgramThatNeverCompletesIsAskedThenTerminatedThenKilled() {
        var machine = WakeMachine(startTime: .seconds(100), isUserRunning: false)
        #expect(machine.deadline == .seconds(125))
        #expect(machine.handle(.checkTime, now: .seconds(124)) == [])
        #expect(machine.handle(.checkTime, now: .seconds(125)) == [.requestExpiration])
        #expect(machine.deadline == .seconds(130))
        #expect(machine.handle(.checkTime, now: .seconds(130)) == [.terminate])
        #expect(machine.handle(.checkTime, now: .seconds(132)) == [.kill])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.exit, now: .seconds(132)) == [.finish(.overran)])
    }

    @Test func aProgramOfTheUserIsNeverStopped() {
        var machine = WakeMachine(startTime: .zero, isUserRunning: true)
        #expect(machine.handle(.checkTime, now: .seconds(25)) == [.requestExpiration])
        #expect(machine.handle(.checkTime, now: .seconds(30)) == [.finish(.overran)])
        #expect(machine.handle(.checkTime, now: .seconds(60)) == [])
    }

    @Test func aProgramThatTheUserOpensMeanwhileIsNotStopped() {
        var machine = WakeMachine(startTime: .zero, isUserRunning: false)
        machine.handleOpening()
        #expect(machine.handle(.checkTime, now: .seconds(40)) == [.requestExpiration, .finish(.overran)])
    }

    @Test func aLateCheckPassesAllLimitsInOrder() {
        var machine = WakeMachine(startTime: .zero, isUserRunning: false)
        #expect(machine.handle(.checkTime, now: .seconds(40)) == [.requestExpiration, .terminate, .kill])
    }

    @Test func aCompletionAfterTheExpirationCounts() {
        var machine = WakeMachine(startTime: .zero, isUserRunning: false)
        _ = machine.handle(.checkTime, now: .seconds(25))
        #expect(machine.handle(.complete, now: .seconds(29)) == [.finish(.completed)])
    }

    @Test(arguments: WakeMachine.State.allCases, WakeMachine.Input.allCases)
    func everyPairOfStateAndInputHasOneEffect(_ state: WakeMachine.State, _ input: WakeMachine.Input) {
        var machine = machine(in: state)
        let actions = machine.handle(input, now: .zero)
        let expected: [WakeMachine.Action] =
            switch (state, input) {
            case (.running, .complete), (.expiring, .complete): [.finish(.completed)]
            case (.running, .exit), (.expiring, .exit): [.finish(.exited)]
            case (.terminating, .exit), (.killing, .exit): [.finish(.overran)]
            case (_, .complete): [.logIgnoredCompletion]
            default: []
            }
        #expect(actions == expected)
        let endsWake = actions.contains { if case .finish = $0 { true } else { false } }
        #expect(machine.state == (endsWake ? .ended : state))
    }

    @Test func eachTokenCompletesOnce() {
        var tokens = CompletionTokens()
        let (first, second) = (tokens.issue(), tokens.issue())
        #expect(first != second && tokens.openCount == 2)
        let results = [first, first, second, second, 99].map { tokens.complete($0) }
        #expect(results == [true, false, true, false, false])
        #expect(tokens.openCount == 0)
    }

    private func machine(in state: WakeMachine.State) -> WakeMachine {
        var machine = WakeMachine(startTime: .zero, isUserRunning: false)
        switch state {
        case .running: break
        case .expiring: _ = machine.handle(.checkTime, now: .seconds(25))
        case .terminating: _ = machine.handle(.checkTime, now: .seconds(30))
        case .killing: _ = machine.handle(.checkTime, now: .seconds(32))
        case .ended: _ = machine.handle(.complete, now: .zero)
        }
        return machine
    }
}
