import Foundation
import Testing

@testable import Podcasts

/// What the program makes up for after it was killed between two steps.
@Suite struct ReconciliationTests {
    /// A library with one episode, whose number is 2.
    private let library: Library

    init() throws { library = try FeedSamples.library(FeedSamples.item("a")) }

    /// Returns the library with another state of its episode.
    private func library(_ file: Episode.File) -> Library {
        var library = library
        library.changeEpisode(2) { $0.file = file }
        return library
    }

    private func transfer(_ description: String, isSuspended: Bool = false) -> Reconciliation.Transfer {
        Reconciliation.Transfer(description: description, isSuspended: isSuspended)
    }

    @Test func aRequestedEpisodeWithoutTransferIsStarted() {
        let result = Reconciliation(library, files: [], transfers: [])
        #expect(result.startedEpisodes.map(\.number) == [2] && result.library == library)
    }

    @Test func aRequestedEpisodeWithTransferIsLeftAlone() {
        let result = Reconciliation(library, files: [], transfers: [transfer("0123abcd-2 A")])
        #expect(result.startedEpisodes.isEmpty && result.cancelledTransfers.isEmpty && result.resumedTransfers.isEmpty)
    }

    @Test("a transfer that was created and not started is started")
    func aSuspendedTransferIsResumed() {
        let result = Reconciliation(library, files: [], transfers: [transfer("0123abcd-2 A", isSuspended: true)])
        #expect(result.resumedTransfers == [0] && result.startedEpisodes.isEmpty)
    }

    @Test("a file that was moved and not recorded is recorded")
    func aMovedFileIsRecorded() {
        let result = Reconciliation(library, files: ["0123abcd-2.mp3"], transfers: [])
        #expect(result.library == library(.downloaded(name: "0123abcd-2.mp3")))
        #expect(result.startedEpisodes.isEmpty && result.removedFiles.isEmpty)
    }

    @Test func aFileThatTheUserHasRemovedIsNotDownloadedAgain() {
        let result = Reconciliation(library(.downloaded(name: "0123abcd-2.mp3")), files: [], transfers: [])
        #expect(result.library == library(.none) && result.startedEpisodes.isEmpty)
    }

    @Test func aFailedDownloadIsNotRepeated() {
        let result = Reconciliation(library(.failed(reason: "x")), files: [], transfers: [])
        #expect(result.startedEpisodes.isEmpty)
    }

    @Test("the transfers of removed episodes, of downloaded ones and of another library are cancelled")
    func transfersWithoutEpisodeAreCancelled() {
        let transfers = ["0123abcd-2", "0123abcd-2 again", "0123abcd-9", "ffffffff-2", "film.mkv", ""].map {
            transfer($0)
        }
        #expect(Reconciliation(library, files: [], transfers: transfers).cancelledTransfers == [1, 2, 3, 4, 5])
        let done = Reconciliation(library, files: ["0123abcd-2.mp3"], transfers: [transfers[0]])
        #expect(done.cancelledTransfers == [0])
    }

    @Test("a transfer whose end is not delivered yet is neither cancelled nor started again")
    func anEndedTransferIsLeft() {
        let ended = Reconciliation.Transfer(description: "0123abcd-2 Episode", hasEnded: true)
        for file in [Episode.File.requested, .none] {
            let result = Reconciliation(library(file), files: [], transfers: [ended])
            #expect(result.startedEpisodes.isEmpty && result.cancelledTransfers.isEmpty)
            #expect(result.resumedTransfers.isEmpty)
        }
    }

    @Test("the program removes its own files without episode, and no other files")
    func filesWithoutEpisodeAreRemoved() {
        let own = ["0123abcd-9.mp3", "ffffffff-2.mp3", "0123abcd-2.mp3.new"]
        let others = ["notes.txt", "film.new", "0123abcd-2", ".hidden", "0123abcd-02.mp3", "a-b.c"]
        let result = Reconciliation(library(.none), files: own + others, transfers: [])
        #expect(Set(result.removedFiles) == Set(own))
    }

    @Test func thePictureOfAFeedIsKept() {
        var library = library
        library.setPicture(Feed.Picture(address: FeedSamples.address, name: "0123abcd-1.png"), of: FeedSamples.address)
        #expect(Reconciliation(library, files: ["0123abcd-1.png"], transfers: []).removedFiles.isEmpty)
    }

    @Test func aSecondComparisonChangesNothing() {
        let files = ["0123abcd-2.mp3", "0123abcd-9.mp3"]
        let first = Reconciliation(library, files: files, transfers: [])
        let rest = files.filter { !first.removedFiles.contains($0) }
        let second = Reconciliation(first.library, files: rest, transfers: [])
        #expect(second.library == first.library && second.removedFiles.isEmpty && second.startedEpisodes.isEmpty)
    }
}
