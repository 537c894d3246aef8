import Testing

@testable import SwiftPlay

@Suite struct AudioDeviceStateTests {
    @Test func deviceEventsDetermineTheAvailability() {
        let openingTransitions: [(AudioDeviceState.Availability, Bool, AudioDeviceState.Availability)] = [
            (.unopened, false, .open), (.unopened, true, .nullDevice), (.open, true, .nullDevice),
            (.nullDevice, false, .open),
            (.unavailable, false, .unavailable), (.unavailable, true, .unavailable),
        ]
        for (before, isNullDevice, after) in openingTransitions {
            var state = Self.state(before)
            state.didOpen(isNullDevice: isNullDevice)
            #expect(state.availability == after)
        }
        for before in Self.allAvailabilities {
            var state = Self.state(before)
            #expect(state.didReturn(now: 1) == (before == .nullDevice))
            #expect(state.availability == (before == .nullDevice ? .open : before))
            state = Self.state(before)
            #expect(state.didBecomeUnavailable() == (before != .unavailable) && state.availability == .unavailable)
            #expect(!state.isOpen && !state.isNullDevice && state.isUnavailable)
        }
    }

    @Test func clockIsCorrectedSlowlyForFiveSecondsAfterADeviceProblem() {
        for before in Self.allAvailabilities {
            var state = Self.state(before)
            #expect(state.slowCorrectionEnd == 0)
            state.correctSlowly(now: 1)
            #expect(state.slowCorrectionEnd == 5_000_000_001 && state.availability == before)
            _ = state.didReturn(now: 2)
            #expect(state.slowCorrectionEnd == 5_000_000_002)
        }
    }

    /// All availabilities of the audio device.
    private static let allAvailabilities: [AudioDeviceState.Availability] = [
        .unopened, .open, .nullDevice, .unavailable,
    ]

    /// Returns the state of a device with the given availability.
    private static func state(_ availability: AudioDeviceState.Availability) -> AudioDeviceState {
        var state = AudioDeviceState()
        switch availability {
        case .unopened: break
        case .open: state.didOpen(isNullDevice: false)
        case .nullDevice: state.didOpen(isNullDevice: true)
        case .unavailable: _ = state.didBecomeUnavailable()
        }
        return state
    }
}
