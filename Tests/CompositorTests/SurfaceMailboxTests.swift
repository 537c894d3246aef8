import CompositorProtocol
import SystemCalls
import Testing

@testable import Compositor

@Suite struct SurfaceMailboxTests {
    /// The event that wakes the main thread.
    private let mainThreadEvent: EventDescriptor
    private let mailbox: SurfaceMailbox

    init() throws {
        mainThreadEvent = try EventDescriptor()
        mailbox = try SurfaceMailbox(mainThreadEvent: mainThreadEvent)
    }

    /// Returns the handle of a client's session.
    private func session(_ client: UInt64, _ number: UInt32 = 1) -> SessionHandle {
        SessionHandle(key: SessionKey(client: client, session: number), serialNumber: UInt64(number))
    }

    /// Returns the ring lengths in the `readFrames` commands among `commands`.
    private func frameLengths(_ commands: [SurfaceCommand]) -> [UInt64] {
        commands.compactMap { command in if case .readFrames(_, let end) = command { end } else { nil } }
    }

    @Test("frame commands of one session are merged, but not across its other commands")
    func ringLengthsOfOneSessionAreMerged() throws {
        mailbox.post(.readFrames(session(1), upTo: 1))
        mailbox.post(.readFrames(session(1, 2), upTo: 5))
        mailbox.post(.readFrames(session(1), upTo: 2))
        mailbox.post(.message(session(1), .removeSlot(session: 1, slot: 0), descriptors: []))
        mailbox.post(.readFrames(session(1), upTo: 3))
        mailbox.post(.readFrames(session(1), upTo: 4))
        let commands = try #require(mailbox.takeCommands())
        #expect(frameLengths(commands) == [2, 5, 4] && commands.count == 4)
    }

    @Test(
        "reading pauses only for a program with too many unfinished commands; finishing some wakes the main thread"
    )
    func onlyAProgramWithTooManyCommandsIsPaused() throws {
        for _ in 0..<SurfaceMailbox.pendingCommandLimit {
            #expect(!mailbox.isReadingPaused(1))
            mailbox.post(.close(session(1)))
        }
        for _ in 0..<1000 { mailbox.post(.readFrames(session(2), upTo: 1)) }
        #expect(mailbox.isReadingPaused(1) && !mailbox.isReadingPaused(2))
        let commands = try #require(mailbox.takeCommands())
        #expect(mailbox.isReadingPaused(1), "taken commands are not finished yet")
        #expect(!mainThreadEvent.drain())
        mailbox.markFinished(commands)
        #expect(mainThreadEvent.drain() && !mailbox.isReadingPaused(1))
    }

    @Test func pendingReportsAreBounded() {
        for _ in 0..<16_384 { mailbox.report(.connected) }
        #expect(!mailbox.report(.connected))
        #expect(mailbox.takeReports().count == 16_384)
        #expect(mailbox.report(.connected))
    }

    @Test func progressIsReportedWhileCommandsArePending() throws {
        #expect(mailbox.progress == nil)
        mailbox.post(.close(session(1)))
        let firstProgress = try #require(mailbox.progress)
        let commands = try #require(mailbox.takeCommands())
        #expect(mailbox.progress == firstProgress)
        mailbox.post(.close(session(1)))
        mailbox.markFinished(commands)
        #expect(mailbox.progress.map { $0 != firstProgress } == true)
        mailbox.markFinished(try #require(mailbox.takeCommands()))
        #expect(mailbox.progress == nil)
    }

    @Test(
        "an ending thread executes its commands first; an interrupted thread drops them and closes its connection"
    )
    func endingThreadExecutesCommandsAndInterruptedThreadDropsThem() throws {
        mailbox.post(.close(session(1)))
        mailbox.end()
        #expect(mailbox.takeCommands()?.count == 1)
        #expect(mailbox.takeCommands() == nil)
        for isConnectedFirst in [false, true] {
            let otherMailbox = try SurfaceMailbox(mainThreadEvent: mainThreadEvent)
            let interruptEvent = try EventDescriptor()
            otherMailbox.post(.close(session(1)))
            if isConnectedFirst { otherMailbox.setInterrupt { interruptEvent.signal() } }
            otherMailbox.interrupt()
            if !isConnectedFirst { otherMailbox.setInterrupt { interruptEvent.signal() } }
            #expect(interruptEvent.drain() && otherMailbox.takeCommands() == nil)
        }
    }

    @Test("after the thread has ended, its connection is not closed again")
    func endedThreadIsNotInterrupted() throws {
        let interruptEvent = try EventDescriptor()
        mailbox.setInterrupt { interruptEvent.signal() }
        #expect(!mailbox.hasEnded)
        mailbox.markEnded()
        #expect(mailbox.hasEnded && mainThreadEvent.drain())
        mailbox.interrupt()
        #expect(!interruptEvent.drain())
    }

    @Test("each command names its session, and a later session with the same number is another one")
    func commandsNameTheirSession() throws {
        let first = session(4), second = SessionHandle(key: first.key, serialNumber: 99)
        #expect(first != second)
        for handle in [first, second] {
            let commands: [SurfaceCommand] = [
                .open(handle, surface: .headless, descriptors: [], version: 9),
                .message(handle, .clearOverlay(session: 1), descriptors: []), .readFrames(handle, upTo: 1),
                .start(handle, startRect: nil, isOnAllWorkspaces: true), .cancelStart(handle),
                .setSuspended(handle, true, reason: ""), .removeWindow(handle), .close(handle),
            ]
            #expect(commands.allSatisfy { $0.session == handle })
        }
        mailbox.post(.readFrames(first, upTo: 1))
        mailbox.post(.readFrames(second, upTo: 2))
        #expect(frameLengths(try #require(mailbox.takeCommands())) == [1, 2], "the two sessions are not merged")
    }
}
