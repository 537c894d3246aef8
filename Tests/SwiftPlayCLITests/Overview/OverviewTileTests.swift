import BackgroundProtocol
import CompositorProtocol
import SharedFrames
import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct OverviewTileTests {
    private func entry(_ picture: OverviewEntry.Picture = .none, transfers: Int = 0) -> OverviewEntry {
        var entry = OverviewEntry(program: "org.example", picture: picture)
        entry.processes = [OverviewFixture.program(7, "player", isFloating: true, isAudible: true)]
        entry.transfers = (0..<transfers).map { OverviewFixture.transfer(Int64($0), "org.example") }
        return entry
    }

    private func tile(_ picture: OverviewEntry.Picture = .none, transfers: Int = 0) -> OverviewTile {
        OverviewTile(entry(picture, transfers: transfers))
    }

    @Test func aTileShowsTitleProgramStateAndAge() {
        let tile = tile(.snapshot(OverviewFixture.snapshot("org.example", title: "Film"), age: 120))
        #expect(
            tile.lines == ["Film", "org.example", "Picture-in-Picture, plays audio, in the background"]
                && tile.age == "2 minutes ago" && tile.placeholder.isEmpty && tile.isFloating && tile.isAudible)
    }

    @Test func withoutATitleTheProgramIsTheTitle() {
        #expect(tile().lines.first == "org.example" && tile().lines.count == 2)
        #expect(tile(.snapshot(OverviewFixture.snapshot("org.example"), age: 0)).lines.count == 2)
    }

    @Test func aHiddenPictureShowsNeitherTitleNorAge() {
        for picture in [OverviewEntry.Picture.isPrivate, .screenIsLocked] {
            let tile = tile(picture)
            #expect(tile.snapshot == nil && tile.age.isEmpty && tile.lines[0] == "org.example")
            #expect(tile.placeholder.hasPrefix("hidden"))
        }
        #expect(tile().placeholder == "no picture")
    }

    @Test(arguments: [
        (0, 0, ""), (1, 1, ""), (2, 2, ""), (3, 1, "and 2 more transfers"), (9, 1, "and 8 more transfers"),
    ])
    func aTileHasAtMostTwoRowsAboutTransfers(_ count: Int, _ rows: Int, _ rest: String) {
        let tile = tile(transfers: count)
        #expect(tile.transfers.count == rows && tile.furtherTransfers == rest && tile.rowCount <= 2)
    }

    @Test func aRunningTransferShowsItsBytesAndAWaitingOneItsReason() {
        var waiting = OverviewFixture.transfer(2, "a", .waiting)
        waiting.activity.text = "waits for the server in 12 s"
        let rows = [OverviewFixture.transfer(1, "a"), waiting].map(OverviewTile.Transfer.init)
        #expect(rows[0].name == "film 1.mkv" && rows[0].detail == "50 % of 100 B" && rows[0].share == 0.5)
        // The rest of the delay would change each second.
        #expect(rows[1].detail == "waits for the server")
    }

    @Test func controlCharactersOfATransferAreNotDrawn() {
        var transfer = OverviewFixture.transfer(1, "a")
        transfer.file.name = "a\u{1B}[2J.mkv"
        #expect(OverviewTile.Transfer(transfer).name == "a\u{FFFD}[2J.mkv")
    }

    @Test func aTransferOfUnknownLengthHasNoBar() {
        var transfer = OverviewFixture.transfer(1, "a")
        transfer.bytes.total = nil
        #expect(OverviewTile.Transfer(transfer).share == nil)
    }

    @Test func aProgramThatIsBeingClosedSaysSo() {
        let tile = OverviewTile(entry(), isClosing: true)
        #expect(tile.isClosing && tile.lines == ["org.example", "is being closed"] && tile != self.tile())
    }

    @Test func tilesDifferIfTheirPicturesAreOtherFiles() {
        func tile(_ inode: UInt64) -> OverviewTile {
            self.tile(
                .snapshot(
                    Snapshot(
                        texts: SnapshotFile.Texts(identifier: "a", title: ""), writingTime: 0,
                        size: PixelSize(width: 1, height: 1), pixels: [0], version: .init(inode: inode)), age: 0))
        }
        #expect(tile(1) == tile(1) && tile(1) != tile(2))
    }

    // MARK: Age

    @Test(
        arguments: [
            (0, "just now"), (59, "just now"), (60, "1 minute ago"), (7199, "1 hour ago"), (172_800, "2 days ago"),
        ] as [(Int64, String)])
    func theAgeHasWholeUnits(_ seconds: Int64, _ text: String) { #expect(OverviewTile.age(seconds) == text) }

    @Test(arguments: [0, 1, 59, 60, 61, 3599, 3600, 7000, 86_399, 86_400, 200_000] as [Int64])
    func theTextChangesExactlyAtTheNextAge(_ seconds: Int64) {
        let time = OverviewTile.timeToNextAge(seconds)
        #expect(time > 0 && OverviewTile.age(seconds + time - 1) == OverviewTile.age(seconds))
        #expect(OverviewTile.age(seconds + time) != OverviewTile.age(seconds))
    }
}
