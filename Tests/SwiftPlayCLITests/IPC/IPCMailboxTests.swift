import SystemCalls
import Testing

@testable import SwiftPlayCLI

@Suite struct IPCMailboxTests {
    /// Returns whether the mailbox's descriptor is readable, which wakes the server's thread.
    private func isReadable(_ mailbox: IPCMailbox) throws -> Bool {
        try Poll.waitReadable(mailbox.descriptor, until: 0)
    }

    @Test func anEmptyMailboxIsNotReadable() throws {
        let mailbox = try IPCMailbox(eventLimit: 4)
        #expect(try !isReadable(mailbox))
        let contents = mailbox.takeContents()
        #expect(
            contents.events.isEmpty && contents.changedProperties.isEmpty && !contents.anyPropertyChanged
                && !contents.shouldClose)
    }

    @Test func takingTheContentsReturnsAllEventsInOrder() throws {
        let mailbox = try IPCMailbox(eventLimit: 4)
        mailbox.post(IPCEvent("start-file"))
        mailbox.postChange(of: "pause")
        mailbox.post(IPCEvent("file-loaded"))
        mailbox.postChange(of: "pause")
        #expect(try isReadable(mailbox))
        let contents = mailbox.takeContents()
        #expect(contents.events.map(\.name) == ["start-file", "file-loaded"])
        #expect(contents.changedProperties == ["pause"] && !contents.anyPropertyChanged && !contents.didOverflow)
        #expect(try !isReadable(mailbox))
    }

    @Test func eachChangeAfterTakingTheContentsMakesTheMailboxReadable() throws {
        let mailbox = try IPCMailbox(eventLimit: 4)
        for _ in 0..<3 {
            mailbox.postChange(of: "volume")
            #expect(try isReadable(mailbox))
            #expect(mailbox.takeContents().changedProperties == ["volume"])
            #expect(try !isReadable(mailbox))
        }
    }

    @Test func advancesOfPlaybackWakeTheServerOnlyForAnObserver() throws {
        let mailbox = try IPCMailbox(eventLimit: 4)
        mailbox.postPlaybackAdvance()
        #expect(try !isReadable(mailbox) && !mailbox.takeContents().hasPlaybackAdvanced)
        mailbox.setPlaybackObserved(true)
        for _ in 0..<2 {
            mailbox.postPlaybackAdvance()
            #expect(try isReadable(mailbox) && mailbox.takeContents().hasPlaybackAdvanced)
        }
        mailbox.setPlaybackObserved(false)
        mailbox.postPlaybackAdvance()
        #expect(try !isReadable(mailbox))
    }

    @Test func lostEventsAreReportedOnce() throws {
        let mailbox = try IPCMailbox(eventLimit: 2)
        for name in ["a", "b", "c"] { mailbox.post(IPCEvent(name)) }
        let contents = mailbox.takeContents()
        #expect(contents.events.map(\.name) == ["a", "b"] && contents.didOverflow)
        mailbox.post(IPCEvent("d"))
        #expect(!mailbox.takeContents().didOverflow)
    }

    @Test func tooManyPropertyNamesMarkAllProperties() throws {
        let mailbox = try IPCMailbox(eventLimit: 2)
        for number in 0..<256 { mailbox.postChange(of: "\(number)") }
        var contents = mailbox.takeContents()
        #expect(contents.changedProperties.count == 256 && !contents.anyPropertyChanged)
        for number in 0..<257 { mailbox.postChange(of: "\(number)") }
        contents = mailbox.takeContents()
        #expect(contents.changedProperties.count == 256 && contents.anyPropertyChanged)
    }

    @Test func aChangeWithoutANameMarksAllProperties() throws {
        let mailbox = try IPCMailbox(eventLimit: 2)
        mailbox.postChange(of: nil)
        #expect(mailbox.takeContents().anyPropertyChanged)
    }

    @Test func shouldCloseStaysSetAfterTakingTheContents() throws {
        let mailbox = try IPCMailbox(eventLimit: 2)
        mailbox.close()
        #expect(try isReadable(mailbox))
        #expect(mailbox.takeContents().shouldClose)
        #expect(mailbox.takeContents().shouldClose)
    }
}
