import AudioOutput
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite("The audio session and its connection")
struct AudioSessionConnectionTests {
    /// Returns an audio session without a compositor, and the notifications that the session posts. The test passes the
    /// events of the connection to the session.
    private func makeSession() throws -> (AudioSession, receivedNotifications: Monitor<[AudioSession.Notification]>) {
        let session = AudioSession(link: CompositorLink(), gain: try SharedGainPage())
        let receivedNotifications = Monitor<[AudioSession.Notification]>([])
        session.addObserver { notification in receivedNotifications.update { $0.append(notification) } }
        return (session, receivedNotifications)
    }

    /// Waits up to ten seconds for a notification, and returns whether it was posted.
    private func wait(
        for notification: AudioSession.Notification, in receivedNotifications: Monitor<[AudioSession.Notification]>
    )
        -> Bool
    {
        receivedNotifications.wait(until: MonotonicTime.now + 10_000_000_000) { $0.contains(notification) ? true : nil }
            ?? false
    }

    @Test("the refusal of a compositor ends an activation granted without a compositor, and later activations fail")
    func refusalOfACompositorEndsAnActivationGrantedInTheProcess() throws {
        let (session, receivedNotifications) = try makeSession()
        session.handle(.unavailable)
        try session.setActive(true)
        #expect(session.isActive)
        session.handle(.refused("too many programs are connected"))
        #expect(!session.isActive)
        #expect(wait(for: .mediaServicesWereLost, in: receivedNotifications))
        #expect(throws: PlaybackError.self) { try session.setActive(true) }
        #expect(!session.isActive)
        session.handle(.opened)
        #expect(wait(for: .mediaServicesWereReset, in: receivedNotifications))
    }

    @Test("the record that this program was now playing is cleared when no compositor is available")
    func missingCompositorClearsTheNowPlayingRecord() throws {
        let (session, _) = try makeSession()
        session.state.withLock { state in
            _ = state.requests.open(with: .init(request: .activate(hasGesture: false)) { _ in })
            _ = state.requests.recordConnectionLoss(isNowPlaying: true)
        }
        session.handle(.unavailable)
        #expect(!session.state.withLock { $0.requests.hasResetPriority })
    }
}
