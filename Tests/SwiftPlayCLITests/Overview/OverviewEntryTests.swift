import AudioPolicy
import BackgroundProtocol
import CompositorProtocol
import SharedFrames
import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

/// Values for the tests of the overview.
enum OverviewFixture {
    static func program(
        _ processID: Int32, _ name: String, presence: CompositorProtocol.ProgramPresence = .hidden,
        isFloating: Bool = false, isAudible: Bool = false
    ) -> ProgramSnapshot {
        ProgramSnapshot(
            processID: processID, name: name, role: .backgroundMedia, presence: presence, isFloating: isFloating,
            isAudible: isAudible)
    }

    static func session(_ processID: Int32, _ name: String, isRunning: Bool = true, isSilent: Bool = false)
        -> AudioSessionSnapshot
    {
        AudioSessionSnapshot(
            processID: processID, program: name, session: 1, configuration: .initial, activation: .active,
            isRunning: isRunning, isNowPlaying: false, visibility: .background, duckDecibels: 0, isSilent: isSilent,
            interruptedBy: [])
    }

    static func transfer(_ id: Int64, _ program: String, _ phase: TaskSnapshot.Phase = .running) -> TaskSnapshot {
        TaskSnapshot(
            id: id, session: 1, number: id, program: program, identifier: "s", address: "https://example.org/a",
            description: "", activity: .init(phase, "downloads"),
            file: .init(directory: "/films", name: "film \(id).mkv", isKept: true),
            bytes: .init(done: 50, total: 100, isUpload: false, isResumable: true))
    }

    static func snapshot(_ identifier: String, title: String = "", time: Int64 = 1000) -> Snapshot {
        Snapshot(
            texts: SnapshotFile.Texts(identifier: identifier, title: title), writingTime: time,
            size: PixelSize(width: 16, height: 9), pixels: [UInt32](repeating: 0xFF_80_40_20, count: 144))
    }
}

@Suite struct OverviewEntryTests {
    private func entries(_ change: (inout OverviewEntry.Sources) -> Void) -> [OverviewEntry] {
        var sources = OverviewEntry.Sources()
        sources.now = 1060
        change(&sources)
        return OverviewEntry.entries(sources)
    }

    @Test func floatingProgramsComeFirst() {
        let entries = entries { sources in
            sources.programs = [
                OverviewFixture.program(1, "quiet"), OverviewFixture.program(2, "audible", isAudible: true),
                OverviewFixture.program(3, "floating", isFloating: true),
            ]
            sources.transfers = [OverviewFixture.transfer(1, "loading")]
        }
        #expect(entries.map(\.program) == ["floating", "audible", "loading", "quiet"])
    }

    @Test func theProcessesOfAnIdentifierAreOneEntry() {
        let entries = entries { sources in
            sources.programs = [OverviewFixture.program(1, "player"), OverviewFixture.program(2, "player")]
            sources.pictures = [ProgramPicture(processID: 2, identifier: "org.example", isPrivate: false)]
            sources.snapshots = [OverviewFixture.snapshot("org.example")]
            sources.transfers = [OverviewFixture.transfer(1, "org.example")]
        }
        #expect(entries.map(\.program) == ["org.example", "player"])
        #expect(entries[0].processes.map(\.processID) == [2] && entries[0].transfers.count == 1)
        guard case .snapshot(_, let age) = entries[0].picture else {
            Issue.record("no picture")
            return
        }
        #expect(age == 60)
    }

    @Test func onlyAudibleSessionsCount() {
        let entries = entries { sources in
            sources.sessions = [
                OverviewFixture.session(1, "playing"), OverviewFixture.session(2, "paused", isRunning: false),
                OverviewFixture.session(3, "silent", isSilent: true),
            ]
        }
        #expect(entries.map(\.program) == ["playing"] && entries[0].isAudible)
    }

    @Test func onlyOpenTransfersAreListed() {
        let entries = entries { sources in
            sources.transfers = [
                OverviewFixture.transfer(1, "a"), OverviewFixture.transfer(2, "a", .waiting),
                OverviewFixture.transfer(3, "a", .finished), OverviewFixture.transfer(4, "b", .failed),
            ]
        }
        #expect(entries.map(\.program) == ["a"] && entries[0].transfers.map(\.id) == [1, 2])
    }

    @Test func aProgramThatHasEndedIsShownWithItsPicture() {
        let entries = entries { $0.snapshots = [OverviewFixture.snapshot("a")] }
        #expect(entries.map(\.program) == ["a"] && entries[0].processes.isEmpty)
    }

    @Test func aPrivateProgramHasNoPicture() {
        let entries = entries { sources in
            sources.programs = [OverviewFixture.program(1, "a")]
            sources.pictures = [ProgramPicture(processID: 1, identifier: "a", isPrivate: true)]
            // The picture may have been read just before it was deleted.
            sources.snapshots = [OverviewFixture.snapshot("a")]
        }
        guard case .isPrivate = entries[0].picture else {
            Issue.record("the picture is shown")
            return
        }
    }

    @Test func noPictureIsShownWhileTheScreenIsLocked() {
        let entries = entries { sources in
            sources.snapshots = [OverviewFixture.snapshot("a")]
            sources.isLocked = true
        }
        guard case .screenIsLocked = entries[0].picture else {
            Issue.record("the picture is shown")
            return
        }
    }

    @Test func aPictureFromTheFutureIsNew() {
        let entries = entries { $0.snapshots = [OverviewFixture.snapshot("a", time: 5000)] }
        guard case .snapshot(_, 0) = entries[0].picture else {
            Issue.record("another age")
            return
        }
    }
}
