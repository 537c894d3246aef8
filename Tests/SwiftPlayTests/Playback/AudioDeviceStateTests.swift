import Testing

@testable import SwiftPlay

@Suite struct AudioDeviceStateTests {
    @Test func everyEventLeadsToItsState() {
        let opened: [(AudioDeviceState.Availability, Bool, AudioDeviceState.Availability)] = [
            (.unopened, false, .open), (.unopened, true, .standIn), (.open, true, .standIn), (.standIn, false, .open),
            (.unavailable, false, .unavailable), (.unavailable, true, .unavailable),
        ]
        for (before, isStandIn, after) in opened {
            var state = Self.state(before)
            state.opened(isStandIn: isStandIn)
            #expect(state.availability == after)
        }
        for before in Self.all {
            var state = Self.state(before)
            #expect(state.returned(now: 1) == (before == .standIn))
            #expect(state.availability == (before == .standIn ? .open : before))
            state = Self.state(before)
            #expect(state.failed() == (before != .unavailable) && state.availability == .unavailable)
            #expect(!state.isOpen && !state.isStandIn && state.isUnavailable)
        }
    }

    @Test func clockCorrectsSlowlyForFiveSecondsAfterADisturbance() {
        for before in Self.all {
            var state = Self.state(before)
            #expect(state.calmUntil == 0)
            state.disturbed(now: 1)
            #expect(state.calmUntil == 5_000_000_001 && state.availability == before)
            _ = state.returned(now: 2)
            #expect(state.calmUntil == 5_000_000_002)
        }
    }

    private static let all: [AudioDeviceState.Availability] = [.unopened, .open, .standIn, .unavailable]

    private static func state(_ availability: AudioDeviceState.Availability) -> AudioDeviceState {
        var state = AudioDeviceState()
        switch availability {
        case .unopened: break
        case .open: state.opened(isStandIn: false)
        case .standIn: state.opened(isStandIn: true)
        case .unavailable: _ = state.failed()
        }
        return state
    }
}
