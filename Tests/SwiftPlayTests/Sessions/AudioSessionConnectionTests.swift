import AudioOutput
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite("The audio session and its connection")
struct AudioSessionConnectionTests {
    /// A session whose connection does what the test says.
    private func session() throws -> (AudioSession, heard: Monitor<[AudioSession.Notification]>) {
        let session = AudioSession(link: CompositorLink(), gain: try SessionGain())
        let heard = Monitor<[AudioSession.Notification]>([])
        session.addObserver { notification in heard.update { $0.append(notification) } }
        return (session, heard)
    }

    private func wait(for notification: AudioSession.Notification, in heard: Monitor<[AudioSession.Notification]>)
        -> Bool
    {
        heard.wait(until: MonotonicTime.now + 10_000_000_000) { $0.contains(notification) ? true : nil } ?? false
    }

    @Test("a compositor that appears and refuses ends what was granted without one, and nothing more is granted")
    func refusedAfterUnavailable() throws {
        let (session, heard) = try session()
        session.hear(.unavailable)
        try session.setActive(true)
        #expect(session.isActive)
        session.hear(.refused("too many programs are connected"))
        #expect(!session.isActive)
        #expect(wait(for: .mediaServicesWereLost, in: heard))
        #expect(throws: PlaybackError.self) { try session.setActive(true) }
        #expect(!session.isActive)
        session.hear(.opened)
        #expect(wait(for: .mediaServicesWereReset, in: heard))
    }

    @Test("what a compositor said of this program does not give it a head start once there was none")
    func noHeadStart() throws {
        let (session, _) = try session()
        session.state.withLock { state in
            _ = state.dialogue.open(with: .init(request: .activate(hasGesture: false)) { _ in })
            _ = state.dialogue.lose(isNowPlaying: true)
        }
        session.hear(.unavailable)
        #expect(!session.state.withLock { $0.dialogue.hasHeadStart })
    }
}
